/** The window's start. */
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { startRuns } from './state/runs.ts';
import { startSession } from './state/session.ts';

startSession();
startRuns();

// A file that is dropped where nothing takes it would replace the window by itself.
for (const type of ['dragover', 'drop'] as const) {
  window.addEventListener(type, (event) => event.dataTransfer?.types.includes('Files') && event.preventDefault());
}

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);

/** Builds the gallery, for looking at the component kit and for its tests in a browser; never part of what is shipped. */
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const root = fileURLToPath(new URL('.', import.meta.url));

export default defineConfig({
  root,
  base: './',
  logLevel: 'warn',
  plugins: [react()],
  build: {
    outDir: fileURLToPath(new URL('../../../../dist/gallery', import.meta.url)),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    target: 'chrome140',
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2000,
  },
});

/** The component kit at a glance: every part, in the colours of the address's `?scheme=` and the part of its `?show=`. */
import { createRoot } from 'react-dom/client';
import { UiProvider } from '../../../../renderer/ui/index.ts';
import { BasicsGallery } from './basics.tsx';
import { ChartsGallery } from './charts.tsx';
import { FormsGallery } from './forms.tsx';

const query = new URLSearchParams(window.location.search);
const show = query.get('show') ?? 'basics';
const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(
  <UiProvider scheme={query.get('scheme') === 'dark' ? 'dark' : 'light'}>
    {show === 'basics' && <BasicsGallery />}
    {show === 'charts' && <ChartsGallery />}
    {show === 'forms' && <FormsGallery />}
  </UiProvider>,
);

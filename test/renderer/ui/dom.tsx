/** A window for components in jsdom: what Mantine and charts ask of a browser and jsdom does not have. */
import { cleanup, render } from '@testing-library/react';
import type { ReactElement } from 'react';
import { afterEach, vi } from 'vitest';
import { UiProvider } from '../../../renderer/ui/index.ts';

class NoObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}

vi.stubGlobal('ResizeObserver', NoObserver);
vi.stubGlobal('matchMedia', (media: string) => ({
  media,
  matches: false,
  addEventListener: () => {},
  removeEventListener: () => {},
}));
Element.prototype.scrollIntoView = () => {};
afterEach(cleanup);

export function show(element: ReactElement) {
  const wrap = (inner: ReactElement) => <UiProvider scheme="light">{inner}</UiProvider>;
  const shown = render(wrap(element));
  return { ...shown, again: (next: ReactElement) => shown.rerender(wrap(next)) };
}

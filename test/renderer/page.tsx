/** A page of the window in jsdom, at an address. */
import { configure } from '@testing-library/react';
import type { ReactElement } from 'react';
import { vi } from 'vitest';
import { Router } from 'wouter';
import { memoryLocation } from 'wouter/memory-location';
import { show } from './ui/dom.tsx';

// The engine really works behind these pages, beside other tests.
configure({ asyncUtilTimeout: 10_000 });
// jsdom draws nothing.
HTMLCanvasElement.prototype.getContext = (() => null) as never;
vi.stubGlobal('requestAnimationFrame', (call: () => void) => setTimeout(call, 0));

/** Answers where the page has led to. */
export function showPage(page: ReactElement, address = '/') {
  const { hook, history, searchHook } = memoryLocation({ path: address, record: true });
  const shown = show(
    <Router hook={hook} searchHook={searchHook}>
      {page}
    </Router>,
  );
  return { ...shown, history };
}

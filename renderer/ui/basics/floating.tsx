/** Draws above the page, whatever clips the place that it is asked for from. */
import type { ReactNode } from 'react';
import { createPortal } from 'react-dom';

export function Floating({ children }: { children: ReactNode }) {
  return createPortal(children, document.body);
}

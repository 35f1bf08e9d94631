/** The scale of a stack's bars and ribbons: what is as long as they get. */
import { createContext, startTransition, useEffect, useMemo, useState } from 'react';
import { type Costs, noCosts } from '../state/stack-costs.ts';
import type { StackRow, StackView } from '../state/stack-rows.ts';

export interface Scale {
  /** The largest of each cost. */
  costs: Costs;
  /** Values of the network's largest tensor. */
  largest: number;
}

export const StackScale = createContext<Scale>({ costs: noCosts, largest: 1 });

/** Every row hangs on the scale: of more rows than these it follows once nothing has been typed for a moment. */
const fewRows = 40;
const settleMs = 150;

export function useScale({ rows, scale: costs }: StackView): Scale {
  const largest = useMemo(() => largestOf(rows), [rows]);
  const now = useMemo(() => ({ costs, largest }), [costs, largest]);
  const [settled, setSettled] = useState(now);
  const settle = now !== settled;
  useEffect(() => {
    if (!settle) return;
    const timer = setTimeout(() => startTransition(() => setSettled(now)), settleMs);
    return () => clearTimeout(timer);
  }, [settle, now]);
  return rows.length <= fewRows ? now : settled;
}

/** The next power of two: the scale of the ribbons stays while a number is typed. */
function largestOf(rows: readonly StackRow[]): number {
  let largest = 1;
  for (const row of rows) {
    if (row.type !== 'layer') continue;
    for (const shape of [row.input, row.output]) {
      if (shape)
        largest = Math.max(
          largest,
          shape.dims.reduce((product, size) => product * size, 1),
        );
    }
  }
  return 2 ** Math.ceil(Math.log2(largest));
}

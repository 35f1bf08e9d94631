/** The stack as marks of a small picture: where each layer is on the way down, its colour, how much it costs, what is wrong. Pure. */
import type { LayerCategory } from '../../engine/contract/layers/kind.ts';
import type { Costs } from '../state/stack-costs.ts';
import type { StackRow } from '../state/stack-rows.ts';
import { categoryOf } from './categories.ts';
import { worst } from './worst.ts';

/** Where a row is, in the pixels of what scrolls. */
export interface RowBox {
  top: number;
  height: number;
}

export interface Mark {
  y: number;
  height: number;
  /** 0 to 1 of the picture's width: from where, and how far. */
  from: number;
  to: number;
  category: LayerCategory | null;
  /** A block's head: the layers below it are its own. */
  head: boolean;
  dimmed: boolean;
  problem: 'error' | 'warning' | null;
}

/** Between two marks that are high enough for it. */
const gap = 1;
/** Of a short stack the picture would be blocks, not lines. */
const highest = 9;
const [step, deepest] = [0.08, 0.4];
/** What costs next to nothing is seen as well. */
const least = 0.3;

/** `total`: the height of what scrolls; `height`: the picture's. Boxes stand at the places of their rows. */
export function stackMarks(
  rows: readonly StackRow[],
  boxes: readonly RowBox[],
  scale: Costs,
  total: number,
  height: number,
): Mark[] {
  const by = total > 0 ? height / total : 0;
  return rows.flatMap((row, index) => {
    const box = boxes[index];
    if (row.type !== 'layer' || !box) return [];
    const tall = box.height * by;
    const from = Math.min(deepest, row.depth * step);
    const head = row.folded === false;
    const share = head ? 0 : costShare(row.costs, scale);
    return {
      y: box.top * by,
      height: Math.min(highest, Math.max(1, tall > 2 + gap ? tall - gap : tall)),
      from,
      to: head ? 1 : from + (1 - from) * (least + (1 - least) * share),
      category: categoryOf(row.kind),
      head,
      dimmed: row.dimmed,
      problem: worst(row.problems),
    };
  });
}

/** The largest of its shares: a layer may be small in parameters and large in memory. */
function costShare(costs: Costs | null, scale: Costs): number {
  if (!costs) return 0;
  const shares = (['parameters', 'flops', 'memory'] as const).map((key) =>
    scale[key] > 0 ? costs[key] / scale[key] : 0,
  );
  return Math.sqrt(Math.min(1, Math.max(...shares)));
}

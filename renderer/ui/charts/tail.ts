/** Where a picture of growing lines must be painted anew: values come at the end, what lies before stays as it was painted. Pure. */
import type { LineSeries } from './model.ts';
import { mostMarked } from './paint.ts';

/** A line as it was when it was painted. */
export interface PaintedLine {
  key: string;
  /** What holds its places: the same one grows, another one means other values. */
  source: object;
  length: number;
}

const sourceOf = (x: ArrayLike<number>): object => (ArrayBuffer.isView(x) ? x.buffer : x);

export function paintedLines(lines: readonly LineSeries[]): PaintedLine[] {
  return lines.map(({ key, x }) => ({ key, source: sourceOf(x), length: x.length }));
}

/** The place in pixels from which on the picture differs; 0: everywhere. */
export function changedFrom(
  before: readonly PaintedLine[],
  lines: readonly LineSeries[],
  toX: (value: number) => number,
): number {
  if (before.length !== lines.length) return 0;
  let from = Number.POSITIVE_INFINITY;
  for (const [index, line] of lines.entries()) {
    const { key, source, length } = before[index] as PaintedLine;
    const grown = line.x.length - length;
    if (key !== line.key || source !== sourceOf(line.x) || grown < 0) return 0;
    // Of these a point that stands is finished.
    if (grown === 0 && (line.exact || line.ghost || line.dashed)) continue;
    // Points are marked as long as they are few.
    if (line.exact && length <= mostMarked) return 0;
    // The last point may have been one that was not finished yet.
    const sure = line.x[length - 2];
    if (sure === undefined) return 0;
    from = Math.min(from, toX(sure));
  }
  return from;
}

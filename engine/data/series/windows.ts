/** Which windows a table's rows give: in the order of time, none across two series or two parts. Pure. */
import type { PartName } from '../../contract/tensors.ts';

export interface WindowShape {
  window: number;
  horizon: number;
  stride: number;
}

/** Rows in a row, from `start` up to but not including `end`. */
export interface Stretch {
  start: number;
  end: number;
}

/** Each series cut by time: its last rows test, those before them validate; disjoint, so that no window has rows of two parts. */
export function cutSeries(
  series: readonly Stretch[],
  { val_part, test_part }: { val_part: number; test_part: number },
): { [Part in PartName]: Stretch[] } {
  const parts: { [Part in PartName]: Stretch[] } = { train: [], val: [], test: [] };
  for (const { start, end } of series) {
    const rows = end - start;
    const test = end - Math.round(rows * test_part);
    const val = Math.max(start, test - Math.round(rows * val_part));
    parts.train.push({ start, end: val });
    parts.val.push({ start: val, end: test });
    parts.test.push({ start: test, end });
  }
  return parts;
}

/**
 * First rows of all windows that lie in the stretches, targets included. `unusable(row)`: no window holds that row; `untargeted(row)`: it is no
 * window's target.
 */
export function windowStarts(
  stretches: readonly Stretch[],
  { window, horizon, stride }: WindowShape,
  unusable: (row: number) => boolean,
  untargeted: (row: number) => boolean,
): { starts: Uint32Array; skipped: number } {
  const starts: number[] = [];
  let skipped = 0;
  for (const { start, end } of stretches) {
    let last = start - 1; // the newest unusable row that was passed
    let seen = start;
    for (let at = start; at + window - 1 + horizon < end; at += stride) {
      for (; seen < at + window; seen++) if (unusable(seen)) last = seen;
      if (last >= at || untargeted(at + window - 1 + horizon)) skipped++;
      else starts.push(at);
    }
  }
  return { starts: Uint32Array.from(starts), skipped };
}

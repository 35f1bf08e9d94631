/** Keeps the rows that look as before, so that only what changed is drawn again. */
import type { StackView } from './stack-rows.ts';

/** The view, with whatever equals what is on screen replaced by it. */
export function sameView(before: StackView | null, now: StackView): StackView {
  if (!before) return now;
  const old = new Map(before.rows.map((row) => [row.key, row]));
  const rows = now.rows.map((row) => {
    const had = old.get(row.key);
    return had && equal(had, row) ? had : row;
  });
  const same = rows.length === before.rows.length && rows.every((row, index) => row === before.rows[index]);
  return {
    rows: same ? before.rows : rows,
    scale: equal(before.scale, now.scale) ? before.scale : now.scale,
    problems: equal(before.problems, now.problems) ? before.problems : now.problems,
  };
}

function equal(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const keys = Object.keys(a);
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  return (
    keys.length === Object.keys(right).length &&
    // Layers keep their identity where they have not changed: `sharing.ts`.
    keys.every((key) => (key === 'layer' ? left[key] === right[key] : equal(left[key], right[key])))
  );
}

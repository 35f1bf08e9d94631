/** Which rows of a list are selected after a click or key, as files are in a desktop's window. Pure. */

export interface Selection {
  keys: ReadonlySet<string>;
  /** The row the keyboard is at. */
  at: number;
  /** Where a range begins. */
  anchor: number;
}

export interface Gesture {
  /** The row gone to. */
  to: number;
  /** Shift: from the anchor to there. */
  range?: boolean;
  /** Ctrl or ⌘: this row on or off, the others as they are. */
  toggle?: boolean;
  /** The keyboard goes there, nothing is selected. */
  move?: boolean;
}

/** `keyOf` answers the key of the row at a position. */
export function select(
  was: Selection,
  { to, range, toggle, move }: Gesture,
  keyOf: (row: number) => string,
): Selection {
  if (move) return { ...was, at: to };
  if (range) {
    const [from, until] = was.anchor < to ? [was.anchor, to] : [to, was.anchor];
    const keys = new Set(toggle ? was.keys : []);
    for (let row = Math.max(0, from); row <= until; row++) keys.add(keyOf(row));
    return { keys, at: to, anchor: was.anchor };
  }
  if (toggle) {
    const keys = new Set(was.keys);
    const key = keyOf(to);
    if (!keys.delete(key)) keys.add(key);
    return { keys, at: to, anchor: to };
  }
  return { keys: new Set([keyOf(to)]), at: to, anchor: to };
}

export type SortValue = string | number | null | undefined;

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Numbers by size, texts with their numbers counted; what has no value comes last either way, NaN as well. */
export function compare(a: SortValue, b: SortValue, descending: boolean): number {
  const missing = (value: SortValue) => value === null || value === undefined || Number.isNaN(value);
  if (missing(a) || missing(b)) return Number(missing(a)) - Number(missing(b));
  const order =
    typeof a === 'number' && typeof b === 'number'
      ? a < b
        ? -1
        : a > b
          ? 1
          : 0
      : collator.compare(String(a), String(b));
  return descending ? -order : order;
}

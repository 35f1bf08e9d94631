/** What is selected in the stack, and where the keyboard is. Pure. */

import { type Gap, indexOf, listOf, type Path, samePath, startsWith } from './stack-paths.ts';
import type { StackRow, Tensor } from './stack-rows.ts';

export interface Selection {
  /** Ids of layers. */
  selected: ReadonlySet<string>;
  /** The row that the keyboard is at: a layer, or the place of a list without layers. */
  active: string | null;
  /** Where a range begins. */
  anchor: string | null;
}

export const nothingSelected: Selection = { selected: new Set(), active: null, anchor: null };

/** Rows that the keyboard stops at. */
export function isStop(row: StackRow): boolean {
  return row.type === 'layer' || row.type === 'empty';
}

export function rowOf(rows: readonly StackRow[], key: string | null): StackRow | undefined {
  return key === null ? undefined : rows.find((row) => row.key === key);
}

export function selectOnly(ids: readonly string[], active: string | null = ids.at(-1) ?? null): Selection {
  return { selected: new Set(ids), active, anchor: active };
}

/** To a row by a click or a key. An empty list's place selects the block that it is in. */
export function selectTo(
  rows: readonly StackRow[],
  was: Selection,
  key: string,
  how: { range?: boolean; toggle?: boolean } = {},
): Selection {
  const row = rowOf(rows, key);
  if (!row || !isStop(row)) return was;
  if (row.type === 'empty') {
    const owner = rowOf(rows, row.owner);
    return { selected: new Set(owner?.type === 'layer' ? [row.owner] : []), active: key, anchor: key };
  }
  if (how.range) {
    const keys = rows.map((each) => each.key);
    const from = Math.max(0, keys.indexOf(was.anchor ?? key));
    const to = keys.indexOf(key);
    const between = rows.slice(Math.min(from, to), Math.max(from, to) + 1).filter((each) => each.type === 'layer');
    return { selected: new Set(between.map((each) => each.key)), active: key, anchor: was.anchor ?? key };
  }
  if (how.toggle) {
    const selected = new Set(was.selected);
    if (!selected.delete(key)) selected.add(key);
    return { selected, active: key, anchor: key };
  }
  return selectOnly([key]);
}

/** The row `by` stops further on; the first or last where there is none. */
export function step(rows: readonly StackRow[], active: string | null, by: number): string | null {
  const stops = rows.filter(isStop);
  const at = stops.findIndex((row) => row.key === active);
  if (at < 0) return (by > 0 ? stops[0] : stops.at(-1))?.key ?? null;
  return stops[Math.min(stops.length - 1, Math.max(0, at + by))]?.key ?? null;
}

export function selectAll(rows: readonly StackRow[], was: Selection): Selection {
  const layers = rows.filter((row) => row.type === 'layer').map((row) => row.key);
  return { selected: new Set(layers), active: was.active ?? layers[0] ?? null, anchor: layers[0] ?? null };
}

/** Paths of the selected layers, in order. What is shown inside a selected block goes with it: also what its definition says elsewhere. */
export function selectedPaths(rows: readonly StackRow[], selected: ReadonlySet<string>): Path[] {
  const paths: Path[] = [];
  let inside = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    if (row.depth <= inside) inside = Number.POSITIVE_INFINITY;
    if (row.type !== 'layer' || !selected.has(row.key) || row.depth > inside) continue;
    paths.push(row.path);
    inside = row.depth;
  }
  return paths;
}

/** Where what is added goes: after the row that the keyboard is at, into an empty list, else to the end. */
export function gapAfter(rows: readonly StackRow[], active: string | null): Gap {
  const row = rowOf(rows, active);
  if (row?.type === 'empty') return row.above;
  if (row?.type === 'layer') return { list: listOf(row.path), index: indexOf(row.path) + 1 };
  const end = rows.find((each) => each.type === 'output');
  return end?.above ?? { list: ['model', 'layers'], index: 0 };
}

/** What comes in where a gap is. */
export function tensorAt(rows: readonly StackRow[], { list, index }: Gap): Tensor | null {
  for (const row of rows) {
    if (row.type === 'layer' && samePath(listOf(row.path), list)) {
      if (indexOf(row.path) === index) return row.input;
      if (indexOf(row.path) === index - 1) return row.output;
    }
    if (row.type === 'empty' && samePath(row.above.list, list)) {
      const owner = rowOf(rows, row.owner);
      return owner?.type === 'layer' ? owner.input : null;
    }
  }
  return null;
}

/** The gap to which a step up or down takes the selected layers, also into and out of blocks; null at either end. */
export function gapBeside(
  rows: readonly StackRow[],
  paths: readonly Path[],
  by: -1 | 1,
  allowed: (gap: Gap) => boolean = () => true,
): Gap | null {
  const inside = (row: StackRow) =>
    paths.some((path) => startsWith(row.type === 'layer' ? row.path : row.above.list, path));
  const marked = rows.map((row) => inside(row));
  const first = marked.indexOf(true);
  const last = marked.lastIndexOf(true);
  if (first < 0) return null;
  // The gap above row n is rows[n].above: going up the one above the row before, going down the one below the row after.
  for (let at = by < 0 ? first - 1 : last + 2; at >= 0 && at < rows.length; at += by) {
    const row = rows[at] as StackRow;
    if (row.type === 'block') {
      if (by > 0) return null;
      continue;
    }
    if (!isHere(paths, row.above) && allowed(row.above)) return row.above;
  }
  return null;
}

function isHere(paths: readonly Path[], { list, index }: Gap): boolean {
  const [first] = paths;
  const last = paths.at(-1);
  if (!first || !last) return false;
  const here = (path: Path) => samePath(listOf(path), list);
  return here(first) && here(last) && index >= indexOf(first) && index <= indexOf(last) + 1;
}

/** After an edit that was not the stack's own (undo, a fix): what is still there, else what came, else a neighbour. */
export function settle(before: readonly StackRow[], after: readonly StackRow[], was: Selection): Selection {
  if (before.length === after.length && after.every((row, index) => row.key === before[index]?.key)) return was;
  const ids = new Set(after.filter((row) => row.type === 'layer').map((row) => row.key));
  const had = new Set(before.map((row) => row.key));
  const came = after.filter((row) => row.type === 'layer' && !had.has(row.key));
  const selected = [...was.selected].filter((id) => ids.has(id));
  const kept = selected.length === was.selected.size;
  const keys = new Set(after.map((row) => row.key));
  if (came.length > 0 && came.length < ids.size) {
    const top = came.filter((row) => !came.some((other) => isInside(row, other)));
    return selectOnly(
      top.map((row) => row.key),
      top[0]?.key ?? null,
    );
  }
  if (kept && (was.active === null || keys.has(was.active))) return was;
  if (selected.length > 0) return selectOnly(selected);
  return selectOnly(neighbour(before, after, was.active));
}

function isInside(row: StackRow, other: StackRow): boolean {
  return row !== other && row.type === 'layer' && other.type === 'layer' && startsWith(row.path, other.path);
}

/** The layer that is now where one was that is gone: the next one, else the one before. */
export function neighbour(before: readonly StackRow[], after: readonly StackRow[], gone: string | null): string[] {
  const at = before.findIndex((row) => row.key === gone);
  if (at < 0) return [];
  const there = new Set(after.filter(isStop).map((row) => row.key));
  const next = before.slice(at).find((row) => there.has(row.key));
  const previous = before.slice(0, at).findLast((row) => there.has(row.key));
  const key = (next ?? previous)?.key;
  return key === undefined ? [] : [key];
}

/** After a fold: what is hidden now gives way to the block around it that is shown. */
export function shownInstead(before: readonly StackRow[], after: readonly StackRow[], was: Selection): Selection {
  const there = new Set(after.map((row) => row.key));
  const shown = (key: string): string | null => {
    let at = before.findIndex((row) => row.key === key);
    while (at >= 0 && !there.has(before[at]?.key as string)) {
      const depth = before[at]?.depth ?? 0;
      at = before.slice(0, at).findLastIndex((row) => row.type === 'layer' && row.depth < depth);
    }
    return before[at]?.key ?? null;
  };
  const keys = [...was.selected, was.active, was.anchor];
  if (keys.every((key) => key === null || there.has(key))) return was;
  const selected = new Set([...was.selected].flatMap((key) => shown(key) ?? []));
  return { selected, active: was.active && shown(was.active), anchor: was.anchor && shown(was.anchor) };
}

/** After an edit that selects nothing by itself: without what it took away. */
export function withoutGone(before: readonly StackRow[], after: readonly StackRow[], was: Selection): Selection {
  const there = new Set(after.map((row) => row.key));
  const gone = (key: string | null) => key !== null && !there.has(key);
  if (!gone(was.active) && !gone(was.anchor) && ![...was.selected].some(gone)) return was;
  const selected = [...was.selected].filter((key) => there.has(key));
  if (!gone(was.active)) return { selected: new Set(selected), active: was.active, anchor: was.active };
  return selectOnly(selected.length > 0 ? selected : neighbour(before, after, was.active));
}

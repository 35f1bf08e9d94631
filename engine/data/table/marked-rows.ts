/** Marks of training rows: an encoding is fitted without what is left out, and a split drawn by corrected classes. */
import type { Mark } from '../../contract/data/marks.ts';
import type { TableSource } from '../../contract/sources/table.ts';
import { marksOf } from '../mark-effects.ts';
import type { OpenTable } from './open-table.ts';
import { placesOf, rowName } from './places.ts';

export interface MarkedRows {
  /** Positions, ascending. */
  excluded: number[];
  /** Class by position. */
  relabelled: [number, string][];
}

/** `marks`: those that count; absent: the data's own. null where none of them is of a training row. */
export async function markedRows(
  { parts: { train } }: OpenTable,
  settings: TableSource,
  baseDir: string,
  marks?: readonly Mark[],
): Promise<MarkedRows | null> {
  const all = marks ?? (await marksOf(settings, baseDir));
  const own = new Map(all.filter(({ part }) => part === 'train').map((mark) => [mark.sample, mark]));
  if (own.size === 0) return null;
  const places = (await placesOf([train])).get(train);
  const found: MarkedRows = { excluded: [], relabelled: [] };
  for (let index = 0; index < train.rows; index++) {
    const mark = own.get(rowName(places, index));
    if (mark?.exclude) found.excluded.push(index);
    else if (mark?.label !== undefined) found.relabelled.push([index, mark.label]);
  }
  return found.excluded.length + found.relabelled.length > 0 ? found : null;
}

/**
 * Columns of wide tables by their different texts: planning SQL for thousands of columns takes far longer than walking through their cells once.
 * Says what the SQL of `profile.ts` and `statistics.ts` says.
 */
import { standardMissing } from '../../contract/sources/table.ts';
import type { Database } from './duckdb.ts';
import { type NumberStyle, patterns, readNumberText } from './numbers.ts';
import type { ColumnProfile, Counted } from './profile.ts';
import { placeSql, storeParameters, storeRows, type TableStore } from './store.ts';

/** Columns from which on a table is wide. */
const manyColumns = 150;
/** With more rows SQL is as quick, whatever the number of columns. */
const fewRows = 20_000;
/** Cells whose texts are in memory. */
const mostCells = 4_000_000;

export const isWide = ({ names, rows }: TableStore): boolean => names.length >= manyColumns && rows <= fewRows;

/** A column's texts, and how often each stands there. */
export type Texts = ReadonlyMap<string, number>;

/** Calls `look` with each of some columns. */
export async function eachTexts(
  database: Database,
  store: TableStore,
  columns: readonly number[],
  look: (at: number, texts: Texts) => void,
): Promise<void> {
  const atOnce = Math.max(1, Math.min(manyAtOnce, Math.floor(mostCells / Math.max(1, store.rows))));
  for (let first = 0; first < columns.length; first += atOnce) {
    const some = columns.slice(first, first + atOnce);
    const found = some.map(() => new Map<string, number>());
    const sql = `SELECT ${some.map((at) => `c${at}`).join(', ')} FROM ${storeRows}`;
    for await (const chunk of database.chunks(sql, storeParameters(store))) {
      for (const [i, texts] of found.entries()) {
        const cells = chunk.getColumnVector(i);
        for (let row = 0; row < chunk.rowCount; row++) {
          const text = cells.getItem(row) as string;
          texts.set(text, (texts.get(text) ?? 0) + 1);
        }
      }
    }
    for (const [i, at] of some.entries()) look(at, found[i] as Texts);
  }
}

/** Columns of one query: each has its buffers. */
const manyAtOnce = 4_096;

const full = (pattern: string) => new RegExp(`^(?:${pattern})$`);
const tests = {
  whole: full(patterns.whole),
  point: full(patterns.point),
  comma: full(patterns.comma),
  grouped: full(patterns.grouped),
  thousands: full(patterns.thousands),
};

export function writingOf(text: string, tokens: readonly string[]): keyof Counted {
  if (text === '') return 'empty';
  if (tokens.includes(text)) return 'token';
  if (tests.whole.test(text)) return 'whole';
  if (tests.point.test(text)) return tests.thousands.test(text) ? 'thousands' : 'point';
  if (tests.comma.test(text)) return tests.grouped.test(text) ? 'either' : 'comma';
  return tests.grouped.test(text) ? 'grouped' : 'other';
}

/** Those that are not missing. */
export function presentTexts(texts: Texts, tokens: readonly string[]): [text: string, count: number][] {
  return [...texts].filter(([text]) => !tokens.includes(text));
}

/** Different numbers, rising, and how often each stands there. */
export function numbersOf(
  texts: Texts,
  { tokens, style }: Pick<ColumnProfile, 'tokens' | 'style'>,
): [value: number, count: number][] {
  const counts = new Map<number, number>();
  for (const [text, count] of presentTexts(texts, tokens)) {
    const value = readNumberText(text, style);
    if (value !== null) counts.set(value, (counts.get(value) ?? 0) + count);
  }
  return [...counts].sort(([a], [b]) => a - b);
}

/** Standard tokens that are values here. */
export function keptTokens(texts: Texts, tokens: readonly string[]): { value: string; count: number }[] {
  return standardMissing
    .flatMap((value) => {
      const count = tokens.includes(value) ? undefined : texts.get(value);
      return count === undefined ? [] : [{ value, count }];
    })
    .sort((a, b) => (a.value < b.value ? -1 : 1));
}

/** The first cells of some columns that hold neither a number nor one of the texts to be skipped. */
export async function firstOdd(
  database: Database,
  store: TableStore,
  columns: readonly { at: number; skipped: readonly string[]; style: NumberStyle }[],
  most: number,
): Promise<{ row: number; value: string }[][]> {
  const found = columns.map((): { row: number; value: string }[] => []);
  if (columns.length === 0) return found;
  const sql = `SELECT ${[placeSql(store), ...columns.map(({ at }) => `c${at}`)].join(', ')} FROM ${storeRows}`;
  for await (const chunk of database.chunks(sql, storeParameters(store))) {
    const places = chunk.getColumnVector(0);
    for (const [i, { skipped, style }] of columns.entries()) {
      const cells = chunk.getColumnVector(i + 1);
      const odd = found[i] as { row: number; value: string }[];
      for (let row = 0; row < chunk.rowCount && odd.length < most; row++) {
        const value = cells.getItem(row) as string;
        if (skipped.includes(value) || readNumberText(value, style) !== null) continue;
        odd.push({ row: Number(places.getItem(row)), value });
      }
    }
  }
  return found;
}

/** Typed values of a table's columns, as they come from the cache, and the rows among them that are no samples. */
import { GradloomError } from '../../contract/errors.ts';
import { type Database, literals } from './duckdb.ts';
import { type CellValue, categoryName, type EncodedInput, type NumberInput, readNumber } from './encoding.ts';
import { readNumberText } from './numbers.ts';
import { dateSql, numericSql, presentSql } from './profile.ts';
import { placeSql, storeParameters, storeRows, type TableStore } from './store.ts';
import { isWide } from './texts.ts';

/** What is read of a column: a number, or the name of a class or category. */
export type ColumnReading = EncodedInput | { kind: 'text'; name: string; tokens: string[]; numbers: boolean };

export interface ValueChunk {
  /** Position of its first row in the part. */
  first: number;
  count: number;
  /** Of each row. */
  positions: ArrayLike<number>;
  /** By column, then row; null: missing. */
  columns: { getItem(row: number): unknown }[];
}

/** Where a column lies in a file, which may order its columns otherwise than the training part's. */
export function placeOfColumn({ names, path }: TableStore, name: string): number {
  const at = names.indexOf(name);
  if (at >= 0) return at;
  throw new GradloomError(
    'DATA_FORMAT',
    `${path} has no column ${JSON.stringify(name)}, which the training part has.`,
    {
      hint: 'Give all parts the same columns, or ignore this one.',
      path,
    },
  );
}

/** Columns from which on a query of plain texts, read here, is quicker than one of expressions. */
const manyColumns = 150;

const isDate = (column: ColumnReading) => column.kind === 'number' && column.date;

/** The value of a text, as `valueSql` says it. */
function readValue(column: ColumnReading, text: string): number | string | null {
  if (column.tokens.includes(text)) return null;
  return column.kind === 'number' ? readNumberText(text, column.style) : categoryName(text, column.numbers);
}

function valueSql(at: number, column: ColumnReading): string {
  if (column.kind === 'number') return column.date ? dateSql(at, column.tokens) : numericSql(at, column);
  const text = presentSql(at, column.tokens);
  return column.numbers ? `regexp_replace(${text}, '[.]0+$', '')` : text;
}

/** Rows in the file's order: all from one on, or those at the given positions, which rise. */
export async function* readValues(
  database: Database,
  store: TableStore,
  columns: readonly ColumnReading[],
  which: number | { positions: readonly number[] } = 0,
): AsyncGenerator<ValueChunk, void, void> {
  const isText = (column: ColumnReading) => columns.length >= manyColumns && !isDate(column);
  const values = columns.map((column) => {
    const at = placeOfColumn(store, column.name);
    return isText(column) ? `c${at}` : valueSql(at, column);
  });
  const where =
    typeof which === 'number'
      ? which > 0
        ? ` WHERE file_row_number >= ${which}`
        : ''
      : ` WHERE file_row_number IN (${which.positions.join(', ')})`;
  const sql = `SELECT ${['file_row_number', ...values].join(', ')} FROM ${storeRows}${where}`;
  let next = typeof which === 'number' ? which : -1;
  for await (const chunk of database.chunks(sql, storeParameters(store))) {
    const [numbers, ...rest] = Array.from({ length: chunk.columnCount }, (_, at) => chunk.getColumnVector(at));
    const positions = Float64Array.from({ length: chunk.rowCount }, (_, row) => Number(numbers?.getItem(row)));
    const first = positions[0] as number;
    if (next >= 0 && first !== next) {
      throw new GradloomError('INTERNAL', `The rows of ${store.path} came out of order`);
    }
    const read = rest.map((cells, at) => {
      const column = columns[at] as ColumnReading;
      return isText(column) ? { getItem: (row: number) => readValue(column, cells.getItem(row) as string) } : cells;
    });
    yield { first, count: chunk.rowCount, positions, columns: read };
    if (next >= 0) next += chunk.rowCount;
  }
}

export interface BadRow {
  index: number;
  /** Number of the row in its file, from 1. */
  place: number;
  reason: string;
}

/**
 * Rows that cannot be samples: a number that is none or that 32 bits cannot hold, no target, a class (`known`) that training does not have.
 * In order.
 */
export async function findBadRows(
  database: Database,
  store: TableStore,
  inputs: readonly EncodedInput[],
  targets: readonly { column: ColumnReading; known: readonly string[] | null }[],
): Promise<BadRow[]> {
  const numbers = inputs.filter((input) => input.kind === 'number');
  const checks: Check[] = [
    ...numbers.map((input) => ({ column: input as ColumnReading, required: false, known: null })),
    ...targets.map(({ column, known }) => ({ column, required: true, known: known && new Set(known) })),
  ].map((check) => ({ ...check, at: placeOfColumn(store, check.column.name) }));
  const found = new Map<number, BadRow>();
  // What is a date SQL alone decides.
  const walked = isWide(store) ? checks.filter(({ column }) => !isDate(column)) : [];
  const asked = isWide(store) ? checks.filter(({ column }) => isDate(column)) : checks;
  const lists = walked.length > 0 ? [await readRows(database, store, walked)] : [];
  for (let first = 0; first < asked.length; first += checksAtOnce) {
    lists.push(await checkRows(database, store, asked.slice(first, first + checksAtOnce)));
  }
  for (const bad of lists.flat()) {
    const before = found.get(bad.index);
    found.set(bad.index, before ? { ...before, reason: `${before.reason}; ${bad.reason}` } : bad);
  }
  return [...found.values()].sort((a, b) => a.index - b.index);
}

/** Planning a query takes longer than in proportion to its conditions. */
const checksAtOnce = 100;

interface Check {
  column: ColumnReading;
  at: number;
  required: boolean;
  known: ReadonlySet<string> | null;
}

async function checkRows(database: Database, store: TableStore, checks: readonly Check[]): Promise<BadRow[]> {
  const faulty = checks.map(({ column, required, at }) => {
    const present = presentSql(at, column.tokens);
    const missing = required ? `(${present}) IS NULL` : 'FALSE';
    if (column.kind !== 'number') return missing;
    const value = valueSql(at, column);
    return `(${missing} OR ((${present}) IS NOT NULL AND NOT coalesce(abs(${value}) <= 3.4028234e38, FALSE)))`;
  });
  const strange = await unknownClasses(database, store, checks);
  const cells = checks.map(({ at }) => `c${at}`);
  const sql = `SELECT ${['file_row_number', placeSql(store), ...cells].join(', ')} FROM ${storeRows}
    WHERE ${[...faulty, ...strange].join(' OR ')}`;
  const bad: BadRow[] = [];
  for await (const chunk of database.chunks(sql, storeParameters(store))) {
    for (const [index, place, ...texts] of chunk.getRows()) {
      const reasons = checks.flatMap((check, i) => reasonOf(check, String(texts[i])));
      bad.push({ index: Number(index), place: Number(place), reason: reasons.join('; ') || 'a value cannot be read' });
    }
  }
  return bad;
}

/** The same by reading every cell. */
async function readRows(database: Database, store: TableStore, checks: readonly Check[]): Promise<BadRow[]> {
  const cells = checks.map(({ at }) => `c${at}`);
  const sql = `SELECT ${['file_row_number', placeSql(store), ...cells].join(', ')} FROM ${storeRows}`;
  const bad: BadRow[] = [];
  for await (const chunk of database.chunks(sql, storeParameters(store))) {
    const [indices, places, ...columns] = Array.from({ length: chunk.columnCount }, (_, at) =>
      chunk.getColumnVector(at),
    );
    for (let row = 0; row < chunk.rowCount; row++) {
      const reasons = checks.flatMap((check, i) => reasonOf(check, columns[i]?.getItem(row) as string));
      if (reasons.length === 0) continue;
      bad.push({
        index: Number(indices?.getItem(row)),
        place: Number(places?.getItem(row)),
        reason: reasons.join('; '),
      });
    }
  }
  return bad;
}

function reasonOf({ column, required, known }: Check, text: string): string[] {
  const value = cellValue(column, text);
  if (value === null) return required ? [`${column.name}: the target is missing`] : [];
  if (typeof value === 'object') return [value.fault];
  return known && !known.has(String(value))
    ? [`${column.name}: no row that trains is of class ${JSON.stringify(value)}`]
    : [];
}

/** Conditions that hold for rows of a class that is not known; the file's own classes are few enough to be listed. */
async function unknownClasses(database: Database, store: TableStore, checks: readonly Check[]): Promise<string[]> {
  const conditions: string[] = [];
  for (const { column, at, known } of checks) {
    if (!known) continue;
    const value = valueSql(at, column);
    const found = await database.rows(
      `SELECT DISTINCT ${value} FROM ${storeRows} WHERE ${value} IS NOT NULL`,
      storeParameters(store),
    );
    const strange = found.map(([name]) => String(name)).filter((name) => !known.has(name));
    if (strange.length > 0) conditions.push(`${value} IN (${literals(strange)})`);
  }
  return conditions;
}

/** A cell's text as what its column is read as. */
export function cellValue(column: ColumnReading, text: string): CellValue {
  if (column.kind === 'number') return readNumber(text, column as NumberInput);
  return column.tokens.includes(text) ? null : categoryName(text, column.numbers);
}

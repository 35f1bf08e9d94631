/** Rows of a table as the columns of a pack, and single ones for a look. */
import { cacheDir } from '../../workspace.ts';
import type { Rows } from '../rows.ts';
import { type Database, withDatabase } from './duckdb.ts';
import { type CategoryInput, type EncodedInput, encodeValue, type TableEncoding, widthOf } from './encoding.ts';
import type { TableStore } from './store.ts';
import { type ColumnReading, readValues, type ValueChunk } from './values.ts';

/** Numbers that are encoded before they are handed on. */
const mostNumbers = 4 << 20;

const bytesOf = (values: Float32Array | BigInt64Array) =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength);

/** Rows of `out` are zeros. */
export async function* encodedInputs(
  database: Database,
  store: TableStore,
  inputs: readonly EncodedInput[],
  out: ReadonlySet<number>,
  first: number,
): AsyncGenerator<Uint8Array, void, void> {
  const width = inputs.reduce((sum, input) => sum + widthOf(input), 0);
  const rows = Math.max(1, Math.floor(mostNumbers / width));
  for await (const chunk of readValues(database, store, inputs, first)) {
    for (let from = 0; from < chunk.count; from += rows) {
      const count = Math.min(rows, chunk.count - from);
      yield bytesOf(encodeChunk(chunk, inputs, width, from, count, out));
    }
  }
}

function encodeChunk(
  chunk: ValueChunk,
  inputs: readonly EncodedInput[],
  width: number,
  from: number,
  count: number,
  out: ReadonlySet<number>,
): Float32Array {
  const values = new Float32Array(count * width);
  let offset = 0;
  for (const [at, input] of inputs.entries()) {
    const column = chunk.columns[at] as ValueChunk['columns'][number];
    for (let row = 0; row < count; row++) {
      encodeValue(input, column.getItem(from + row) as number | string | null, values, row * width + offset);
    }
    offset += widthOf(input);
  }
  for (let row = 0; row < count && out.size > 0; row++) {
    if (out.has(chunk.first + from + row)) values.fill(0, row * width, (row + 1) * width);
  }
  return values;
}

export async function* encodedTargets(
  database: Database,
  store: TableStore,
  { target }: TableEncoding,
  out: ReadonlySet<number>,
  first: number,
): AsyncGenerator<Uint8Array, void, void> {
  if (target.kind === 'value') yield* encodedInputs(database, store, target.values, out, first);
  else yield* numberedTexts(database, store, { ...target, kind: 'text' }, target.classes, first);
}

/** Each text by its place in `names`; one that is not there, of a row that takes part in nothing, by 0. */
export async function* numberedTexts(
  database: Database,
  store: TableStore,
  column: ColumnReading,
  names: readonly string[],
  first: number,
): AsyncGenerator<Uint8Array, void, void> {
  const place = new Map(names.map((name, at) => [name, BigInt(at)]));
  for await (const chunk of readValues(database, store, [column], first)) {
    const numbers = new BigInt64Array(chunk.count);
    for (let row = 0; row < chunk.count; row++) {
      numbers[row] = place.get(String(chunk.columns[0]?.getItem(row) ?? '')) ?? 0n;
    }
    yield bytesOf(numbers);
  }
}

/** Samples by position, read from the cache's table. */
export function tableRows(store: TableStore, { inputs, names, target }: TableEncoding): Rows {
  return {
    inputs: (positions, signal) =>
      withDatabase(
        cacheDir(),
        async (database) => {
          const found = new Map<number, Float32Array>();
          const wanted = [...new Set(positions)].sort((a, b) => a - b);
          for (const { index, values } of await pickRows(database, store, inputs, names.length, wanted)) {
            found.set(index, values);
          }
          return positions.map((position) => found.get(position) ?? new Float32Array(names.length));
        },
        signal,
      ),
    labels: async (signal) => {
      if (target.kind !== 'class') return null;
      return withDatabase(
        cacheDir(),
        async (database) => {
          const labels = new Uint32Array(store.rows);
          let at = 0;
          const column: ColumnReading = { ...target, kind: 'text' };
          for await (const chunk of numberedTexts(database, store, column, target.classes, 0)) {
            for (const label of new BigInt64Array(chunk.buffer, chunk.byteOffset, chunk.byteLength / 8)) {
              labels[at++] = Number(label);
            }
          }
          return labels;
        },
        signal,
      );
    },
  };
}

/** `positions` rise. */
async function pickRows(
  database: Database,
  store: TableStore,
  inputs: readonly EncodedInput[],
  width: number,
  positions: readonly number[],
): Promise<{ index: number; values: Float32Array }[]> {
  const found: { index: number; values: Float32Array }[] = [];
  if (positions.length === 0) return found;
  for await (const chunk of readValues(database, store, inputs, { positions })) {
    for (let row = 0; row < chunk.count; row++) {
      const values = encodeChunk(chunk, inputs, width, row, 1, new Set());
      found.push({ index: chunk.positions[row] as number, values });
    }
  }
  return found;
}

/** Values of rows by a category's column that no training row has. */
export async function countUnseen(
  database: Database,
  store: TableStore,
  inputs: readonly EncodedInput[],
): Promise<{ name: string; values: string[]; count: number }[]> {
  const categories = inputs.filter((input): input is CategoryInput => input.kind === 'category');
  if (categories.length === 0) return [];
  const known = categories.map((input) => new Set(input.categories));
  const strange = categories.map(() => new Map<string, number>());
  for await (const chunk of readValues(database, store, categories)) {
    for (const [at, names] of known.entries()) {
      const values = chunk.columns[at] as ValueChunk['columns'][number];
      const own = strange[at] as Map<string, number>;
      for (let row = 0; row < chunk.count; row++) {
        const value = values.getItem(row) as string | null;
        if (value !== null && !names.has(value)) own.set(value, (own.get(value) ?? 0) + 1);
      }
    }
  }
  return categories.flatMap(({ name }, at) => {
    const own = strange[at] as Map<string, number>;
    const count = [...own.values()].reduce((sum, each) => sum + each, 0);
    return count > 0 ? [{ name, values: [...own.keys()].slice(0, 200), count }] : [];
  });
}

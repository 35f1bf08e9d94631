/** Tables as tests make, open and pack them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { planProject } from '../../engine/contract/plan.ts';
import type { ResolvedSplit } from '../../engine/contract/project.ts';
import { resolveProject } from '../../engine/contract/project.ts';
import type { ResolvedSource } from '../../engine/contract/project-types.ts';
import type { OpenSource } from '../../engine/data/open-source.ts';
import { type DataPack, packSource } from '../../engine/data/pack.ts';
import { openSource } from '../../engine/data/source.ts';
import { withDatabase } from '../../engine/data/table/duckdb.ts';
import type { TableEncoding } from '../../engine/data/table/encoding.ts';
import { openStore, type StoreSettings, storeParameters, storeRows } from '../../engine/data/table/store.ts';
import { tableView } from '../../engine/data/table/view.ts';
import { lazyAddon } from '../../engine/native/lazy.ts';
import { cacheDir } from '../../engine/workspace.ts';
import { testFolder } from './idx-writer.ts';

/** A file with this content in a folder of its own. */
export function fileOf(content: string | Buffer, name = 'table.csv'): string {
  const path = join(testFolder(), name);
  writeFileSync(path, content);
  return path;
}

const unsaid: StoreSettings = { format: 'auto', delimiter: null, encoding: null, header: null };

/** A file as it is read: names, rows of texts, guesses by key, notes, rows that are none. */
export async function readTable(path: string, settings: Partial<StoreSettings> = {}) {
  const store = await openStore(path, { ...unsaid, ...settings }, { cacheDir: cacheDir() });
  const columns = store.names.map((_, at) => `c${at}`).join(', ');
  const rows = await withDatabase(cacheDir(), (database) =>
    database.rows(`SELECT ${columns} FROM ${storeRows} ORDER BY file_row_number`, storeParameters(store)),
  );
  const guesses = Object.fromEntries(store.guesses.map(({ key, value, reason }) => [key, { value, reason }]));
  return {
    ...store,
    rows: rows.map((row) => row.map(String)),
    guesses,
    notes: store.notes.map(({ message }) => message),
  };
}

/** The source and the split as a project has them. */
export function chosen(source: { kind: string; [key: string]: unknown }, split: { [key: string]: unknown } = {}) {
  const project = { data: { source, split } };
  const data = resolveProject(project).data;
  if (!data.source) throw new Error(JSON.stringify(planProject(project, null).problems));
  return { source: data.source as ResolvedSource, split: data.split as ResolvedSplit };
}

export async function openTableAt(
  path: string,
  settings: { [key: string]: unknown } = {},
  split: { [key: string]: unknown } = {},
): Promise<OpenSource> {
  const { source, split: drawn } = chosen({ kind: 'table', path, ...settings }, split);
  return openSource(source, '/', { split: drawn });
}

export async function packed(
  source: { kind: string; [key: string]: unknown },
  split: { [key: string]: unknown } = {},
): Promise<DataPack> {
  const given = chosen(source, split);
  return packSource(given.source, '/', { cacheDir: cacheDir(), addon: lazyAddon, split: given.split });
}

/** A part's inputs, row by row. */
export function inputsOf({ parts }: DataPack, part = 'train'): number[][] {
  const { count, input } = parts[part] as DataPack['parts'][string];
  return rowsOf(new Float32Array(bytes(input.path)), count);
}

/** A part's targets: class indices or values. */
export function targetsOf({ parts }: DataPack, part = 'train'): number[][] {
  const { count, target } = parts[part] as DataPack['parts'][string];
  const values =
    target.dtype === 'int64'
      ? Array.from(new BigInt64Array(bytes(target.path)), Number)
      : new Float32Array(bytes(target.path));
  return rowsOf(values, count);
}

const bytes = (path: string): ArrayBuffer => {
  const file = readFileSync(path);
  return file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength) as ArrayBuffer;
};

function rowsOf(values: ArrayLike<number>, count: number): number[][] {
  const width = values.length / count;
  return Array.from({ length: count }, (_, row) =>
    Array.from({ length: width }, (_, at) => values[row * width + at] as number),
  );
}

/** Rows of a table from columns made by row. */
export const csv = (count: number, columns: { [name: string]: (row: number) => unknown }, delimiter = ',') =>
  `${Object.keys(columns).join(delimiter)}\n${Array.from({ length: count }, (_, row) =>
    Object.values(columns)
      .map((of) => String(of(row)))
      .join(delimiter),
  ).join('\n')}\n`;

export const look = (path: string, settings: { [key: string]: unknown } = {}, wanted = {}) =>
  tableView(chosen({ kind: 'table', path, ...settings }).source, '/', { start: 0, count: 100, ...wanted });

export async function columnsOf(content: string, settings = {}) {
  const { columns, notes } = await look(fileOf(content), settings);
  return {
    ...Object.fromEntries(columns.map((column) => [column.name, column])),
    notes: notes.map(({ message }) => message),
  } as {
    [name: string]: (typeof columns)[number];
  } & { notes: string[] };
}

export const encodingOf = async (path: string, settings = {}, split = {}) =>
  (await (await openTableAt(path, settings, split)).encoding?.()) as unknown as TableEncoding;

/** Which files and rows are a table's parts: a file, files of a folder called train, val and test, or rows that a column tells apart. */
import { randomBytes } from 'node:crypto';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { DataNote } from '../../contract/data/inspect.ts';
import { GradloomError } from '../../contract/errors.ts';
import { nearest } from '../../contract/report.ts';
import type { TableReading } from '../../contract/sources/table.ts';
import { type PartName, partNames } from '../../contract/tensors.ts';
import { makeFolders, systemError } from '../../files.ts';
import { isStray } from '../listing.ts';
import type { OpenSource } from '../open-source.ts';
import { partInName } from '../part-names.ts';
import { mayRead } from '../reach.ts';
import { type Database, exactPath, literal, literals, withDatabase } from './duckdb.ts';
import { openStore, placeSql, type StoreOptions, storeParameters, storeRows, type TableStore } from './store.ts';

export type PartStores = { train: TableStore } & { [Part in PartName]?: TableStore };

export interface TableFiles {
  parts: PartStores;
  notes: DataNote[];
}

const tableEnding = /\.(csv|tsv|tab|txt|data|dat|parquet|pq|json|jsonl|ndjson)(\.gz)?$/i;

/** Table files of a folder by part; `others`: those whose names tell nothing. */
export async function tableFilesIn(folder: string): Promise<{ [Part in PartName | 'others']: string[] }> {
  const found = { train: [] as string[], val: [] as string[], test: [] as string[], others: [] as string[] };
  const names = await readdir(folder, { withFileTypes: true }).catch((thrown: unknown) => {
    throw systemError(thrown, folder, 'read');
  });
  for (const entry of names.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (isStray(entry.name) || entry.isDirectory() || !tableEnding.test(entry.name)) continue;
    if (/gradloom\.json$/.test(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink() && !(await mayRead(path))) continue;
    found[partInName(entry.name) ?? 'others'].push(path);
  }
  return found;
}

async function chooseFiles(path: string): Promise<{ [Part in PartName]?: string }> {
  const status = await stat(path).catch(() => null); // what is not there is told by whoever opens it
  if (!status?.isDirectory()) return { train: path };
  const found = await tableFilesIn(path);
  if (found.train.length === 0 && found.others.length === 1) found.train = found.others;
  if (found.train.length === 0) {
    throw new GradloomError('DATA_MISSING', `${path} holds no table to train with.`, {
      hint: 'Name a file, or a folder with a file called train.csv (and perhaps val.csv, test.csv).',
      path,
    });
  }
  const chosen: { [Part in PartName]?: string } = {};
  for (const part of partNames) {
    const [first, second] = found[part];
    if (second !== undefined) {
      throw new GradloomError('DATA_FORMAT', `${path} holds several tables for ${part}: ${found[part].join(', ')}.`, {
        hint: 'Name the file that is meant, or move the others out of the folder.',
        path,
      });
    }
    if (first !== undefined) chosen[part] = first;
  }
  return chosen;
}

/** @throws GradloomError DATA_*, NOT_READABLE, CANCELLED, DISK_FULL */
export async function openFiles(
  settings: TableReading & { part_column: string | null },
  baseDir: string,
  options: StoreOptions,
): Promise<TableFiles> {
  const files = await chooseFiles(resolve(baseDir, settings.path));
  const train = await openStore(files.train as string, settings, options);
  const notes: DataNote[] = [...train.notes];
  if (train.raggedCount > 0) refuseRagged(train, settings.on_bad, notes);
  if (settings.part_column !== null) return byColumn(train, settings.part_column, notes, options);
  const parts: PartStores = { train };
  for (const part of ['val', 'test'] as const) {
    const file = files[part];
    if (file === undefined) continue;
    const store = await openStore(file, settings, options);
    if (store.raggedCount > 0) refuseRagged(store, settings.on_bad, notes);
    parts[part] = store;
  }
  refuseEmpty(parts);
  return { parts, notes };
}

/** Rows that are none of the table stop whoever wants all of them, or are told. */
export function refuseRagged(
  { path, ragged, raggedCount }: TableStore,
  onBad: 'stop' | 'skip',
  notes: DataNote[],
): void {
  const named = ragged.slice(0, 20).map(({ line, reason }) => `line ${line}: ${reason}`);
  if (onBad === 'skip') {
    const lines = ragged.slice(0, 200).map(({ line, reason }) => `line ${line}: ${reason}`);
    notes.push({
      message: `Rows of ${path} that are no rows of the table were left out`,
      otherwise: `Rows of ${path} are no rows of the table: an import stops at them, unless "on_bad" is "skip"`,
      names: lines,
      count: raggedCount,
    });
    return;
  }
  const more = raggedCount > named.length ? `\n  and ${raggedCount - named.length} more` : '';
  throw new GradloomError(
    'DATA_FORMAT',
    `${path} has ${raggedCount.toLocaleString('en')} ${raggedCount === 1 ? 'row' : 'rows'} that cannot be read:\n${named.map((line) => `  ${line}`).join('\n')}${more}`,
    { hint: 'Mend the file, check the delimiter, or leave such rows out: "on_bad": "skip".', path },
  );
}

/** For the Data Doctor: rows of these files that are none of the table. */
export function unreadRows(stores: readonly TableStore[]): NonNullable<OpenSource['unreadRows']> {
  // Parts that a column tells apart share their file.
  const files = [...new Map(stores.map((store) => [store.path, store])).values()];
  const before = ({ path }: TableStore) => (files.length > 1 ? `${basename(path)} ` : '');
  return {
    count: files.reduce((sum, { raggedCount }) => sum + raggedCount, 0),
    rows: files.flatMap((store) =>
      store.ragged.map(({ line, reason }) => ({ name: `${before(store)}line ${line}`, reason })),
    ),
  };
}

function refuseEmpty(parts: PartStores): void {
  for (const [part, store] of Object.entries(parts) as [PartName, TableStore][]) {
    if (store.rows > 0) continue;
    throw new GradloomError('DATA_FORMAT', `${store.path} holds no rows${part === 'train' ? '' : ` for ${part}`}.`, {
      hint: 'Give a table with rows below its header.',
      path: store.path,
    });
  }
}

/** The rows of each part in a file of its own, beside the whole. */
async function byColumn(
  store: TableStore,
  column: string,
  notes: DataNote[],
  options: StoreOptions,
): Promise<TableFiles> {
  const at = store.names.indexOf(column);
  if (at < 0) {
    const near = nearest(column, store.names, 3);
    throw new GradloomError('DATA_FORMAT', `The table has no column ${JSON.stringify(column)}.`, {
      hint:
        near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `Its columns: ${store.names.slice(0, 20).join(', ')}.`,
      path: 'data.source.part_column',
    });
  }
  return withDatabase(
    options.cacheDir,
    async (database) => {
      const found = await database.rows(
        `SELECT c${at}, count(*) FROM ${storeRows} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 50`,
        storeParameters(store),
      );
      const values = found.map(([value]) => String(value));
      const unknown = values.filter((value) => partInName(value) === null);
      if (unknown.length > 0) {
        const shown = unknown.slice(0, 5).map((value) => JSON.stringify(value));
        throw new GradloomError('DATA_FORMAT', `Column ${column} holds ${shown.join(', ')}, which names no part.`, {
          hint: 'Its values have to be train, val and test.',
          path: 'data.source.part_column',
        });
      }
      const parts: { [Part in PartName]?: TableStore } = {};
      for (const part of partNames) {
        const own = values.filter((value) => partInName(value) === part);
        if (own.length > 0) parts[part] = await partStore(database, store, at, part, own);
      }
      if (!parts.train) {
        throw new GradloomError('DATA_FORMAT', `Column ${column} names no row for training.`, {
          hint: 'Rows to train with say train there.',
          path: 'data.source.part_column',
        });
      }
      return { parts: parts as PartStores, notes };
    },
    options.signal,
  );
}

async function partStore(
  database: Database,
  store: TableStore,
  at: number,
  part: PartName,
  values: string[],
): Promise<TableStore> {
  const folder = join(store.folder, `c${at}-${part}`);
  const made = { ...store, folder, placed: true, identity: [...store.identity, at, part] };
  const whole = await stat(join(folder, 'rows.parquet')).catch(() => null);
  if (!whole) {
    const temporary = `${folder}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
    try {
      await makeFolders(temporary);
      const rest = store.placed ? '(place, file_row_number)' : '(file_row_number)';
      await database.run(
        `COPY (SELECT ${placeSql(store)} AS place, * EXCLUDE ${rest} FROM ${storeRows} WHERE c${at} IN (${literals(values)}))
          TO ${literal(join(temporary, 'rows.parquet'))} (FORMAT parquet, COMPRESSION snappy)`,
        storeParameters(store),
      );
      await rename(temporary, folder).catch((thrown: NodeJS.ErrnoException) => {
        if (!['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(thrown.code ?? '')) throw thrown; // somebody else was quicker
      });
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
  }
  const [rows] = await database.numbers('SELECT count(*) FROM read_parquet($rows)', {
    rows: exactPath(join(folder, 'rows.parquet')),
  });
  return { ...made, rows: rows ?? 0 };
}

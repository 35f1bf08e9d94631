/**
 * Tables in the cache: `tables/<key>/` holds a file's rows as Parquet of texts and what was found on the way. The key follows from path, size,
 * time and how it is read; a folder appears whole and is never changed. It goes when nobody has used it for a month, or when all of them are
 * too large and others were used later.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TableReading } from '../../contract/sources/table.ts';
import { makeFolders, systemError, writeWhole } from '../../files.ts';
import { atWork } from '../at-work.ts';
import { pathStatus } from '../path-status.ts';
import { isAlive } from '../process-names.ts';
import { type Database, exactPath, withDatabase } from './duckdb.ts';
import { type Ingested, ingest } from './ingest.ts';

/** Of the rules by which tables are read: what was read by others is read again. */
const version = 2;
const unusedMs = 30 * 24 * 3600 * 1000;
/** Of all tables together. */
const mostBytes = 10 * 2 ** 30;
const leftoverMs = 24 * 3600 * 1000;

export interface TableStore extends Ingested {
  /** Of the file itself. */
  path: string;
  bytes: number;
  /** In the cache. */
  folder: string;
  rows: number;
  /** Whether rows were left out, so that each knows its own place. */
  placed: boolean;
  /** Changes whenever the content may have changed. */
  identity: unknown[];
}

export interface StoreOptions {
  cacheDir: string;
  signal?: AbortSignal | undefined;
  onRead?: ((bytes: number) => void) | undefined;
}

/** What SQL reads a store's rows by; `file_row_number` counts from 0. Wants the parameter `rows`. */
export const storeRows = 'read_parquet($rows, file_row_number = true)';
export const storeParameters = ({ folder }: Pick<TableStore, 'folder'>) => ({
  rows: exactPath(join(folder, 'rows.parquet')),
});
/** The row's number in the file, from 1, the header not counted. */
export const placeSql = ({ placed }: Pick<TableStore, 'placed'>) => (placed ? 'place' : 'file_row_number + 1');

export type StoreSettings = Pick<TableReading, 'format' | 'delimiter' | 'encoding' | 'header'>;

/** The rows of a file, read unless the cache has them. @throws GradloomError DATA_*, NOT_READABLE, CANCELLED, DISK_FULL */
export async function openStore(path: string, reading: StoreSettings, options: StoreOptions): Promise<TableStore> {
  const status = await pathStatus(path, 'a table');
  const { format, delimiter, encoding, header } = reading;
  const identity = [path, status.size, status.mtimeMs, format, delimiter, encoding, header, version];
  const key = createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 32);
  const tables = join(options.cacheDir, 'tables');
  const folder = join(tables, key);
  const found = await readStored(folder);
  const known = { path, bytes: status.size, folder, identity };
  if (found) return { ...found, ...known };
  const temporary = `${folder}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
  try {
    await makeFolders(temporary);
    await removeUnused(tables);
    const stored = await atWork(path, () =>
      withDatabase(options.cacheDir, (database) => make(database, path, reading, temporary, options), options.signal),
    );
    await rename(temporary, folder).catch((thrown: NodeJS.ErrnoException) => {
      // Somebody else was quicker: theirs holds the same.
      if (!['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(thrown.code ?? '')) throw thrown;
    });
    return { ...stored, ...known };
  } catch (thrown) {
    throw systemError(thrown, tables, 'write');
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

type Stored = Ingested & Pick<TableStore, 'rows' | 'placed'>;

async function make(
  database: Database,
  path: string,
  reading: StoreSettings,
  folder: string,
  { signal, onRead }: StoreOptions,
): Promise<Stored> {
  const found = await ingest(database, path, reading, folder, { signal, onRead });
  const parameters = { rows: exactPath(join(folder, 'rows.parquet')) };
  const [rows] = await database.numbers('SELECT count(*) FROM read_parquet($rows)', parameters);
  const columns = await database.rows('DESCRIBE SELECT * FROM read_parquet($rows)', parameters);
  const stored = { ...found, rows: rows ?? 0, placed: columns.some(([name]) => name === 'place') };
  await writeFile(join(folder, 'table.json'), JSON.stringify(stored), { flush: true });
  return stored;
}

async function readStored(folder: string): Promise<Stored | null> {
  try {
    const stored = JSON.parse(await readFile(join(folder, 'table.json'), 'utf8')) as Stored;
    await stat(join(folder, 'rows.parquet'));
    const now = new Date();
    await utimes(folder, now, now).catch(() => {}); // somebody else's cache may be read all the same
    return stored;
  } catch {
    return null;
  }
}

/** Makes room: what nobody has used for long, and what is too much, the longest unused first. */
async function removeUnused(tables: string): Promise<void> {
  const found: { path: string; used: number; bytes: number }[] = [];
  for (const name of await readdir(tables)) {
    const path = join(tables, name);
    const status = await stat(path).catch(() => null);
    if (!status) continue;
    const unfinished = name.includes('.') || name.startsWith('spill');
    if (Date.now() - status.mtimeMs > (unfinished ? leftoverMs : unusedMs))
      await rm(path, { recursive: true, force: true });
    else if (!unfinished) found.push({ path, used: status.mtimeMs, bytes: await bytesOf(path) });
  }
  found.sort((a, b) => b.used - a.used);
  let total = 0;
  for (const { path, bytes, used } of found) {
    total += bytes;
    // One in use now may be read by somebody.
    if (total > mostBytes && Date.now() - used > leftoverMs) await rm(path, { recursive: true, force: true });
  }
}

/** Removes all tables, which are read again when they are wanted, and what processes left behind that are gone; answers the bytes. */
export async function clearTables(cacheDir: string): Promise<number> {
  const tables = join(cacheDir, 'tables');
  let bytes = 0;
  for (const name of await readdir(tables).catch(() => [])) {
    const [, pid] = /(?:^spill-|^[0-9a-f]{32}[.])(\d+)-/.exec(name) ?? [];
    const goes = pid === undefined ? /^[0-9a-f]{32}$/.test(name) : !isAlive(Number(pid));
    if (!goes) continue;
    const path = join(tables, name);
    bytes += await bytesOf(path);
    try {
      await rm(path, { recursive: true, force: true });
    } catch (thrown) {
      throw systemError(thrown, path, 'write');
    }
  }
  return bytes;
}

async function bytesOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => [])) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name)).catch(() => null))?.size ?? 0;
  }
  return bytes;
}

/** What is found of a store once and kept beside it: `make` is asked where `name` is not there yet. `of`: all that it depends on. */
export async function keptBeside<T>(folder: string, name: string, of: unknown, make: () => Promise<T>): Promise<T> {
  const key = createHash('sha256')
    .update(JSON.stringify([version, of]))
    .digest('hex')
    .slice(0, 16);
  const file = join(folder, `${name}-${key}.json`);
  try {
    return JSON.parse(await readFile(file, 'utf8')) as T;
  } catch {
    const made = await make();
    await writeWhole(file, (handle) => handle.writeFile(JSON.stringify(made))).catch(() => {}); // it is made again then
    return made;
  }
}

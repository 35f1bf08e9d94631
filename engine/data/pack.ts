/**
 * Data packs: a source turned once into plain little-endian files that the engine maps into memory. A pack is a folder of the cache,
 * `packs/<key>/`, where the key follows from the source's identity; it appears whole or not at all and is never changed.
 */
import { createHash, type Hash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GradloomError } from '../contract/errors.ts';
import type { Addon, NativeColumn, NativePart } from '../contract/native.ts';
import type { ResolvedSource } from '../contract/project.ts';
import type { DataFacts, PartName, TargetType } from '../contract/tensors.ts';
import { makeFolders, systemError } from '../files.ts';
import type { ColumnRole, ColumnType, OpenSource } from './open-source.ts';
import { factsOf, openSource } from './source.ts';

const packVersion = 1;
const roles = ['input', 'target'] as const;
const bytesOf = { uint8: 1, float32: 4, int64: 8 };
/** What a packer that was killed left behind is removed after this time. */
const leftoverMs = 24 * 3600 * 1000;

/** `pack.json`. Column files are named `<part>.<column>.bin`. */
interface PackFile {
  version: number;
  /** SHA-256 over what the pack holds: equal data gives an equal hash, wherever it came from. */
  hash: string;
  classes: string[] | null;
  parts: Record<string, { count: number }>;
  columns: ({ name: ColumnRole; role: ColumnRole } & ColumnType)[];
  /** The facts' target. */
  target: TargetType;
}

export interface DataPack {
  folder: string;
  hash: string;
  facts: DataFacts;
  parts: Record<string, PackedPart>;
  /** Positions, ascending, of samples that take part in nothing: files that cannot be read, marks. Their rows are there. */
  excluded?: Partial<Record<PartName, number[]>>;
}

/** `group`: whose samples stay together when a split is drawn. */
export interface PackedPart extends NativePart {
  group?: NativeColumn;
}

export interface PackProgress {
  /** The source file being read; null for a source without files. */
  file: string | null;
  /** Bytes of the source's files, all together. */
  done: number;
  total: number;
}

export interface PackOptions {
  cacheDir: string;
  /** Writes the `random` source. */
  addon: Pick<Addon, 'writeRandom'>;
  onProgress?: (progress: PackProgress) => void;
  signal?: AbortSignal;
}

/**
 * The pack of a source, made if it is not there; one that is there and whole is answered at once. A source that changed has another key.
 * Throws what `describeSource` throws, DISK_FULL, NOT_WRITABLE, CANCELLED.
 */
export async function packSource(source: ResolvedSource, baseDir: string, options: PackOptions): Promise<DataPack> {
  const { signal } = options;
  for (let attempt = 1; ; attempt++) {
    if (signal?.aborted) throw new GradloomError('CANCELLED', 'Packing the data was cancelled.');
    const opened = await openSource(source, baseDir);
    const packs = join(options.cacheDir, 'packs');
    const folder = join(packs, keyOf(source, opened));
    const ready = await readPack(folder, opened);
    if (ready) return ready;
    const temporary = `${folder}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
    try {
      await makeFolders(temporary);
      await removeLeftovers(packs);
      await writePack(temporary, opened, options);
      const unchanged = keyOf(source, await openSource(source, baseDir)) === keyOf(source, opened);
      if (!unchanged) {
        if (attempt < 3) continue;
        throw new GradloomError('DATA_FORMAT', 'The data changed while it was being packed.', {
          hint: 'Wait until its files are complete, then try again.',
          path: 'data.source',
        });
      }
      await settle(temporary, folder);
    } catch (thrown) {
      if (signal?.aborted) throw new GradloomError('CANCELLED', 'Packing the data was cancelled.', { cause: thrown });
      throw systemError(thrown, packs, 'write');
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
    const packed = await readPack(folder, opened);
    if (packed) return packed;
    if (attempt === 3) throw new GradloomError('INTERNAL', `The data pack ${folder} was removed while it was made.`);
  }
}

function keyOf(source: ResolvedSource, opened: OpenSource): string {
  const identity = JSON.stringify([packVersion, source.kind, opened.identity]);
  return createHash('sha256').update(identity).digest('hex').slice(0, 32);
}

function columnFile(folder: string, part: string, role: ColumnRole): string {
  return join(folder, `${part}.${role}.bin`);
}

function rowBytes(column: ColumnType): number {
  return column.shape.reduce((product, dim) => product * dim, bytesOf[column.dtype]);
}

/** The pack in `folder`, or null if there is none, or a damaged one. */
async function readPack(folder: string, opened: Pick<OpenSource, 'columns' | 'parts'>): Promise<DataPack | null> {
  try {
    const file = JSON.parse(await readFile(join(folder, 'pack.json'), 'utf8')) as PackFile;
    if (file.version !== packVersion) return null;
    const parts: Record<string, NativePart> = {};
    for (const [part, count] of Object.entries(opened.parts)) {
      const columns = {} as Record<(typeof roles)[number], NativeColumn>;
      for (const role of roles) {
        const path = columnFile(folder, part, role);
        if ((await stat(path)).size !== count * rowBytes(opened.columns[role])) return null;
        columns[role] = { path, ...opened.columns[role] };
      }
      parts[part] = { count, ...columns };
    }
    return { folder, hash: file.hash, facts: factsOf(opened, file.target), parts };
  } catch (thrown) {
    const { code } = thrown as { code?: string };
    if (code === 'ENOENT' || thrown instanceof SyntaxError) return null;
    throw systemError(thrown, folder, 'read');
  }
}

async function writePack(folder: string, opened: OpenSource, options: PackOptions): Promise<void> {
  const { addon, signal } = options;
  const target = await opened.target();
  const progress = progressOf(opened.readBytes, options.onProgress);
  const hashes: string[] = [];
  for (const [part, count] of Object.entries(opened.parts)) {
    const paths = {
      input: columnFile(folder, part, 'input'),
      target: columnFile(folder, part, 'target'),
      group: columnFile(folder, part, 'group'),
    };
    const digests = {} as Record<ColumnRole, string>;
    const sink = async (role: ColumnRole, rows: AsyncIterable<Uint8Array>) => {
      digests[role] = await writeColumn(paths[role], rows);
    };
    await opened.write(part, sink, { addon, signal, paths, onRead: progress, onBad: () => {} });
    for (const role of roles) {
      hashes.push(part, role, String(count), digests[role] ?? (await digestFile(paths[role])));
    }
  }
  const columns = roles.map((role) => ({ name: role, role, ...opened.columns[role] }));
  const classes = target.kind === 'class' ? target.classes : null;
  const parts = Object.fromEntries(Object.entries(opened.parts).map(([part, count]) => [part, { count }]));
  const hash = createHash('sha256')
    .update(JSON.stringify([packVersion, columns, classes, hashes]))
    .digest('hex');
  const file: PackFile = { version: packVersion, hash, classes, parts, columns, target };
  await writeFile(join(folder, 'pack.json'), `${JSON.stringify(file, null, 2)}\n`, { flush: true });
  const all = opened.readBytes;
  options.onProgress?.({ file: null, done: all, total: all });
}

/** Turns "so many bytes of this file" into the sum over all files. */
function progressOf(total: number, report: PackOptions['onProgress']) {
  const read = new Map<string, number>();
  return (file: string, bytes: number) => {
    read.set(file, bytes);
    let done = 0;
    for (const each of read.values()) done += each;
    report?.({ file, done, total });
  };
}

/** Writes rows as they come, flushed to the disk; answers their SHA-256. */
async function writeColumn(path: string, rows: AsyncIterable<Uint8Array>): Promise<string> {
  const hash: Hash = createHash('sha256');
  const file = await open(path, 'wx');
  try {
    for await (const chunk of rows) {
      hash.update(chunk);
      for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return hash.digest('hex');
}

async function digestFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
}

/** Gives the finished pack its name. If somebody else was faster, theirs stays; a damaged one is moved out of the way. */
async function settle(temporary: string, folder: string): Promise<void> {
  try {
    await rename(temporary, folder);
  } catch (thrown) {
    if (!['ENOTEMPTY', 'EEXIST', 'EPERM'].includes((thrown as { code?: string }).code ?? '')) throw thrown;
    if (await sameHash(temporary, folder)) return;
    const aside = `${temporary}.old.tmp`;
    await rename(folder, aside);
    await rename(temporary, folder);
    await rm(aside, { recursive: true, force: true });
  }
}

async function sameHash(a: string, b: string): Promise<boolean> {
  const size = async (folder: string) =>
    Promise.all((await readdir(folder)).sort().map(async (name) => [name, (await stat(join(folder, name))).size]));
  try {
    const read = (folder: string) => readFile(join(folder, 'pack.json'), 'utf8');
    return (await read(a)) === (await read(b)) && JSON.stringify(await size(a)) === JSON.stringify(await size(b));
  } catch {
    return false;
  }
}

async function removeLeftovers(packs: string): Promise<void> {
  for (const name of await readdir(packs)) {
    if (!name.endsWith('.tmp')) continue;
    const path = join(packs, name);
    const status = await stat(path).catch(() => null);
    if (status && Date.now() - status.mtimeMs > leftoverMs) await rm(path, { recursive: true, force: true });
  }
}

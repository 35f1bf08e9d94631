/**
 * The headers of many image files, read once and remembered in the cache by name, size and time: plans and previews of fifty thousand files
 * then wait for their listing alone.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type ErrorCode, GradloomError } from '../../contract/errors.ts';
import { makeFolders, systemError, writeWhole } from '../../files.ts';
import { cacheDir } from '../../workspace.ts';
import type { ListedFile } from '../listing.ts';
import { remember } from '../remember.ts';
import { BadImage } from './bad-image.ts';
import { type ImageHeader, readHeader } from './header.ts';

export interface ScannedFile extends ListedFile {
  /** null: not readable, for this reason, or no image at all. */
  header: ImageHeader | null;
  /** Why a file that is or should be an image cannot be read. */
  fault: string | null;
}

/** What is remembered of a file. */
interface Known {
  bytes: number;
  modified: number;
  header: ImageHeader | null;
  fault: string | null;
}

type Memory = ReadonlyMap<string, Known>;

const version = 1;
/** Files between two turns of the event loop. */
const atOnce = 64;
/** Fewer are read faster than they are remembered. */
const worthKeeping = 200;

/** Files known beyond those asked for. */
const manyMore = 20_000;

/** Of the folder last looked at: a source is opened each time that somebody looks at it. */
let last: { folder: string; memory: Memory } | null = null;

/** Of files listed below `folder`, in their order. @throws GradloomError CANCELLED */
export async function scanFiles(
  folder: string,
  files: readonly ListedFile[],
  signal?: AbortSignal,
): Promise<ScannedFile[]> {
  const before = await recall(folder, files.length);
  // A table may name some of the folder's files only: the others stay known, within reason.
  const memory = new Map(before.size > 2 * files.length + manyMore ? [] : before);
  const scanned: ScannedFile[] = [];
  let read = 0;
  for (const file of files) {
    const known = before.get(file.name);
    // Why a file could not be read may have gone without a trace in its times.
    const same = known?.fault === null && known.bytes === file.bytes && known.modified === file.modified;
    const found = same ? known : { bytes: file.bytes, modified: file.modified, ...(await lookAt(file)) };
    if (!same && ++read % atOnce === 0) {
      signal?.throwIfAborted();
      await new Promise(setImmediate);
    }
    memory.set(file.name, found);
    scanned.push({ ...file, header: found.header, fault: found.fault });
  }
  last = { folder, memory };
  const news = scanned.some(({ name, fault }) => fault === null && before.get(name) !== memory.get(name));
  if (news && files.length >= worthKeeping) await writeKept(memoryFile(folder), { version, files: [...memory] });
  return scanned;
}

/** What programs call image files: without an image inside, such a file is a bad one and no stray. */
export const imageNames = /\.(jpe?g|jpe|jfif|png|webp|gif|bmp|dib|tiff?)$/i;

async function lookAt(file: ListedFile): Promise<Pick<Known, 'header' | 'fault'>> {
  try {
    const header = file.bytes === 0 ? null : await readHeader(file.path);
    if (header || !imageNames.test(file.name)) return { header, fault: null };
    return { header: null, fault: file.bytes === 0 ? 'it is empty' : 'its content is none of the kinds of images' };
  } catch (thrown) {
    return { header: null, fault: reasonOf(thrown, file.path) };
  }
}

/** What no other file would be spared: the engine is not whole, memory or disk are full, a fault of ours, or it was cancelled. */
const notOfFile: ReadonlySet<ErrorCode> = new Set([
  'ADDON_MISSING',
  'ADDON_MISMATCH',
  'LIBTORCH_MISSING',
  'LIBTORCH_TOO_OLD',
  'OUT_OF_MEMORY',
  'DISK_FULL',
  'INTERNAL',
  'CANCELLED',
]);

/** @throws GradloomError what was thrown, unless it is about the one file that was being read */
export function unlessOfFile(thrown: unknown): void {
  if (thrown instanceof GradloomError && notOfFile.has(thrown.code)) throw thrown;
}

/** Why a file cannot be read, as part of a sentence. */
export function reasonOf(thrown: unknown, path: string): string {
  if (thrown instanceof BadImage) return thrown.message;
  return systemError(thrown, path, 'read').message.replace(`${path} `, 'it ').replace(/\.$/, '');
}

function memoryFile(folder: string): string {
  return join(cacheDir(), 'scans', `${createHash('sha256').update(folder).digest('hex').slice(0, 32)}.json`);
}

async function recall(folder: string, count: number): Promise<Memory> {
  if (last?.folder === folder) return last.memory;
  if (count < worthKeeping) return new Map();
  try {
    const kept = JSON.parse(await readFile(memoryFile(folder), 'utf8')) as {
      version: number;
      files: [string, Known][];
    };
    return new Map(kept.version === version ? kept.files : []);
  } catch {
    return new Map(); // none yet, or one that was cut short
  }
}

/** Without a cache that can be written to the headers are read again next time. */
async function writeKept(file: string, content: unknown): Promise<void> {
  try {
    await makeFolders(dirname(file));
    await writeWhole(file, (handle) => handle.writeFile(JSON.stringify(content)));
  } catch {
    // told by the import itself, which needs the cache
  }
}

/** An answer that was worked out of many files, remembered in the cache. `of`: all that it depends on. */
export function keptAnswer<T>(of: unknown, work: () => Promise<T>): Promise<T> {
  return remember(of, async () => {
    const file = memoryFile(JSON.stringify([version, of]));
    const known = await readFile(file, 'utf8').catch(() => null);
    if (known !== null) return JSON.parse(known) as T;
    const found = await work();
    await writeKept(file, found);
    return found;
  });
}

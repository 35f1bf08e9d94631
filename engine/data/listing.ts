/** What lies in a folder, without what no data set means: the same for every source, so that stray files are never samples or classes. */
import { type Dirent, type Stats, statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { systemError } from '../files.ts';
import { mayRead } from './reach.ts';

export interface ListedFile {
  /** Absolute. */
  path: string;
  /** Relative to the listed folder, with `/` between its steps; of a file that was asked for itself, its name. */
  name: string;
  bytes: number;
  /** mtime in milliseconds. */
  modified: number;
}

export interface FolderListing {
  /** By name, in code-point order. */
  files: ListedFile[];
  /** Folders below, empty ones too; relative names, in code-point order. */
  folders: string[];
  /** Stray files and folders, what is neither file nor folder, and links that lead out of reach: relative names. */
  ignored: string[];
  /** There is more than was looked at. */
  cut: boolean;
}

export interface ListOptions {
  /** Levels of folders that are entered; 1: only the folder itself. */
  depth?: number;
  /** More files than this are not listed. */
  most?: number;
  signal?: AbortSignal | undefined;
}

const strayNames = new Set([
  'thumbs.db',
  'ehthumbs.db',
  'desktop.ini',
  '__macosx',
  '$recycle.bin',
  'system volume information',
  'lost+found',
  '__pycache__',
  'gradloom-marks.json',
  'gradloom-recipe.json',
]);

/** Whether a file or folder of this name is what a system or program left behind, not data: hidden ones are. */
export function isStray(name: string): boolean {
  const last = basename(name);
  return (
    last.startsWith('.') ||
    strayNames.has(last.toLowerCase()) ||
    last.endsWith('~') ||
    last.endsWith('.gradloom-marks.json')
  );
}

/** Code-point order: the same on every system, and that of Python's `sorted`. */
export function inCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (left !== right) return placeOf(left) - placeOf(right);
  }
  return a.length - b.length;
}

/** Of UTF-16's units those that make up the characters beyond 65535 come last. */
function placeOf(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** Lists a folder; links are what they lead to, but none is followed to a folder that it lies in. @throws GradloomError FILE_NOT_FOUND, NOT_READABLE, CANCELLED */
export async function listFolder(
  folder: string,
  { depth = 16, most = 5_000_000, signal }: ListOptions = {},
): Promise<FolderListing> {
  const listing: FolderListing = { files: [], folders: [], ignored: [], cut: false };
  const entered = new Map<string, number>();
  const pending: Pending[] = [{ path: folder, name: '', level: 1, above: [] }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    signal?.throwIfAborted();
    const { path, name, level, above } = next;
    try {
      const { dev, ino } = await stat(path);
      // Windows may have no numbers for its files; there a circle of links ends at the depth.
      const own = `${dev}:${ino}`;
      if (ino !== 0 && above.includes(own)) continue;
      const times = entered.get(own) ?? 0;
      if (ino !== 0 && times >= mostTimes) {
        listing.cut = true;
        continue;
      }
      entered.set(own, times + 1);
      const way = [...above, own];
      const entries = await readdir(path, { withFileTypes: true });
      for (let at = 0; at < entries.length && !listing.cut; at += together) {
        const found = await Promise.all(entries.slice(at, at + together).map((each) => look(path, name, each)));
        for (const each of found) {
          if (each.kind === 'ignored') listing.ignored.push(each.name);
          else if (each.kind === 'file') listing.files.push(each.file);
          else {
            listing.folders.push(each.name);
            if (level < depth) pending.push({ path: each.path, name: each.name, level: level + 1, above: way });
            else listing.cut = true;
          }
        }
        if (listing.files.length > most) listing.cut = true;
        await new Promise(setImmediate);
      }
    } catch (thrown) {
      throw systemError(thrown, path, 'read');
    }
    if (listing.files.length > most) break;
  }
  listing.files.sort((a, b) => inCodePoints(a.name, b.name));
  listing.folders.sort(inCodePoints);
  listing.ignored.sort(inCodePoints);
  return listing;
}

interface Pending {
  path: string;
  name: string;
  level: number;
  /** The folders that it lies in, by the system's numbers. */
  above: readonly string[];
}

/** Folders whose links lead to each other make endless many ways: so often each is entered. */
const mostTimes = 32;

/** Entries that are asked about at once. */
const together = 64;

type Entry =
  | { kind: 'ignored'; name: string }
  | { kind: 'file'; file: ListedFile }
  | { kind: 'folder'; name: string; path: string };

/** On the spot: of fifty thousand files the system answers from memory, several times faster than by way of its threads. */
function statOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

async function look(folder: string, above: string, entry: Dirent): Promise<Entry> {
  const name = above === '' ? entry.name : `${above}/${entry.name}`;
  const path = join(folder, entry.name);
  const seen = !isStray(entry.name) && (!entry.isSymbolicLink() || (await mayRead(path)));
  const found = seen ? statOf(path) : null;
  if (found?.isDirectory()) return { kind: 'folder', name, path };
  if (!found?.isFile()) return { kind: 'ignored', name };
  return { kind: 'file', file: { path, name, bytes: found.size, modified: found.mtimeMs } };
}

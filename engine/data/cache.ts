/** The packs of the cache: which there are, what they are of, and their removal. */
import { readdir, rm, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { CachedPack } from '../contract/data/recipes.ts';
import { GradloomError } from '../contract/errors.ts';
import { pathsOf, sources } from '../contract/sources.ts';
import { systemError } from '../files.ts';
import { inOrder } from './in-order.ts';
import { packKey } from './pack.ts';
import { type PackFile, packName, readPackFile } from './pack-file.ts';
import { openSource } from './source.ts';

const packsDir = (cacheDir: string) => join(cacheDir, 'packs');
const isKey = (name: string) => /^[0-9a-f]{32}$/.test(name);

/** Of whole packs. */
export async function foldersOf(cacheDir: string): Promise<string[]> {
  const names = await readdir(packsDir(cacheDir)).catch(() => []);
  return names.filter(isKey).map((name) => join(packsDir(cacheDir), name));
}

export async function packBytes(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => null)));
  return sizes.reduce((sum, status) => sum + (status?.size ?? 0), 0);
}

/** The latest used first. */
export async function listPacks(cacheDir: string, signal?: AbortSignal): Promise<CachedPack[]> {
  const packs: CachedPack[] = [];
  for await (const pack of inOrder(await foldersOf(cacheDir), describe, { inFlight: 4, signal })) {
    if (pack) packs.push(pack);
  }
  return packs.sort((a, b) => b.used.localeCompare(a.used));
}

async function describe(folder: string): Promise<CachedPack | null> {
  const [file, status] = [await readPackFile(folder), await stat(join(folder, packName)).catch(() => null)];
  if (!file || !status) return null;
  const key = basename(folder);
  return {
    key,
    title: titleOf(file),
    bytes: await packBytes(folder),
    used: status.mtime.toISOString(),
    current: await isCurrent(file, key),
  };
}

function titleOf({ made, parts }: PackFile): string {
  const count = Object.values(parts).reduce((sum, part) => sum + part.count, 0);
  const label = made ? (sources.get(made.source.kind)?.label ?? made.source.kind) : 'Data';
  const [named] = made ? pathsOf(made.source) : [];
  const samples = `${label}, ${count.toLocaleString('en')} samples`;
  return named ? `${resolve(made?.base ?? '/', named.path)} (${samples})` : samples;
}

async function isCurrent({ made }: PackFile, key: string): Promise<boolean> {
  if (!made) return false;
  try {
    return packKey(made.source, await openSource(made.source, made.base, { split: made.split })) === key;
  } catch {
    return false;
  }
}

/** Answers how many bytes that gave back; one that is there no more is no error. @throws GradloomError BAD_CALL for what is no key */
export async function removePacks(cacheDir: string, keys: readonly string[]): Promise<{ bytes: number }> {
  let bytes = 0;
  for (const key of keys) {
    if (!isKey(key)) throw new GradloomError('BAD_CALL', `${JSON.stringify(key)} names no pack`);
    const folder = join(packsDir(cacheDir), key);
    const size = await packBytes(folder);
    try {
      await rm(folder, { recursive: true, force: true });
    } catch (thrown) {
      throw systemError(thrown, folder, 'write');
    }
    bytes += size;
  }
  return { bytes };
}

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
import { heldPacks } from './pack-holds.ts';
import { isPackKey, packBytes } from './pack-limit.ts';
import { removeEnded } from './pack-place.ts';
import { openSource } from './source.ts';
import { clearTables } from './table/store.ts';

const packsDir = (cacheDir: string) => join(cacheDir, 'packs');

/** Of whole packs. */
export async function foldersOf(cacheDir: string): Promise<string[]> {
  const names = await readdir(packsDir(cacheDir)).catch(() => []);
  return names.filter(isPackKey).map((name) => join(packsDir(cacheDir), name));
}

/** The latest used first. */
export async function listPacks(cacheDir: string, signal?: AbortSignal): Promise<CachedPack[]> {
  const held = await heldPacks(packsDir(cacheDir));
  const packs: CachedPack[] = [];
  const look = (folder: string) => describe(folder, held.has(folder));
  for await (const pack of inOrder(await foldersOf(cacheDir), look, { inFlight: 4, signal })) {
    if (pack) packs.push(pack);
  }
  return packs.sort((a, b) => b.used.localeCompare(a.used));
}

async function describe(folder: string, inUse: boolean): Promise<CachedPack | null> {
  const [file, status] = [await readPackFile(folder), await stat(join(folder, packName)).catch(() => null)];
  if (!file || !status) return null;
  const key = basename(folder);
  return {
    key,
    title: titleOf(file),
    bytes: await packBytes(folder),
    used: status.mtime.toISOString(),
    current: await isCurrent(file, key),
    in_use: inUse,
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

/**
 * Answers how many bytes that gave back; one that is there no more is no error. Imports that ended before their time go as well.
 * @throws GradloomError BAD_CALL for what is no key, and for a pack that a live run reads: nothing is removed then
 */
export async function removePacks(cacheDir: string, keys: readonly string[]): Promise<{ bytes: number }> {
  const packs = packsDir(cacheDir);
  const held = await heldPacks(packs);
  for (const key of keys) {
    if (!isPackKey(key)) throw new GradloomError('BAD_CALL', `${JSON.stringify(key)} names no pack`);
    if (held.has(join(packs, key))) {
      const hint = 'Wait until the run has ended, or stop it.';
      throw new GradloomError('BAD_CALL', `A run reads the pack ${key} now`, { hint });
    }
  }
  let bytes = 0;
  for (const key of keys) {
    const folder = join(packs, key);
    const size = await packBytes(folder);
    try {
      await rm(folder, { recursive: true, force: true });
      bytes += size + (await removeEnded(packs, key));
    } catch (thrown) {
      throw systemError(thrown, folder, 'write');
    }
  }
  return { bytes };
}

/** Removes every pack that nobody reads, what imports left behind, and tables that were brought into another form. */
export async function clearPacks(cacheDir: string): Promise<{ bytes: number }> {
  const packs = packsDir(cacheDir);
  const held = await heldPacks(packs);
  const free = (await foldersOf(cacheDir)).filter((folder) => !held.has(folder));
  const { bytes } = await removePacks(
    cacheDir,
    free.map((folder) => basename(folder)),
  );
  return { bytes: bytes + (await removeEnded(packs)) + (await clearTables(cacheDir)) };
}

/** Packs of the same data as they were before: nothing leads to them any more once the data have changed. */
import { readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathsOf } from '../contract/sources.ts';
import { type PackFile, readPackFile } from './pack-file.ts';
import { heldPacks } from './pack-holds.ts';
import { isPackKey } from './pack-limit.ts';

type Made = Pick<NonNullable<PackFile['made']>, 'source' | 'base' | 'split'>;

/** Equal for the same data, wherever the project lies that names them; whether bad samples are left out does not count. */
function nameOf({ source, base, split }: Made): string {
  const absolute = Object.fromEntries(pathsOf(source).map(({ key, path }) => [key, resolve(base, path)]));
  const named: { [key: string]: unknown } = { ...source, ...absolute, on_bad: null };
  const keys = Object.keys(named).sort();
  return JSON.stringify([keys.map((key) => [key, named[key]]), split]);
}

/** Whole packs that were made of the same source and are not of `key`. */
export async function earlierPacks(packs: string, made: Made, key: string): Promise<string[]> {
  const name = nameOf(made);
  const found: string[] = [];
  for (const each of (await readdir(packs).catch(() => [])).filter(isPackKey)) {
    const other = each === key ? undefined : (await readPackFile(join(packs, each)).catch(() => null))?.made;
    if (other && nameOf(other) === name) found.push(join(packs, each));
  }
  return found;
}

/** Those that a run still reads stay. */
export async function removeEarlier(packs: string, made: Made, key: string): Promise<void> {
  const earlier = await earlierPacks(packs, made, key);
  if (earlier.length === 0) return;
  const held = await heldPacks(packs);
  for (const folder of earlier) if (!held.has(folder)) await rm(folder, { recursive: true, force: true });
}

/**
 * Who reads which pack: an empty file beside it, `<key>.<host>-<pid>.use`, for as long as its process lives. A pack that is held is not removed
 * from the cache.
 */
import { rmSync } from 'node:fs';
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { host, isAlive } from './process-names.ts';

const ending = '.use';
/** Processes of other machines cannot be asked; their word counts for so long. */
const elsewhereMs = 24 * 3600 * 1000;

const held = new Set<string>();

/** This process reads it from now on, until it ends. */
export async function holdPack(place: string): Promise<void> {
  const path = `${place}.${host}-${process.pid}${ending}`;
  if (held.has(path)) return;
  if (held.size === 0) process.on('exit', letGo);
  held.add(path);
  await writeFile(path, '').catch(() => {}); // a cache that may only be read
}

function letGo(): void {
  for (const path of held) rmSync(path, { force: true });
}

/** Places of a folder of packs that somebody reads; files of processes that are gone are removed. */
export async function heldPacks(packs: string): Promise<Set<string>> {
  const places = new Set<string>();
  for (const name of await readdir(packs).catch(() => [])) {
    if (!name.endsWith(ending)) continue;
    const path = join(packs, name);
    const [place = '', on, pid] = name.slice(0, -ending.length).split(/[.-]/);
    const { mtimeMs } = (await stat(path).catch(() => null)) ?? { mtimeMs: 0 };
    const holds = on === host ? isAlive(Number(pid)) : Date.now() - mtimeMs < elsewhereMs;
    if (holds) places.add(join(packs, place));
    else await rm(path, { force: true });
  }
  return places;
}

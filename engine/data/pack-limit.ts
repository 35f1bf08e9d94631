/** Keeps the cache's packs within a limit: those that were not used for the longest time go, never one that somebody reads. */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { packName } from './pack-file.ts';
import { heldPacks } from './pack-holds.ts';

/** Whether a name in the folder of packs is a whole pack's. */
export const isPackKey = (name: string) => /^[0-9a-f]{32}$/.test(name);

export async function packBytes(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => null)));
  return sizes.reduce((sum, status) => sum + (status?.size ?? 0), 0);
}

/** `kept`: the key of one that stays in any case. */
export async function limitPacks(packs: string, mostBytes: number, kept: string): Promise<void> {
  const held = await heldPacks(packs);
  const found = await Promise.all(
    (await readdir(packs).catch(() => [])).filter(isPackKey).map(async (name) => {
      const folder = join(packs, name);
      const used = (await stat(join(folder, packName)).catch(() => null))?.mtimeMs ?? 0;
      return { name, folder, used, bytes: await packBytes(folder) };
    }),
  );
  let total = found.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { name, folder, bytes } of found.sort((a, b) => a.used - b.used)) {
    if (total <= mostBytes) return;
    if (name === kept || held.has(folder)) continue;
    await rm(folder, { recursive: true, force: true });
    total -= bytes;
  }
}

/**
 * Which files are being decoded at this moment, in a small file that outlasts the process: a broken file that takes a decoder's process along
 * can then be named.
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const name = 'at-work';
/** Longer paths are cut. */
const slotBytes = 4096;

let file: number | null = null;
const free: number[] = [];
let slots = 0;

/** From now on it is noted, in this folder. */
export function noteWorkIn(folder: string): () => void {
  file = openSync(join(folder, name), 'w');
  return () => {
    if (file !== null) closeSync(file);
    file = null;
  };
}

/** While `work` lasts, `path` is what its process may die of. */
export async function atWork<T>(path: string, work: () => Promise<T>): Promise<T> {
  if (file === null) return work();
  const slot = free.pop() ?? slots++;
  writeSync(file, Buffer.from(`${path.slice(0, slotBytes / 4)}\0`), 0, null, slot * slotBytes);
  try {
    return await work();
  } finally {
    free.push(slot);
    if (file !== null) writeSync(file, Buffer.alloc(1), 0, 1, slot * slotBytes);
  }
}

/** What was under way when the process ended that noted it there. */
export function leftAtWork(folder: string): string[] {
  try {
    const noted = readFileSync(join(folder, name));
    const paths: string[] = [];
    for (let at = 0; at < noted.length; at += slotBytes) {
      const end = noted.indexOf(0, at);
      if (end > at) paths.push(noted.toString('utf8', at, end));
    }
    return paths;
  } catch {
    return [];
  }
}

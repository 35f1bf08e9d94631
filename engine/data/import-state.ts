/** Whether data are packed as they are now, were packed and have changed since, or are not packed. */
import { join } from 'node:path';
import type { ImportState, LeftOut } from '../contract/data/import.ts';
import { mostNamed } from '../contract/data/inspect.ts';
import type { ResolvedSource } from '../contract/project.ts';
import { foldersOf } from './cache.ts';
import type { BadSample, OpenContext } from './open-source.ts';
import { packKey } from './pack.ts';
import { readPack, readPackFile } from './pack-file.ts';
import { packBytes } from './pack-limit.ts';
import { defaultContext, openSource } from './source.ts';

/** @throws GradloomError what `openSource` throws */
export async function importState(
  source: ResolvedSource,
  baseDir: string,
  context: OpenContext = defaultContext(),
  cacheDir: string,
): Promise<ImportState> {
  const opened = await openSource(source, baseDir, context);
  const key = packKey(source, opened);
  const pack = await readPack(opened.pack ?? join(cacheDir, 'packs', key));
  if (pack) return { packed: true, bytes: await packBytes(pack.folder), ...leftOut(pack.skipped) };
  const wanted = JSON.stringify({ source, baseDir });
  for (const folder of await foldersOf(cacheDir)) {
    const made = (await readPackFile(folder))?.made;
    if (made && JSON.stringify({ source: made.source, baseDir: made.base }) === wanted) {
      return { packed: false, changed: true };
    }
  }
  return { packed: false };
}

/** As the wire tells it. */
export function leftOut(skipped: readonly BadSample[]): { left_out?: { count: number; samples: LeftOut[] } } {
  if (skipped.length === 0) return {};
  const samples = skipped.slice(0, mostNamed).map(({ part, name, reason }) => ({ part, name, reason }));
  return { left_out: { count: skipped.length, samples } };
}

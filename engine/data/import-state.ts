/** Whether data are packed as they are now, were packed and have changed since, or are not packed. */
import { join } from 'node:path';
import type { ImportState, LeftOut } from '../contract/data/import.ts';
import { mostNamed } from '../contract/data/inspect.ts';
import type { ResolvedSource } from '../contract/project.ts';
import type { BadSample, OpenContext } from './open-source.ts';
import { packKey } from './pack.ts';
import { readPack } from './pack-file.ts';
import { packBytes } from './pack-limit.ts';
import { defaultContext, openSource } from './source.ts';
import { earlierPacks } from './superseded.ts';

/** @throws GradloomError what `openSource` throws */
export async function importState(
  source: ResolvedSource,
  baseDir: string,
  context: OpenContext = defaultContext(),
  cacheDir: string,
): Promise<ImportState> {
  const opened = await openSource(source, baseDir, context);
  const key = packKey(source, opened);
  const packs = join(cacheDir, 'packs');
  const pack = await readPack(opened.pack ?? join(packs, key));
  if (pack) return { packed: true, bytes: await packBytes(pack.folder), ...leftOut(pack.skipped) };
  const earlier = await earlierPacks(packs, { source, base: baseDir, split: context.split }, key);
  return { packed: false, ...(earlier.length > 0 ? { changed: true } : {}) };
}

/** As the wire tells it. */
export function leftOut(skipped: readonly BadSample[]): { left_out?: { count: number; samples: LeftOut[] } } {
  if (skipped.length === 0) return {};
  const samples = skipped.slice(0, mostNamed).map(({ part, name, reason }) => ({ part, name, reason }));
  return { left_out: { count: skipped.length, samples } };
}

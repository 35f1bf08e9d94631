/** What a source says of itself before anything is trained: from its headers and labels, or from its pack where there is one. */
import { join } from 'node:path';
import type { Mark } from '../contract/data/marks.ts';
import type { ResolvedSource } from '../contract/project.ts';
import type { DataFacts, TargetType } from '../contract/tensors.ts';
import { cacheDir } from '../workspace.ts';
import { effectsOf, factsLeft, marksOf } from './mark-effects.ts';
import type { OpenContext, OpenSource } from './open-source.ts';
import { packKey } from './pack.ts';
import { factsFrom, packFacts, readPackFile } from './pack-file.ts';
import { defaultContext, openSource } from './source.ts';

/**
 * Shapes, classes, samples per part less those that marks leave out. Reads headers and labels, never the inputs.
 * Throws DATA_MISSING, DATA_TRUNCATED, DATA_FORMAT, DATA_COUNT, LABEL_RANGE, NOT_READABLE.
 */
export async function describeSource(
  source: ResolvedSource,
  baseDir: string,
  context: OpenContext = defaultContext(),
): Promise<DataFacts> {
  const opened = await openSource(source, baseDir, context);
  return describeOpened(opened, source, baseDir, async () => factsOf(opened, await opened.target()), context.marks);
}

/** `unpacked`: what it says of itself where it is not packed; `known`: the marks that count in place of the data's own. */
export async function describeOpened(
  opened: OpenSource,
  source: ResolvedSource,
  baseDir: string,
  unpacked: () => Promise<DataFacts>,
  known?: readonly Mark[],
): Promise<DataFacts> {
  const packed = await readPackFile(opened.pack ?? join(cacheDir(), 'packs', packKey(source, opened)));
  const facts = packed ? packFacts(packed, opened.tokens) : await unpacked();
  const marks = known ?? (await marksOf(source, baseDir));
  return marks.length > 0 ? factsLeft(facts, effectsOf(marks, opened, null), packed?.excluded ?? {}) : facts;
}

export function factsOf(
  { columns, parts, tokens, padding }: Pick<OpenSource, 'columns' | 'parts' | 'tokens' | 'padding'>,
  target: TargetType,
): DataFacts {
  return factsFrom(columns.input, parts, target, { tokens, padding });
}

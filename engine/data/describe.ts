/** What a source says of itself before anything is trained: from its headers and labels, or from its pack where there is one. */
import { join } from 'node:path';
import type { Mark } from '../contract/data/marks.ts';
import type { ResolvedSource } from '../contract/project.ts';
import type { DataFacts, TargetType } from '../contract/tensors.ts';
import { cacheDir } from '../workspace.ts';
import { readIntegers } from './integers.ts';
import { countsOf, effectsOf, factsLeft, marksOf } from './mark-effects.ts';
import type { OpenContext, OpenSource } from './open-source.ts';
import { packKey } from './pack.ts';
import { columnFile, factsFrom, type PackFile, packFacts, readPackFile } from './pack-file.ts';
import type { Kept } from './rows.ts';
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
  const folder = opened.pack ?? join(cacheDir(), 'packs', packKey(source, opened));
  const packed = await readPackFile(folder);
  const facts = packed ? packFacts(packed, opened.tokens) : await unpacked();
  const marks = known ?? (await marksOf(source, baseDir));
  const excluded = packed?.excluded ?? {};
  if (marks.length === 0 && Object.keys(excluded).length === 0) return facts;
  const { target } = facts;
  const effects = effectsOf(marks, opened, target.kind === 'class' ? target.classes : null);
  const train = effects.parts.train ?? { excluded: [], relabelled: new Map() };
  const changed = { out: new Set([...(excluded.train ?? []), ...train.excluded]), relabelled: train.relabelled };
  const labels = async () =>
    packed ? packLabels(folder, packed) : ((await opened.rows?.('train', ownKept)?.labels()) ?? null);
  return { ...factsLeft(facts, effects, excluded), target: await recounted(target, changed, labels) };
}

/** A file that is read for its labels alone is not kept. */
const ownKept: Kept = { mostBytes: 0, unpacked: null };

async function packLabels(folder: string, { parts }: PackFile): Promise<ArrayLike<number> | null> {
  const { train } = parts;
  // A pack whose files were taken away meanwhile is made again before a run.
  return train ? readIntegers(columnFile(folder, 'train', 'target'), train.count).catch(() => null) : null;
}

/** Classes' counts are of the samples that take part, as they are called by now. */
async function recounted(
  target: TargetType,
  { out, relabelled }: { out: ReadonlySet<number>; relabelled: ReadonlyMap<number, number> },
  read: () => Promise<ArrayLike<number> | null>,
): Promise<TargetType> {
  if (target.kind !== 'class' || !target.counts || (out.size === 0 && relabelled.size === 0)) return target;
  const labels = await read();
  return labels ? { ...target, counts: countsOf(target.classes.length, labels, out, relabelled) } : target;
}

export function factsOf(
  { columns, parts, tokens, padding }: Pick<OpenSource, 'columns' | 'parts' | 'tokens' | 'padding'>,
  target: TargetType,
): DataFacts {
  return factsFrom(columns.input, parts, target, { tokens, padding });
}

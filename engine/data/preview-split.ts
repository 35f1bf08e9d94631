/** Which splits the samples of a part are in, as a run would divide the data now: for a person who looks at them before anything is trained. */
import { join } from 'node:path';
import type { Mark } from '../contract/data/marks.ts';
import { GradloomError } from '../contract/errors.ts';
import type { ResolvedSource, ResolvedSplit } from '../contract/project.ts';
import type { PartName } from '../contract/tensors.ts';
import { lazyAddon } from '../native/lazy.ts';
import { cacheDir } from '../workspace.ts';
import { drawSplit } from './draw.ts';
import { readIntegers } from './integers.ts';
import { effectsOf } from './mark-effects.ts';
import type { OpenSource } from './open-source.ts';
import { type DataPack, packKey } from './pack.ts';
import { readPack } from './pack-file.ts';
import type { SplitName } from './split.ts';

export interface DividedPart {
  opened: OpenSource;
  source: ResolvedSource;
  split: ResolvedSplit;
  part: PartName;
  marks: readonly Mark[];
  /** The class of each sample of the part, and what classes are called; null: targets are no classes. */
  labels: Uint32Array | null;
  classes: readonly string[] | null;
}

export type SplitsOf = (index: number) => readonly SplitName[];

/** The last of each source: to draw walks the whole part. */
const drawn = new WeakMap<OpenSource, { key: string; splitsOf: SplitsOf }>();

/** Whether it can be told now: groups, and which samples cannot be read, are known once the data are packed. */
export async function isDivided({ opened, source, split, part }: Omit<DividedPart, 'marks' | 'labels' | 'classes'>) {
  if (fractionOf(opened, split, part) === null) return true;
  return (!opened.columns.group && !opened.skipsBad) || (await packOf(source, opened)) !== null;
}

/** null: it cannot be told yet, or the part cannot be divided so, which the problems of the project tell. */
export async function splitsOfPart(of: DividedPart): Promise<SplitsOf | null> {
  const { opened, source, split, part, marks } = of;
  if (!(await isDivided(of))) return null;
  const pack = await packOf(source, opened);
  const key = JSON.stringify([part, split, marks, pack?.hash ?? null]);
  const before = drawn.get(opened);
  if (before?.key === key) return before.splitsOf;
  const splitsOf = await divide(of, pack);
  if (splitsOf) drawn.set(opened, { key, splitsOf });
  return splitsOf;
}

async function divide(of: DividedPart, pack: DataPack | null): Promise<SplitsOf | null> {
  const { opened, split, part, marks, labels, classes } = of;
  const marked = effectsOf(marks, opened, classes).parts[part];
  const excluded = new Set([...(pack?.excluded?.[part] ?? []), ...(marked?.excluded ?? [])]);
  const val = fractionOf(opened, split, part);
  if (val === null) {
    const all = splitsOfWhole(opened, split, part);
    return (index) => (excluded.has(index) ? [] : all);
  }
  const count = opened.parts[part] ?? 0;
  const group = pack?.parts[part]?.group;
  const corrected = labels && marked && marked.relabelled.size > 0 ? labels.slice() : labels;
  for (const [index, label] of marked?.relabelled ?? []) if (corrected) corrected[index] = label;
  try {
    const validates = new Set(
      drawSplit(
        { count, labels: corrected, groups: group ? await readIntegers(group.path, count) : null, excluded },
        { ...split, val },
        lazyAddon.randperm,
      ).val,
    );
    return (index) => (excluded.has(index) ? [] : validates.has(index) ? ['val'] : ['train']);
  } catch (thrown) {
    if (GradloomError.from(thrown).code === 'PROJECT_INVALID') return null;
    throw thrown;
  }
}

/** What is drawn from this part for validation; null: the part is not divided. */
function fractionOf({ parts }: OpenSource, split: ResolvedSplit, part: PartName): number | null {
  const val = validatesOn(parts, split);
  return part === 'train' && typeof val === 'number' && val > 0 ? val : null;
}

/** What is not said is the source's own validation part, where it has one. */
const validatesOn = (parts: OpenSource['parts'], { val, unsaid }: ResolvedSplit) => (unsaid && parts.val ? 'val' : val);

function splitsOfWhole({ parts }: OpenSource, split: ResolvedSplit, part: PartName): SplitName[] {
  const own: SplitName[] = part === 'val' ? [] : [part];
  return validatesOn(parts, split) === part ? ['val', ...own] : own;
}

const packOf = (source: ResolvedSource, opened: OpenSource) =>
  readPack(opened.pack ?? join(cacheDir(), 'packs', packKey(source, opened)));

/** Which samples train, validate and test: drawn from a seed as the project says, written as index files that C++ reads. */
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { GradloomError } from '../contract/errors.ts';
import type { Addon, NativeSplit } from '../contract/native.ts';
import type { DrawnSplit, ResolvedSplit } from '../contract/project.ts';
import type { PartName } from '../contract/tensors.ts';
import { writeWhole } from '../files.ts';
import { type Drawn, drawSplit } from './draw.ts';
import { readIntegers } from './integers.ts';
import type { DataPack } from './pack.ts';

export type SplitName = 'train' | 'val' | 'test';

/** `val` is absent without validation, `test` where the source has no test part. */
export type Splits = { train: NativeSplit; val?: NativeSplit; test?: NativeSplit };

/** Which samples of which part a split holds; `positions` absent: all of it. */
export interface SplitMembers {
  part: PartName;
  count: number;
  positions?: Uint32Array;
}

export type Members = { train: SplitMembers; val?: SplitMembers; test?: SplitMembers };

/** What a division depends on. */
type Divided = Pick<DataPack, 'parts' | 'facts' | 'excluded'>;

/**
 * Draws the split and writes an index list `<runFolder>/split/<name>.i64` (little-endian int64, ascending) for each split that is not the
 * whole of a part. `hash` changes when any sample moves.
 * Throws PROJECT_INVALID when the data cannot be divided so.
 */
export async function makeSplits(
  pack: Divided,
  settings: ResolvedSplit,
  addon: Pick<Addon, 'randperm'>,
  runFolder: string,
): Promise<{ splits: Splits; hash: string }> {
  const members = await divideParts(pack, settings, addon);
  const folder = join(runFolder, 'split');
  const written = async (name: SplitName, { part, count, positions }: SplitMembers): Promise<NativeSplit> => {
    if (!positions) return { part, count };
    const indices = join(folder, `${name}.i64`);
    await mkdir(folder, { recursive: true });
    await writeWhole(indices, (file) => file.writeFile(indexList(positions)));
    return { part, count, indices };
  };
  const splits = {} as Splits;
  for (const [name, each] of Object.entries(members))
    splits[name as SplitName] = await written(name as SplitName, each);
  return { splits, hash: splitHash(members) };
}

/** The same without files. */
export async function divideParts(
  pack: Divided,
  settings: ResolvedSplit,
  addon: Pick<Addon, 'randperm'>,
): Promise<Members> {
  const { val } = settings;
  const test = pack.parts.test && { test: whole(pack, 'test') };
  if (typeof val === 'number') {
    const { train, val: validation } = await drawTraining(pack, { ...settings, val }, addon);
    return { train, ...(validation ? { val: validation } : {}), ...test };
  }
  if (!pack.parts[val]) {
    const words = { val: 'validation', test: 'test' };
    throw new GradloomError('PROJECT_INVALID', `The data has no ${words[val]} part to validate on.`, {
      hint: 'Set data.split.val to a fraction such as 0.1.',
      path: 'data.split.val',
    });
  }
  return { train: whole(pack, 'train'), val: whole(pack, val), ...test };
}

/** A part without what is excluded from it. */
function whole({ parts, excluded }: Divided, part: PartName): SplitMembers {
  const count = parts[part]?.count ?? 0;
  const out = excluded?.[part] ?? [];
  if (out.length === 0) return { part, count };
  const { train: positions } = drawSplit(
    { count, excluded: out },
    { val: 0, seed: 0, stratify: false },
    (n) => new Float64Array(n),
  );
  return { part, count: positions.length, positions };
}

async function drawTraining(
  pack: Divided,
  settings: DrawnSplit,
  addon: Pick<Addon, 'randperm'>,
): Promise<Pick<Members, 'train' | 'val'>> {
  if (settings.val === 0) return { train: whole(pack, 'train') };
  const { count, target, group } = pack.parts.train as NonNullable<Divided['parts'][string]>;
  const drawn: Drawn = drawSplit(
    {
      count,
      labels: settings.stratify && pack.facts.target.kind === 'class' ? await readIntegers(target.path, count) : null,
      groups: group ? await readIntegers(group.path, count) : null,
      excluded: pack.excluded?.train ?? [],
    },
    settings,
    (n, seed) => addon.randperm(n, seed),
  );
  const members = (positions: Uint32Array): SplitMembers => ({ part: 'train', count: positions.length, positions });
  return { train: members(drawn.train), val: members(drawn.val) };
}

/** Little-endian int64: what C++ reads, and what is hashed. */
function indexList(positions: Uint32Array): Buffer {
  const list = Buffer.alloc(positions.length * 8);
  for (let i = 0; i < positions.length; i++) list.writeUInt32LE(positions[i] as number, i * 8);
  return list;
}

export function splitHash(members: Members): string {
  const hash = createHash('sha256');
  const splits = Object.entries(members);
  for (const [name, { part, count }] of splits) hash.update(`${name} ${part} ${count}\n`);
  for (const [, { positions }] of splits) if (positions) hash.update(indexList(positions));
  return hash.digest('hex');
}

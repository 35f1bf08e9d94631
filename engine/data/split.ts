/** Which samples train, validate and test: drawn from a seed as the project says, written as index files that C++ reads. */
import { createHash } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { GradloomError } from '../contract/errors.ts';
import type { Addon, NativeColumn, NativeSplit } from '../contract/native.ts';
import type { ResolvedSplit } from '../contract/project.ts';
import { validationByClass } from '../contract/splits.ts';
import { writeWhole } from '../files.ts';
import type { DataPack } from './pack.ts';

export type SplitName = 'train' | 'val' | 'test';

/** `val` is absent without validation, `test` where the source has no test part. */
export type Splits = { train: NativeSplit; val?: NativeSplit; test?: NativeSplit };

/**
 * Draws the split and writes `<runFolder>/split/{train,val}.i64` (little-endian int64, ascending). `hash` changes when any sample moves.
 * Throws PROJECT_INVALID when the data cannot be divided so.
 */
export async function makeSplits(
  pack: DataPack,
  settings: ResolvedSplit,
  addon: Pick<Addon, 'randperm'>,
  runFolder: string,
): Promise<{ splits: Splits; hash: string }> {
  const whole = (part: string): NativeSplit | undefined => pack.parts[part] && { part, count: pack.parts[part].count };
  const test = whole('test');
  const train = whole('train') as NativeSplit;
  if (settings.val === 'test' && !test) {
    throw new GradloomError('PROJECT_INVALID', 'The data has no test part to validate on.', {
      hint: 'Set data.split.val to a fraction such as 0.1.',
      path: 'data.split.val',
    });
  }
  if (settings.val === 'test' || settings.val === 0) {
    const splits = { train, ...(test && settings.val === 'test' ? { val: test } : {}), ...(test ? { test } : {}) };
    return { splits, hash: hashOf(splits, []) };
  }
  const drawn = await draw(pack, settings, settings.val, addon);
  const folder = join(runFolder, 'split');
  await mkdir(folder, { recursive: true });
  const written = async (name: 'train' | 'val'): Promise<NativeSplit> => {
    const indices = join(folder, `${name}.i64`);
    await writeWhole(indices, (file) => file.writeFile(drawn[name]));
    return { part: 'train', count: drawn[name].length / 8, indices };
  };
  const splits = { train: await written('train'), val: await written('val'), ...(test ? { test } : {}) };
  return { splits, hash: hashOf(splits, [drawn.train, drawn.val]) };
}

function hashOf(splits: Splits, contents: Buffer[]): string {
  const hash = createHash('sha256');
  for (const [name, { part, count }] of Object.entries(splits)) hash.update(`${name} ${part} ${count}\n`);
  for (const content of contents) hash.update(content);
  return hash.digest('hex');
}

/** Walks a random order; a sample validates while its class (or the whole) still wants some. */
async function draw(pack: DataPack, settings: ResolvedSplit, fraction: number, addon: Pick<Addon, 'randperm'>) {
  const part = pack.parts.train as DataPack['parts'][string];
  const stratified = settings.stratify && pack.facts.target.kind === 'class';
  const groups = stratified ? await readClasses(part.target, part.count) : new Uint32Array(part.count);
  const sizes = new Map<number, number>();
  for (const group of groups) sizes.set(group, (sizes.get(group) ?? 0) + 1);
  const wanted = validationByClass(sizes, fraction);

  const validates = new Uint8Array(part.count);
  let count = 0;
  for (const index of addon.randperm(part.count, settings.seed)) {
    const left = wanted.get(groups[index] as number) as number;
    if (left === 0) continue;
    wanted.set(groups[index] as number, left - 1);
    validates[index] = 1;
    count++;
  }
  if (count === 0 || count === part.count) {
    const empty = count === 0 ? 'validation' : 'training';
    throw new GradloomError(
      'PROJECT_INVALID',
      `data.split.val ${fraction} of ${part.count} samples leaves none for ${empty}.`,
      { hint: 'Choose another fraction.', path: 'data.split.val' },
    );
  }
  const train = Buffer.alloc((part.count - count) * 8);
  const val = Buffer.alloc(count * 8);
  for (let index = 0, t = 0, v = 0; index < part.count; index++) {
    if (validates[index]) v = val.writeBigInt64LE(BigInt(index), v);
    else t = train.writeBigInt64LE(BigInt(index), t);
  }
  return { train, val };
}

async function readClasses(column: NativeColumn, count: number): Promise<Uint32Array> {
  const classes = new Uint32Array(count);
  const file = await open(column.path, 'r');
  try {
    const rows = 65_536;
    const chunk = Buffer.alloc(rows * 8);
    for (let first = 0; first < count; ) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, first * 8);
      const found = Math.floor(bytesRead / 8);
      if (found === 0) break;
      for (let i = 0; i < found; i++) classes[first + i] = chunk.readUInt32LE(i * 8);
      first += found;
    }
  } finally {
    await file.close();
  }
  return classes;
}

/** A pack as its marks make it: samples left out, labels corrected. What marks say of samples that are not there is told. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { DataNote } from '../contract/data/inspect.ts';
import type { Mark } from '../contract/data/marks.ts';
import type { ResolvedSource, ResolvedSplit } from '../contract/project.ts';
import type { DataFacts, PartName, TargetType } from '../contract/tensors.ts';
import { systemError, writeWhole } from '../files.ts';
import { readIntegers } from './integers.ts';
import { countsOf, effectsOf, type MarkEffects, type MarkedPart, marksOf } from './mark-effects.ts';
import { marksText, readMarks } from './marks.ts';
import type { DataPack } from './pack.ts';
import { openSource } from './source.ts';

/** A run goes on with the marks that it was begun with: they lie in its folder. */
const keptMarks = (folder: string) => path.join(folder, 'split', 'marks.json');

/** The marks that a run was begun with. */
export function marksOfRun(folder: string): Promise<Mark[]> {
  return readMarks(keptMarks(folder));
}

export interface HonourOptions {
  /** Where corrected targets and the marks themselves are kept; `split/` below it. */
  folder: string;
  /** The folder of a run whose own marks count, whatever the data's are by now. */
  run?: string | undefined;
}

/**
 * The pack with the source's marks honoured: excluded samples are among `excluded`, and where labels are corrected a copy of the target column
 * takes the pack's place, and the hash is another. Without marks it is the pack itself.
 * @throws GradloomError DATA_FORMAT, NOT_READABLE, NOT_WRITABLE, DISK_FULL
 */
export async function honourMarks(
  pack: DataPack,
  source: ResolvedSource,
  baseDir: string,
  split: ResolvedSplit,
  { folder, run }: HonourOptions,
): Promise<{ pack: DataPack; notes: DataNote[] }> {
  const marks = run === undefined ? await marksOf(source, baseDir) : await marksOfRun(run);
  const since = run === undefined ? [] : await changedSince(marks, source, baseDir);
  if (marks.length === 0) return { pack, notes: since };
  await makeFolder(path.join(folder, 'split'));
  if (run === undefined) await writeWhole(keptMarks(folder), (file) => file.writeFile(marksText(marks)));
  const opened = await openSource(source, baseDir, { split, marks });
  const { target } = pack.facts;
  const { parts, notes } = effectsOf(marks, opened, target.kind === 'class' ? target.classes : null);
  return { pack: await patched(pack, parts, path.join(folder, 'split')), notes: [...since, ...notes] };
}

async function changedSince(marks: readonly Mark[], source: ResolvedSource, baseDir: string): Promise<DataNote[]> {
  // Data that are gone or marks that cannot be read: the run has no need of them.
  const now = await marksOf(source, baseDir).catch(() => marks);
  if (marksText(now) === marksText(marks)) return [];
  return [
    { message: 'The data have other marks than when this run began: it keeps its own, a new run takes the new ones' },
  ];
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true }).catch((thrown) => {
    throw systemError(thrown, folder, 'write');
  });
}

async function patched(pack: DataPack, marked: MarkEffects['parts'], folder: string): Promise<DataPack> {
  const result = { ...pack, parts: { ...pack.parts }, excluded: { ...pack.excluded } };
  const hash = createHash('sha256').update(pack.hash);
  let relabels = false;
  for (const [name, { excluded, relabelled }] of Object.entries(marked) as [PartName, MarkedPart][]) {
    const part = pack.parts[name];
    if (!part) continue;
    if (excluded.length > 0) {
      result.excluded[name] = [...new Set([...(pack.excluded?.[name] ?? []), ...excluded])].sort((a, b) => a - b);
    }
    const labels = relabelled.size > 0 ? await readIntegers(part.target.path, part.count) : null;
    const wrong = [...relabelled].filter(([index, label]) => labels?.[index] !== label);
    if (wrong.length === 0) continue;
    relabels = true;
    hash.update(`\n${name} ${JSON.stringify(wrong)}`);
    const column = path.join(folder, `${name}.target.bin`);
    await copyWith(part.target.path, column, wrong);
    result.parts[name] = { ...part, target: { ...part.target, path: column } };
  }
  if (relabels) result.hash = hash.digest('hex');
  result.facts = await factsOfMarked(pack.facts, result);
  return result;
}

/** A session that reads the file that stood there before keeps reading that one. */
async function copyWith(from: string, to: string, labels: readonly (readonly [number, number])[]): Promise<void> {
  await writeWhole(to, async (file) => {
    for await (const chunk of createReadStream(from)) await file.appendFile(chunk as Uint8Array);
    const value = Buffer.alloc(8);
    for (const [index, label] of labels) {
      value.writeUInt32LE(label);
      await file.write(value, 0, 8, index * 8);
    }
  });
}

/** Samples that take part, and, where they are counted by class, how many of each class. */
async function factsOfMarked(facts: DataFacts, { parts, excluded }: DataPack): Promise<DataFacts> {
  const left = (part: PartName) => (parts[part]?.count ?? 0) - (excluded?.[part]?.length ?? 0);
  const counts = Object.fromEntries(Object.keys(facts.parts).map((part) => [part, left(part as PartName)]));
  return { ...facts, parts: counts as DataFacts['parts'], target: await recounted(facts.target, parts, excluded) };
}

async function recounted(
  target: TargetType,
  { train }: DataPack['parts'],
  excluded: DataPack['excluded'],
): Promise<TargetType> {
  if (target.kind !== 'class' || !target.counts || !train) return target;
  const labels = await readIntegers(train.target.path, train.count);
  return { ...target, counts: countsOf(target.classes.length, labels, new Set(excluded?.train ?? [])) };
}

/** `checkpoints/index.json`: which checkpoints there are and what each is kept as. Pure: the folders are checkpoints.ts's. */
import { z } from 'zod';
import type { TrainingState } from './training-state.ts';

const entrySchema = z.object({
  folder: z.string(),
  step: z.number(),
  epoch: z.number(),
  batch: z.number(),
  /** Of state.json, which in turn holds the other files' hashes. Null where the index was lost and made anew. */
  sha256: z.string().nullable(),
  /** Saved because the project says so, not because a run was left; absent in older indexes: those at an epoch's end were. */
  scheduled: z.boolean().exactOptional(),
});
export type CheckpointEntry = z.infer<typeof entrySchema>;

export const indexSchema = z.object({
  version: z.literal(1),
  last: z.string().nullable(),
  best: z.string().nullable(),
  /** With `top_k` above 1: the best ones, best first, each with the value that decides. */
  top: z.array(z.object({ folder: z.string(), value: z.number() })).default([]),
  snapshots: z.array(z.string()).default([]),
  /** The beginning of a run that started from a weights file: no seed makes it again. */
  initial: z.string().nullable().default(null),
  /** Oldest first. */
  checkpoints: z.array(entrySchema),
});
export type CheckpointIndex = z.infer<typeof indexSchema>;

const roles = ['last', 'best', 'top', 'snapshot', 'initial'] as const;
export type CheckpointRole = (typeof roles)[number];

/** What a checkpoint is kept as, besides being the last. */
export interface CheckpointMarks {
  best?: boolean;
  /** By its epoch's value, of which more or less is better. */
  ranked?: Ranked;
  scheduled?: boolean;
  snapshot?: boolean;
  initial?: boolean;
}

interface Ranked {
  value: number;
  higher: boolean;
}

/** Of folders alone, where the index was lost. */
export function indexOf(
  checkpoints: CheckpointEntry[],
  kept: Pick<CheckpointIndex, 'snapshots' | 'initial'>,
): CheckpointIndex {
  return { version: 1, last: checkpoints.at(-1)?.folder ?? null, best: null, top: [], ...kept, checkpoints };
}

export function rolesIn(index: CheckpointIndex, folder: string): CheckpointRole[] {
  const { last, best, top, snapshots, initial } = index;
  const ranked = top.map((one) => one.folder);
  const named = { last: [last], best: [best], top: ranked, snapshot: snapshots, initial: [initial] };
  return roles.filter((role) => named[role].includes(folder));
}

export function withSaved(
  index: CheckpointIndex,
  entry: CheckpointEntry,
  { best, ranked, snapshot, initial }: CheckpointMarks,
  topK: number,
): CheckpointIndex {
  const { folder } = entry;
  return {
    version: 1,
    last: folder,
    best: best ? folder : index.best,
    top: ranked ? withRank(index.top, folder, ranked, topK) : index.top,
    snapshots: snapshot ? [...index.snapshots, folder] : index.snapshots,
    initial: initial ? folder : index.initial,
    checkpoints: [...index.checkpoints, entry],
  };
}

/** Of equal values the earlier one is the better. A single best needs no ranks: the state's `best` tells of it. */
function withRank(top: CheckpointIndex['top'], folder: string, { value, higher }: Ranked, topK: number) {
  if (topK < 2) return [];
  const before = top.findIndex((one) => (higher ? value > one.value : value < one.value));
  return top.toSpliced(before < 0 ? top.length : before, 0, { folder, value }).slice(0, topK);
}

/** Whether a checkpoint with that value would be one of the best `topK`. */
export function wouldRank({ top }: CheckpointIndex, { value, higher }: Ranked, topK: number): boolean {
  const worst = top[topK - 1]?.value;
  return topK > 1 && (worst === undefined || (higher ? value > worst : value < worst));
}

export function without(index: CheckpointIndex, folder: string): CheckpointIndex {
  const checkpoints = index.checkpoints.filter((entry) => entry.folder !== folder);
  return {
    version: 1,
    last: checkpoints.at(-1)?.folder ?? null,
    best: index.best === folder ? null : index.best,
    top: index.top.filter((one) => one.folder !== folder),
    snapshots: index.snapshots.filter((one) => one !== folder),
    initial: index.initial === folder ? null : index.initial,
    checkpoints,
  };
}

/** What is kept: the last, the best, the snapshots, an initial state from a file, and the newest `keep` that the project asked for. The others' folders go. */
export function trimmed(index: CheckpointIndex, keep: number): { index: CheckpointIndex; gone: string[] } {
  const scheduled = index.checkpoints.filter((entry) => entry.scheduled ?? entry.batch === 0).slice(-keep);
  const named = [...scheduled, ...index.top].map(({ folder }) => folder);
  const kept = new Set([index.last, index.best, index.initial, ...named, ...index.snapshots]);
  return {
    index: { ...index, checkpoints: index.checkpoints.filter(({ folder }) => kept.has(folder)) },
    gone: index.checkpoints.flatMap(({ folder }) => (kept.has(folder) ? [] : [folder])),
  };
}

/** The index of a run that goes on from `state`: the best are those that it knew. */
export function asOf(index: CheckpointIndex, { best, step: now }: TrainingState): CheckpointIndex {
  const steps = new Map(index.checkpoints.map(({ folder, step }) => [folder, step]));
  const known = index.checkpoints.findLast(({ step, batch }) => step === best?.step && batch === 0);
  return {
    ...index,
    best: known?.folder ?? null,
    top: index.top.filter(({ folder }) => (steps.get(folder) ?? Number.POSITIVE_INFINITY) <= now),
  };
}

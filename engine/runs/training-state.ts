/** Where a training stands, and all of it that is not tensors: `state.json` of a checkpoint. */
import { z } from 'zod';
import { numSchema } from '../contract/events.ts';
import type { NativePlan } from '../contract/native.ts';
import { bestSchema } from '../contract/summary.ts';

/** Of the schedule what does not follow from project and position. */
const scheduleSchema = z.strictObject({
  /** Epochs that it is planned for: the project's, until somebody changes them. */
  epochs: z.number().int().min(1),
  /** Set by hand: the planned rates times `to / from`. */
  lr: z.strictObject({ from: z.number(), to: z.number() }).nullable(),
  /** Of ReduceLROnPlateau: each group's rate where the schedule stands, and PyTorch's counters; `best` null before the first epoch. */
  plateau: z
    .strictObject({
      rates: z.array(z.number()),
      best: z.number().nullable(),
      num_bad_epochs: z.number().int().min(0),
      cooldown_counter: z.number().int().min(0),
    })
    .nullable(),
  /** The learning rate of the last step; null before the first. */
  last_lr: z.number().nullable(),
});
export type ScheduleState = z.infer<typeof scheduleSchema>;

const earlyStoppingSchema = z.strictObject({
  monitor: z.string(),
  /** null before the first epoch with a value that is a number. */
  best: z.number().nullable(),
  bad_epochs: z.number().int().min(0),
  /** The epoch after which it stopped the training. */
  stopped: z.number().int().nullable(),
});
export type EarlyStoppingState = z.infer<typeof earlyStoppingSchema>;

/** Null entries are for what is off, or what this version does not do yet. */
export const stateSchema = z.strictObject({
  version: z.literal(1),
  /** Optimizer steps done. */
  step: z.number().int().min(0),
  /** The epoch in progress, from 1; after the last one, one more than there are. */
  epoch: z.number().int().min(1),
  /** Batches and samples of that epoch that are done; all of them: only its evaluation is left. */
  batch: z.number().int().min(0),
  samples_into_epoch: z.number().int().min(0),
  /** What the epoch has summed up so far, in double and in step order. */
  sums: z.object({
    loss: z.number(),
    metrics: z.record(z.string(), z.number()),
    /** Over how many samples or positions each metric's mean is so far; absent in older checkpoints, where every sample counted. */
    counts: z.record(z.string(), z.number()).default({}),
    train_seconds: z.number(),
    seconds: z.number(),
    breakdown: z.record(z.string(), z.number()),
  }),
  /** Seconds of all earlier epochs. */
  seconds: z.number(),
  /** The last finished epoch's numbers, as its event tells them. */
  last: z.record(z.string(), numSchema),
  best: bestSchema.nullable(),
  /** null in checkpoints of older versions. */
  schedule: scheduleSchema.nullable(),
  /** With loss scaling: steps skipped so far, which are counted in `step`. */
  scaler: z.strictObject({ skipped: z.number().int().min(0) }).nullable(),
  ema: z.null(),
  early_stopping: earlyStoppingSchema.nullable(),
  /** How the epoch's samples are drawn and laid into batches. */
  loader: z.object({
    batch_size: z.number(),
    shuffle: z.boolean(),
    drop_last: z.boolean(),
    /** These are absent in older checkpoints. `cut`: how batches of sequences of like length are cut; null: they are whole. */
    sampler: z.enum(['shuffle', 'balanced', 'weighted']).optional(),
    class_weights: z.array(z.number()).nullable().optional(),
    cut: z.strictObject({ padding: z.number(), shortest: z.number() }).nullable().optional(),
  }),
  tuner: z.null(),
  data_hash: z.string(),
  split_hash: z.string(),
});
export type TrainingState = z.infer<typeof stateSchema>;

/** A run that has done nothing yet. */
export function initialState(
  plan: NativePlan,
  { data_hash, split_hash }: { data_hash: string; split_hash: string },
): TrainingState {
  return {
    version: 1,
    step: 0,
    epoch: 1,
    batch: 0,
    samples_into_epoch: 0,
    sums: emptySums(),
    seconds: 0,
    last: {},
    best: null,
    schedule: null,
    scaler: plan.loss_scale ? { skipped: 0 } : null,
    ema: null,
    early_stopping: null,
    loader: loaderState(plan),
    tuner: null,
    data_hash,
    split_hash,
  };
}

/** What of the loader an epoch that is under way depends on. */
export function loaderState({ loader }: NativePlan): TrainingState['loader'] {
  const { batch_size, shuffle, drop_last, sampler = 'shuffle', class_weights = null, padding, shortest } = loader;
  const cut = padding == null ? null : { padding, shortest: shortest ?? 1 };
  return { batch_size, shuffle, drop_last, sampler, class_weights, cut };
}

export const emptySums = (): TrainingState['sums'] => ({
  loss: 0,
  metrics: {},
  counts: {},
  train_seconds: 0,
  seconds: 0,
  breakdown: {},
});

/** Batches of an epoch; its steps are these divided by `accumulate`, rounded up. */
export function batchesPerEpoch(plan: NativePlan): number {
  const { batch_size, drop_last } = plan.loader;
  const batches = (plan.data.splits.train?.count ?? 0) / batch_size;
  return drop_last ? Math.floor(batches) : Math.ceil(batches);
}

/** The epoch that the last step belongs to; 0 before the first. */
export function epochOfStep({ batch, epoch }: TrainingState): number {
  return batch === 0 ? epoch - 1 : epoch;
}

/** Steps that have changed the weights: what schedules count. */
export function realSteps({ step, scaler }: Pick<TrainingState, 'step' | 'scaler'>): number {
  return step - (scaler?.skipped ?? 0);
}

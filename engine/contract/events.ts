/** The lines of a run's journal, of `--json` output and of the wire: one closed union, snake_case as written. */
import { z } from 'zod';
import { errorInfoSchema } from './errors.ts';

export const runStates = [
  'queued',
  'preparing',
  'running',
  'paused',
  'parked',
  'completed',
  'stopped',
  'interrupted',
  'failed',
] as const;
export type RunState = (typeof runStates)[number];

/** Non-finite numbers travel as strings. */
export const numSchema = z.union([z.number(), z.enum(['NaN', 'Infinity', '-Infinity'])]);
export type Num = z.infer<typeof numSchema>;

const time = z.string();

/** Bytes. */
const memory = z.object({ allocated: z.number(), reserved: z.number(), peak: z.number(), rss: z.number() });

export const runEventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('start'),
    run: z.string(),
    name: z.string(),
    device: z.string(),
    /** The precision used, and why when `auto` chose it. */
    precision: z.string(),
    precision_reason: z.string().exactOptional(),
    seed: z.number(),
    epochs: z.number(),
    steps_per_epoch: z.number(),
    train_samples: z.number(),
    val_samples: z.number(),
    parameters: z.number(),
    versions: z.record(z.string(), z.string()),
    time,
  }),
  /** Columns of equal length, one entry an optimizer step; `step` counts from 1. Others: metrics as `train_<metric>`, `grad_norm`. */
  z
    .object({
      type: z.literal('steps'),
      epoch: z.number(),
      step: z.array(z.number()),
      train_loss: z.array(numSchema),
      lr: z.array(z.number()),
      /** Wall seconds of these steps, and memory after them; absent in older journals. */
      seconds: z.number().exactOptional(),
      memory: memory.exactOptional(),
      time,
    })
    .catchall(z.unknown()),
  /** Others: `train_accuracy`, `val_accuracy`… */
  z
    .object({
      type: z.literal('epoch'),
      epoch: z.number(),
      step: z.number(),
      train_loss: numSchema,
      val_loss: numSchema.exactOptional(),
      lr: z.number(),
      seconds: z.number(),
      samples_per_second: z.number(),
      /** Wall seconds by phase over the epoch's training. */
      breakdown: z.record(z.string(), z.number()),
      /** Of these the seconds in which training stood still for want of a batch; absent in older journals. */
      data_wait: z.number().exactOptional(),
      memory,
      time,
    })
    .catchall(z.unknown()),
  z.object({ type: z.literal('state'), status: z.enum(runStates), time }),
  /** While a run is prepared; told to listeners, never in a journal. `stage` is a phrase: "packing the data". */
  z.object({
    type: z.literal('progress'),
    run: z.string().exactOptional(),
    stage: z.string(),
    done: z.number(),
    total: z.number(),
    time,
  }),
  /**
   * Somebody has changed the learning rate or the last epoch: it holds for all steps after `step`; `epoch` is the one that was in progress (an
   * epoch's end moves on to the next). `replayed`: done again by a resume that went back before it.
   */
  z.object({
    type: z.literal('change'),
    step: z.number(),
    epoch: z.number(),
    lr: z.number().exactOptional(),
    lr_before: z.number().exactOptional(),
    epochs: z.number().exactOptional(),
    epochs_before: z.number().exactOptional(),
    replayed: z.literal(true).exactOptional(),
    time,
  }),
  z.object({ type: z.literal('resume'), from_step: z.number(), time, note: z.string().exactOptional() }),
  z.object({
    type: z.literal('checkpoint'),
    step: z.number(),
    epoch: z.number(),
    folder: z.string(),
    roles: z.array(z.string()),
    time,
  }),
  z.object({
    type: z.literal('advice'),
    code: z.string(),
    message: z.string(),
    hint: z.string().exactOptional(),
    time,
  }),
  errorInfoSchema.extend({ type: z.literal('error'), time }),
  z.object({
    type: z.literal('end'),
    status: z.enum(runStates),
    run: z.string(),
    epoch: z.number(),
    step: z.number(),
    seconds: z.number(),
    time,
  }),
]);
export type RunEvent = z.infer<typeof runEventSchema>;

/** What a person may ask of a live run; besides, see `control.ts`: a snapshot, and changes while it runs. */
export const runActions = ['pause', 'park', 'continue', 'stop', 'discard'] as const;
export type RunAction = (typeof runActions)[number];

export function toNum(value: number): Num {
  if (Number.isFinite(value)) return value;
  return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
}

export function fromNum(value: Num): number {
  return typeof value === 'number' ? value : Number(value);
}

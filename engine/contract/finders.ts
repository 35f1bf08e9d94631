/** What the finders and the checks of a project answer: the same objects at the command line, on the wire and between processes. */
import { z } from 'zod';
import { memoryCorrectionSchema } from './estimate-correction.ts';
import { numSchema } from './events.ts';

/** Every finder trains in a process and a folder of its own: neither the project, nor any run, nor their generators are touched. */
export const lrOptionsSchema = z.object({
  /** The first learning rate; absent 1e-7. */
  min: z.number().gt(0).exactOptional(),
  /** The last one; absent 10. */
  max: z.number().gt(0).exactOptional(),
  /** Optimizer steps from `min` to `max`; absent 100. */
  steps: z.number().int().min(10).max(10_000).exactOptional(),
});
export type LrOptions = z.infer<typeof lrOptionsSchema>;

export const lrFindingSchema = z.object({
  /** One entry a step: the rate that the step was done with, its loss, and the loss smoothed (exponential mean, beta 0.98, corrected). */
  lr: z.array(z.number()),
  loss: z.array(numSchema),
  smoothed: z.array(z.number()),
  min: z.number(),
  max: z.number(),
  /** How many steps were meant to be done. */
  steps: z.number(),
  /** Why it ended before `max`; null: it did not. */
  stopped: z.enum(['diverged', 'non_finite']).nullable(),
  /** null: no part of the curve says which is good, and `reason` why. */
  suggestion: z.number().nullable(),
  /** How the suggestion was found, or why there is none. */
  reason: z.string(),
  /** The project's own rate. */
  current: z.number(),
  device: z.string(),
  seconds: z.number(),
});
export type LrFinding = z.infer<typeof lrFindingSchema>;

export const batchOptionsSchema = z.object({
  /** The largest size to try; absent: the training samples, at most 65,536. */
  max: z.number().int().min(1).exactOptional(),
  /** MiB that the tensors may take. Has to be said on a CPU, which does not run out by itself before the whole computer does. */
  memory: z.number().gt(0).exactOptional(),
});
export type BatchOptions = z.infer<typeof batchOptionsSchema>;

const batchProbeSchema = z.object({
  batch_size: z.number(),
  /** Whether forward, backward, step and evaluation all ran. */
  fits: z.boolean(),
  /** Bytes of tensors at the worst moment; null where it did not fit. */
  peak: z.number().nullable(),
  samples_per_second: z.number().nullable(),
  /** What was wrong: out of memory, above the limit, the process was killed. */
  problem: z.string().exactOptional(),
});
export type BatchProbe = z.infer<typeof batchProbeSchema>;

export const batchFindingSchema = z.object({
  /** In the order in which they were tried. */
  probes: z.array(batchProbeSchema),
  /** The largest that ran; null: not even the smallest did. */
  largest: z.number().nullable(),
  /** What ended the search: memory ran out, `max` was reached, or there are no more samples. */
  limit: z.enum(['memory', 'max', 'samples']),
  suggestion: z.number().nullable(),
  reason: z.string(),
  /** The project's own size. */
  current: z.number(),
  device: z.string(),
  /** Bytes; null: none was given. */
  memory: z.number().nullable(),
  seconds: z.number(),
});
export type BatchFinding = z.infer<typeof batchFindingSchema>;

/** `evaluation` 0: nothing is validated. */
const phaseBytesSchema = z.object({
  forward: z.number(),
  backward: z.number(),
  update: z.number(),
  evaluation: z.number(),
});

/** Why a batch of the project's own size was not measured as well: what is free is needed twice, it is slow, or memory ran out after all. */
const notMeasured = ['memory', 'time', 'ran_out'] as const;

/** The memory of a project's training, measured with small batches and, where that goes, with its own; else carried on to its own. */
export const memoryFindingSchema = z.object({
  /** Bytes of tensors at each phase's highest moment, one batch at a time. */
  probes: z.array(phaseBytesSchema.extend({ batch_size: z.number() })),
  /** The project's own, and what to expect with it: the estimate, and by how much the probes differ from theirs. */
  batch_size: z.number(),
  phases: phaseBytesSchema,
  total: z.number(),
  /** null: its own batch size was measured, too. */
  carried_on: z.enum(notMeasured).nullable(),
  /** The estimate alone. */
  estimated: z.number(),
  device: z.string(),
  /** As learned from this and what was measured on the device before. */
  correction: memoryCorrectionSchema.nullable(),
  seconds: z.number(),
});
export type MemoryFinding = z.infer<typeof memoryFindingSchema>;

export const checkOptionsSchema = z.object({
  /** Optimizer steps; absent 40, or as many as the project has. */
  steps: z.number().int().min(2).max(100_000).exactOptional(),
});
export type CheckOptions = z.infer<typeof checkOptionsSchema>;

export const checkKinds = ['resume', 'twin'] as const;
export type CheckKind = (typeof checkKinds)[number];

const checkDifferenceSchema = z.object({
  /** The first step at whose end the two were not the same; null: found in what the checkpoint says besides. */
  step: z.number().nullable(),
  what: z.enum(['tensor', 'journal', 'state']),
  /** `model.safetensors`, `optimizer.safetensors`, `rng.safetensors`, …; for the journal the column. */
  where: z.string(),
  /** The first tensor by name; null where it is no tensor. */
  tensor: z.string().nullable(),
  /** How many tensors differ at that step. */
  tensors: z.number(),
  message: z.string(),
});
export type CheckDifference = z.infer<typeof checkDifferenceSchema>;

export const checkReportSchema = z.object({
  kind: z.enum(checkKinds),
  equal: z.boolean(),
  /** Steps compared. */
  steps: z.number(),
  /** Whether an epoch's end, with its evaluation, was among them. */
  epoch_ends: z.number(),
  /** Tensors a step, and values in the journal, that were compared. */
  tensors: z.number(),
  /** Of `resume`: after which step the run was stopped, after which it was killed, and from which steps it went on. */
  stopped_at: z.number().nullable(),
  killed_at: z.number().nullable(),
  resumed_from: z.array(z.number()),
  deterministic: z.boolean(),
  difference: checkDifferenceSchema.nullable(),
  /** What the result means, in a sentence. */
  message: z.string(),
  /** What to do about a difference. */
  hint: z.string().exactOptional(),
  device: z.string(),
  seconds: z.number(),
});
export type CheckReport = z.infer<typeof checkReportSchema>;

/** How far such a work is; `partial` is what it has found so far. */
export const taskProgressSchema = z.object({
  /** A phrase: "training with 3e-3". */
  stage: z.string(),
  done: z.number(),
  total: z.number(),
  /** Absent: it cannot be said yet. */
  seconds_left: z.number().exactOptional(),
  /** The file that is being read. */
  file: z.string().exactOptional(),
  lr: lrFindingSchema.pick({ lr: true, loss: true, smoothed: true }).exactOptional(),
  probes: z.array(batchProbeSchema).exactOptional(),
});
export type TaskProgress = z.infer<typeof taskProgressSchema>;

/** `summary.json`: how a run stands, as the disk, the wire and lists of runs have it. */
import { z } from 'zod';
import { errorInfoSchema } from './errors.ts';
import { numSchema, runStates } from './events.ts';

/** The best value of the monitored quantity so far. */
export const bestSchema = z.object({ monitor: z.string(), value: z.number(), epoch: z.number(), step: z.number() });

export const summarySchema = z.object({
  version: z.literal(1),
  /** The project's. */
  name: z.string(),
  /** The folder's name before it was first renamed: the run keeps the colour that it had. */
  first_name: z.string().exactOptional(),
  status: z.enum(runStates),
  device: z.string(),
  precision: z.string(),
  epoch: z.number(),
  epochs: z.number(),
  step: z.number(),
  steps_per_epoch: z.number(),
  parameters: z.number(),
  seconds: z.number(),
  /** The last finished epoch's numbers: `train_loss`, `val_loss`, `train_accuracy`… */
  last: z.record(z.string(), numSchema),
  best: bestSchema.nullable(),
  samples_per_second: z.number().nullable(),
  error: errorInfoSchema.exactOptional(),
  /** Why an interrupted run was: `SIGTERM`, `its parent process ended`… */
  reason: z.string().exactOptional(),
  /** What was changed by hand while it ran, in order: after how many steps, and to what. */
  changes: z
    .array(
      z.object({
        step: z.number(),
        epoch: z.number(),
        lr: z.number().exactOptional(),
        epochs: z.number().exactOptional(),
      }),
    )
    .exactOptional(),
  started: z.string(),
  updated: z.string(),
});
export type RunSummary = z.infer<typeof summarySchema>;

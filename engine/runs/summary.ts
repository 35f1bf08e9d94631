/** `summary.json`: how a run stands, rewritten after each epoch and at each change of state; feeds run lists. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { errorInfoSchema } from '../contract/errors.ts';
import { numSchema, runStates } from '../contract/events.ts';

export const summaryName = 'summary.json';

/** The best value of the monitored quantity so far. */
export const bestSchema = z.object({ monitor: z.string(), value: z.number(), epoch: z.number(), step: z.number() });

const summarySchema = z.object({
  version: z.literal(1),
  name: z.string(),
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
  started: z.string(),
  updated: z.string(),
});
export type RunSummary = z.infer<typeof summarySchema>;

/** null while there is none, and for one that is damaged: the journal tells all of it again. */
export function readSummary(folder: string): RunSummary | null {
  try {
    return summarySchema.parse(JSON.parse(readFileSync(path.join(folder, summaryName), 'utf8')));
  } catch {
    return null;
  }
}

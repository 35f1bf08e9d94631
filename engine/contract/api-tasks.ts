/**
 * The wire's long works on a project: finders and checks. Each is one call that answers when it is done and ends when its signal aborts; who
 * gives it a name by `task` may ask `tasks.progress` how far it is.
 */
import { oc } from '@orpc/contract';
import { z } from 'zod';
import { memoryCorrectionSchema } from './estimate-correction.ts';
import {
  batchFindingSchema,
  batchOptionsSchema,
  checkOptionsSchema,
  checkReportSchema,
  lrFindingSchema,
  lrOptionsSchema,
  memoryFindingSchema,
  taskProgressSchema,
} from './finders.ts';
import { lookOptionsSchema, lookSchema } from './look.ts';

/** The project as it is in the window, saved or not; `file` says what its paths are relative to. */
const work = z.object({ file: z.string(), text: z.string(), task: z.string().min(1).exactOptional() });

export const findCalls = {
  lr: oc.input(work.extend({ options: lrOptionsSchema })).output(lrFindingSchema),
  batch: oc.input(work.extend({ options: batchOptionsSchema })).output(batchFindingSchema),
  /** Measures the memory of training, and learns from it. */
  memory: oc.input(work).output(memoryFindingSchema),
  /** What has been measured says about the project's estimate: multiply it. null: nothing was measured on its device. */
  correction: oc.input(work.pick({ file: true, text: true })).output(memoryCorrectionSchema.nullable()),
};

export const verifyCalls = {
  resume: oc.input(work.extend({ options: checkOptionsSchema })).output(checkReportSchema),
  twin: oc.input(work.extend({ options: checkOptionsSchema })).output(checkReportSchema),
};

/** What a network makes of a sample, layer by layer; the process that computes it stays for a while, so the next look is quick. */
export const lookCall = oc
  .input(work.pick({ file: true, text: true }).extend({ options: lookOptionsSchema }))
  .output(lookSchema);

export const taskCalls = {
  /** Answers when the progress is no longer `seen` (at once where that is absent and there is any); null: nothing is known of the task. */
  progress: oc
    .input(z.object({ task: z.string(), seen: z.number().exactOptional() }))
    .output(z.object({ version: z.number(), progress: taskProgressSchema.nullable() })),
};

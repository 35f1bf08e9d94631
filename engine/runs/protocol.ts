/** What the service and a worker say to each other; both parse every message. One job a worker. */
import { z } from 'zod';
import { errorInfoSchema } from '../contract/errors.ts';
import { runActions, runEventSchema, runStates } from '../contract/events.ts';
import { type LrFinding, lrOptionsSchema, taskProgressSchema } from '../contract/finders.ts';
import { editSchema } from '../contract/problems.ts';
import type { DeviceReport } from '../contract/wire.ts';
import type { Peaks } from '../finders/measure-peaks.ts';
import type { ProbeAnswer } from '../finders/probe-batch.ts';
import { lifeSchema } from '../verify/life.ts';
import type { Exported } from './export.ts';
import type { EndEvent, Evaluation, Prediction } from './types.ts';

/** Made by our own code on the other side; its fields are for people and programs that read it, not for us to act on. */
const opaque = <T>() => z.custom<T>((value) => typeof value === 'object' && value !== null);

export const trainRequest = z.object({
  projectFile: z.string().exactOptional(),
  projectText: z.string().exactOptional(),
  baseDir: z.string().exactOptional(),
  run: z.string().exactOptional(),
  device: z.string().exactOptional(),
  precision: z.string().exactOptional(),
  epochs: z.number().exactOptional(),
  threads: z.number().exactOptional(),
  set: z.array(z.tuple([z.string(), z.unknown()])).exactOptional(),
});

const resumeRequest = z.object({
  run: z.string(),
  epochs: z.number().exactOptional(),
  device: z.string().exactOptional(),
  edits: z.array(editSchema).exactOptional(),
});

const split = z.enum(['train', 'val', 'test']);
const checkpoint = z.union([z.enum(['best', 'last']), z.number()]);

const evaluateOptions = z.object({
  split: split.exactOptional(),
  checkpoint: checkpoint.exactOptional(),
  device: z.string().exactOptional(),
});

const predictOptions = evaluateOptions.extend({
  start: z.number().exactOptional(),
  count: z.number().exactOptional(),
});

const exportOptions = z.object({
  format: z.string(),
  out: z.string().exactOptional(),
  checkpoint: checkpoint.exactOptional(),
});

/** Whether somebody listens to each step: else they are in the journal only, for to tell of them takes time that could be trained in. */
const steps = z.boolean().exactOptional();

/** The first message is the job, after what the worker may reach; while it lasts `action` may follow, and where the job stays what is asked. */
export const toWorker = z.discriminatedUnion('type', [
  z.object({ type: z.literal('reach'), root: z.string(), also: z.array(z.string()) }),
  z.object({ type: z.literal('train'), request: trainRequest, steps }),
  z.object({ type: z.literal('resume'), request: resumeRequest, steps }),
  z.object({ type: z.literal('evaluate'), run: z.string(), options: evaluateOptions }),
  z.object({ type: z.literal('predict'), run: z.string(), options: predictOptions }),
  z.object({ type: z.literal('export'), run: z.string(), options: exportOptions }),
  z.object({ type: z.literal('devices') }),
  z.object({ type: z.literal('find-lr'), request: trainRequest, options: lrOptionsSchema, folder: z.string() }),
  z.object({
    type: z.literal('probe'),
    request: trainRequest,
    batchSize: z.number(),
    memory: z.number().nullable(),
    folder: z.string(),
  }),
  z.object({ type: z.literal('measure'), request: trainRequest, batchSize: z.number(), folder: z.string() }),
  z.object({ type: z.literal('life'), request: trainRequest, life: lifeSchema }),
  z.object({ type: z.literal('look'), folder: z.string() }),
  z.object({ type: z.literal('data'), folder: z.string() }),
  z.object({ type: z.literal('ask'), id: z.number(), name: z.string(), args: z.unknown() }),
  z.object({ type: z.literal('forget'), id: z.number() }),
  z.object({ type: z.literal('action'), id: z.number(), action: z.enum([...runActions, 'interrupt']) }),
]);
export type ToWorker = z.infer<typeof toWorker>;
export type Job = Exclude<ToWorker, { type: 'action' | 'ask' | 'forget' | 'reach' }>;

/** Of a prediction null: its rows come one by one. */
export type JobResult = EndEvent | Evaluation | Exported | DeviceReport | LrFinding | ProbeAnswer | Peaks;

/** `result` or `failure` is the last message. */
export const fromWorker = z.discriminatedUnion('type', [
  z.object({ type: z.literal('event'), event: runEventSchema }),
  z.object({ type: z.literal('answer'), id: z.number(), status: z.enum(runStates) }),
  z.object({ type: z.literal('progress'), progress: taskProgressSchema }),
  z.object({ type: z.literal('row'), row: opaque<Prediction>() }),
  z.object({ type: z.literal('told'), id: z.number(), value: z.unknown() }),
  z.object({ type: z.literal('far'), id: z.number(), progress: taskProgressSchema }),
  z.object({ type: z.literal('refused'), id: z.number(), error: errorInfoSchema }),
  z.object({ type: z.literal('result'), value: opaque<JobResult>().nullable() }),
  z.object({ type: z.literal('failure'), error: errorInfoSchema }),
]);
export type FromWorker = z.infer<typeof fromWorker>;

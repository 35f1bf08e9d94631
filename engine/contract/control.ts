/** What a person may ask of a live run besides its actions, and what it answers: a snapshot, changes that take hold at its next step. */
import { z } from 'zod';
import { runActions, runStates } from './events.ts';

/** At least one of them. */
export const changeFields = {
  /** The optimizer's learning rate from the next step on; other groups and what is planned by a schedule follow in proportion. */
  lr: z.number().min(0).exactOptional(),
  /** The last epoch, not before the one in progress. A schedule is planned anew for it. */
  epochs: z.number().int().min(1).max(1_000_000).exactOptional(),
};

/** One JSON line to a run's endpoint. */
export const liveRequestSchema = z.discriminatedUnion('action', [
  z.object({ action: z.enum(runActions) }),
  z.object({ action: z.literal('snapshot') }),
  z.object({ action: z.literal('set'), ...changeFields }),
]);
export type LiveRequest = z.infer<typeof liveRequestSchema>;
/** Those that are done while the run goes on as it is. */
export type PassingRequest = Exclude<LiveRequest, { action: (typeof runActions)[number] }>;

export const snapshotAnswerSchema = z.object({ step: z.number(), epoch: z.number(), folder: z.string() });
export type SnapshotAnswer = z.infer<typeof snapshotAnswerSchema>;

export const changeAnswerSchema = z.object({
  /** Steps done when it took hold. */
  step: z.number(),
  epoch: z.number(),
  /** Of the next step. */
  lr: z.number(),
  epochs: z.number(),
});
export type ChangeAnswer = z.infer<typeof changeAnswerSchema>;

export const liveAnswerSchema = z.object({
  status: z.enum(runStates),
  snapshot: snapshotAnswerSchema.exactOptional(),
  change: changeAnswerSchema.exactOptional(),
});
export type LiveAnswer = z.infer<typeof liveAnswerSchema>;

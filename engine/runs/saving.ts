/** When a checkpoint is saved, and as what. The clock decides only when: no number depends on it. */
import path from 'node:path';
import type { SnapshotAnswer } from '../contract/control.ts';
import type { CheckpointMarks } from './checkpoint-index.ts';
import type { Training } from './trainer.ts';
import { epochOfStep } from './training-state.ts';

/**
 * Saves where training stands, unless that is what was saved last. A snapshot has a folder of its own, for it stays. `anew`: the state at this
 * place is no longer the saved one.
 */
export async function save(
  training: Training,
  { anew = false, ...marks }: CheckpointMarks & { anew?: boolean } = {},
): Promise<SnapshotAnswer> {
  const { checkpoints, record, savedAt, session, state } = training;
  const { last } = checkpoints;
  const [step, epoch] = [state.step, epochOfStep(state)];
  const isSaved = !anew && last?.step === step && last.epoch === state.epoch && last.batch === state.batch;
  savedAt.time = performance.now();
  if (marks.scheduled) savedAt.step = step;
  if (isSaved && (!marks.snapshot || checkpoints.rolesOf(last).includes('snapshot'))) {
    return { step, epoch, folder: last.folder };
  }
  record.journal.sync(); // a checkpoint never knows more steps than the journal
  const { folder, roles } = await checkpoints.save(state, marks, (temporary) => session.saveState(temporary));
  record.emit({ type: 'checkpoint', step, epoch, folder, roles });
  return { step, epoch, folder: path.basename(folder) };
}

/** A checkpoint that stays. */
export function saveSnapshot(training: Training): Promise<SnapshotAnswer> {
  return save(training, { snapshot: true });
}

/** How many steps there may be until one after which a checkpoint is due; Infinity: none is. */
export function stepsUntilSave({ checkpoint, state }: Training): number {
  const { every_steps } = checkpoint;
  return every_steps === null ? Number.POSITIVE_INFINITY : every_steps - (state.step % every_steps);
}

/** Whether a checkpoint is due after the chunk that was just done. */
export function saveIsDue({ checkpoint, savedAt, state }: Training): boolean {
  const { every_steps, every_minutes } = checkpoint;
  if (state.step === savedAt.step) return false;
  if (every_steps !== null && state.step % every_steps === 0) return true;
  return every_minutes !== null && performance.now() - savedAt.time >= every_minutes * 60_000;
}

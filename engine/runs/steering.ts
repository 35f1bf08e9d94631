/** What a person asks of a training, done between two steps: pauses, snapshots, changes; and changes of an earlier life made again. */
import type { ChangeAnswer, PassingRequest } from '../contract/control.ts';
import { GradloomError } from '../contract/errors.ts';
import { type Change, overruled, takeDue } from './changes.ts';
import { save, saveSnapshot } from './saving.ts';
import type { Training } from './trainer.ts';
import { epochOfStep } from './training-state.ts';

/** Does what is due here, obeys a pause; answers whether the run is to be left. */
export async function askedToLeave(training: Training): Promise<boolean> {
  const { control, record } = training;
  await doWhatIsDue(training);
  while (control.wish === 'pause') {
    await save(training); // a pause may last longer than the process
    record.enter('paused');
    control.reached('paused');
    while (control.wish === 'pause') {
      await control.unpaused();
      await doWhatIsDue(training);
    }
    if (control.leaving) break;
    record.enter('running');
    control.reached('running');
  }
  return control.leaving;
}

/** Changes of an earlier life that hold from here on, then what was asked meanwhile. */
export async function doWhatIsDue(training: Training): Promise<void> {
  const { control, pending, state } = training;
  for (const change of takeDue(pending, state)) makeChange(training, change, true);
  for (const { request, answer, refuse } of control.takeRequests()) {
    try {
      answer(await doRequest(training, request));
    } catch (thrown) {
      const error = GradloomError.from(thrown);
      refuse(error);
      // A snapshot that does not fit on the disk is no reason to end the training; its next checkpoint will tell.
      if (!['BAD_CALL', 'DISK_FULL', 'NOT_WRITABLE'].includes(error.code)) throw error;
    }
  }
}

async function doRequest(training: Training, request: PassingRequest) {
  if (request.action === 'snapshot') return { snapshot: await saveSnapshot(training) };
  const { lr, epochs } = request;
  if (lr === undefined && epochs === undefined) {
    throw new GradloomError('BAD_CALL', 'Nothing was given to change', {
      hint: 'Give a learning rate, or the last epoch.',
    });
  }
  const { step, epoch } = training.state;
  const change = { step, epoch, ...(lr === undefined ? {} : { lr }), ...(epochs === undefined ? {} : { epochs }) };
  return { change: makeChange(training, change, false) };
}

/** `rateBefore`: where it is not the schedule as it stands. @throws GradloomError BAD_CALL, with everything as it was */
export function makeChange(
  training: Training,
  change: Change,
  replayed: boolean,
  rateBefore: number = training.schedule.nextRate,
): ChangeAnswer {
  const { record, schedule, state } = training;
  const { step, lr, epochs } = change;
  const inProgress = Math.max(1, epochOfStep(state));
  if (epochs !== undefined && epochs < inProgress) {
    throw new GradloomError('BAD_CALL', `The run is in epoch ${inProgress}, so ${epochs} cannot be its last`, {
      hint: `Give ${inProgress} to end it after this epoch, or stop it now.`,
    });
  }
  const before = { lr: rateBefore, epochs: schedule.epochs };
  schedule.attempt(() => {
    // The rate last: whatever is planned anew, the next step has the one that is asked for.
    if (epochs !== undefined) schedule.setEpochs(epochs);
    if (lr !== undefined) schedule.setRate(lr);
    // What was made before the place that a resume goes on from is in the journal already.
    if (replayed && step <= training.resumedFrom) return;
    record.emit({
      type: 'change',
      ...change,
      ...(lr === undefined ? {} : { lr_before: before.lr }),
      ...(epochs === undefined ? {} : { epochs_before: before.epochs }),
      ...(replayed ? { replayed } : {}),
    });
    record.journal.sync();
  });
  if (!replayed) training.pending = overruled(training.pending, change);
  const { changes = [] } = record.summary;
  record.update({ epochs: schedule.epochs, ...(replayed ? {} : { changes: [...changes, change] }) });
  return { step: state.step, epoch: state.epoch, lr: schedule.nextRate, epochs: schedule.epochs };
}

/** The last stage of starting and resuming alike: from a session to the end of the run. */
import { GradloomError } from '../contract/errors.ts';
import type { RunState } from '../contract/events.ts';
import type { Plan } from '../contract/plan.ts';
import { type Change, epochsAt } from './changes.ts';
import type { CheckpointMarks } from './checkpoint-index.ts';
import type { RunControl } from './control.ts';
import type { Environment } from './environment.ts';
import { type RunLock, removeRun } from './folder.ts';
import { openEndpoint } from './live.ts';
import type { Hardware } from './prepare.ts';
import type { RunRecord } from './record.ts';
import { save } from './saving.ts';
import { makeChange } from './steering.ts';
import type { RunSummary } from './summary.ts';
import { type Training, train } from './trainer.ts';
import { batchesPerEpoch, epochOfStep, type TrainingState } from './training-state.ts';
import type { EndEvent } from './types.ts';

/** What a run's summary says before its first epoch. */
export function newSummary(plan: Plan, hardware: Hardware): RunSummary {
  const time = new Date().toISOString();
  return {
    version: 1,
    name: plan.project.name,
    status: 'preparing',
    device: hardware.device.value,
    precision: hardware.precision.value,
    epoch: 0,
    epochs: plan.project.training.epochs,
    step: 0,
    steps_per_epoch: 0,
    parameters: plan.parameters,
    seconds: 0,
    last: {},
    best: null,
    samples_per_second: null,
    started: time,
    updated: time,
  };
}

/**
 * Holds the run while `work` lasts: reachable for actions, and then let go in an order that lets the next holder in as soon as an action is
 * answered. `undo` takes back a run that could not be begun.
 */
export async function whileHeld(
  held: { folder: string; lock: RunLock; undo?: () => void },
  control: RunControl,
  work: () => Promise<EndEvent>,
): Promise<EndEvent> {
  const { folder, lock, undo } = held;
  let ended: RunState = 'failed';
  const limit = () => {}; // at a limit on file sizes (`ulimit -f`) a write fails, as on a full disk; unheard, this signal would end the process
  if (process.platform !== 'win32') process.on('SIGXFSZ', limit);
  const endpoint = await openEndpoint(folder, control).catch((thrown: unknown) => {
    undo?.();
    lock.release();
    throw thrown;
  });
  try {
    const end = await work();
    ended = end.status;
    return end;
  } catch (thrown) {
    undo?.();
    throw thrown;
  } finally {
    endpoint.hide();
    if (control.wish === 'discard') removeRun(folder, lock);
    lock.release();
    control.reached(ended, true);
    await endpoint.close();
    process.off('SIGXFSZ', limit);
  }
}

export type Advice = { code: string; message: string; hint?: string };

export interface Opening {
  training: Training;
  plan: Plan;
  environment: Environment;
  /** Told right after the start. */
  advice: Advice[];
  /** Save before the first step, as what: initial weights that cannot be made again from the seed, a state that a resume has altered. */
  saveFirst: CheckpointMarks | null;
  /** Of a resume. `epochs`: the last one, where somebody asks for another; `rateBefore`: what was planned before the project's rates were edited. */
  resumed?: { fromStep: number; note?: string; epochs?: number; rateBefore?: number };
}

/** Tells the start, trains, tells the end. What goes wrong from here on is an event and a status, for the run can be resumed. */
export async function trainHeld({
  training,
  plan,
  environment,
  advice,
  saveFirst,
  resumed,
}: Opening): Promise<EndEvent> {
  const { control, pending, plan: native, record, schedule, session, state } = training;
  const epochs = resumed?.epochs ?? epochsAt(state, pending, schedule.epochs);
  const stepsPerEpoch = Math.ceil(batchesPerEpoch(native) / native.accumulate);
  const { device, precision, precision_reason, versions } = environment;
  let status: RunState;
  try {
    const { step, best, last } = state;
    record.update({
      status: 'running',
      epochs,
      epoch: state.epoch - 1,
      step,
      best,
      last,
      steps_per_epoch: stepsPerEpoch,
      device,
      precision,
    });
    record.emit({
      type: 'start',
      run: record.folder,
      name: plan.project.name,
      device,
      precision,
      ...(precision_reason === undefined ? {} : { precision_reason }),
      seed: native.seed,
      epochs,
      steps_per_epoch: stepsPerEpoch,
      train_samples: native.data.splits.train?.count ?? 0,
      val_samples: native.data.splits.val?.count ?? 0,
      parameters: plan.parameters,
      versions,
    });
    if (resumed) {
      const { fromStep, note } = resumed;
      record.emit({ type: 'resume', from_step: fromStep, ...(note === undefined ? {} : { note }) });
      makeAskedChanges(training, resumed);
    }
    for (const line of advice) record.emit({ type: 'advice', ...line });
    if (saveFirst) await save(training, { anew: true, ...saveFirst });
    control.reached('running');
    status = await train(training);
  } catch (thrown) {
    status = 'failed';
    tellFailure(record, GradloomError.from(thrown));
  }
  await session.close();
  return finish(record, status, state, control.reason);
}

/** As changes of the run like others, so that a later resume from before this place makes them again. */
function makeAskedChanges(training: Training, { epochs, rateBefore }: NonNullable<Opening['resumed']>): void {
  const { schedule, state } = training;
  const change: Change = { step: state.step, epoch: state.epoch };
  if (epochs !== undefined && epochs !== schedule.epochs) change.epochs = epochs;
  const planned = schedule.nextRateFor(epochs ?? schedule.epochs);
  if (rateBefore !== undefined && planned > 0) change.lr = planned;
  if (change.epochs !== undefined || change.lr !== undefined) makeChange(training, change, false, rateBefore);
}

/** The disk may be what failed: then at least the listeners know. */
function tellFailure(record: RunRecord, error: GradloomError): void {
  try {
    record.emit({ type: 'error', ...error.toInfo() });
    record.update({ error: error.toInfo() });
  } catch {
    record.tell({ type: 'error', ...error.toInfo() });
  }
}

export function endOf(folder: string, status: RunState, state: TrainingState | null) {
  return {
    type: 'end' as const,
    status,
    run: folder,
    epoch: state ? epochOfStep(state) : 0,
    step: state?.step ?? 0,
    seconds: state ? state.seconds + state.sums.seconds : 0,
  };
}

/** The end's line and summary; closes the journal. `reason`: why, if it was interrupted. */
export function finish(record: RunRecord, status: RunState, state: TrainingState | null, reason?: string): EndEvent {
  const end = endOf(record.folder, status, state);
  const { epoch, step, seconds } = end;
  try {
    const why = status === 'interrupted' && reason !== undefined ? { reason } : {};
    record.update({ status, epoch, step, seconds, ...why });
    const told = record.emit(end);
    record.journal.sync();
    return told;
  } catch (thrown) {
    if (status !== 'failed') tellFailure(record, GradloomError.from(thrown));
    return record.tell({ ...end, status: 'failed' });
  } finally {
    record.journal.close();
  }
}

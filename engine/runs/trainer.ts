/** The training loop: epochs of chunks of steps, each epoch closed by its evaluation and its checkpoint. */
import { type Num, type RunState, toNum } from '../contract/events.ts';
import type { EvaluateResult, GroupSchedule, NativePlan, NativeSession, StepsResult } from '../contract/native.ts';
import type { Plan } from '../contract/plan.ts';
import type { ResolvedCheckpoint, ResolvedEarlyStopping } from '../contract/project.ts';
import { type Change, stepsUntilChange } from './changes.ts';
import type { Checkpoints } from './checkpoints.ts';
import { ChunkSize } from './chunks.ts';
import type { RunControl } from './control.ts';
import { finishEpoch } from './epoch-end.ts';
import { LiveSchedule } from './live-schedule.ts';
import { byAttempt, skippedSteps } from './loss-scale.ts';
import { memoryNow } from './memory.ts';
import { examineEvaluation, examineStep, failNonFinite, mayPass, onPassing } from './non-finite.ts';
import type { RunRecord } from './record.ts';
import { save, saveIsDue, stepsUntilSave } from './saving.ts';
import { askedToLeave, doWhatIsDue } from './steering.ts';
import { batchesPerEpoch, type TrainingState } from './training-state.ts';

export interface Training {
  session: NativeSession;
  plan: NativePlan;
  /** What the native plan was made of: names and places for messages. */
  planned: Plan;
  /** Learning rates, momentum and the last epoch, as they stand. */
  schedule: LiveSchedule;
  early: ResolvedEarlyStopping | null;
  checkpoint: ResolvedCheckpoint;
  checkpoints: Checkpoints;
  record: RunRecord;
  control: RunControl;
  /** Where to go on; moved as training proceeds. */
  state: TrainingState;
  /** How many steps are asked for at once. */
  chunks: ChunkSize;
  /** Changes of an earlier life that are still to be made again, in order. */
  pending: Change[];
  /** Where a resume went on from; 0 for a new run. */
  resumedFrom: number;
  /** When a checkpoint was saved last, and after which step a scheduled one. */
  savedAt: { step: number; time: number };
  /** Looks at the state after each chunk of steps: for checks of the engine itself. */
  afterChunk?: ((training: Training) => Promise<void>) | undefined;
}

/** Ready to go on from `state`. */
export function newTraining(
  given: Pick<Training, 'session' | 'plan' | 'planned' | 'checkpoints' | 'record' | 'control' | 'state' | 'pending'>,
): Training {
  const { plan, planned, state } = given;
  const { checkpoint, early_stopping, epochs, schedule } = planned.project.training;
  return {
    ...given,
    early: early_stopping,
    checkpoint,
    schedule: new LiveSchedule(plan, schedule, epochs, state),
    chunks: new ChunkSize(),
    resumedFrom: state.step,
    savedAt: { step: state.step, time: performance.now() },
  };
}

/** How a check of the engine steers and watches a training; absent in every run of a person's. */
export type TrainingHooks = Partial<Pick<Training, 'chunks' | 'afterChunk'>>;

/** Trains to the last epoch, or until it is asked to leave; answers the state that the run is then in. */
export async function train(training: Training): Promise<RunState> {
  const { control, plan, state } = training;
  const batches = batchesPerEpoch(plan);
  for (;;) {
    await doWhatIsDue(training); // a change may move the end
    if (isOver(training)) break;
    if (await askedToLeave(training)) return leave(training);
    if (isOver(training)) break; // moved during a pause
    while (state.batch < batches) {
      await trainChunk(training, batches);
      await training.afterChunk?.(training);
      if (await askedToLeave(training)) return leave(training);
      if (state.batch < batches && saveIsDue(training)) await save(training, { scheduled: true });
    }
    const evaluated = await evaluate(training);
    if (!evaluated) continue; // somebody asked for something: it is done above, and the evaluation once more if training goes on
    if (evaluated !== 'none' && !Number.isFinite(evaluated.loss)) {
      const found = await examineEvaluation(training, batches);
      if (!mayPass(found, state)) throw await failNonFinite(training, found, saving(training));
      training.record.emit({ type: 'advice', ...onPassing(found) });
    }
    await finishEpoch(training, evaluated === 'none' ? null : evaluated);
  }
  await save(training); // an extension begins here, whatever the project says of checkpoints
  return control.wish === 'discard' ? leave(training) : 'completed';
}

function isOver({ schedule, state }: Training): boolean {
  return state.epoch > schedule.epochs || (state.early_stopping?.stopped ?? null) !== null;
}

async function trainChunk(training: Training, batches: number): Promise<void> {
  const { chunks, pending, plan, record, schedule, session, state } = training;
  const left = Math.ceil((batches - state.batch) / plan.accumulate);
  const steps = chunks.next(Math.min(left, stepsUntilChange(pending, state), stepsUntilSave(training)));
  const groups = schedule.columns(steps);
  const began = performance.now();
  const result = await session.trainSteps({ epoch: state.epoch - 1, batch: state.batch, steps, groups });
  const seconds = (performance.now() - began) / 1000;
  chunks.took(result.steps, seconds);
  addSums(state, result, seconds);
  const rates = ratesOf(groups, result);
  schedule.took(rates.lr);
  if (result.steps > 0)
    record.emit({ ...stepsLine(state, result, rates), seconds, memory: await memoryNow(session, false) });
  state.step += result.steps;
  if (plan.loss_scale) state.scaler = { skipped: (state.scaler?.skipped ?? 0) + skippedSteps(result) };
  state.batch = Math.min(batches, state.batch + result.steps * plan.accumulate);
  if (!result.non_finite) return;
  const failed = groups.map((group) => oneStep(group, result.steps - skippedSteps(result)));
  throw await failNonFinite(training, await examineStep(training, batches, failed), saving(training));
}

/** The values of the step after `done` others. */
function oneStep({ lr, momentum, weight_decay }: GroupSchedule, done: number): GroupSchedule {
  const at = (values: number[]) => values.slice(done, done + 1);
  return {
    lr: at(lr),
    ...(momentum ? { momentum: at(momentum) } : {}),
    ...(weight_decay ? { weight_decay: at(weight_decay) } : {}),
  };
}

const saving = (training: Training) => async (): Promise<void> => {
  await save(training);
};

/** The optimizer's own rate (and momentum, where it is scheduled) of each step that was done. */
function ratesOf([own]: readonly GroupSchedule[], result: StepsResult): { lr: number[]; momentum?: number[] } {
  const { lr = [], momentum } = own ?? {};
  return { lr: byAttempt(lr, result), ...(momentum ? { momentum: byAttempt(momentum, result) } : {}) };
}

/** In step order and in double, so that no sum depends on where chunks were cut. */
function addSums(state: TrainingState, result: StepsResult, seconds: number): void {
  const { sums } = state;
  const { loss, samples } = result.columns;
  for (let i = 0; i < result.steps; i += 1) {
    const count = samples[i] as number;
    sums.loss += (loss[i] as number) * count;
    for (const [name, counts] of Object.entries(result.counts)) {
      const counted = counts[i] as number;
      const sum = counted > 0 ? (result.columns[name]?.[i] as number) * counted : 0; // of ignored samples alone there is no mean
      sums.metrics[name] = (sums.metrics[name] ?? 0) + sum;
      // A checkpoint without counts is of a time when every sample counted.
      sums.counts[name] = (sums.counts[name] ?? state.samples_into_epoch) + counted;
    }
    state.samples_into_epoch += count;
  }
  for (const [phase, spent] of Object.entries(result.seconds)) {
    if (phase !== 'total') sums.breakdown[phase] = (sums.breakdown[phase] ?? 0) + spent;
  }
  sums.train_seconds += seconds;
  sums.seconds += seconds;
}

function stepsLine(state: TrainingState, { columns, steps }: StepsResult, rates: ReturnType<typeof ratesOf>) {
  const { loss, samples: _, grad_norm, scale, skipped, ...metrics } = columns;
  const column = (values: Float64Array): Num[] => Array.from(values.subarray(0, steps), toNum);
  return {
    type: 'steps' as const,
    epoch: state.epoch,
    step: Array.from({ length: steps }, (_step, i) => state.step + i + 1),
    train_loss: column(loss),
    ...Object.fromEntries(Object.entries(metrics).map(([name, values]) => [`train_${name}`, column(values)])),
    ...(grad_norm ? { grad_norm: column(grad_norm) } : {}),
    ...(scale && skipped ? { scale: column(scale), skipped: column(skipped) } : {}),
    ...rates,
  };
}

/** Measures the validation split; null when it was broken off by a wish, `none` without validation. */
async function evaluate({ control, plan, session, state }: Training): Promise<EvaluateResult | 'none' | null> {
  if (!plan.data.splits.val) return 'none';
  const began = performance.now();
  const off = control.onWish(() => session.cancel());
  try {
    const result = await session.evaluate({ split: 'val', batch_size: plan.loader.batch_size, confusion: false });
    if (result.cancelled) return null;
    state.sums.seconds += (performance.now() - began) / 1000;
    return result;
  } finally {
    off();
  }
}

async function leave(training: Training): Promise<RunState> {
  const { control } = training;
  if (control.wish !== 'discard') await save(training);
  return control.leftAs;
}

/** The training loop: epochs of chunks of steps, each epoch closed by its evaluation and its checkpoint. */
import { GradloomError } from '../contract/errors.ts';
import { type Num, type RunState, toNum } from '../contract/events.ts';
import { metrics as metricTable } from '../contract/metrics.ts';
import type { EvaluateResult, GroupSchedule, NativePlan, NativeSession, StepsResult } from '../contract/native.ts';
import type { Plan } from '../contract/plan.ts';
import type { ResolvedCheckpoint } from '../contract/project.ts';
import type { Checkpoints, TrainingState } from './checkpoints.ts';
import type { ChunkSize } from './chunks.ts';
import type { RunControl } from './control.ts';
import { examineEvaluation, examineStep, failNonFinite } from './non-finite.ts';
import type { RunRecord } from './record.ts';

export interface Training {
  session: NativeSession;
  plan: NativePlan;
  /** What `plan` was made of. */
  planned: Plan;
  epochs: number;
  checkpoint: ResolvedCheckpoint;
  checkpoints: Checkpoints;
  record: RunRecord;
  control: RunControl;
  /** Where to go on; moved as training proceeds. */
  state: TrainingState;
  /** How many steps are asked for at once. */
  chunks: ChunkSize;
  /** Looks at the state after each chunk of steps: for checks of the engine itself. */
  afterChunk?: ((training: Training) => Promise<void>) | undefined;
}

/** How a check of the engine steers and watches a training; absent in every run of a person's. */
export type TrainingHooks = Partial<Pick<Training, 'chunks' | 'afterChunk'>>;

/** A run that has done nothing yet. */
export function initialState(
  plan: NativePlan,
  { data_hash, split_hash }: { data_hash: string; split_hash: string },
): TrainingState {
  const { batch_size, shuffle, drop_last } = plan.loader;
  return {
    version: 1,
    step: 0,
    epoch: 1,
    batch: 0,
    samples_into_epoch: 0,
    sums: emptySums(),
    seconds: 0,
    last: {},
    best: null,
    schedule: null,
    scaler: null,
    ema: null,
    early_stopping: null,
    loader: { batch_size, shuffle, drop_last },
    tuner: null,
    data_hash,
    split_hash,
  };
}

const emptySums = (): TrainingState['sums'] => ({ loss: 0, metrics: {}, train_seconds: 0, seconds: 0, breakdown: {} });

/** Batches of an epoch; its steps are these divided by `accumulate`, rounded up. */
export function batchesPerEpoch(plan: NativePlan): number {
  const { batch_size, drop_last } = plan.loader;
  const batches = (plan.data.splits.train?.count ?? 0) / batch_size;
  return drop_last ? Math.floor(batches) : Math.ceil(batches);
}

/** The epoch that the last step belongs to; 0 before the first. */
export function epochOfStep({ batch, epoch }: TrainingState): number {
  return batch === 0 ? epoch - 1 : epoch;
}

/** Trains to the last epoch, or until it is asked to leave; answers the state that the run is then in. */
export async function train(training: Training): Promise<RunState> {
  const { control, epochs, plan, state } = training;
  const batches = batchesPerEpoch(plan);
  while (state.epoch <= epochs) {
    while (state.batch < batches) {
      if (await askedToLeave(training)) return leave(training);
      await trainChunk(training, batches);
      await training.afterChunk?.(training);
    }
    if (await askedToLeave(training)) return leave(training);
    const evaluated = await evaluate(training);
    if (!evaluated) continue; // somebody asked for something: it is done above, and the evaluation once more if training goes on
    await finishEpoch(training, evaluated === 'none' ? null : evaluated);
  }
  await save(training); // an extension begins here, whatever `every_epochs` says
  return control.wish === 'discard' ? leave(training) : 'completed';
}

async function trainChunk(training: Training, batches: number): Promise<void> {
  const { chunks, plan, record, session, state } = training;
  const steps = chunks.next(Math.ceil((batches - state.batch) / plan.accumulate));
  const lr = learningRate(plan);
  const groups = [{ lr: new Array<number>(steps).fill(lr) }];
  const began = performance.now();
  const result = await session.trainSteps({ epoch: state.epoch - 1, batch: state.batch, steps, groups });
  const seconds = (performance.now() - began) / 1000;
  chunks.took(result.steps, seconds);
  addSums(state, result, seconds);
  if (result.steps > 0)
    record.emit({ ...stepsLine(state, result, lr), seconds, memory: await memoryNow(session, false) });
  state.step += result.steps;
  state.batch = Math.min(batches, state.batch + result.steps * plan.accumulate);
  if (!result.non_finite) return;
  const found = await examineStep(training, batches, valuesOf(groups, result.steps));
  throw await failNonFinite(training, found, () => save(training));
}

/** What one of the steps of a request is done with. */
function valuesOf(groups: readonly GroupSchedule[], step: number): GroupSchedule[] {
  return groups.map((group) => {
    const columns = Object.entries(group).map(([name, values]) => [name, [values[step]]]);
    return Object.fromEntries(columns) as unknown as GroupSchedule;
  });
}

/** In step order and in double, so that no sum depends on where chunks were cut. */
function addSums(state: TrainingState, result: StepsResult, seconds: number): void {
  const { sums } = state;
  const { loss, samples, grad_norm: _, ...metrics } = result.columns;
  for (let i = 0; i < result.steps; i += 1) {
    const count = samples[i] as number;
    sums.loss += (loss[i] as number) * count;
    for (const [name, values] of Object.entries(metrics)) {
      sums.metrics[name] = (sums.metrics[name] ?? 0) + (values[i] as number) * count;
    }
    state.samples_into_epoch += count;
  }
  for (const [phase, spent] of Object.entries(result.seconds)) {
    if (phase !== 'total') sums.breakdown[phase] = (sums.breakdown[phase] ?? 0) + spent;
  }
  sums.train_seconds += seconds;
  sums.seconds += seconds;
}

function stepsLine(state: TrainingState, { columns, steps }: StepsResult, lr: number) {
  const { loss, samples: _, grad_norm, ...metrics } = columns;
  const column = (values: Float64Array): Num[] => Array.from(values.subarray(0, steps), toNum);
  return {
    type: 'steps' as const,
    epoch: state.epoch,
    step: Array.from({ length: steps }, (_step, i) => state.step + i + 1),
    train_loss: column(loss),
    ...Object.fromEntries(Object.entries(metrics).map(([name, values]) => [`train_${name}`, column(values)])),
    ...(grad_norm ? { grad_norm: column(grad_norm) } : {}),
    lr: new Array<number>(steps).fill(lr),
  };
}

async function memoryNow(session: NativeSession, resetPeak: boolean) {
  const { allocated, reserved, peak } = await session.memory({ reset_peak: resetPeak });
  return { allocated, reserved, peak, rss: process.memoryUsage.rss() };
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

async function finishEpoch(training: Training, val: EvaluateResult | null): Promise<void> {
  if (val !== null && !Number.isFinite(val.loss)) {
    const found = await examineEvaluation(training, batchesPerEpoch(training.plan));
    throw await failNonFinite(training, found, () => save(training));
  }
  const { checkpoint, epochs, plan, record, session, state } = training;
  const { sums, samples_into_epoch: samples } = state;
  const values: Record<string, number> = { train_loss: sums.loss / samples };
  for (const [name, sum] of Object.entries(sums.metrics)) values[`train_${name}`] = sum / samples;
  if (val) values.val_loss = val.loss;
  for (const [name, value] of Object.entries(val?.metrics ?? {})) values[`val_${name}`] = value;

  const memory = await memoryNow(session, true);
  const numbers = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, toNum(value)]));
  const { epoch, step } = state;
  const samplesPerSecond = samples / sums.train_seconds;
  record.emit({
    type: 'epoch',
    epoch,
    step,
    train_loss: toNum(values.train_loss as number),
    ...numbers,
    lr: learningRate(plan),
    seconds: sums.seconds,
    samples_per_second: samplesPerSecond,
    breakdown: sums.breakdown,
    memory,
  });

  const value = values[checkpoint.monitor];
  const improved = value !== undefined && isBetter(checkpoint.monitor, value, state.best?.value);
  if (improved) state.best = { monitor: checkpoint.monitor, value, epoch, step };
  Object.assign(state, {
    epoch: epoch + 1,
    batch: 0,
    samples_into_epoch: 0,
    seconds: state.seconds + sums.seconds,
    sums: emptySums(),
    last: numbers,
  });
  record.update({
    epoch,
    step,
    last: numbers,
    best: state.best,
    seconds: state.seconds,
    samples_per_second: samplesPerSecond,
  });
  if (improved || epoch % checkpoint.every_epochs === 0 || epoch === epochs) await save(training, improved);
}

function isBetter(monitor: string, value: number, best: number | undefined): boolean {
  if (!Number.isFinite(value)) return false;
  if (best === undefined) return true;
  const metric = metricTable.get(monitor.replace(/^(train|val)_/, ''));
  return metric?.better === 'higher' ? value > best : value < best;
}

/** Obeys a pause here, at a step's end; answers whether the run is to be left. */
async function askedToLeave(training: Training): Promise<boolean> {
  const { control, record } = training;
  while (control.wish === 'pause') {
    await save(training); // a pause may last longer than the process
    record.enter('paused');
    control.reached('paused');
    await control.unpaused();
    if (control.leaving) break;
    record.enter('running');
    control.reached('running');
  }
  return control.leaving;
}

async function leave(training: Training): Promise<RunState> {
  const { control } = training;
  if (control.wish !== 'discard') await save(training);
  return control.leftAs;
}

/** Saves where training stands, unless that is what was saved last. */
export async function save({ checkpoints, record, session, state }: Training, isBest = false): Promise<void> {
  const { last } = checkpoints;
  if (last?.step === state.step && last.epoch === state.epoch && last.batch === state.batch) return;
  record.journal.sync(); // a checkpoint never knows more steps than the journal
  const { folder, roles } = await checkpoints.save(state, isBest, (temporary) => session.saveState(temporary));
  record.emit({ type: 'checkpoint', step: state.step, epoch: epochOfStep(state), folder, roles });
}

function learningRate(plan: NativePlan): number {
  const { lr } = plan.optimizer.args;
  if (typeof lr !== 'number') throw new GradloomError('INTERNAL', `${plan.optimizer.kind} has no learning rate`);
  return lr;
}

/** The end of an epoch: its numbers, what is best, what a plateau or early stopping make of them, its checkpoint. */
import { toNum } from '../contract/events.ts';
import { betterOf } from '../contract/monitor.ts';
import type { EvaluateResult } from '../contract/native.ts';
import { metric, plural, short } from '../format.ts';
import { newEarlyStopping, stepEarlyStopping } from './early-stopping.ts';
import { memoryNow } from './memory.ts';
import { save, saveIsDue } from './saving.ts';
import { shortRate } from './sentences.ts';
import type { Training } from './trainer.ts';
import { emptySums } from './training-state.ts';

export async function finishEpoch(training: Training, val: EvaluateResult | null): Promise<void> {
  const { checkpoint, checkpoints, record, schedule, session, state } = training;
  const { sums, samples_into_epoch: samples } = state;
  const values: Record<string, number> = { train_loss: sums.loss / samples };
  for (const [name, sum] of Object.entries(sums.metrics)) {
    values[`train_${name}`] = sum / (sums.counts[name] ?? samples);
  }
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
    lr: schedule.lastRate,
    seconds: sums.seconds,
    samples_per_second: samplesPerSecond,
    breakdown: sums.breakdown,
    data_wait: sums.breakdown.data ?? 0,
    memory,
  });

  const value = values[checkpoint.monitor] ?? Number.NaN;
  const improved = isBetter(checkpoint.monitor, value, state.best?.value);
  if (improved) state.best = { monitor: checkpoint.monitor, value, epoch, step };
  const due = saveIsDue(training); // before the state moves on
  Object.assign(state, {
    epoch: epoch + 1,
    batch: 0,
    samples_into_epoch: 0,
    seconds: state.seconds + sums.seconds,
    sums: emptySums(),
    last: numbers,
  });
  adapt(training, epoch, values);
  record.update({
    epoch,
    step,
    last: numbers,
    best: state.best,
    seconds: state.seconds,
    samples_per_second: samplesPerSecond,
  });
  const higher = betterOf(checkpoint.monitor) === 'higher';
  const top = Number.isFinite(value) && (improved || checkpoints.isAmongBest(value, higher));
  const last = epoch === schedule.epochs || state.early_stopping?.stopped === epoch;
  if (!top && !due && !last && epoch % checkpoint.every_epochs !== 0) return;
  await save(training, { best: improved, scheduled: true, ...(top ? { ranked: { value, higher } } : {}) });
}

/** NaN is never the best, and never stays it. */
function isBetter(monitor: string, value: number, best: number | undefined): boolean {
  if (!Number.isFinite(value)) return false;
  if (best === undefined) return true;
  return betterOf(monitor) === 'higher' ? value > best : value < best;
}

/** What follows from the epoch's values for those to come. */
function adapt({ early, record, schedule, state }: Training, epoch: number, values: Record<string, number>): void {
  const reduced = schedule.epochEnded(epoch, values);
  if (reduced) {
    const { monitor, before, after } = reduced;
    const message = `After epoch ${epoch} the learning rate falls from ${shortRate(before)} to ${shortRate(after)}: ${monitor} has stopped getting better`;
    record.emit({ type: 'advice', code: 'LR_REDUCED', message });
  }
  if (!early) return;
  state.early_stopping ??= newEarlyStopping(early);
  if (!stepEarlyStopping(state.early_stopping, early, epoch, values[early.monitor] ?? Number.NaN)) return;
  const { bad_epochs, best } = state.early_stopping;
  const by = early.min_delta === 0 ? '' : ` by ${short(early.min_delta, 6)}`;
  const what = best === null ? 'has been no number' : `has not got better${by} than ${metric(early.monitor, best)}`;
  const message = `Stopped early after epoch ${epoch}: ${early.monitor} ${what} for ${plural(bad_epochs, 'epoch')}`;
  record.emit({
    type: 'advice',
    code: 'EARLY_STOPPED',
    message,
    hint: 'To train on, resume it with the last epoch that it is to have.',
  });
}

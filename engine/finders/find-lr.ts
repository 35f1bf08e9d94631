/** The learning-rate range test: steps with a rate that grows exponentially, until the loss diverges. In a worker. */
import { GradloomError } from '../contract/errors.ts';
import { toNum } from '../contract/events.ts';
import type { LrFinding, LrOptions, TaskProgress } from '../contract/finders.ts';
import type { NativePlan } from '../contract/native.ts';
import { settingOfRate } from '../contract/schedule-plan.ts';
import { ChunkSize } from '../runs/chunks.ts';
import { batchesPerEpoch } from '../runs/training-state.ts';
import type { TrainRequest } from '../runs/types.ts';
import { Smoothing, suggest, sweep } from './lr-rule.ts';
import { groupsAt, openForFinder, throwIfCancelled } from './opened.ts';

interface Options extends LrOptions {
  folder: string;
  signal: AbortSignal;
  onProgress: (progress: TaskProgress) => void;
}

/** Where the largest and the smallest rate stand when nobody says it. */
const defaults = { min: 1e-7, max: 10, steps: 100 };

/** @throws GradloomError BAD_CALL, CANCELLED, and what `openForFinder` throws */
export async function findLr(request: TrainRequest, options: Options): Promise<LrFinding> {
  const { folder, signal, onProgress } = options;
  const { min, max, steps } = { ...defaults, ...given(options) };
  if (min >= max) {
    throw new GradloomError('BAD_CALL', `The rates run from min to max, but min is ${min} and max ${max}`, {
      hint: 'Give a max above min.',
    });
  }
  const began = performance.now();
  const { native, plan, session } = await openForFinder(request, { folder, signal, change: refuseUnswept });
  const cancel = () => session.cancel();
  signal.addEventListener('abort', cancel);
  try {
    const rates = sweep(min, max, steps);
    const batches = batchesPerEpoch(native);
    if (batches === 0) {
      throw new GradloomError('PROJECT_INVALID', 'There is not one full batch of training samples', {
        hint: 'Make data.loader.batch_size smaller, or set data.loader.drop_last to false.',
        path: 'data.loader.batch_size',
      });
    }
    const chunks = new ChunkSize();
    const smoothing = new Smoothing();
    const loss: number[] = [];
    let stopped: LrFinding['stopped'] = null;
    let [epoch, batch] = [0, 0];
    while (stopped === null && loss.length < steps) {
      throwIfCancelled(signal);
      const left = Math.ceil((batches - batch) / native.accumulate);
      const count = Math.min(chunks.next(left), steps - loss.length);
      const wanted = rates.slice(loss.length, loss.length + count);
      const chunkBegan = performance.now();
      const result = await session.trainSteps({ epoch, batch, steps: count, groups: groupsAt(native, wanted) });
      chunks.took(result.steps, (performance.now() - chunkBegan) / 1000);
      const { loss: values, skipped } = result.columns;
      for (const [attempt, value] of values.subarray(0, result.steps).entries()) {
        if (skipped?.[attempt] === 1) continue; // an attempt whose gradient overflowed: the rate is tried again
        loss.push(value);
        if (smoothing.add(value)) continue;
        stopped = 'diverged';
        break;
      }
      if (result.non_finite) stopped ??= 'non_finite';
      batch += result.steps * native.accumulate;
      if (batch >= batches) [epoch, batch] = [epoch + 1, 0];
      const partial = { lr: rates.slice(0, loss.length), loss: loss.map(toNum), smoothed: [...smoothing.values] };
      const rate = (rates[Math.max(0, loss.length - 1)] as number).toExponential(1);
      onProgress({ stage: `training with a rate of ${rate}`, done: loss.length, total: steps, lr: partial });
    }
    const lr = rates.slice(0, loss.length);
    const suggestion = suggest(lr, loss, smoothing.values);
    const setting = settingOfRate(plan.project.training);
    const ownPeak = suggestion.lr !== null && setting.path.at(-1) === 'max_lr';
    return {
      lr,
      loss: loss.map(toNum),
      smoothed: smoothing.values,
      min,
      max,
      steps,
      stopped,
      suggestion: suggestion.lr,
      reason: ownPeak
        ? `${suggestion.reason} It belongs into training.schedule.max_lr: the schedule climbs to its own peak.`
        : suggestion.reason,
      current: setting.lr,
      device: native.device,
      seconds: (performance.now() - began) / 1000,
    };
  } finally {
    signal.removeEventListener('abort', cancel);
    await session.close();
  }
}

function given({ min, max, steps }: LrOptions): LrOptions {
  return Object.fromEntries(Object.entries({ min, max, steps }).filter(([, value]) => value !== undefined));
}

/** An optimizer whose steps do not depend on the rate has no curve. @throws GradloomError NOT_SUPPORTED */
function refuseUnswept(native: NativePlan): NativePlan {
  if (native.optimizer.kind !== 'Rprop') return native;
  throw new GradloomError(
    'NOT_SUPPORTED',
    'Rprop takes its learning rate for its first step only: there is nothing to sweep',
    {
      hint: 'Choose another optimizer, or leave the rate as it is.',
      path: 'training.optimizer',
    },
  );
}

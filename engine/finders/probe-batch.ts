/** Whether a batch size runs: forward, backward and step, then an evaluation, in a process that may die of it. In a worker. */
import { setTimeout as sleep } from 'node:timers/promises';
import { GradloomError } from '../contract/errors.ts';
import type { NativePlan, NativeSession } from '../contract/native.ts';
import { bytes } from '../format.ts';
import { batchesPerEpoch } from '../runs/training-state.ts';
import type { TrainRequest } from '../runs/types.ts';
import { oneBatch } from './one-batch.ts';
import { groupsAt, openForFinder, throwIfCancelled } from './opened.ts';

export interface ProbeRequest {
  batchSize: number;
  /** Bytes of tensors; null: no limit but the device's own. */
  memory: number | null;
  folder: string;
}

export interface ProbeAnswer {
  peak: number;
  samples_per_second: number;
  device: string;
}

/** Read by the addon when it is loaded; its allocator counts every tensor's bytes. */
const cpuLimit = 'GRADLOOM_CPU_LIMIT';
/** Accumulating more batches takes no more memory than accumulating two. */
const mostAccumulated = 2;
/** Steps that are timed: at least three and for some time, unless a single one takes long. */
const leastSteps = 3;
const timedSeconds = 0.3;
const enoughSeconds = 3;
const mostSteps = 20;
/** In which the loader fills up. */
const fillMs = 60;

/** @throws GradloomError OUT_OF_MEMORY, BAD_CALL on a CPU without a limit, and what `openForFinder` throws */
export async function probeBatch(
  request: TrainRequest,
  { batchSize, memory, folder }: ProbeRequest,
  signal: AbortSignal,
): Promise<ProbeAnswer> {
  if (memory !== null) process.env[cpuLimit] = String(Math.floor(memory));
  const evaluated = oneBatch(folder, batchSize);
  const opened = await openForFinder(request, {
    folder,
    signal,
    change: (native) => {
      if (native.device === 'cpu' && memory === null) {
        throw new GradloomError('BAD_CALL', 'On a CPU a limit of memory has to be given', {
          hint: 'Say with --memory how many MiB the tensors of a training may take: a CPU runs out only when the whole computer does.',
        });
      }
      return {
        ...native,
        accumulate: Math.min(native.accumulate, mostAccumulated),
        // Whole batches of whole sequences only.
        loader: { ...native.loader, batch_size: batchSize, drop_last: true, padding: null },
        data: evaluated.added(native),
      };
    },
    prepare: evaluated.write,
  });
  const { native, session } = opened;
  try {
    const walk = stepsThrough(session, native);
    await walk(); // the first makes the optimizer's state and warms caches
    // The best of several: whatever else the computer does makes a step slower, never faster.
    let [best, seconds] = [0, 0];
    for (let steps = 1; steps < mostSteps && (steps <= leastSteps || seconds < timedSeconds); steps += 1) {
      throwIfCancelled(signal);
      const done = await walk();
      best = Math.max(best, done.samples / done.seconds);
      seconds += done.seconds;
      if (seconds > enoughSeconds) break;
    }
    // With all batches waiting that the loader prepares ahead, and with what an evaluation leaves behind.
    await sleep(fillMs);
    await walk();
    await sleep(fillMs);
    await session.evaluate({ split: evaluated.name, batch_size: batchSize, confusion: false });
    await walk();
    const { peak } = await session.memory({ reset_peak: false });
    if (memory !== null && peak > memory) {
      throw new GradloomError('OUT_OF_MEMORY', `It took ${bytes(peak)}, more than the limit of ${bytes(memory)}`);
    }
    return { peak, samples_per_second: best, device: native.device };
  } finally {
    await session.close();
  }
}

/** One optimizer step after the other, as a training does them; a rate of 0 costs the same and cannot diverge. */
function stepsThrough(session: NativeSession, native: NativePlan) {
  const groups = groupsAt(native, [0]);
  const batches = batchesPerEpoch(native);
  let [epoch, batch] = [0, 0];
  return async () => {
    const began = performance.now();
    const { columns, steps } = await session.trainSteps({ epoch, batch, steps: 1, groups });
    batch += native.accumulate;
    if (batch >= batches) [epoch, batch] = [epoch + 1, 0];
    return { samples: steps > 0 ? (columns.samples[0] as number) : 0, seconds: (performance.now() - began) / 1000 };
  };
}

/** What some steps of a project take at a given batch size, phase by phase. In a worker, whose memory nobody else uses. */
import type { NativePlan, NativeSession } from '../contract/native.ts';
import { loadAddon } from '../native/load.ts';
import { batchesPerEpoch } from '../runs/training-state.ts';
import type { TrainRequest } from '../runs/types.ts';
import { oneBatch } from './one-batch.ts';
import { groupsAt, openForFinder, throwIfCancelled } from './opened.ts';

export interface PeaksRequest {
  batchSize: number;
  folder: string;
}

/** Bytes of tensors at the highest moment of each phase; a single batch waits in none of them. */
export interface Peaks {
  batch_size: number;
  forward: number;
  backward: number;
  update: number;
  /** 0: nothing is validated. */
  evaluation: number;
  /** Between the two passes. */
  held: number;
  device: string;
  /** What the device has left when all that is done; null: it does not tell. */
  free: number | null;
  /** A step, and everything. */
  seconds: { step: number; all: number };
}

/** The first step makes the optimizer's state, the second is like all others. */
const measuredSteps = 2;

/** @throws GradloomError OUT_OF_MEMORY and what `openForFinder` throws */
export async function measurePeaks(
  request: TrainRequest,
  { batchSize, folder }: PeaksRequest,
  signal: AbortSignal,
): Promise<Peaks> {
  const began = performance.now();
  const evaluated = oneBatch(folder, batchSize);
  const { session, native } = await openForFinder(request, {
    folder,
    signal,
    change: (plan) => ({
      ...plan,
      loader: { ...plan.loader, batch_size: batchSize, drop_last: true, num_workers: 0, padding: null },
      data: evaluated.added(plan),
    }),
    prepare: evaluated.write,
  });
  try {
    const first = await stepOf(session, native, 0);
    let peaks = first;
    let stepBegan = performance.now();
    for (let step = 1; step < measuredSteps; step++) {
      throwIfCancelled(signal);
      stepBegan = performance.now();
      peaks = await stepOf(session, native, step);
    }
    const ended = performance.now();
    let evaluation = 0;
    if (native.data.splits.val) {
      await session.memory({ reset_peak: true });
      await session.evaluate({ split: evaluated.name, batch_size: batchSize, confusion: false });
      evaluation = (await session.memory({ reset_peak: false })).peak;
    }
    return {
      batch_size: batchSize,
      forward: peaks.forward,
      backward: peaks.backward,
      update: Math.max(first.optimizer, peaks.optimizer),
      evaluation,
      held: peaks.held,
      device: native.device,
      free:
        loadAddon()
          .devices()
          .find(({ name }) => name === native.device)?.memory_free ?? null,
      seconds: { step: (ended - stepBegan) / 1000, all: (ended - began) / 1000 },
    };
  } finally {
    await session.close();
  }
}

/** A rate of 0 costs the same and cannot diverge. */
async function stepOf(session: NativeSession, native: NativePlan, step: number) {
  const batches = batchesPerEpoch(native);
  const batch = batches >= native.accumulate * (step + 1) ? native.accumulate * step : 0;
  const { peaks } = await session.trainSteps({ epoch: 0, batch, steps: 1, groups: groupsAt(native, [0]), peaks: true });
  if (!peaks) throw new Error('The addon measured no peaks');
  return peaks;
}

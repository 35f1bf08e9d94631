/** A session's life seen from JavaScript: order, cancel, close, memory. */
import { describe, expect, test } from 'vitest';
import type { NativePlan, NativeSession } from '../../engine/contract/native.ts';
import { loadAddon } from '../../engine/native/load.ts';
import { temporaryFolder } from './folders.ts';
import { longPlan, longSteps, stepsRequest, tinyPlan } from './plans.ts';

const addon = loadAddon();
const open = (plan: NativePlan): Promise<NativeSession> => addon.createSession(JSON.stringify(plan));
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const allocated = async (session: NativeSession) => (await session.memory({ reset_peak: false })).allocated;

test('calls are answered in their order', async () => {
  const session = await open(tinyPlan(temporaryFolder()));
  const answered: number[] = [];
  await Promise.all([
    session.trainSteps(stepsRequest(5)).then(() => answered.push(0)),
    session.memory({ reset_peak: false }).then(() => answered.push(1)),
    session.evaluate({ split: 'train', batch_size: 8, confusion: true }).then(() => answered.push(2)),
    session.trainSteps(stepsRequest(5, 1)).then(() => answered.push(3)),
  ]);
  expect(answered).toEqual([0, 1, 2, 3]);
  await session.close();
});

describe('cancel', () => {
  test('ends the running call at its next batch and keeps the steps done', async () => {
    const session = await open(longPlan(temporaryFolder()));
    const running = session.trainSteps(stepsRequest(longSteps));
    await pause(200);
    session.cancel();
    const result = await running;
    expect(result.cancelled).toBe(true);
    expect(result.steps).toBeGreaterThan(0);
    expect(result.steps).toBeLessThan(longSteps);
    expect(result.columns.loss).toHaveLength(result.steps);
    await session.close();
  });

  test('ends calls that still wait, and none that come later', async () => {
    const session = await open(longPlan(temporaryFolder()));
    const before = [session.trainSteps(stepsRequest(longSteps)), session.trainSteps(stepsRequest(longSteps))];
    session.cancel();
    const after = session.trainSteps(stepsRequest(3));
    for (const result of await Promise.all(before)) expect(result.cancelled).toBe(true);
    expect(await after).toMatchObject({ cancelled: false, steps: 3 });
    await session.close();
  });

  test('without a call to end changes nothing', async () => {
    const session = await open(tinyPlan(temporaryFolder()));
    session.cancel();
    expect(await session.trainSteps(stepsRequest(5))).toMatchObject({ cancelled: false, steps: 5 });
    const call = session.memory({ reset_peak: false });
    session.cancel();
    await call;
    expect(await session.trainSteps(stepsRequest(5, 1))).toMatchObject({ cancelled: false, steps: 5 });
    await session.close();
  });
});

describe('close', () => {
  test('in a running chunk: the chunk ends, what waits is refused, and it is idempotent', async () => {
    const session = await open(longPlan(temporaryFolder()));
    const running = session.trainSteps(stepsRequest(longSteps));
    const waiting = session.memory({ reset_peak: false }).catch((error: unknown) => error);
    await pause(100);
    const closed = [session.close(), session.close()];
    expect((await running).cancelled).toBe(true);
    expect(await waiting).toMatchObject({ code: 'CLOSED' });
    await Promise.all(closed);
    await session.close();
    session.cancel();
    await expect(session.trainSteps(stepsRequest(1))).rejects.toMatchObject({ code: 'CLOSED' });
  });

  test('at once after the session was made', async () => {
    const session = await open(tinyPlan(temporaryFolder()));
    await session.close();
  });
});

describe('memory', () => {
  test('is counted exactly: what a session allocates is gone to the byte when it is closed', async () => {
    const watch = await open(tinyPlan(temporaryFolder()));
    const before = await allocated(watch);
    const session = await open(tinyPlan(temporaryFolder(), { shape: [100] }));
    // Weights and biases of Linear(100, 16) and Linear(16, 5), in float32.
    expect((await allocated(watch)) - before).toBeGreaterThanOrEqual(4 * (100 * 16 + 16 + 16 * 5 + 5));
    await session.trainSteps(stepsRequest(5));
    await session.evaluate({ split: 'train', batch_size: 7, confusion: true });
    await session.close();
    expect(await allocated(watch)).toBe(before);
    await watch.close();
  });

  test('peaks are kept until they are reset', async () => {
    const session = await open(tinyPlan(temporaryFolder()));
    await session.trainSteps(stepsRequest(5));
    const { allocated: now, peak, reserved } = await session.memory({ reset_peak: true });
    expect(peak).toBeGreaterThan(now);
    expect(reserved).toBeGreaterThanOrEqual(now);
    expect((await session.memory({ reset_peak: false })).peak).toBeLessThanOrEqual(peak);
    await session.close();
  });

  test('a hundred sessions leave nothing behind', async () => {
    const plan = tinyPlan(temporaryFolder(), { shape: [2000] });
    const watch = await open(tinyPlan(temporaryFolder()));
    const cycle = async () => {
      const session = await open(plan);
      await session.trainSteps(stepsRequest(2));
      await session.close();
    };
    for (let i = 0; i < 20; ++i) await cycle();
    const before = { rss: process.memoryUsage.rss(), allocated: await allocated(watch) };
    for (let i = 0; i < 100; ++i) await cycle();
    expect(await allocated(watch)).toBe(before.allocated);
    // Each keeps 300 kB of weights, gradients and moments while it lives: a leak of one session's would be 30 MB.
    expect(process.memoryUsage.rss() - before.rss).toBeLessThan(12 * 2 ** 20);
    await watch.close();
  });
});

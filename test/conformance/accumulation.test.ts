/** Accumulated gradients are those of the large batch, for every loss: a remainder counts by what it holds; with loss scaling too. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NativePlan } from '../../engine/contract/native.ts';
import { readSafetensors } from '../../engine/export/safetensors.ts';
import { type Case, lossCases, openSession, planOf, samples } from './random-session.ts';

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gradloom-accumulation-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Weights after a step of plain descent over all samples, so long that the gradient is what differs; and the step's loss. */
async function afterOneStep(one: Case, batch_size: number, change: Partial<NativePlan>) {
  const optimizer = { kind: 'SGD', lr: 1 };
  const plan = planOf({ ...one, training: { ...one.training, optimizer } }, { batch_size });
  expect(plan.problems).toEqual([]);
  const place = mkdtempSync(path.join(folder, 'run-'));
  const session = await openSession(plan, path.join(place, 'data'), () => {}, {
    accumulate: Math.ceil(samples / batch_size),
    ...change,
  });
  const result = await session.trainSteps({ epoch: 0, batch: 0, steps: 1, groups: [{ lr: [1] }] });
  expect(result).toMatchObject({ steps: 1, non_finite: false });
  expect([...(result.columns.skipped ?? [0])]).toEqual([0]);
  mkdirSync(path.join(place, 'state'));
  await session.saveState(path.join(place, 'state'));
  await session.close();
  const { tensors } = await readSafetensors(path.join(place, 'state', 'model.safetensors'));
  const values = new Map<string, Float32Array>();
  for (const tensor of tensors) {
    const parts: Uint8Array[] = [];
    for await (const chunk of tensor.chunks()) parts.push(Uint8Array.from(chunk));
    values.set(tensor.name, new Float32Array(Uint8Array.from(Buffer.concat(parts)).buffer));
  }
  return { loss: result.columns.loss[0] as number, values };
}

type Outcome = Awaited<ReturnType<typeof afterOneStep>>;

function expectEqual(found: Outcome, expected: Outcome, tolerance: number): void {
  expect(Math.abs(found.loss - expected.loss)).toBeLessThanOrEqual(tolerance * Math.abs(expected.loss));
  for (const [name, values] of expected.values) {
    const mine = found.values.get(name) as Float32Array;
    const largest = Math.max(...values.map(Math.abs));
    const apart = Math.max(...values.map((value, i) => Math.abs(value - (mine[i] as number))));
    expect(apart, name).toBeLessThanOrEqual(tolerance * largest);
  }
}

describe.each(lossCases)('$name', (one) => {
  test('batches of 5, 5 and 2 are one of 12', async () => {
    const whole = await afterOneStep(one, samples, {});
    expectEqual(await afterOneStep(one, 5, {}), whole, 1e-5);
    // fp16 rounds to 11 bits: the point is that nothing is scaled twice, or not at all.
    const scaling = { init_scale: 256, growth_factor: 2, backoff_factor: 0.5, growth_interval: 100 };
    const fp16 = { precision: 'fp16', loss_scale: scaling } as const;
    expectEqual(await afterOneStep(one, 5, fp16), whole, 1e-2);
    expectEqual(await afterOneStep(one, samples, fp16), whole, 1e-2);
  });
});

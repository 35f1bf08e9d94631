/** Masks of padding in a session: with activation checkpointing, in half precision, in evaluation; and tokens that no table knows. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NativePlan } from '../../engine/contract/native.ts';
import { segmentStarts } from '../../engine/contract/recompute.ts';
import { readSafetensors } from '../../engine/export/safetensors.ts';
import { digest } from '../../engine/export/tensor-source.ts';
import { type Case, maskCases, openSession, planOf, samples } from './random-session.ts';

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gradloom-masks-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Losses of some steps, and the weights after them. */
async function train(one: Case, keys: Partial<NativePlan>) {
  const plan = planOf(one, { batch_size: 4 });
  const into = mkdtempSync(path.join(folder, 'run-'));
  const session = await openSession(plan, into, undefined, keys);
  const steps = Math.ceil(samples / 4 / (keys.accumulate ?? 1));
  const { columns, non_finite } = await session.trainSteps({
    epoch: 0,
    batch: 0,
    steps,
    groups: [{ lr: new Array<number>(steps).fill(0.01) }],
  });
  expect(non_finite).toBe(false);
  const state = path.join(into, 'state');
  mkdirSync(state);
  await session.saveState(state);
  await session.close();
  const { tensors } = await readSafetensors(path.join(state, 'model.safetensors'));
  return { losses: [...columns.loss], weights: await Promise.all(tensors.map((tensor) => digest(tensor))) };
}

describe.each(maskCases)('$name', (one) => {
  test.each<[string, Partial<NativePlan>]>([
    ['fp32', {}],
    ['bf16', { precision: 'bf16' }],
    ['accumulated', { accumulate: 2 }],
  ])('%s: activation checkpointing gives a plain run’s bits', async (_, keys) => {
    const starts = segmentStarts(planOf(one, {}).layers);
    const plain = await train(one, keys);
    expect(await train(one, { ...keys, activation_checkpointing: starts })).toEqual(plain);
  });

  test('a sample’s answer does not depend on the others in its batch', async () => {
    const plan = planOf(one, { batch_size: samples });
    const session = await openSession(plan, mkdtempSync(path.join(folder, 'run-')));
    const all = await session.predict({ split: 'train', start: 0, count: samples });
    const last = await session.predict({ split: 'train', start: samples - 1, count: 1 });
    const width = all.width;
    for (let at = 0; at < width; at++) {
      expect(last.logits[at]).toBeCloseTo(all.logits[(samples - 1) * width + at] as number, 5);
    }
    await session.close();
  });
});

test('a token beyond the table is told as what it is', async () => {
  const one: Case = {
    name: 'a token too many',
    input: [6],
    tokens: 3,
    output: [4],
    layers: [{ kind: 'EmbeddingBag', num_embeddings: 3, embedding_dim: 4 }],
  };
  const opened = openSession(planOf(one, { batch_size: 4 }), mkdtempSync(path.join(folder, 'run-')), ({ input }) => {
    writeFileSync(
      input,
      BigInt64Array.from({ length: samples * 6 }, (_, index) => (index === 40 ? 3n : 1n)),
    );
  });
  const session = await opened;
  await expect(session.trainSteps({ epoch: 0, batch: 0, steps: 3, groups: [{ lr: [0, 0, 0] }] })).rejects.toMatchObject(
    {
      code: 'DATA_FORMAT',
      message: 'A token of this batch has no row in the table of layer 0, which has 3.',
    },
  );
  await session.close();
});

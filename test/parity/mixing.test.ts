/** MixUp and CutMix against torchvision's own, seeded by the published rule: the same batches to the bit, the same loss and gradients. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NativePlan } from '../../engine/contract/native.ts';
import { loadAddon } from '../../engine/native/load.ts';
import { classes, type Pack, tinyPlan } from '../native/plans.ts';
import { PythonServer } from './python.ts';

const python = new PythonServer('mixing.py');
const addon = loadAddon();
let top: string;

beforeAll(() => {
  top = mkdtempSync(path.join(os.tmpdir(), 'gradloom-mixing-'));
});
afterAll(async () => {
  await python.close();
  rmSync(top, { recursive: true, force: true });
});

const layers = [{ kind: 'Flatten' }, { kind: 'Linear', out_features: classes }];
const mixup = { alpha: 0.4 };
const cutmix = { alpha: 1 };
type Mixing = Pick<NativePlan, 'mixup' | 'cutmix'>;

function plans(pack: Pack, mixing: Mixing, training: object = {}, change: Partial<NativePlan> = {}) {
  const plain = tinyPlan(mkdtempSync(path.join(top, 'pack-')), pack, change, layers, training);
  return { plain, mixed: { ...plain, ...mixing } };
}

async function saved(plan: NativePlan, places: { epoch: number; batch: number }[]): Promise<string[]> {
  const session = await addon.createSession(JSON.stringify(plan));
  const folder = mkdtempSync(path.join(top, 'batches-'));
  const files: string[] = [];
  for (const place of places) {
    const file = path.join(folder, `${place.epoch}-${place.batch}.safetensors`);
    await session.saveBatch(place, file);
    files.push(file);
  }
  await session.close();
  return files;
}

async function cases(plain: NativePlan, mixed: NativePlan, places: { epoch: number; batch: number }[]) {
  const [before, after] = [await saved(plain, places), await saved(mixed, places)];
  return places.map((place, i) => ({ ...place, plain: before[i], mixed: after[i] }));
}

describe('batches', () => {
  const rows: [string, Pack, Mixing][] = [
    ['MixUp of images', { shape: [3, 9, 7] }, { mixup }],
    ['CutMix of images', { shape: [3, 9, 7] }, { cutmix }],
    ['either at random', { shape: [1, 12, 12] }, { mixup, cutmix: { alpha: 0.7 } }],
    ['MixUp of vectors', { shape: [11], input: 'float32' }, { mixup: { alpha: 1 } }],
  ];
  test.each(rows)('%s', async (_name, pack, mixing) => {
    const { plain, mixed } = plans({ samples: 44, ...pack }, mixing);
    // The last batch of each epoch is a short one; the order of calls is not the order of training.
    const places = [2, 0, 1].flatMap((epoch) => [5, 0, 1, 2, 3, 4].map((batch) => ({ epoch, batch })));
    const request = { do: 'batches', seed: plain.seed, classes, mixup: null, cutmix: null, ...mixing };
    const { equal } = await python.ask<{ equal: boolean[] }>({
      ...request,
      batches: await cases(plain, mixed, places),
    });
    expect(equal).toEqual(places.map(() => true));
  });
});

describe('a step', () => {
  const rows: [string, object, number][] = [
    ['of one batch', {}, 1],
    ['with class weights and label smoothing', { weight: [1, 2, 0.5, 3, 1], label_smoothing: 0.1 }, 1],
    ['of three batches and a remainder', { weight: [1, 2, 0.5, 3, 1] }, 3],
  ];
  test.each(rows)('%s', async (_name, loss, accumulate) => {
    const training = { loss: { kind: 'CrossEntropyLoss', ...loss }, optimizer: { kind: 'SGD', lr: 1 } };
    const mixing = { mixup, cutmix };
    const { plain, mixed } = plans({ samples: 20, shape: [1, 6, 6] }, mixing, training, { accumulate });
    const [before, after] = [
      path.join(mkdtempSync(path.join(top, 's-')), 'a'),
      path.join(mkdtempSync(path.join(top, 's-')), 'b'),
    ];
    for (const made of [before, after]) mkdirSync(made);
    const session = await addon.createSession(JSON.stringify(mixed));
    await session.saveState(before);
    const { columns } = await session.trainSteps({ epoch: 1, batch: 0, steps: 1, groups: [{ lr: [1] }] });
    await session.saveState(after);
    await session.close();
    const places = Array.from({ length: accumulate }, (_, batch) => ({ epoch: 1, batch }));
    const there = await python.ask<{ loss: number; accuracy: number; far: number }>({
      ...{ do: 'step', seed: plain.seed, classes, ...mixing, weight: null, label_smoothing: 0, ...loss },
      batches: await cases(plain, mixed, places),
      before: path.join(before, 'model.safetensors'),
      after: path.join(after, 'model.safetensors'),
    });
    expect(Math.abs((columns.loss[0] as number) - there.loss)).toBeLessThanOrEqual(1e-6 * there.loss);
    expect(columns.accuracy?.[0]).toBeCloseTo(there.accuracy, 6);
    expect(there.far).toBeLessThanOrEqual(1e-5);
  });
});

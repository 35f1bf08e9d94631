/** Samples drawn by class are those of torch's WeightedRandomSampler, to the last of every epoch. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { NativePlan } from '../../engine/contract/native.ts';
import { loadAddon } from '../../engine/native/load.ts';
import { tinyPlan } from '../native/plans.ts';
import { runPython } from './python.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'gradloom-samplers-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  ['a few', 7],
  ['many', 30_000],
])('%s samples', async (_name, samples) => {
  const seed = 2_000_000_011;
  const plan = { ...tinyPlan(folder, { samples, shape: [2] }), seed };
  // Class 0 is common, class 4 rare.
  const classes = Array.from({ length: samples }, (_, i) => Math.min(4, Math.floor(Math.log2(1 + ((i * 37) % 40)))));
  writeFileSync(plan.data.parts.train?.target.path ?? '', BigInt64Array.from(classes, BigInt));
  const cases = [{ weights: null }, { weights: [1, 0, 0.1, 3, 7.7] }, { weights: [1e-3, 1e3, 1, 1, 1] }];
  const theirs = await runPython<number[][][]>('samplers.py', { seed, epochs: 3, classes, cases });
  for (const [i, { weights }] of cases.entries()) {
    const loader: NativePlan['loader'] = {
      ...plan.loader,
      ...(weights ? { sampler: 'weighted', class_weights: weights } : { sampler: 'balanced' }),
    };
    for (const epoch of [0, 1, 2]) {
      const ours = Array.from(loadAddon().epochOrder(JSON.stringify({ ...plan, loader }), epoch));
      expect(ours).toEqual(theirs[i]?.[epoch]);
    }
  }
});

/** Random flips and crops against torchvision's own, seeded by the published rule: equal to the bit, however many threads prepare them. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { planProject } from '../../engine/contract/plan.ts';
import { type Pack, runPlain, tinyPlan } from '../native/plans.ts';
import { PythonServer } from './python.ts';

const python = new PythonServer('augment.py');
let top: string;

beforeAll(() => {
  top = mkdtempSync(path.join(os.tmpdir(), 'gradloom-augment-'));
});
afterAll(async () => {
  await python.close();
  rmSync(top, { recursive: true, force: true });
});

const flip = { kind: 'RandomHorizontalFlip' };
const normalize = { kind: 'Normalize', mean: [0.4, 0.5, 0.6], std: [0.2, 0.3, 0.7] };
const rows: [string, object[], Pack][] = [
  ['flips', [flip, { kind: 'RandomVerticalFlip', p: 0.3 }], {}],
  ['a crop of the padded image, then normalised', [{ kind: 'RandomCrop', size: [9, 7], padding: 2 }, normalize], {}],
  [
    'the fill comes after normalising',
    [normalize, { kind: 'RandomCrop', size: [9, 7], padding: [1, 3], fill: 0.25 }],
    {},
  ],
  ['a smaller window', [{ kind: 'RandomCrop', size: [6, 4] }, flip], {}],
  ['one side longer, uneven padding', [{ kind: 'RandomCrop', size: [9, 10], padding: [4, 0, 1, 2], fill: -1 }], {}],
  ['mirrored', [{ kind: 'RandomCrop', size: 10, padding: 4, padding_mode: 'reflect' }, normalize, flip], {}],
  ['mirrored with its edge', [{ kind: 'RandomCrop', size: 8, padding: 3, padding_mode: 'symmetric' }], {}],
  ['the edge repeated', [flip, { kind: 'RandomCrop', size: 8, padding: 3, padding_mode: 'edge' }], {}],
  [
    'two crops with fills of their own, on floats',
    [
      { kind: 'RandomCrop', size: 9, padding: 3, fill: 2 },
      normalize,
      { kind: 'RandomCrop', size: [8, 10], padding: 2, fill: -3 },
    ],
    { input: 'float32' },
  ],
];

test.each(rows)('%s', async (_name, transforms, pack) => {
  const folder = mkdtempSync(path.join(top, 'case-'));
  const shape = [3, 9, 7];
  const source = { kind: 'random', shape, classes: 5, samples: 30 };
  const planned = planProject(
    {
      gradloom: 1,
      data: { source, transforms },
      model: { layers: [{ kind: 'Flatten' }, { kind: 'Linear', out_features: 5 }] },
    },
    null,
  );
  expect(planned.problems).toEqual([]);
  const plan = tinyPlan(
    folder,
    { samples: 30, shape, ...pack },
    { transforms: planned.transforms, input: planned.input },
  );
  const files = [0, 1, 5].map((num_workers) => {
    const out = path.join(folder, `${num_workers}.safetensors`);
    const loader = { ...plan.loader, num_workers };
    expect(runPlain({ ...plan, loader }, folder, ['--epochs', '3', '--batches', out]).status).toBe(0);
    return out;
  });
  const [batches, ...others] = files as [string, ...string[]];
  for (const other of others) expect(readFileSync(other).equals(readFileSync(batches))).toBe(true);
  const { input } = plan.data.parts.train as (typeof plan.data.parts)[string];
  const { seed, loader } = plan;
  const answer = await python.ask<{ wrong: string[] }>({
    ...{ shape, samples: 30, input: input.path, dtype: input.dtype, transforms: planned.transforms, batches },
    ...{ epochs: 3, seed, batch_size: loader.batch_size },
  });
  expect(answer.wrong).toEqual([]);
});

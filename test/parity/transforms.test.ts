/** Every transform against torchvision's own on float images, seeded by the published rule: training draws, what evaluation sees, masks that move along. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NativePlan } from '../../engine/contract/native.ts';
import { planProject } from '../../engine/contract/plan.ts';
import { transformKinds } from '../../engine/contract/transforms.ts';
import { byteAt, runPlain, tinyPlan } from '../native/plans.ts';
import { PythonServer } from './python.ts';

const python = new PythonServer('augment.py');
let top: string;

beforeAll(() => {
  top = mkdtempSync(path.join(os.tmpdir(), 'gradloom-transforms-'));
});
afterAll(async () => {
  await python.close();
  rmSync(top, { recursive: true, force: true });
});

interface Row {
  name: string;
  transforms: object[];
  /** Whether every value is torchvision's to the bit. */
  equal?: boolean;
  /** Share of values that may be more than 1/255 away: a value between two levels, a pixel between two. */
  off?: number;
  masks?: boolean;
  shape?: number[];
  input?: 'uint8' | 'float32';
}

const normalize = { kind: 'Normalize', mean: [0.4, 0.5, 0.6], std: [0.2, 0.3, 0.7] };
const rows: Row[] = [
  { name: 'smaller, antialiased', transforms: [{ kind: 'Resize', size: 7 }], equal: true },
  { name: 'larger', transforms: [{ kind: 'Resize', size: [31, 17], interpolation: 'bicubic' }], equal: true },
  { name: 'bilinear alone', transforms: [{ kind: 'Resize', size: 9, antialias: false }], equal: true },
  { name: 'bicubic alone', transforms: [{ kind: 'Resize', size: 9, interpolation: 'bicubic', antialias: false }], equal: true },
  { name: 'nearest', transforms: [{ kind: 'Resize', size: [9, 21], interpolation: 'nearest' }], equal: true, masks: true },
  { name: 'nearest-exact', transforms: [{ kind: 'Resize', size: [9, 21], interpolation: 'nearest-exact' }], equal: true },
  { name: 'the middle', transforms: [{ kind: 'CenterCrop', size: [9, 6] }, normalize], equal: true, masks: true },
  { name: 'the middle of a padded image', transforms: [{ kind: 'CenterCrop', size: [20, 7] }], equal: true },
  { name: 'resized crops', transforms: [{ kind: 'RandomResizedCrop', size: [8, 10] }], equal: true, masks: true },
  { name: 'resized crops that seldom fit', transforms: [{ kind: 'RandomResizedCrop', size: 6, scale: [0.9, 1], ratio: [3, 4], interpolation: 'nearest' }], equal: true },
  { name: 'turned', transforms: [{ kind: 'RandomRotation', degrees: 45 }], masks: true, off: 0.0005 },
  { name: 'turned around a corner', transforms: [{ kind: 'RandomRotation', degrees: [-10, 100], interpolation: 'bilinear', center: [0, 3], fill: 0.5 }] },
  { name: 'affine', transforms: [{ kind: 'RandomAffine', degrees: 30, translate: [0.2, 0.1], scale: [0.8, 1.3], shear: [-10, 10, -5, 20], interpolation: 'bilinear', fill: 0.25 }], masks: true, off: 0.0005 },
  { name: 'shifted', transforms: [{ kind: 'RandomAffine', degrees: 0, translate: [0.3, 0.3], center: [2, 5] }], masks: true, off: 0.0005 },
  { name: 'jitter', transforms: [{ kind: 'ColorJitter', brightness: 0.4, contrast: 0.5, saturation: [0.3, 2], hue: 0.3 }, normalize] },
  { name: 'jitter of brightness alone', transforms: [{ kind: 'ColorJitter', brightness: [0.5, 1.5] }], equal: true, masks: true },
  { name: 'jitter of hue alone', transforms: [{ kind: 'ColorJitter', hue: [-0.5, 0.5] }] },
  { name: 'jitter of grey images', transforms: [{ kind: 'ColorJitter', brightness: 0.4, contrast: 0.5, saturation: 0.4, hue: 0.1 }], shape: [1, 13, 11] },
  { name: 'grey', transforms: [{ kind: 'Grayscale' }], equal: true },
  { name: 'grey of three channels', transforms: [{ kind: 'Grayscale', num_output_channels: 3 }, normalize], equal: true },
  { name: 'three channels of grey', transforms: [{ kind: 'Grayscale', num_output_channels: 3 }, normalize], shape: [1, 13, 11], equal: true },
  { name: 'grey at random', transforms: [{ kind: 'RandomGrayscale', p: 0.4 }], equal: true },
  { name: 'erased', transforms: [normalize, { kind: 'RandomErasing', p: 0.7, value: [1, 2, 3] }], equal: true, masks: true },
  { name: 'erased with noise', transforms: [{ kind: 'RandomErasing', p: 0.9, value: 'random', scale: [0.3, 0.9] }], equal: true },
  { name: 'noise', transforms: [{ kind: 'GaussianNoise', sigma: 0.2 }], equal: true },
  { name: 'noise on values', transforms: [{ kind: 'GaussianNoise', mean: 1, clip: false }, normalize], input: 'float32', equal: true },
  { name: 'blurred', transforms: [{ kind: 'GaussianBlur', kernel_size: [5, 3], sigma: [0.3, 2] }] },
  { name: 'policy', transforms: [{ kind: 'RandAugment' }], off: 0.0005 },
  { name: 'policy of many strong ones', transforms: [{ kind: 'RandAugment', num_ops: 4, magnitude: 25, interpolation: 'bilinear', fill: 0.5 }, normalize], off: 0.002 },
  { name: 'policy of grey images', transforms: [{ kind: 'RandAugment', num_ops: 3, magnitude: 14 }], shape: [1, 13, 11], off: 0.002 },
  {
    name: 'one after the other',
    transforms: [
      { kind: 'RandomResizedCrop', size: 10 },
      { kind: 'RandomHorizontalFlip' },
      { kind: 'ColorJitter', brightness: 0.2, hue: 0.1 },
      { kind: 'RandomRotation', degrees: 10, interpolation: 'bilinear' },
      normalize,
      { kind: 'RandomErasing' },
      { kind: 'RandomCrop', size: 9, padding: 1 },
    ],
    masks: true,
    off: 0.0005,
  },
]; // biome-ignore format: a row a line

const planned = (transforms: object[], shape: number[]) =>
  planProject(
    {
      gradloom: 1,
      data: { source: { kind: 'random', shape, classes: 5, samples: 30 }, transforms },
      model: { layers: [{ kind: 'Flatten' }, { kind: 'Linear', out_features: 5 }] },
    },
    null,
  );

test.each(rows)('$name', async ({ transforms, equal, off = 0, masks, shape = [3, 13, 11], input = 'uint8' }) => {
  const folder = mkdtempSync(path.join(top, 'case-'));
  const { problems, transforms: native, input: dims } = planned(transforms, shape);
  expect(problems).toEqual([]);
  const plan = tinyPlan(folder, { samples: 30, shape, input }, { transforms: native, input: dims });
  const part = plan.data.parts.train as NativePlan['data']['parts'][string];
  if (masks) {
    const [, height = 0, width = 0] = shape;
    writeFileSync(
      part.target.path,
      Uint8Array.from({ length: 30 * height * width }, (_, i) => byteAt(i + 77) % 4),
    );
    Object.assign(plan, { target: 'mask' });
    Object.assign(part.target, { dtype: 'uint8', shape: [height, width] });
  }
  const batches = (name: string, num_workers: number, ...words: string[]) => {
    const out = path.join(folder, `${name}.safetensors`);
    const changed = { ...plan, loader: { ...plan.loader, num_workers } };
    const { status, lines } = runPlain(changed, folder, ['--epochs', '2', '--batches', out, ...words]);
    expect(lines.at(-1)).toMatchObject({ type: 'batches' });
    expect(status).toBe(0);
    return out;
  };
  const first = batches('none', 0);
  for (const workers of [1, 4]) {
    expect(readFileSync(batches(`workers-${workers}`, workers)).equals(readFileSync(first))).toBe(true);
  }
  expect(readFileSync(batches('device', 2, '--path', 'device')).equals(readFileSync(first))).toBe(true);
  expect(readFileSync(batches('threads', 2, '--threads', '2')).equals(readFileSync(first))).toBe(true);
  const answer = await python.ask<{ wrong: string[]; worst: number; off: number }>({
    ...{ shape, samples: 30, input: part.input.path, dtype: part.input.dtype, transforms: native, batches: first },
    ...{ epochs: 2, seed: plan.seed, batch_size: plan.loader.batch_size },
    ...(masks ? { masks: part.target.path } : {}),
  });
  if (equal) expect(answer.wrong).toEqual([]);
  if (off === 0) expect(answer.worst).toBeLessThanOrEqual(1e-5);
  expect(answer.off).toBeLessThanOrEqual(off);
});

test('every kind stands in a row', () => {
  const tried = new Set(JSON.stringify(rows).match(/(?<="kind":")\w+/g));
  const elsewhere = ['RandomVerticalFlip']; // augment.test.ts
  expect(
    transformKinds.map(({ kind }) => kind).filter((kind) => !tried.has(kind) && !elsewhere.includes(kind)),
  ).toEqual([]);
});

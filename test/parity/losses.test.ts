/** Every loss with its options against real PyTorch: value, gradient, and several batches of which the last is short against one large one. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lossKinds } from '../../engine/contract/losses.ts';
import type { TargetType } from '../../engine/contract/tensors.ts';
import { randomColumns, randomRequest } from '../../engine/data/random-source.ts';
import { loadAddon } from '../../engine/native/load.ts';
import { type Made, numbers, type Setting, sessionOn, writeColumn } from './made-data.ts';
import { PythonServer } from './python.ts';

const python = new PythonServer('losses.py');
let top: string;
let counter = 0;

beforeAll(() => {
  top = mkdtempSync(path.join(os.tmpdir(), 'gradloom-losses-'));
});
afterAll(async () => {
  await python.close();
  rmSync(top, { recursive: true, force: true });
});

function folder(name = String(++counter)): string {
  const made = path.join(top, name);
  mkdirSync(made, { recursive: true });
  return made;
}

/** Odd on purpose: batches of 8 leave 5. */
const count = 37;
const batch_size = 8;
const classes = 5;

type Kind =
  | 'class'
  | 'two'
  | 'mask'
  | 'next_token'
  | 'multi_label'
  | 'vector'
  | 'probabilities'
  | 'counts'
  | 'grid'
  | 'two_mask'
  | 'soft';

const names = (length: number) => Array.from({ length }, (_, index) => String(index));
const product = (dims: number[]) => dims.reduce((a, b) => a * b, 1);

interface Shape {
  target: TargetType;
  dims: number[];
  dtype: 'float32' | 'int64';
  input: number[];
  layers: unknown[];
  draw(next: () => number, index: number): number;
}

const linear = (out_features: number) => ({ kind: 'Linear', out_features });
const conv = (out_channels: number) => ({ kind: 'Conv2d', out_channels, kernel_size: 1 });
const whole = (below: number) => (next: () => number) => Math.floor(next() * below);
const normal = (next: () => number) => (next() + next() + next() - 1.5) * 2;

/** Input, network and targets of each kind. */
const shapes: Record<Kind, Shape> = {
  class: {
    target: { kind: 'class', classes: names(classes) },
    dims: [],
    dtype: 'int64',
    input: [6],
    layers: [linear(classes)],
    draw: whole(classes),
  },
  two: {
    target: { kind: 'class', classes: names(2) },
    dims: [],
    dtype: 'int64',
    input: [6],
    layers: [linear(1)],
    draw: whole(2),
  },
  mask: {
    target: { kind: 'mask', dims: [3, 4], classes: names(classes) },
    dims: [3, 4],
    dtype: 'int64',
    input: [2, 3, 4],
    layers: [conv(classes)],
    draw: whole(classes),
  },
  two_mask: {
    target: { kind: 'mask', dims: [3, 4], classes: names(2) },
    dims: [3, 4],
    dtype: 'int64',
    input: [2, 3, 4],
    layers: [conv(1)],
    draw: whole(2),
  },
  next_token: {
    target: { kind: 'next_token', dims: [7], tokens: classes },
    dims: [7],
    dtype: 'int64',
    input: [7, 3],
    layers: [linear(classes)],
    draw: whole(classes),
  },
  multi_label: {
    target: { kind: 'multi_label', classes: names(classes) },
    dims: [classes],
    dtype: 'float32',
    input: [6],
    layers: [linear(classes)],
    draw: whole(2),
  },
  vector: {
    target: { kind: 'vector', dims: [3] },
    dims: [3],
    dtype: 'float32',
    input: [6],
    layers: [linear(3)],
    draw: normal,
  },
  grid: {
    target: { kind: 'vector', dims: [2, 3, 4] },
    dims: [2, 3, 4],
    dtype: 'float32',
    input: [2, 3, 4],
    layers: [conv(2)],
    draw: normal,
  },
  counts: {
    target: { kind: 'vector', dims: [3] },
    dims: [3],
    dtype: 'float32',
    input: [6],
    layers: [linear(3)],
    draw: whole(6),
  },
  probabilities: {
    target: { kind: 'vector', dims: [4] },
    dims: [4],
    dtype: 'float32',
    input: [6],
    layers: [linear(4), { kind: 'LogSoftmax', dim: -1 }],
    draw: (_, index) => [0.1, 0.2, 0.3, 0.4][(index * 7 + Math.floor(index / 4)) % 4] as number,
  },
  // What mixup makes of classes: the source has class indices, the batch a probability for each class.
  soft: {
    target: { kind: 'class', classes: names(classes) },
    dims: [classes],
    dtype: 'float32',
    input: [6],
    layers: [linear(classes)],
    draw: (next) => next() / 2.5,
  },
};

const logSoftmax = { kind: 'LogSoftmax', dim: 1 };
const weight = [1, 0.5, 2, 0, 1.5];
const sigmoid = { kind: 'Sigmoid' };

interface Case {
  kind: string;
  on: Kind;
  args?: object;
  end?: unknown[];
  /** Other layers altogether. */
  layers?: unknown[];
}

const cases: Case[] = [
  { kind: 'CrossEntropyLoss', on: 'class' },
  { kind: 'CrossEntropyLoss', on: 'class', args: { weight, label_smoothing: 0.1, ignore_index: 2 } },
  { kind: 'CrossEntropyLoss', on: 'class', args: { label_smoothing: 0.3, ignore_index: 0 } },
  { kind: 'CrossEntropyLoss', on: 'mask', args: { weight, ignore_index: 1 } },
  { kind: 'CrossEntropyLoss', on: 'mask', args: { label_smoothing: 0.2 } },
  { kind: 'CrossEntropyLoss', on: 'next_token', args: { ignore_index: 3 } },
  { kind: 'CrossEntropyLoss', on: 'next_token', args: { weight, label_smoothing: 0.1 } },
  { kind: 'CrossEntropyLoss', on: 'soft' },
  { kind: 'CrossEntropyLoss', on: 'soft', args: { weight, label_smoothing: 0.1 } },
  { kind: 'NLLLoss', on: 'class', end: [logSoftmax] },
  { kind: 'NLLLoss', on: 'class', args: { weight, ignore_index: 4 }, end: [logSoftmax] },
  { kind: 'NLLLoss', on: 'mask', args: { weight, ignore_index: 0 }, end: [logSoftmax] },
  { kind: 'NLLLoss', on: 'next_token', args: { ignore_index: 0 }, end: [{ kind: 'LogSoftmax', dim: -1 }] },
  { kind: 'MultiMarginLoss', on: 'class' },
  { kind: 'MultiMarginLoss', on: 'class', args: { p: 2, margin: 0.7, weight } },
  { kind: 'BCEWithLogitsLoss', on: 'multi_label' },
  { kind: 'BCEWithLogitsLoss', on: 'multi_label', args: { weight, pos_weight: [1, 2, 3, 0.5, 4] } },
  { kind: 'BCEWithLogitsLoss', on: 'two', args: { pos_weight: [3] } },
  { kind: 'BCEWithLogitsLoss', on: 'two_mask', args: { pos_weight: [2.5] } },
  { kind: 'BCELoss', on: 'multi_label', end: [sigmoid] },
  { kind: 'BCELoss', on: 'multi_label', args: { weight }, end: [sigmoid] },
  { kind: 'BCELoss', on: 'two', end: [sigmoid] },
  { kind: 'BCELoss', on: 'two_mask', end: [sigmoid] },
  ...['MSELoss', 'L1Loss', 'SmoothL1Loss', 'HuberLoss'].flatMap((kind): Case[] => [
    { kind, on: 'vector' },
    { kind, on: 'grid' },
  ]),
  { kind: 'MSELoss', on: 'multi_label' },
  { kind: 'SmoothL1Loss', on: 'vector', args: { beta: 0.3 } },
  { kind: 'SmoothL1Loss', on: 'vector', args: { beta: 0 } },
  { kind: 'HuberLoss', on: 'vector', args: { delta: 0.4 } },
  { kind: 'KLDivLoss', on: 'probabilities' },
  { kind: 'KLDivLoss', on: 'probabilities', args: { reduction: 'batchmean' } },
  { kind: 'KLDivLoss', on: 'vector', args: { log_target: true }, end: [{ kind: 'LogSoftmax', dim: -1 }] },
  { kind: 'PoissonNLLLoss', on: 'counts' },
  { kind: 'PoissonNLLLoss', on: 'counts', args: { full: true } },
  { kind: 'PoissonNLLLoss', on: 'counts', args: { log_input: false, eps: 1e-4 }, end: [sigmoid] },
  { kind: 'GaussianNLLLoss', on: 'vector', layers: [linear(6)] },
  { kind: 'GaussianNLLLoss', on: 'vector', args: { full: true, eps: 0.9 }, layers: [linear(6)] },
  { kind: 'GaussianNLLLoss', on: 'grid', layers: [conv(4)] },
];

test('every loss is compared', () => {
  expect(new Set(cases.map(({ kind }) => kind))).toEqual(new Set(lossKinds.map(({ kind }) => kind)));
});

function makeData(kind: Kind): Made {
  const { dims, dtype, input, draw } = shapes[kind];
  const next = numbers(1 + Object.keys(shapes).indexOf(kind));
  const place = folder(`data-${kind}`);
  const values = (length: number, value: (index: number) => number) => Array.from({ length }, (_, i) => value(i));
  return {
    count,
    input: writeColumn(
      path.join(place, 'input'),
      'float32',
      input,
      values(count * product(input), () => normal(next)),
    ),
    target: writeColumn(
      path.join(place, 'target'),
      dtype,
      dims,
      values(count * product(dims), (i) => draw(next, i)),
    ),
  };
}

const named = cases.map((one) => ({ ...one, name: `${one.kind} ${one.on} ${JSON.stringify(one.args ?? {})}` }));

test.each(named)('$name', async ({ kind, on, args = {}, end = [], layers: own }) => {
  const made = makeData(on);
  const layers = [...(own ?? shapes[on].layers), ...end];
  const loss = { kind, ...args };
  const setting: Setting = { made, target: shapes[on].target, layers, loss, batch_size };
  const states = { weights: folder(), batch: folder(), all: folder() };

  const session = await sessionOn(setting);
  await session.saveState(states.weights);
  const one = await session.trainSteps({ epoch: 0, batch: 0, steps: 1, groups: [{ lr: [1] }] });
  await session.saveState(states.batch);
  await session.close();

  const accumulating = await sessionOn({ ...setting, accumulate: Math.ceil(count / batch_size) });
  const large = await accumulating.trainSteps({ epoch: 0, batch: 0, steps: 1, groups: [{ lr: [1] }] });
  await accumulating.saveState(states.all);
  // Its own weights are those after the step; the loss of the split with the first weights comes from a fresh session.
  await accumulating.close();
  const evaluating = await sessionOn(setting);
  const whole = await evaluating.evaluate({ split: 'train', batch_size: 10, confusion: false });
  await evaluating.close();

  const files = Object.fromEntries(
    Object.entries(states).map(([name, place]) => [name, path.join(place, 'model.safetensors')]),
  );
  const request = { ...made, layers, loss, batch_size, kind: shapes[on].target.kind, ...files };
  const there = await python.ask<Record<'batch' | 'all', { loss: number; gradient: number }>>(request);
  const close = (mine: number | undefined, theirs: number) =>
    expect(Math.abs((mine as number) - theirs), `${mine} here, ${theirs} there`).toBeLessThanOrEqual(
      1e-5 * Math.abs(theirs),
    );
  close(one.columns.loss[0], there.batch.loss);
  close(large.columns.loss[0], there.all.loss);
  close(whole.loss, there.all.loss);
  expect(there.batch.gradient).toBeLessThanOrEqual(1e-5);
  expect(there.all.gradient).toBeLessThanOrEqual(1e-5);
});

test.each(['class', 'multi_label', 'mask', 'next_token'] as const)(
  'random targets of kind %s are drawn by the rule',
  async (target) => {
    const shape = target === 'next_token' ? [11] : [3, 4, 5];
    const source = { kind: 'random' as const, shape, classes: 7, target, target_shape: [1], samples: 50, seed: 3 };
    const place = folder();
    const files = { input: path.join(place, 'input'), target: path.join(place, 'target') };
    await loadAddon().writeRandom({ ...randomRequest(source), ...files });
    const columns = randomColumns(source);
    const request = {
      do: 'draw',
      ...source,
      kind: target,
      input: { ...columns.input, path: files.input },
      target: { ...columns.target, path: files.target },
    };
    expect(await python.ask(request)).toEqual([0, 0]);
  },
);

test('what is no number in a probability is a step that is not finite, not an error', async () => {
  const place = folder();
  const made: Made = {
    count: 4,
    input: writeColumn(path.join(place, 'input'), 'float32', [2], [1, 2, Number.NaN, 1, 0, 1, 2, 3]),
    target: writeColumn(path.join(place, 'target'), 'float32', [3], [0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0]),
  };
  const target: TargetType = { kind: 'multi_label', classes: names(3) };
  const session = await sessionOn({
    made,
    target,
    layers: [linear(3), sigmoid],
    loss: { kind: 'BCELoss' },
    batch_size: 2,
  });
  const result = await session.trainSteps({ epoch: 0, batch: 0, steps: 2, groups: [{ lr: [1, 1] }] });
  await session.close();
  expect(result).toMatchObject({ steps: 0, non_finite: true });
});

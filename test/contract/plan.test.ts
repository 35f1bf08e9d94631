/** What plans answer for projects that work: names, places, kept tensors, expansions. */
import { describe, expect, test } from 'vitest';
import type { Json, NativeLayer } from '../../engine/contract/native.ts';
import { planProject } from '../../engine/contract/plan.ts';
import { splitCounts } from '../../engine/contract/splits.ts';
import { conv, digits, flatten, head, linear, projectWith, relu, vectors } from './cases.ts';

const plan = (layers: Json[], blocks: { [name: string]: Json } = {}) => {
  const made = planProject({ ...projectWith([]), model: { layers, blocks } }, digits);
  expect(made.problems).toEqual([]);
  return made;
};

const names = (layers: Json[], blocks: { [name: string]: Json } = {}) =>
  plan(layers, blocks).tensors.map(({ name }) => name);

describe('tensor names', () => {
  test('count enabled layers, and follow the exported Sequential in blocks', () => {
    const layers = [
      { kind: 'Dropout', disabled: true },
      conv(4, { padding: 1, bias: false }),
      {
        kind: 'Residual',
        shortcut: 'auto',
        layers: [conv(6, { stride: 2, padding: 1, bias: false }), { kind: 'BatchNorm2d' }],
      },
      {
        kind: 'Parallel',
        branches: [[], [relu, { ...conv(2, { padding: 1 }), disabled: true }, conv(3, { padding: 1 })]],
      },
      { kind: 'Repeat', times: 2, layers: [conv(9, { padding: 1, bias: false }), relu] },
      { kind: 'Block', ref: 'b' },
      ...head,
    ];
    expect(names(layers, { b: { layers: [relu, conv(2, { bias: false })] } })).toEqual([
      '0.weight',
      '1.layers.0.weight',
      '1.layers.1.weight',
      '1.layers.1.bias',
      '1.layers.1.running_mean',
      '1.layers.1.running_var',
      '1.layers.1.num_batches_tracked',
      '1.shortcut.0.weight',
      '2.branches.1.1.weight',
      '2.branches.1.1.bias',
      '3.0.0.weight',
      '3.1.0.weight',
      '4.layers.1.weight',
      '6.weight',
      '6.bias',
    ]);
  });
});

test('the native plan: complete arguments, blocks by children, references expanded in place', () => {
  const { model } = plan(
    [
      { kind: 'Conv2d', out_channels: 2, kernel_size: [3, 5], padding: 'same', note: 'x', name: 'first' },
      { kind: 'Parallel', join: 'add', branches: [[relu], []] },
      { kind: 'Block', ref: 'b' },
      flatten,
      linear(10),
    ],
    { b: { layers: [{ kind: 'MaxPool2d', kernel_size: 2 }] } },
  );
  const pool = { kernel_size: [2, 2], stride: [2, 2], padding: [0, 0], dilation: [1, 1], ceil_mode: false };
  expect(model).toEqual([
    {
      path: '0',
      kind: 'Conv2d',
      args: {
        in_channels: 1,
        out_channels: 2,
        kernel_size: [3, 5],
        stride: [1, 1],
        padding: 'same',
        dilation: [1, 1],
        groups: 1,
        bias: true,
        padding_mode: 'zeros',
      },
      output: [2, 28, 28],
    },
    {
      path: '1',
      kind: 'Parallel',
      args: { join: 'add', dim: 1 },
      output: [2, 28, 28],
      children: [
        { name: '0', layers: [{ path: '1.branches.0.0', kind: 'ReLU', args: {}, output: [2, 28, 28] }] },
        { name: '1', layers: [] },
      ],
    },
    { path: '2.layers.0', kind: 'MaxPool2d', args: pool, output: [2, 14, 14] },
    { path: '3', kind: 'Flatten', args: { start_dim: 1, end_dim: -1 }, output: [392] },
    { path: '4', kind: 'Linear', args: { in_features: 392, out_features: 10, bias: true }, output: [10] },
  ] satisfies NativeLayer[]);
});

test('a planned block: place, name, costs of its inside', () => {
  const { layers } = plan([
    { kind: 'Identity', disabled: true },
    flatten,
    { kind: 'Residual', name: 'body', layers: [linear(784), relu] },
    linear(10),
  ]);
  expect(layers[1]).toEqual({
    path: '1',
    place: 'model.layers.2',
    kind: 'Residual',
    name: 'body',
    args: {},
    input: [784],
    output: [784],
    dtype: 'float32',
    mask: null,
    parameters: 784 * 785,
    trainable: 784 * 785,
    flops: 2 * 784 * 784 + 784 + 784,
    // The Linear's input is the batch itself; the ReLU keeps its output.
    activation_bytes: 4 * 784,
    memory: expect.any(Object),
    python: 'Residual(nn.Sequential(nn.Linear(784, 784), nn.ReLU()), nn.Sequential())',
    children: [
      {
        name: 'layers',
        layers: [
          {
            path: '1.layers.0',
            place: 'model.layers.2.layers.0',
            kind: 'Linear',
            args: { in_features: 784, out_features: 784, bias: true },
            input: [784],
            output: [784],
            dtype: 'float32',
            mask: null,
            parameters: 784 * 785,
            trainable: 784 * 785,
            flops: 2 * 784 * 784,
            activation_bytes: 0,
            memory: expect.any(Object),
            python: 'nn.Linear(784, 784)',
          },
          {
            path: '1.layers.1',
            place: 'model.layers.2.layers.1',
            kind: 'ReLU',
            args: {},
            input: [784],
            output: [784],
            dtype: 'float32',
            mask: null,
            parameters: 0,
            trainable: 0,
            flops: 784,
            activation_bytes: 4 * 784,
            memory: expect.any(Object),
            python: 'nn.ReLU()',
          },
        ],
      },
      { name: 'shortcut', layers: [] },
    ],
  });
});

describe('what the backward pass keeps, in values a sample', () => {
  const n = 784;
  const rows: [what: string, layers: Json[], values: number][] = [
    ['a Linear its input, here the batch itself', [flatten, linear(10)], 0],
    ['a ReLU its output, which the next Linear shares', [flatten, linear(16), relu, linear(10)], 16],
    ['a GELU its input, the next Linear its own', [flatten, linear(16), { kind: 'GELU' }, linear(10)], 32],
    [
      'Flatten and Identity hand tensors on',
      [conv(2, { padding: 1 }), relu, { kind: 'Identity' }, flatten, linear(10)],
      2 * n,
    ],
    [
      'a pooling its input and an int64 an output',
      [conv(1, { padding: 1 }), { kind: 'MaxPool2d', kernel_size: 2 }, ...head],
      n + 2 * (n / 4) + n / 4,
    ],
    ['a dropout its mask', [flatten, linear(16), { kind: 'Dropout' }, linear(10)], 32],
    ['a padded copy', [conv(1, { padding: 1, padding_mode: 'reflect' }), ...head], 30 * 30 + n],
    [
      'factors once each',
      [flatten, linear(16), { kind: 'Parallel', join: 'multiply', branches: [[], [{ kind: 'Sigmoid' }]] }, linear(10)],
      3 * 16,
    ],
    ['a sum nothing', [flatten, linear(16), { kind: 'Parallel', join: 'add', branches: [[], []] }, linear(10)], 16],
  ];
  test.each(rows)('%s', (_what, layers, values) => {
    expect(plan(layers).layers.reduce((sum, { activation_bytes }) => sum + activation_bytes, 0)).toBe(4 * values);
  });
});

test('vector targets: no metrics by default, squared error fits', () => {
  const made = planProject(
    projectWith([linear(3)], { data: { source: { kind: 'idx', path: 'd' } }, training: { loss: { kind: 'MSELoss' } } }),
    vectors,
  );
  expect(made).toMatchObject({
    problems: [],
    metrics: [],
    loss: { kind: 'MSELoss', args: {} },
    output: [3],
    splits: { train: 90, val: 10, test: null },
  });
});

test('random data is planned without being read', () => {
  const source = { kind: 'random', shape: [3, 8, 8], classes: 4, samples: 100 };
  const made = planProject(projectWith([flatten, linear(4)], { data: { source } }), null);
  expect(made).toMatchObject({
    problems: [],
    input: [3, 8, 8],
    output: [4],
    splits: { train: 90, val: 10, test: null },
  });
});

describe('split counts', () => {
  const split = { val: 0.1, seed: 42, stratify: true };
  const counted = {
    ...digits,
    target: { kind: 'class' as const, classes: ['a', 'b', 'c'], counts: [14, 15, 971] },
    parts: { train: 1000 },
  };
  test.each([
    ['each class gives its rounded share', counted, split, { train: 1000 - (1 + 2 + 97), val: 100, test: null }],
    [
      'without strata the whole is rounded',
      counted,
      { ...split, stratify: false, val: 0.0015 },
      { train: 998, val: 2, test: null },
    ],
    ['the test part validates', digits, { ...split, val: 'test' as const }, { train: 9000, val: 1000, test: 1000 }],
    ['no validation', digits, { ...split, val: 0 }, { train: 9000, val: 0, test: 1000 }],
  ])('%s', (_what, facts, given, counts) => {
    expect(splitCounts(facts, given)).toEqual(counts);
  });
});

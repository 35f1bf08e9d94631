/** Formulas with a layer's own numbers: what stands left of the last equals sign gives what stands right of it. */
import { describe, expect, test } from 'vitest';
import { explainTransposedWindow, explainWindow, productLine } from '../../engine/contract/layers/explain.ts';
import { layerKinds } from '../../engine/contract/layers/index.ts';
import { planProject } from '../../engine/contract/plan.ts';
import { copiesAt, explainLayer } from '../../engine/contract/plan-explain.ts';
import type { PlannedLayer, PlannedTensor } from '../../engine/contract/plan-types.ts';
import type { DataFacts } from '../../engine/contract/tensors.ts';
import { conv, digits, head, projectWith } from './cases.ts';

/** The value of `⌊(28 + 2·1) / 2⌋ + 1`; null for what is not all numbers. */
function computed(expression: string): number | null {
  const plain = expression
    .replace(/ \([^()]*[a-z][^()]*\)$/, '')
    .replaceAll('·', '*')
    .replaceAll('−', '-')
    .replaceAll('⌊', 'Math.floor(')
    .replaceAll('⌈', 'Math.ceil(')
    .replaceAll(/[⌋⌉]/g, ')');
  if (!/^[\d\s()*/+.-]*$/.test(plain.replaceAll(/Math\.(floor|ceil)/g, ''))) return null;
  return new Function(`return ${plain}`)() as number;
}

/** Checks each step of `a = b = c` that is all numbers; answers how many there were. */
function checkLine(line: string): number {
  const steps = line.replace(/^[^:=]*: /, '').split(' = ');
  const last = Number(steps.at(-1));
  const values = steps.slice(0, -1).map(computed);
  for (const value of values) if (value !== null) expect(value, line).toBe(last);
  return values.filter((value) => value !== null).length;
}

/** Kinds whose way of counting depends on too much for one formula. */
const inWords = ['Upsample'];

function explained(layer: PlannedLayer, tensors: readonly PlannedTensor[]): void {
  const { shape, parameters, flops } = explainLayer(layer, tensors);
  for (const line of [...shape, ...parameters, flops]) expect(line).not.toMatch(/undefined|NaN|null|\[object/);
  for (const line of [...parameters, flops]) checkLine(line);
  if (!layer.children && !inWords.includes(layer.kind)) expect(flops).toMatch(/^0$| = \d+$/);
  if (shape[0] !== layerKinds.find(({ kind }) => kind === layer.kind)?.formula)
    for (const line of shape) checkLine(line);
  for (const { layers } of layer.children ?? []) for (const inner of layers) explained(inner, tensors);
}

describe('every example of every kind', () => {
  const cases = layerKinds.flatMap(({ kind, takes, examples }) =>
    examples.map(({ params, input }, index) => ({ name: `${kind} ${index}`, kind, takes, params, input })),
  );
  test.each(cases)('$name', ({ kind, takes, params, input }) => {
    const dtype = takes === 'integers' ? ('int64' as const) : ('float32' as const);
    const facts = { ...digits, input: { dims: input, dtype } };
    const { layers, tensors } = planProject(projectWith([{ kind, ...params } as never]), facts);
    expect(layers).toHaveLength(1);
    for (const layer of layers) explained(layer, tensors);
  });
});

test('parameters and operations by their numbers', () => {
  const { layers, tensors } = planProject(projectWith([conv(4, { groups: 1, padding: 1 }), ...head]), digits);
  expect(
    layers.map((layer) => explainLayer(layer, tensors)).map(({ parameters, flops }) => [...parameters, flops]),
  ).toEqual([
    [
      'weight: 4 · 1 · 3 · 3 = 36',
      'bias: 4',
      'together: 36 + 4 = 40',
      '2 · (C / groups) · kernel height · kernel width · n = 2 · (1 / 1) · 3 · 3 · 3136 = 56448',
    ],
    ['0'],
    ['weight: 10 · 3136 = 31360', 'bias: 10', 'together: 31360 + 10 = 31370', '2 · in · n = 2 · 3136 · 10 = 62720'],
  ]);
});

test('blocks by what is inside', () => {
  const branches = [[conv(2, { padding: 1 })], [], [conv(3, { padding: 1 })]];
  const { layers, tensors } = planProject(
    projectWith([
      { kind: 'Parallel', branches },
      { kind: 'Residual', layers: [conv(4, { stride: 2, padding: 1 })], shortcut: 'auto' },
      { kind: 'Repeat', times: 2, layers: [{ kind: 'MaxPool2d', kernel_size: 2 }] },
      ...head,
    ]),
    digits,
  );
  expect(layers.slice(0, 3).map((layer) => explainLayer(layer, tensors).shape)).toEqual([
    ['branch 0: [2, 28, 28]', 'branch 1: [1, 28, 28]', 'branch 2: [3, 28, 28]', 'dimension 1: 2 + 1 + 3 = 6'],
    ['layers: [4, 14, 14]', 'shortcut: [4, 14, 14]'],
    ['time 1: [4, 7, 7]', 'time 2: [4, 3, 3]'],
  ]);
});

test('of a layer that stands in the network several times, all copies', () => {
  const times = (layer: unknown) => ({ kind: 'Repeat', times: 2, layers: [layer] });
  const { layers, tensors } = planProject(
    projectWith([
      times(conv(1, { padding: 1 })),
      times(conv(4, { padding: 1 })),
      times({ kind: 'ReLU' }),
      times({ kind: 'Residual', layers: [conv(4, { padding: 1 })] }),
      ...head,
    ] as never),
    digits,
  );
  const all = layers.slice(0, 4).map(({ children }) => {
    const first = children?.[0]?.layers[0] as PlannedLayer;
    return { first, copies: copiesAt(layers, first.place) };
  });
  expect(all.map(({ copies }) => copies.length)).toEqual([2, 2, 2, 2]);
  const lines = all.map(({ first, copies }) => explainLayer(first, tensors, copies));
  expect(lines.map(({ parameters }) => parameters.at(-1))).toEqual([
    'together: 9 + 1 = 10, × 2 copies = 20',
    'together: 36 + 4 = 40 in copy 1; 2 copies: 40 + 148 = 188',
    undefined,
    undefined,
  ]);
  expect(lines.map(({ flops }) => flops.replace(/^2 .* n = /, ''))).toEqual([
    '2 · (1 / 1) · 3 · 3 · 784 = 14112, × 2 copies = 28224',
    '2 · (1 / 1) · 3 · 3 · 3136 = 56448 in copy 1; 2 copies: 56448 + 225792 = 282240',
    'n = 3136, × 2 copies = 6272',
    'n (the sum) besides its layers; in all 228928, × 2 copies = 457856',
  ]);
});

test('windows', () => {
  const args = { out_channels: 4, kernel_size: [3, 3], stride: [2, 2], padding: [1, 1], dilation: [1, 1] };
  expect(explainWindow(args, [1, 28, 28], [4, 14, 14], [])).toEqual([
    'channels: out_channels = 4',
    'height, width: ⌊(28 + 2·1 − 1·(3 − 1) − 1) / 2⌋ + 1 = 14',
  ]);
  expect(explainWindow({ kernel_size: [2], stride: [2], padding: [1], ceil_mode: true }, [3, 4], [3, 3], [])).toEqual([
    'length: ⌈(4 + 2·1 − 1·(2 − 1) − 1) / 2⌉ + 1 = 3',
  ]);
  expect(explainWindow({ kernel_size: [2], stride: [3], padding: [0], ceil_mode: true }, [3, 3], [3, 1], [])).toEqual([
    'length: ⌈(3 + 2·0 − 1·(2 − 1) − 1) / 3⌉ + 1 − 1 (a window that begins after the image is left out) = 1',
  ]);
  expect(explainWindow({ out_channels: 2, kernel_size: [4, 3], padding: 'same' }, [1, 5, 6], [2, 5, 6], [])).toEqual([
    'channels: out_channels = 2',
    'height: padding "same", as the input = 5',
    'width: padding "same", as the input = 6',
  ]);
  expect(explainTransposedWindow({ ...args, output_padding: [1, 0] }, [1, 14, 14], [4, 28, 27], [])).toEqual([
    'channels: out_channels = 4',
    'height: (14 − 1)·2 − 2·1 + 1·(3 − 1) + 1 + 1 = 28',
    'width: (14 − 1)·2 − 2·1 + 1·(3 − 1) + 0 + 1 = 27',
  ]);
  expect([productLine('values', [3, 4]), productLine('values', [5])]).toEqual(['values: 3 · 4 = 12', 'values: 5']);
});

test('a Linear layer of images tells on which dimension it works', () => {
  const linear = { kind: 'Linear', out_features: 10 };
  const shapeOf = (dims: number[]) => {
    const facts: DataFacts = { ...digits, input: { dims, dtype: 'float32' } };
    const { layers, tensors } = planProject(projectWith([linear]), facts);
    return explainLayer(layers[0] as PlannedLayer, tensors).shape;
  };
  const plain = ['[…, in] → […, out_features]', 'out_features = 10'];
  expect(shapeOf([5, 28])).toEqual(plain);
  expect(shapeOf([3, 8, 28])).toEqual([...plain, expect.stringContaining('works on the last dimension, the width')]);
});

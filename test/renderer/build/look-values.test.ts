/** Looking inside, its pure parts: addresses, places with several layers, answers as probabilities, colours, what thinning leaves out. @vitest-environment jsdom */
import { describe, expect, test, vi } from 'vitest';
import type { RunRow } from '../../../engine/contract/api.ts';
import type { LookedLayer } from '../../../engine/contract/look.ts';
import { type Plan, planProject } from '../../../engine/contract/plan.ts';
import { answerOf, mapsOf, softmax, thinningWords } from '../../../renderer/build/look-values.ts';
import { fitted, parseRgb, rangeOf, shaded } from '../../../renderer/ui/tensor/shades.ts';
import { pictured } from '../../../renderer/ui/tensor/tensor-picture.tsx';

vi.mock('../../../renderer/client/client.ts', () => ({
  engine: {},
  connection: { onStatus: () => () => {} },
  keepAsking: async () => {},
}));
const { firstLook, floatsOf, lookOf, lookText, pathsAt, weightsOf, weightsUnchosen } = await import(
  '../../../renderer/state/look.ts'
);

const statistics = {
  elements: 0,
  zeros: 0,
  nan: 0,
  positive_infinity: 0,
  negative_infinity: 0,
  min: 0,
  max: 0,
  mean: 0,
  std: 0,
  units: 0,
  dead: 0,
};
const layer = (shape: number[], steps: number[], form: LookedLayer['form']): LookedLayer => ({
  path: '0',
  kind: 'Conv2d',
  shape,
  form,
  statistics,
  values: { steps, shape: shape.map((size, dim) => Math.ceil(size / (steps[dim] as number))), data: '' },
});

describe('the address', () => {
  test.each([
    ['train.0', { part: 'train', index: 0, weights: null }],
    ['train.0.init', { part: 'train', index: 0, weights: 'init' }],
    ['val.12.digits-cnn-001:best', { part: 'val', index: 12, weights: 'digits-cnn-001:best' }],
    ['test.3.lr 0.1.b:last', { part: 'test', index: 3, weights: 'lr 0.1.b:last' }],
    ['val.1.project', { part: 'val', index: 1, weights: 'project' }],
  ] as const)('%s', (text, at) => {
    expect(lookOf(text)).toEqual(at);
    expect(lookText(at)).toBe(text);
  });

  test('what cannot be read is a first look, and nothing is none', () => {
    for (const text of ['', 'nonsense', 'train.x', 'other.3']) expect(lookOf(text)).toEqual(firstLook);
    expect(lookOf(null)).toBeNull();
  });

  test('of nobody’s choice: the newest run of this project whose weights fit', () => {
    const run = (name: string, day: number, more: object = {}, status: RunRow['status'] = 'completed') =>
      ({
        name,
        status,
        summary: { name: 'mine', parameters: 9, step: 5, best: null, started: `2026-01-0${day}T00:00:00Z`, ...more },
      }) as RunRow;
    const plan = { project: { name: 'mine' }, parameters: 9 } as Plan;
    const first = run('mine-001', 1, { best: {} });
    expect(weightsUnchosen([], plan)).toBe('init');
    expect(weightsUnchosen([first, run('mine-002', 2)], plan)).toBe('mine-002:last');
    const unfit = [
      run('mine-003', 3, { parameters: 8 }),
      run('other-001', 4, { name: 'other' }),
      run('mine-004', 5, { step: 0 }),
      run('mine-005', 6, {}, 'running'),
      run('mine-006', 7, {}, 'failed'),
    ];
    expect(weightsUnchosen([...unfit, first], plan)).toBe('mine-001:best');
  });

  test('names weights', () => {
    expect(weightsOf('init')).toEqual({ kind: 'init' });
    expect(weightsOf('project')).toEqual({ kind: 'project' });
    expect(weightsOf('a:b:last')).toEqual({ kind: 'from', weights: 'a:b', checkpoint: 'last' });
    expect(weightsOf('a')).toEqual({ kind: 'from', weights: 'a' });
  });
});

test('a layer that is repeated stands at several paths', () => {
  const facts = {
    input: { dims: [4], dtype: 'float32' as const },
    target: { kind: 'vector' as const, dims: [4] },
    parts: { train: 9 },
  };
  const layers = [{ kind: 'Repeat', times: 3, layers: [{ kind: 'Linear', out_features: 4 }] }, { kind: 'Tanh' }];
  const plan = planProject({ model: { layers } }, facts);
  expect(pathsAt(plan, 'model.layers.0.layers.0')).toEqual(['0.0.0', '0.1.0', '0.2.0']);
  expect(pathsAt(plan, 'model.layers.1')).toEqual(['1']);
  expect(pathsAt(plan, 'model.layers.7')).toEqual([]);
  expect(pathsAt(null, 'model.layers.1')).toEqual([]);
});

test('values come as little-endian floats', () => {
  expect([...floatsOf(Buffer.from(Float32Array.from([1.5, -2]).buffer).toString('base64'))]).toEqual([1.5, -2]);
});

describe('an answer', () => {
  test('is the softmax, also of large values', () => {
    expect(softmax([0, 0])).toEqual([0.5, 0.5]);
    expect(softmax([1000, 1000 + Math.log(3)])[1]).toBeCloseTo(0.75, 6);
  });

  test('of a few classes stands in their order, of many the likeliest first, and the own class with them', () => {
    const few = answerOf(Float32Array.from([1, 3, 2]), { names: ['a', 'b', 'c'], target: 0 });
    expect(few).toMatchObject({ more: 0, rows: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] });
    const logits = Float32Array.from({ length: 100 }, (_, i) => i);
    const many = answerOf(logits, { names: [], target: 5 });
    expect(many.rows.map(({ index }) => index)).toEqual([...Array.from({ length: 12 }, (_, i) => 99 - i), 5]);
    expect(many.more).toBe(87);
    expect(answerOf(logits, { names: [], target: 99 }).more).toBe(88);
  });
});

test('maps are cut from the last two dimensions', () => {
  const numbers = Float32Array.from({ length: 24 }, (_, i) => i);
  const { maps, width, height } = mapsOf(layer([4, 2, 3], [1, 1, 1], 'maps'), numbers);
  expect([maps.length, width, height]).toEqual([4, 3, 2]);
  expect([...(maps[1] as Float32Array)]).toEqual([6, 7, 8, 9, 10, 11]);
});

test('what is left out is told', () => {
  expect(thinningWords(layer([4, 20, 20], [1, 1, 1], 'maps'))).toBeNull();
  expect(thinningWords(layer([4, 200, 200], [1, 2, 3], 'maps'))).toMatch(/every 2nd row and every 3rd column is here/);
  expect(thinningWords(layer([4000, 8, 8], [11, 1, 1], 'maps'))).toMatch(/every 11th channel/);
  expect(thinningWords(layer([1000], [4], 'vector'))).toMatch(/every 4th value/);
});

describe('colours', () => {
  const shades = {
    black: [0, 0, 0],
    white: [255, 255, 255],
    zero: [100, 100, 100],
    negative: [0, 0, 200],
    positive: [200, 100, 0],
    wrong: [255, 0, 255],
  } as const;
  const pixels = (values: number[], range = rangeOf(values)) => {
    const bytes = shaded(values, range, shades);
    return values.map((_, i) => [...bytes.subarray(4 * i, 4 * i + 3)]);
  };

  test('grey from 0 where nothing is negative', () => {
    expect(rangeOf([0, 4, 2])).toEqual({ low: 0, high: 4 });
    expect(pixels([0, 4, 2])).toEqual([
      [0, 0, 0],
      [255, 255, 255],
      [128, 128, 128],
    ]);
    expect(pixels([0, 0])).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
  });

  test('around 0 in the middle where something is, and what is not finite by its own colour', () => {
    expect(rangeOf([-2, 1, Number.NaN, Number.POSITIVE_INFINITY])).toEqual({ low: -2, high: 2 });
    expect(pixels([-2, 0, 1, Number.NaN])).toEqual([
      [0, 0, 200],
      [100, 100, 100],
      [150, 100, 50],
      [255, 0, 255],
    ]);
  });

  test('are read from what browsers tell', () => {
    expect(parseRgb('rgb(1, 22, 255)')).toEqual([1, 22, 255]);
    expect(parseRgb('rgba(1, 22, 255, 0.5)')).toEqual([1, 22, 255]);
  });
});

test('pixels stay square and whole where there is room', () => {
  expect(fitted(28, 28, { width: 58, height: 58 })).toEqual({ width: 56, height: 56 });
  expect(fitted(112, 56, { width: 56, height: 56 })).toEqual({ width: 56, height: 28 });
});

test('a sample is grey from its least to its greatest value, or in colours', () => {
  const pixels = (values: number[], channels: number) => {
    const bytes = pictured(Float32Array.from(values), channels, 2);
    return [0, 1].map((at) => [...bytes.subarray(4 * at, 4 * at + 4)]);
  };
  expect(pixels([-1, 1], 1)).toEqual([
    [0, 0, 0, 255],
    [255, 255, 255, 255],
  ]);
  expect(pixels([0, 2, 1, 2, 2, 0], 3)).toEqual([
    [0, 128, 255, 255],
    [255, 255, 0, 255],
  ]);
  expect(pixels([3, 3], 1)[0]).toEqual([0, 0, 0, 255]);
});

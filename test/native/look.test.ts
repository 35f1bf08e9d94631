/** Looking at one sample: every layer's own output, also in blocks and where layers run fused; counts; and that it leaves no trace. */
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { LookResult, NativePlan, NativeSession } from '../../engine/contract/native.ts';
import { loadAddon } from '../../engine/native/load.ts';
import { writeFloats } from './floats.ts';
import { temporaryFolder } from './folders.ts';
import { classes, stepsRequest, tinyPlan } from './plans.ts';

const addon = loadAddon();
const open = (plan: NativePlan): Promise<NativeSession> => addon.createSession(JSON.stringify(plan));
const linear = (out_features: number) => ({ kind: 'Linear', out_features });

/** Every value of these layers, whose outputs have so many dimensions. */
const whole = (dims: Record<string, number>) =>
  Object.entries(dims).map(([name, count]) => ({ path: name, steps: Array(count).fill(1) as number[] }));

const at = ({ layers }: LookResult, name: string) => {
  const layer = layers.find((each) => each.path === name);
  if (!layer) throw new Error(`Nothing was seen of ${name}`);
  return layer;
};

const convolutional = [
  { kind: 'Conv2d', out_channels: 3, kernel_size: 3, padding: 1 },
  { kind: 'ReLU' },
  { kind: 'MaxPool2d', kernel_size: 2 },
  { kind: 'BatchNorm2d' },
  { kind: 'Flatten' },
  { kind: 'Dropout', p: 0.5 },
  linear(classes),
];

describe('what is seen', () => {
  test('each layer’s own output where Conv2d, ReLU and MaxPool2d run in one kernel', async () => {
    const session = await open(tinyPlan(temporaryFolder(), {}, {}, convolutional));
    const seen = await session.look({
      split: 'train',
      index: 3,
      statistics: true,
      values: whole({ input: 3, '0': 3, '1': 3, '2': 3 }),
    });
    expect(seen.layers.map((layer) => [layer.path, layer.shape])).toEqual([
      ['input', [1, 6, 5]],
      ['0', [3, 6, 5]],
      ['1', [3, 6, 5]],
      ['2', [3, 3, 2]],
      ['3', [3, 3, 2]],
      ['4', [18]],
      ['5', [18]],
      ['6', [classes]],
    ]);
    const [conv, relu, pool] = ['0', '1', '2'].map((name) => at(seen, name).values as Float32Array);
    expect([...(conv ?? [])].some((value) => value < 0)).toBe(true);
    expect([...(relu ?? [])]).toEqual([...(conv ?? [])].map((value) => Math.max(0, value)));
    const largest = (channel: number, row: number, column: number) =>
      Math.max(
        ...[0, 1].flatMap((y) => [0, 1].map((x) => relu?.[(channel * 6 + 2 * row + y) * 5 + 2 * column + x] as number)),
      );
    expect([...(pool ?? [])]).toEqual(
      [0, 1, 2].flatMap((c) => [0, 1, 2].flatMap((y) => [0, 1].map((x) => largest(c, y, x)))),
    );
    // In eval mode Dropout hands on what it gets.
    expect(at(seen, '5').statistics).toEqual(at(seen, '4').statistics);
    expect(at(seen, '3').values).toBeUndefined();
    expect(seen.target).toBeGreaterThanOrEqual(0);
    await session.close();
  });

  test('inside Residual, Parallel and each repetition, before what is around overwrites it', async () => {
    const session = await open(
      tinyPlan(temporaryFolder(), { shape: [4], input: 'float32' }, {}, [
        { kind: 'Residual', layers: [linear(4), { kind: 'ReLU' }] },
        { kind: 'Parallel', join: 'add', branches: [[linear(3)], [linear(3), { kind: 'Tanh' }]] },
        { kind: 'Repeat', times: 2, layers: [linear(3)] },
        linear(classes),
      ]),
    );
    const paths = [
      'input',
      '0.layers.0',
      '0.layers.1',
      '0',
      '1.branches.0.0',
      '1.branches.1.1',
      '1',
      '2.0.0',
      '2.1.0',
      '2',
    ];
    const seen = await session.look({
      split: 'train',
      index: 0,
      statistics: false,
      values: whole(Object.fromEntries(paths.map((name) => [name, 1]))),
    });
    expect(new Set(seen.layers.map((layer) => layer.path))).toEqual(new Set(paths));
    const values = (name: string) => [...(at(seen, name).values as Float32Array)];
    expect(values('0.layers.1')).toEqual(values('0.layers.0').map((value) => Math.max(0, value)));
    expect(values('0')).toEqual(
      values('0.layers.1').map((value, i) => Math.fround(value + (values('input')[i] as number))),
    );
    const branches = values('1.branches.0.0').map((value, i) =>
      Math.fround(value + (values('1.branches.1.1')[i] as number)),
    );
    expect(values('1')).toEqual(branches);
    expect(values('2')).toEqual(values('2.1.0'));
    expect(values('2.0.0')).not.toEqual(values('2.1.0'));
    await session.close();
  });

  test('counts of zeros and of what is not finite, and slices that are zero everywhere', async () => {
    const folder = temporaryFolder();
    const session = await open(
      tinyPlan(folder, { shape: [2, 1], input: 'float32' }, {}, [
        linear(3),
        { kind: 'ReLU' },
        { kind: 'Flatten' },
        linear(classes),
      ]),
    );
    const file = path.join(folder, 'weights.safetensors');
    await writeFloats(file, [
      { name: '0.weight', shape: [3, 1], values: new Float32Array([0, 0, 0]) },
      { name: '0.bias', shape: [3], values: new Float32Array([-1, 2, Number.POSITIVE_INFINITY]) },
    ]);
    await session.loadWeights(file);
    const seen = await session.look({ split: 'train', index: 1, statistics: true, values: [] });
    expect(at(seen, '1').statistics).toEqual({
      elements: 6,
      zeros: 2,
      nan: 0,
      positive_infinity: 2,
      negative_infinity: 0,
      min: 0,
      max: 2,
      mean: 1,
      std: 1,
      zero_slices: [0, 1],
    });
    expect(
      at(seen, '3').statistics.nan +
        at(seen, '3').statistics.positive_infinity +
        at(seen, '3').statistics.negative_infinity,
    ).toBe(classes);
    expect(at(seen, '3').statistics).toMatchObject({ min: null, max: null, mean: null, std: null });
    await session.close();
  });

  test('thinned along each dimension as asked', async () => {
    const session = await open(tinyPlan(temporaryFolder(), {}, {}, convolutional));
    const ask = (steps: number[]) =>
      session.look({ split: 'train', index: 0, statistics: false, values: [{ path: '0', steps }] });
    const all = at(await ask([1, 1, 1]), '0').values as Float32Array;
    const some = at(await ask([2, 4, 3]), '0').values as Float32Array;
    expect([...some]).toEqual(
      [0, 2].flatMap((c) => [0, 4].flatMap((y) => [0, 3].map((x) => all[(c * 6 + y) * 5 + x]))),
    );
    await expect(ask([1, 1])).rejects.toMatchObject({ code: 'BAD_CALL' });
    await expect(ask([1, 0, 1])).rejects.toMatchObject({ code: 'BAD_CALL' });
    await expect(session.look({ split: 'train', index: 40, statistics: true, values: [] })).rejects.toMatchObject({
      code: 'BAD_CALL',
    });
    await session.close();
  });

  test('of a network without weights, where nothing is to be trained', async () => {
    const plan = tinyPlan(temporaryFolder(), { shape: [4], input: 'float32' });
    const model = [{ path: '0', kind: 'Identity', args: {}, output: [4] }];
    const bare = { ...plan, model, groups: [], inits: [], metrics: [] };
    await expect(open(bare)).rejects.toMatchObject({ code: 'PROJECT_INVALID' });
    const session = await open({ ...bare, untrained: true });
    const seen = await session.look({ split: 'train', index: 0, statistics: true, values: [] });
    expect(at(seen, '0').statistics).toEqual(at(seen, 'input').statistics);
    await session.close();
  });
});

test('a training goes on bit by bit as if nobody had looked', async () => {
  const train = async (look: boolean) => {
    const session = await open(tinyPlan(temporaryFolder(), {}, {}, convolutional));
    const losses: number[] = [];
    for (let batch = 0; batch < 5; batch++) {
      if (look) await session.look({ split: 'train', index: batch, statistics: true, values: whole({ '0': 3 }) });
      losses.push(...(await session.trainSteps(stepsRequest(1, 0, batch))).columns.loss);
    }
    const weights = await session.predict({ split: 'train', start: 0, count: 8 });
    await session.close();
    return { losses, logits: [...weights.logits] };
  };
  expect(await train(true)).toEqual(await train(false));
});

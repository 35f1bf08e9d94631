/** Where activation checkpointing cuts a network. */
import { expect, test } from 'vitest';
import { planProject } from '../../engine/contract/plan.ts';
import { segmentStarts } from '../../engine/contract/recompute.ts';

const linear = { kind: 'Linear', out_features: 8 };
const relu = { kind: 'ReLU' };

function planOf(layers: unknown[], more: { shape?: number[]; blocks?: object; training?: object } = {}) {
  const { shape = [8], blocks = {}, training = {} } = more;
  return planProject(
    {
      gradloom: 1,
      data: {
        source: { kind: 'random', shape, classes: 8, samples: 64 },
        split: { val: 0 },
        loader: { batch_size: 10 },
      },
      model: { layers, blocks },
      training,
    },
    null,
  );
}
const starts = (...given: Parameters<typeof planOf>) => segmentStarts(planOf(...given).layers);

test('about √n segments of n units, each from a layer with weights on', () => {
  expect(starts([linear])).toEqual([]);
  expect(starts([linear, relu])).toEqual([]);
  expect(starts([linear, relu, linear])).toEqual(['0', '2']);
  const four = [linear, relu, linear, relu, linear, relu, linear];
  expect(starts(four)).toEqual(['0', '4']);
  expect(starts([...Array<object[]>(8).fill([linear, relu]), linear].flat())).toEqual(['0', '6', '12']);
});

test('layers without weights go with those before them, at the beginning with those after', () => {
  expect(starts([{ kind: 'Flatten' }, relu, linear, relu, linear], { shape: [2, 4] })).toEqual(['0', '4']);
  const conv = { kind: 'Conv2d', out_channels: 2, kernel_size: 3, padding: 1 };
  const layers = [conv, relu, { kind: 'MaxPool2d', kernel_size: 2 }, conv, { kind: 'Flatten' }, linear];
  expect(starts(layers, { shape: [1, 8, 8] })).toEqual(['0', '5']);
});

test('repetitions and named blocks are opened, other blocks are one unit', () => {
  expect(starts([{ kind: 'Repeat', times: 4, layers: [linear, relu] }])).toEqual(['0.0.0', '0.2.0']);
  const blocks = { two: { layers: [linear, relu, linear] } };
  expect(
    starts([{ kind: 'Block', ref: 'two' }, relu, { kind: 'Residual', layers: [linear, relu, linear] }, linear], {
      blocks,
    }),
  ).toEqual(['0.layers.0', '2']);
});

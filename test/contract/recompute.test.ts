/** Where activation checkpointing cuts a network, and what the memory estimate makes of it. */
import { expect, test } from 'vitest';
import { planProject } from '../../engine/contract/plan.ts';
import { checkpointedBytes, segmentStarts } from '../../engine/contract/recompute.ts';

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

test('the estimate counts what goes between segments and the largest of them', () => {
  const layers = [...Array<object[]>(8).fill([linear, { kind: 'GELU' }]), linear].flat();
  const plain = planOf(layers);
  const checkpointed = planOf(layers, { training: { activation_checkpointing: true } });
  // Of a unit Linear and GELU: the Linear's input and the GELU's, 8 floats each; the very first input is the batch.
  const unit = 2 * 8 * 4;
  expect(checkpointedBytes(plain.layers)).toBe(2 * 8 * 4 + 3 * unit);
  const answer = 2 * 8 * 4;
  expect(checkpointed.memory.activations).toBe(10 * (2 * 8 * 4 + 3 * unit + answer));
  expect(checkpointed.memory.activations).toBeLessThan(plain.memory.activations / 1.5);
});

test('the estimate of other number formats and of averages', () => {
  const layers = [linear, relu, linear];
  const parameters = 2 * (8 * 8 + 8) * 4;
  const { memory: fp32 } = planOf(layers);
  expect(fp32.weights).toBe(parameters);
  for (const precision of ['bf16', 'fp16']) {
    const { memory } = planOf(layers, { training: { precision } });
    expect(memory).toMatchObject({ activations: fp32.activations / 2, weights: 1.5 * parameters });
    expect(memory).toMatchObject({ gradients: fp32.gradients, optimizer: fp32.optimizer });
  }
  expect(planOf(layers, { training: { ema: {} } }).memory.weights).toBe(2 * parameters);
  expect(planOf(layers, { training: { precision: 'auto' } }).memory).toEqual(fp32);
});

/**
 * What draws at random behind layers whose answers lie in memory otherwise than PyTorch's (convolutions here are channels_last): in training
 * the masks are PyTorch's all the same, and the generator stands where PyTorch's does.
 */
import { expect, test } from 'vitest';
import { compareAll } from './layers-compare.ts';
import type { Layer } from './plan-stacks.ts';

const convolution: Layer = { kind: 'Conv2d', out_channels: 4, kernel_size: 3, padding: 1 };

/** They keep the layout of their input, make another of it, or see it with other dims. */
const between: Layer[] = [
  { kind: 'Identity' },
  { kind: 'ReLU' },
  { kind: 'Hardtanh' },
  { kind: 'Softsign' },
  { kind: 'PReLU', num_parameters: 4 },
  { kind: 'GLU', dim: 1 },
  { kind: 'Softmax2d' },
  { kind: 'BatchNorm2d' },
  { kind: 'InstanceNorm2d' },
  { kind: 'GroupNorm', num_groups: 2 },
  { kind: 'LayerNorm' },
  { kind: 'LocalResponseNorm', size: 3 },
  { kind: 'MaxPool2d', kernel_size: 2 },
  { kind: 'SqueezeExcite', squeeze_channels: 2 },
  { kind: 'Residual', layers: [convolution, { kind: 'ReLU6' }] },
  { kind: 'Flatten', start_dim: 2 },
  { kind: 'Unflatten', dim: 1, unflattened_size: [2, 2] },
  { kind: 'Permute', dims: [0, 2, 3, 1] },
];

const drawing: Layer[] = [
  { kind: 'Dropout' },
  { kind: 'AlphaDropout', p: 0.3 },
  { kind: 'Dropout2d' },
  { kind: 'FeatureAlphaDropout' },
  { kind: 'RReLU' },
  { kind: 'StochasticDepth', p: 0.3 },
  { kind: 'StochasticDepth', p: 0.3, mode: 'batch' },
];

test('masks behind convolutions are PyTorch’s', async () => {
  const networks = between.flatMap((layer) =>
    drawing.map((draws) => ({
      name: `${JSON.stringify(layer)} before ${JSON.stringify(draws)}`,
      network: { input: [3, 6, 5], layers: [convolution, layer, draws], blocks: {} },
      numbers: true,
    })),
  );
  const outcomes = await compareAll(networks);
  expect(outcomes.filter(({ answer }) => !answer.ok)).toEqual([]);
  const differing = outcomes.filter(({ differences }) => differences.length > 0);
  expect(differing.map(({ name, differences }) => `${name}: ${differences.join('; ')}`)).toEqual([]);
}, 600_000);

/** Grids of layers made of layers. */
import type { Layer } from '../plan-stacks.ts';
import type { Grid } from './grid.ts';
import { anyRank, images } from './inputs.ts';

const linear = (out_features: number): Layer => ({ kind: 'Linear', out_features });
const tanh: Layer = { kind: 'Tanh' };
const convolution = (out_channels: number, stride = 1): Layer => ({
  kind: 'Conv2d',
  out_channels,
  kernel_size: 3,
  stride,
  padding: 1,
});
const flatten: Layer = { kind: 'Flatten' };

export const blockGrids: { [kind: string]: Grid } = {
  Residual: {
    params: {
      layers: [
        [linear(6), tanh],
        [linear(6)],
        [linear(3)],
        [convolution(3)],
        [convolution(5, 2)],
        [convolution(3, 3), tanh],
        [{ kind: 'AdaptiveAvgPool2d', output_size: 3 }],
        [{ kind: 'AdaptiveAvgPool2d', output_size: 1 }, tanh],
        [linear(1)],
        [flatten],
        [],
        [{ kind: 'Softmax', dim: 0 }],
        [{ kind: 'Conv1d', out_channels: 5, kernel_size: 3, padding: 1, stride: 2 }],
        [{ kind: 'Conv3d', out_channels: 2, kernel_size: 2, stride: 2 }],
        [{ kind: 'BatchNorm1d' }, linear(3)],
      ],
      shortcut: [undefined, null, 'auto', [], [linear(3)], [linear(6), tanh], [flatten], [convolution(5, 2)]],
    },
    inputs: anyRank,
    combinations: 100,
  },
  Parallel: {
    params: {
      branches: [
        [[linear(6), tanh], []],
        [[]],
        [[linear(6)], [linear(6), { kind: 'Sigmoid' }], [tanh]],
        [[linear(3)], []],
        [[convolution(2)], []],
        [[convolution(2)], [convolution(5), tanh]],
        [[flatten], [flatten, linear(4)]],
        [[flatten], []],
        [[], [{ kind: 'AdaptiveAvgPool2d', output_size: 1 }, { kind: 'Sigmoid' }]],
        [
          [{ kind: 'AdaptiveAvgPool2d', output_size: [1, null] }],
          [{ kind: 'AdaptiveAvgPool2d', output_size: [null, 1] }],
          [],
        ],
        [[linear(1), tanh], [], [linear(1)]],
        [[], [{ kind: 'AdaptiveMaxPool1d', output_size: 1 }], [{ kind: 'Conv1d', out_channels: 1, kernel_size: 1 }]],
      ],
      join: [undefined, 'concat', 'add', 'multiply'],
      dim: [undefined, 1, -1, 2, 3, -2, 0, -4, 7],
    },
    inputs: anyRank,
    combinations: 100,
  },
  Repeat: {
    params: {
      times: [2, 1, 3],
      layers: [
        [linear(4)],
        [linear(5), tanh],
        [convolution(2, 2)],
        [{ kind: 'MaxPool2d', kernel_size: 2 }],
        [flatten],
        [],
      ],
    },
    inputs: anyRank,
  },
  Block: {
    params: { ref: ['dense', 'image', 'nested'] },
    inputs: anyRank,
    blocks: {
      dense: { layers: [linear(5), tanh] },
      image: { layers: [convolution(2), { kind: 'BatchNorm2d' }] },
      nested: {
        layers: [
          { kind: 'Block', ref: 'dense' },
          { kind: 'Repeat', times: 2, layers: [linear(2)] },
        ],
      },
    },
  },
  SqueezeExcite: {
    params: {
      squeeze_channels: [2, 1, 7, 0],
      activation: [undefined, 'ReLU6', 'SiLU', 'GELU', 'Mish', 'Hardswish', 'Tanh', 'Sine'],
      scale_activation: [undefined, 'Hardsigmoid', 'Tanh'],
    },
    inputs: images,
  },
};

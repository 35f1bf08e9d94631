/** Grids of activations. */
import type { Grid } from './grid.ts';
import { anyRank, images } from './inputs.ts';

/** One that has no parameters. */
const plain: Grid = { params: {}, inputs: anyRank };

/** Dimensions, counted with the batch. */
const along: Grid = { params: { dim: [undefined, 1, -1, 2, 3, -2, -3, 0, 4, -4, 7] }, inputs: anyRank };

const plainKinds = [
  'ReLU',
  'ReLU6',
  'SELU',
  'SiLU',
  'Mish',
  'Hardswish',
  'Sigmoid',
  'Hardsigmoid',
  'LogSigmoid',
  'Tanh',
  'Tanhshrink',
  'Softsign',
];

export const activationGrids: { [kind: string]: Grid } = {
  ...Object.fromEntries(plainKinds.map((kind) => [kind, plain])),
  GELU: { params: { approximate: [undefined, 'none', 'tanh', 'erf'] }, inputs: anyRank },
  LeakyReLU: { params: { negative_slope: [undefined, 0, 0.2, 1.5, -0.1] }, inputs: anyRank },
  PReLU: { params: { num_parameters: [undefined, 1, 3, 4, 6, 0], init: [undefined, 0.1, -0.5] }, inputs: anyRank },
  RReLU: { params: { lower: [undefined, 0, -0.2, 0.3], upper: [undefined, 0.5, 0.1, 0.3] }, inputs: anyRank },
  ELU: { params: { alpha: [undefined, 0.5, 0, -0.7, 3] }, inputs: anyRank },
  CELU: { params: { alpha: [undefined, 0.5, 0, -0.7, 3] }, inputs: anyRank },
  Softplus: { params: { beta: [undefined, 2, 0.5, -1], threshold: [undefined, 0.5, 0, -3] }, inputs: anyRank },
  Hardtanh: { params: { min_val: [undefined, -0.3, 0.2, 2], max_val: [undefined, 0.2, 1, -0.5] }, inputs: anyRank },
  Softshrink: { params: { lambd: [undefined, 0.1, 0, -0.1] }, inputs: anyRank },
  Hardshrink: { params: { lambd: [undefined, 0.1, 0, -0.1] }, inputs: anyRank },
  Threshold: { params: { threshold: [0, 0.2, -1], value: [0, 5, -0.5] }, inputs: anyRank },
  GLU: { ...along, inputs: [[4, 6, 8], ...anyRank] },
  Softmax: along,
  Softmin: along,
  Softmax2d: { params: {}, inputs: images },
  LogSoftmax: along,
};

/** Grids of activations. */
import type { Grid } from './grid.ts';
import { anyRank, images } from './inputs.ts';

/** A function of each value, with the parameters that it has. */
const pointwise = (params: Grid['params'] = {}): Grid => ({ params, inputs: anyRank, combinations: 16 });

/** Dimensions, counted with the batch. */
const along: Grid = { params: { dim: [undefined, 1, -1, 2, 3, -2, -3, 0, 4, -4, 7] }, inputs: anyRank };

const plain = ['ReLU', 'ReLU6', 'SELU', 'SiLU', 'Mish', 'Hardswish', 'Sigmoid', 'Hardsigmoid', 'LogSigmoid', 'Tanh'];
const alpha = [undefined, 0.5, 2, -0.5, 0];

export const activationGrids: { [kind: string]: Grid } = {
  ...Object.fromEntries([...plain, 'Tanhshrink', 'Softsign'].map((kind) => [kind, pointwise()])),
  LeakyReLU: pointwise({ negative_slope: [undefined, 0, 0.2, 1.5, -0.1] }),
  PReLU: pointwise({ num_parameters: [undefined, 1, 3, 6, 4, 0], init: [undefined, 0.1, -0.5, 0, 2] }),
  RReLU: pointwise({ lower: [undefined, 0.1, 0, -0.5, 0.5], upper: [undefined, 0.9, 0.1, 0, 1.5] }),
  ELU: pointwise({ alpha }),
  CELU: pointwise({ alpha }),
  GELU: pointwise({ approximate: [undefined, 'none', 'tanh', 'erf'] }),
  Softplus: pointwise({ beta: [undefined, 2, 0.5, -1, 0], threshold: [undefined, 0.5, 0, -1] }),
  Hardtanh: pointwise({ min_val: [undefined, -0.5, 0, 1, 2], max_val: [undefined, 0.5, 0, -1, 3] }),
  Softshrink: pointwise({ lambd: [undefined, 0.1, 0, 2, -0.5] }),
  Hardshrink: pointwise({ lambd: [undefined, 0.1, 0, 2, -0.5] }),
  Threshold: pointwise({ threshold: [0, 0.1, -0.5], value: [0, -0.5, 3] }),
  GLU: along,
  Softmax: along,
  Softmin: along,
  LogSoftmax: along,
  Softmax2d: { params: {}, inputs: images },
};

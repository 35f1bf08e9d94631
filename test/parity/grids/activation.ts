/** Grids of activations. */
import type { Grid } from './grid.ts';
import { anyRank } from './inputs.ts';

/** One that has no parameters. */
const plain: Grid = { params: {}, inputs: anyRank };

/** Dimensions, counted with the batch. */
const along: Grid = { params: { dim: [undefined, 1, -1, 2, 3, -2, -3, 0, 4, -4, 7] }, inputs: anyRank };

export const activationGrids: { [kind: string]: Grid } = {
  ...Object.fromEntries(['ReLU', 'SiLU', 'Sigmoid', 'Tanh'].map((kind) => [kind, plain])),
  GELU: { params: { approximate: [undefined, 'none', 'tanh', 'erf'] }, inputs: anyRank },
  LeakyReLU: { params: { negative_slope: [undefined, 0, 0.2, 1.5, -0.1] }, inputs: anyRank },
  Softmax: along,
  LogSoftmax: along,
};

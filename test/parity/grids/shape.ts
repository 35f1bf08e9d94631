/** Grids of layers that reshape, pad or drop. */
import type { Grid } from './grid.ts';
import { anyRank } from './inputs.ts';

const dims = [1, 2, 3, -1, -2, -3, 0, -4, 5, -6];

export const shapeGrids: { [kind: string]: Grid } = {
  Flatten: {
    params: { start_dim: [undefined, ...dims], end_dim: [undefined, ...dims] },
    inputs: anyRank,
    combinations: 80,
  },
  Identity: { params: {}, inputs: anyRank },
  Dropout: { params: { p: [undefined, 0, 0.2, 0.9, 1, 1.5, -0.1] }, inputs: anyRank },
};

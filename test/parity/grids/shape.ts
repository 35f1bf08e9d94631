/** Grids of layers that reshape, pad or drop. */
import type { Grid } from './grid.ts';
import { anyRank, images, ofRank } from './inputs.ts';

const dims = [1, 2, 3, -1, -2, -3, 0, -4, 5, -6];

const p = [undefined, 0, 0.2, 0.9, 1, 1.5, -0.1];

export const shapeGrids: { [kind: string]: Grid } = {
  Flatten: {
    params: { start_dim: [undefined, ...dims], end_dim: [undefined, ...dims] },
    inputs: anyRank,
    combinations: 80,
  },
  Identity: { params: {}, inputs: anyRank },
  Unflatten: {
    params: {
      dim: [1, 2, 3, -1, -2, -3, 0, -4, 5],
      unflattened_size: [[2, 3], [6], [-1], [-1, 2], [3, -1, 1], [2, 2], [1, 3], [-1, -1], [], [0, -1], [3, 1]],
    },
    inputs: [[6, 3, 4], ...anyRank],
    combinations: 80,
  },
  Permute: {
    params: {
      dims: [
        [0, 2, 1],
        [0, 3, 1, 2],
        [0, 1],
        [0, -1, 1, -2],
        [0, 1, 2, 3],
        [1, 0, 2],
        [0, 1, 1],
        [0, 1, 4, 3, 2],
        [0, 5, 1],
      ],
    },
    inputs: [[4, 6], ...anyRank],
    combinations: 80,
  },
  Dropout: { params: { p }, inputs: anyRank },
  Dropout1d: { params: { p }, inputs: ofRank[1] },
  Dropout2d: { params: { p }, inputs: images },
  Dropout3d: { params: { p }, inputs: ofRank[3] },
  AlphaDropout: { params: { p }, inputs: anyRank },
  FeatureAlphaDropout: { params: { p }, inputs: anyRank },
  StochasticDepth: { params: { p: [0.3, 0, 0.9, 1.5], mode: [undefined, 'row', 'batch', 'column'] }, inputs: anyRank },
};

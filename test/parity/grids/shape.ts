/** Grids of layers that reshape, pad or drop. */
import type { Grid } from './grid.ts';
import { anyRank, ofRank, type Rank } from './inputs.ts';

const dims = [1, 2, 3, -1, -2, -3, 0, -4, 5, -6];
const p = [undefined, 0, 0.2, 0.9, 1, 1.5, -0.1];
const values: Grid = { params: { p }, inputs: anyRank };

const channels = (rank: Rank): Grid => ({ params: { p }, inputs: [...ofRank[rank], [2, 3, 2, 2, 2]] });

export const shapeGrids: { [kind: string]: Grid } = {
  Flatten: {
    params: { start_dim: [undefined, ...dims], end_dim: [undefined, ...dims] },
    inputs: anyRank,
    combinations: 80,
  },
  Unflatten: {
    params: {
      dim: dims,
      unflattened_size: [[3], [2, 3], [-1, 2], [1, -1, 1], [6, 1], [4], [2, 2], [-1, -1], [0, -1], [3, 2, 1], []],
    },
    inputs: [[6], [3, 4], [6, 2], [3, 4, 6], [2, 6, 3], [1]],
    combinations: 80,
  },
  Permute: {
    params: {
      dims: [
        [0, 2, 1],
        [0, 1],
        [0, 1, 2],
        [0, -1, 1],
        [0, 2, 3, 1],
        [0, 3, 1, 2],
        [-4, -1, -2, -3],
        [1, 0, 2],
        [0, 1, 1],
        [2, 1, 0],
        [0, 3, 1],
        [-1],
        [],
      ],
    },
    inputs: anyRank,
    combinations: 80,
  },
  Identity: { params: {}, inputs: anyRank },
  Dropout: values,
  Dropout1d: channels(1),
  Dropout2d: channels(2),
  Dropout3d: channels(3),
  AlphaDropout: values,
  FeatureAlphaDropout: values,
  StochasticDepth: {
    params: { p: [0.5, 0, 0.2, 1, 1.5, -0.1], mode: [undefined, 'row', 'batch', 'all'] },
    inputs: anyRank,
  },
};

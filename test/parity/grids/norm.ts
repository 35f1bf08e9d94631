/** Grids of normalisations. */
import type { Grid } from './grid.ts';
import { anyRank, ofRank, type Rank } from './inputs.ts';

function batch(rank: Rank): Grid {
  return {
    params: {
      eps: [undefined, 1e-3, 0],
      momentum: [undefined, 0.2, null, 0, 1],
      affine: [undefined, true, false],
      track_running_stats: [undefined, true, false],
      bias: [undefined, true, false],
    },
    inputs: ofRank[rank],
  };
}

function instance(rank: Rank): Grid {
  const { params, inputs } = batch(rank);
  return { params: { ...params, affine: [undefined, false, true] }, inputs };
}

export const normGrids: { [kind: string]: Grid } = {
  BatchNorm1d: batch(1),
  BatchNorm2d: batch(2),
  BatchNorm3d: batch(3),
  InstanceNorm1d: instance(1),
  InstanceNorm2d: instance(2),
  InstanceNorm3d: instance(3),
  LayerNorm: {
    params: {
      normalized_shape: [undefined, 6, [6], [4, 6], [3, 4, 6], [3, 4], 4, [1, 3, 4, 6]],
      eps: [undefined, 1e-3],
      elementwise_affine: [undefined, true, false],
      bias: [undefined, true, false],
    },
    inputs: anyRank,
  },
  RMSNorm: {
    params: {
      normalized_shape: [undefined, 6, [6], [4, 6], [3, 4, 6], [3, 4], 4, [1, 3, 4, 6]],
      eps: [undefined, null, 1e-3, 0],
      elementwise_affine: [undefined, true, false],
    },
    inputs: anyRank,
  },
  GroupNorm: {
    params: {
      num_groups: [1, 3, 2, 4, 6, 0],
      eps: [undefined, 1e-3, 0],
      affine: [undefined, true, false],
      bias: [undefined, true, false],
    },
    inputs: [[6, 3, 4], ...anyRank],
  },
  LocalResponseNorm: {
    params: {
      size: [3, 1, 2, 4, 9, 0],
      alpha: [undefined, 0.5, 0],
      beta: [undefined, 0.5, -1],
      k: [undefined, 2, 0.1],
    },
    inputs: [[5, 3, 4], ...anyRank],
  },
};

/** Grids of normalisations. */
import type { Grid } from './grid.ts';
import { anyRank, ofRank, type Rank } from './inputs.ts';

const eps = [undefined, 1e-3, 0, -1e-3];

function channels(rank: Rank): Grid {
  return {
    params: {
      eps,
      momentum: [undefined, 0.2, null, 0, 1],
      affine: [undefined, true, false],
      track_running_stats: [undefined, true, false],
      bias: [undefined, true, false],
    },
    inputs: [...ofRank[rank], [5]],
  };
}

/** With what a norm over the last dimensions learns. */
function last(params: Grid['params']): Grid {
  return {
    params: {
      normalized_shape: [undefined, 6, [6], [4, 6], [3, 4, 6], [3, 4], 4, [1, 3, 4, 6], []],
      elementwise_affine: [undefined, true, false],
      ...params,
    },
    inputs: anyRank,
  };
}

export const normGrids: { [kind: string]: Grid } = {
  BatchNorm1d: channels(1),
  BatchNorm2d: channels(2),
  BatchNorm3d: channels(3),
  InstanceNorm1d: channels(1),
  InstanceNorm2d: channels(2),
  InstanceNorm3d: channels(3),
  LayerNorm: last({ eps, bias: [undefined, true, false] }),
  RMSNorm: last({ eps: [...eps, null] }),
  GroupNorm: {
    params: {
      num_groups: [2, 1, 3, 4, 5, 0, -1],
      eps,
      affine: [undefined, true, false],
      bias: [undefined, true, false],
    },
    inputs: [[4, 5, 6], [4, 1, 1], [6, 7], [12], [1, 3], [4, 3, 2, 3], [2, 1, 2, 3, 2]],
  },
  LocalResponseNorm: {
    params: {
      size: [2, 1, 3, 5, 8, 0, -1],
      alpha: [undefined, 0.5, 0, -0.01],
      beta: [undefined, 0.5, 1],
      k: [undefined, 2, 0.5],
    },
    inputs: [[4, 5, 6], [4, 1, 1], [6, 7], [12], [1, 3], [4, 3, 2, 3], [2, 1, 2, 3, 2]],
  },
};

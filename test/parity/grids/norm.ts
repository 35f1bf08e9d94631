/** Grids of normalisations. */
import type { Grid } from './grid.ts';
import { anyRank, ofRank, type Rank } from './inputs.ts';

function batch(rank: Rank): Grid {
  return {
    params: {
      eps: [undefined, 1e-3],
      momentum: [undefined, 0.2, null, 0, 1],
      affine: [undefined, true, false],
      track_running_stats: [undefined, true, false],
      bias: [undefined, true, false],
    },
    inputs: ofRank[rank],
  };
}

export const normGrids: { [kind: string]: Grid } = {
  BatchNorm2d: batch(2),
  LayerNorm: {
    params: {
      normalized_shape: [undefined, 6, [6], [4, 6], [3, 4, 6], [3, 4], 4, [1, 3, 4, 6]],
      eps: [undefined, 1e-3],
      elementwise_affine: [undefined, true, false],
      bias: [undefined, true, false],
    },
    inputs: anyRank,
  },
};

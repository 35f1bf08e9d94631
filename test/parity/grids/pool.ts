/** Grids of poolings. */
import type { Grid } from './grid.ts';
import { ofRank, type Rank, sides } from './inputs.ts';

const strides = (rank: Rank) => [undefined, null, 1, 2, 3, sides(rank, 1, 2, 3), 0];
const paddings = (rank: Rank) => [undefined, 0, 1, 2, sides(rank, 0, 1, 1), -1];

function max(rank: Rank): Grid {
  return {
    params: {
      kernel_size: [2, 1, 3, 4, sides(rank, 2, 3, 1), 0],
      stride: strides(rank),
      padding: paddings(rank),
      dilation: [undefined, 1, 2, sides(rank, 2, 1, 3), 0],
      ceil_mode: [undefined, false, true],
    },
    inputs: ofRank[rank],
    combinations: 80,
  };
}

function average(rank: Rank): Grid {
  return {
    params: {
      kernel_size: [2, 1, 3, 4, sides(rank, 2, 3, 1), 0],
      stride: strides(rank),
      padding: paddings(rank),
      ceil_mode: [undefined, false, true],
      count_include_pad: [undefined, true, false],
      // 1d has none in PyTorch.
      ...(rank === 1 ? {} : { divisor_override: [undefined, null, 1, 3, -2, 0] }),
    },
    inputs: ofRank[rank],
    combinations: 80,
  };
}

function adaptive(rank: Rank): Grid {
  const open = rank === 1 ? null : [null, ...sides(rank, 3, 2).slice(1)];
  return {
    params: { output_size: [1, 2, 5, 12, sides(rank, 2, 3, 4), open, 0] },
    inputs: ofRank[rank],
  };
}

export const poolGrids: { [kind: string]: Grid } = {
  MaxPool2d: max(2),
  AvgPool2d: average(2),
  AdaptiveAvgPool2d: adaptive(2),
};

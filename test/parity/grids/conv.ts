/** Grids of convolutions. */
import type { Grid } from './grid.ts';
import { ofRank, type Rank, sides } from './inputs.ts';

/** One grid for the three ranks; the window of the usual case fits the first input. */
function convolution(rank: Rank): Grid {
  return {
    params: {
      out_channels: [4, 1, 6, 8, 0],
      kernel_size: [3, 1, 2, 4, 6, sides(rank, 3, 1, 2), sides(rank, 2, 4, 1)],
      stride: [undefined, 1, 2, 3, sides(rank, 2, 1, 3), 0],
      padding: [undefined, 0, 1, 2, 5, sides(rank, 1, 2, 0), 'same', 'valid', -1],
      dilation: [undefined, 1, 2, sides(rank, 1, 3, 2), 4],
      groups: [undefined, 1, 2, 4, 3, 0],
      bias: [undefined, true, false],
      padding_mode: [undefined, 'zeros', 'reflect', 'replicate', 'circular'],
    },
    inputs: ofRank[rank],
    more: ['reflect', 'replicate', 'circular'].flatMap((padding_mode) =>
      [1, 2, 4, 9, 'same', 'valid', sides(rank, 1, 2, 0)].map(
        (padding) =>
          [{ padding_mode, padding, kernel_size: sides(rank, 3, 2, 4) }, ofRank[rank][0] as number[]] as const,
      ),
    ),
    combinations: 80,
  };
}

export const convGrids: { [kind: string]: Grid } = {
  Conv2d: convolution(2),
};

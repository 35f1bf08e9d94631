/** Grids of convolutions. */
import type { Grid } from './grid.ts';
import { ofRank, type Rank, sides } from './inputs.ts';

const borders = ['reflect', 'replicate', 'circular'];

/** One grid for the three ranks; the window of the usual case fits the first input. */
function convolution(rank: Rank): Grid {
  return {
    params: {
      out_channels: [4, 1, 6, 8, 0],
      kernel_size: [3, 1, 2, 4, 6, sides(rank, 3, 1, 2), sides(rank, 2, 4, 1), 0],
      stride: [undefined, 1, 2, 3, sides(rank, 2, 1, 3), 0],
      padding: [undefined, 0, 1, 2, 5, sides(rank, 1, 2, 0), 'same', 'valid', -1],
      dilation: [undefined, 1, 2, sides(rank, 1, 3, 2), 4, 0],
      groups: [undefined, 1, 2, 4, 3, 0],
      bias: [undefined, true, false],
      padding_mode: [undefined, 'zeros', ...borders],
    },
    inputs: ofRank[rank],
    more: borders.flatMap((padding_mode) =>
      [1, 2, 4, 9, 'same', 'valid', sides(rank, 1, 2, 0)].map(
        (padding) =>
          [{ padding_mode, padding, kernel_size: sides(rank, 3, 2, 4) }, ofRank[rank][0] as number[]] as const,
      ),
    ),
    combinations: 60,
  };
}

function transposed(rank: Rank): Grid {
  return {
    params: {
      out_channels: [4, 1, 6, 0],
      kernel_size: [3, 1, 2, 4, sides(rank, 3, 1, 2)],
      stride: [undefined, 1, 2, 3, sides(rank, 2, 1, 3), 0],
      padding: [undefined, 0, 1, 2, 5, sides(rank, 1, 2, 0), -1],
      output_padding: [undefined, 0, 1, 2, sides(rank, 1, 0, 2), -1],
      groups: [undefined, 1, 2, 4, 3, 0],
      bias: [undefined, true, false],
      dilation: [undefined, 1, 2, sides(rank, 1, 3, 2)],
      padding_mode: [undefined, 'zeros', 'reflect'],
    },
    inputs: ofRank[rank],
    more: [
      [{ stride: 2, output_padding: 1 }, ofRank[rank][0] as number[]],
      [{ stride: 3, output_padding: 2, padding: 1 }, ofRank[rank][0] as number[]],
      [{ dilation: 2, output_padding: 1 }, ofRank[rank][0] as number[]],
      [{ stride: 3, output_padding: 3 }, ofRank[rank][0] as number[]],
    ],
    combinations: 60,
  };
}

const separable = convolution(2);
const { groups: _, ...separableParams } = separable.params;

export const convGrids: { [kind: string]: Grid } = {
  Conv1d: convolution(1),
  Conv2d: convolution(2),
  Conv3d: convolution(3),
  ConvTranspose1d: transposed(1),
  ConvTranspose2d: transposed(2),
  ConvTranspose3d: transposed(3),
  DepthwiseSeparableConv2d: { ...separable, params: separableParams },
};

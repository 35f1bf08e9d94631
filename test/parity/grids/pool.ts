/** Grids of poolings. */
import type { Grid } from './grid.ts';
import { anyRank, ofRank, type Rank, sides } from './inputs.ts';

const kernels = (rank: Rank) => [2, 1, 3, 4, sides(rank, 2, 3, 1), 0];
const strides = (rank: Rank) => [undefined, null, 1, 2, 3, sides(rank, 1, 2, 3), 0];
const paddings = (rank: Rank) => [undefined, 0, 1, 2, sides(rank, 0, 1, 1), -1];
const ceil_mode = [undefined, false, true];

/** Windows larger than what arrives, which padding or an overhang may make up for. */
const large = (rank: Rank): NonNullable<Grid['more']> =>
  ofRank[rank]
    .slice(0, 4)
    .flatMap((input) => [
      [{ kernel_size: 4, ceil_mode: true }, input] as const,
      [{ kernel_size: 4, ceil_mode: true, stride: 1 }, input] as const,
      [{ kernel_size: 4, padding: 2 }, input] as const,
      [{ kernel_size: 5, padding: 2, ceil_mode: true }, input] as const,
    ]);

function max(rank: Rank): Grid {
  return {
    params: {
      kernel_size: kernels(rank),
      stride: strides(rank),
      padding: paddings(rank),
      dilation: [undefined, 1, 2, sides(rank, 2, 1, 3), 0],
      ceil_mode,
    },
    inputs: ofRank[rank],
    more: large(rank),
    combinations: 50,
  };
}

function average(rank: Rank): Grid {
  return {
    params: {
      kernel_size: kernels(rank),
      stride: strides(rank),
      padding: paddings(rank),
      ceil_mode,
      count_include_pad: [undefined, true, false],
      // 1d has none in PyTorch.
      ...(rank === 1 ? {} : { divisor_override: [undefined, null, 1, 3, -2, 0] }),
    },
    inputs: ofRank[rank],
    more: large(rank),
    combinations: 50,
  };
}

function power(rank: Rank): Grid {
  return {
    params: {
      norm_type: [2, 1, 3, 4, 1.5, 0.5, 0, -1],
      kernel_size: kernels(rank),
      stride: strides(rank),
      ceil_mode,
    },
    inputs: ofRank[rank],
    more: large(rank).filter(([given]) => !('padding' in given)),
  };
}

function adaptive(rank: Rank): Grid {
  const open = rank === 1 ? null : [null, ...sides(rank, 3, 2).slice(1)];
  return {
    params: { output_size: [1, 2, 5, 12, sides(rank, 2, 3, 4), open, 0] },
    inputs: ofRank[rank],
  };
}

const whole: Grid = { params: { keepdim: [undefined, false, true] }, inputs: anyRank };

export const poolGrids: { [kind: string]: Grid } = {
  ...Object.fromEntries(
    ([1, 2, 3] as const).flatMap((rank) => [
      [`MaxPool${rank}d`, max(rank)],
      [`AvgPool${rank}d`, average(rank)],
      [`LPPool${rank}d`, power(rank)],
      [`AdaptiveAvgPool${rank}d`, adaptive(rank)],
      [`AdaptiveMaxPool${rank}d`, adaptive(rank)],
    ]),
  ),
  GlobalAvgPool: whole,
  GlobalMaxPool: whole,
};

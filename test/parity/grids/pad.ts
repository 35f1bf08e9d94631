/** Grids of paddings, and of what makes images larger. */
import type { Grid } from './grid.ts';
import { anyRank, ofRank, type Rank } from './inputs.ts';

/** Before and after, the innermost side first. */
const around = (rank: Rank, ...widths: number[]) =>
  Array.from({ length: 2 * rank }, (_, at) => widths[at % widths.length]);

function padding(rank: Rank, params: Grid['params'] = {}): Grid {
  return {
    params: {
      padding: [
        1,
        0,
        2,
        8,
        -1,
        -2,
        -9,
        around(rank, 1, 0),
        around(rank, 0, 2, 1),
        around(rank, -1, 2),
        around(rank, 3, -1, -2),
        around(rank, -3, 3),
        around(rank, -3, -3),
        [1, 2],
        [1, 1, 2],
      ],
      ...params,
    },
    inputs: [...ofRank[rank], [2, 2, 3, 4, 4], [5, 2, 2, 2]],
    combinations: 60,
  };
}

const modes = ['nearest', 'nearest-exact', 'linear', 'bilinear', 'bicubic', 'trilinear', 'area', 'lanczos'];

export const padGrids: { [kind: string]: Grid } = {
  ...Object.fromEntries(
    ([1, 2, 3] as const).flatMap((rank) => [
      [`ZeroPad${rank}d`, padding(rank)],
      [`ConstantPad${rank}d`, padding(rank, { value: [0.5, 0, -2] })],
      ...['Reflection', 'Replication', 'Circular'].map((mode) => [`${mode}Pad${rank}d`, padding(rank)]),
    ]),
  ),
  Upsample: {
    params: {
      size: [undefined, null, 5, [5, 7], [7], [3, 5, 4], 0],
      scale_factor: [2, undefined, 1.7, 0.6, [1.7, 2.3], [2, 1, 2.5], [0.5], 0, 0.1, -1],
      mode: [undefined, ...modes],
      align_corners: [undefined, null, true, false],
      recompute_scale_factor: [undefined, null, true, false],
    },
    inputs: [[2, 4, 5], [3, 6], [2, 3, 4, 3], [5], [2, 2, 2, 2, 2], [1, 1, 1]],
    more: ['linear', 'bilinear', 'bicubic', 'trilinear', 'nearest', 'nearest-exact', 'area'].flatMap((mode) =>
      [
        [3, 6],
        [2, 4, 5],
        [2, 3, 4, 3],
      ].flatMap((input) => [
        [{ mode, scale_factor: 1.7 }, input] as const,
        [{ mode, scale_factor: 2.3, align_corners: true }, input] as const,
        [{ mode, scale_factor: undefined, size: 5 }, input] as const,
        [{ mode, scale_factor: 0.7, recompute_scale_factor: true }, input] as const,
      ]),
    ),
    combinations: 100,
  },
  PixelShuffle: {
    params: { upscale_factor: [2, 1, 3, 0, -1] },
    inputs: [[8, 3, 2], [9, 2, 3], [4, 1, 1], [3, 4, 5], [4, 6], [2, 8, 3, 2], [2, 2, 4, 2, 2], ...anyRank],
  },
  PixelUnshuffle: {
    params: { downscale_factor: [2, 1, 3, 0, -1] },
    inputs: [[2, 6, 4], [1, 3, 9], [3, 1, 1], [6, 4], [2, 3, 6, 6], [2, 2, 2, 4, 2], ...anyRank],
  },
};

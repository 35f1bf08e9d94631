/** Grids of dense layers. */

import type { Grid } from './grid.ts';
import { anyRank } from './inputs.ts';

export const denseGrids: { [kind: string]: Grid } = {
  Linear: { params: { out_features: [5, 1, 0, -1, 16], bias: [undefined, true, false] }, inputs: anyRank },
  Bilinear: { params: { out_features: [5, 1, 0, -1, 16], bias: [undefined, true, false] }, inputs: anyRank },
};

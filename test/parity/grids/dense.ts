/** Grids of dense layers. */
import type { Grid } from './grid.ts';
import { anyRank } from './inputs.ts';

const dense: Grid = { params: { out_features: [5, 1, 0, -1, 16], bias: [undefined, true, false] }, inputs: anyRank };

export const denseGrids: { [kind: string]: Grid } = { Linear: dense, Bilinear: dense };

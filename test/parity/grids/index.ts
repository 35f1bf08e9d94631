/** The grids of all kinds, by kind. A new kind needs one entry, in its family's file. */
import { activationGrids } from './activation.ts';
import { blockGrids } from './block.ts';
import { convGrids } from './conv.ts';
import { denseGrids } from './dense.ts';
import type { Grid } from './grid.ts';
import { normGrids } from './norm.ts';
import { padGrids } from './pad.ts';
import { poolGrids } from './pool.ts';
import { sequenceGrids } from './sequence.ts';
import { shapeGrids } from './shape.ts';

export const grids: { readonly [kind: string]: Grid } = {
  ...denseGrids,
  ...convGrids,
  ...poolGrids,
  ...normGrids,
  ...activationGrids,
  ...sequenceGrids,
  ...shapeGrids,
  ...padGrids,
  ...blockGrids,
};

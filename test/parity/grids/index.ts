/** The grids of all kinds, by kind: an entry of its family's file, else what follows from its row. */
import { layerKinds } from '../../../engine/contract/layers/index.ts';
import { activationGrids } from './activation.ts';
import { blockGrids } from './block.ts';
import { convGrids } from './conv.ts';
import { denseGrids } from './dense.ts';
import { derivedGrid } from './derived.ts';
import type { Grid } from './grid.ts';
import { normGrids } from './norm.ts';
import { padGrids } from './pad.ts';
import { poolGrids } from './pool.ts';
import { sequenceGrids } from './sequence.ts';
import { shapeGrids } from './shape.ts';

const written: { readonly [kind: string]: Grid } = {
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

export const grids: { readonly [kind: string]: Grid } = Object.fromEntries(
  layerKinds.map((row) => [row.kind, written[row.kind] ?? derivedGrid(row)]),
);

/** Kinds that the table does not have (any more): their grids are to be removed. */
export const superfluous = Object.keys(written).filter((kind) => !(kind in grids));

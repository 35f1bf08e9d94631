/** The table of layer kinds, all families together. To add a kind: a row in its family's file, and its row in native/src/core/layers. */
import { tableOf } from '../table.ts';
import { activationKinds } from './activation.ts';
import { blockKinds } from './block.ts';
import { convKinds } from './conv.ts';
import { denseKinds } from './dense.ts';
import type { LayerKind } from './kind.ts';
import { normKinds } from './norm.ts';
import { poolKinds } from './pool.ts';
import { shapeKinds } from './shape.ts';

/** In the palette's order. */
export const layerKinds: readonly LayerKind[] = [
  ...denseKinds,
  ...convKinds,
  ...poolKinds,
  ...normKinds,
  ...activationKinds,
  ...shapeKinds,
  ...blockKinds,
];

export const layerTable = tableOf(layerKinds);

/** The row of a kind; throws for a kind that the table does not have. */
export function layerKind(kind: string): LayerKind {
  const row = layerTable.get(kind);
  if (!row) throw new Error(`There is no layer kind ${kind}`);
  return row;
}

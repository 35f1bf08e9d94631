/** The table of layer kinds, all families together. To add a kind: a row in its family's file, and its row in native/src/core/layers. */
import { tableOf } from '../table.ts';
import { activationKinds } from './activation.ts';
import { activationDimKinds } from './activation-dim.ts';
import { blockKinds } from './block.ts';
import { convKinds } from './conv.ts';
import { denseKinds } from './dense.ts';
import { dropoutKinds } from './dropout.ts';
import type { LayerKind } from './kind.ts';
import { normKinds } from './norm.ts';
import { sampleNormKinds } from './norm-sample.ts';
import { poolKinds } from './pool.ts';
import { shapeKinds } from './shape.ts';
import { squeezeKinds } from './squeeze.ts';

/** In the palette's order. */
export const layerKinds: readonly LayerKind[] = [
  ...denseKinds,
  ...convKinds,
  ...poolKinds,
  ...normKinds,
  ...sampleNormKinds,
  ...activationKinds,
  ...activationDimKinds,
  ...dropoutKinds,
  ...shapeKinds,
  ...blockKinds,
  ...squeezeKinds,
];

export const layerTable = tableOf(layerKinds);

/** The row of a kind; throws for a kind that the table does not have. */
export function layerKind(kind: string): LayerKind {
  const row = layerTable.get(kind);
  if (!row) throw new Error(`There is no layer kind ${kind}`);
  return row;
}

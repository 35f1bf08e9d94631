/** The table of layer kinds, all families together. To add a kind: a row in its family's file, and its row in native/src/core/layers. */
import { tableOf } from '../table.ts';
import { activationKinds } from './activation.ts';
import { activationDimKinds } from './activation-dim.ts';
import { attentionKinds } from './attention.ts';
import { blockKinds } from './block.ts';
import { convKinds } from './conv.ts';
import { convSeparableKinds } from './conv-separable.ts';
import { convTransposeKinds } from './conv-transpose.ts';
import { denseKinds } from './dense.ts';
import { dropoutKinds } from './dropout.ts';
import { embeddingKinds } from './embedding.ts';
import type { LayerKind } from './kind.ts';
import { normKinds } from './norm.ts';
import { sampleNormKinds } from './norm-sample.ts';
import { padKinds } from './pad.ts';
import { poolKinds } from './pool.ts';
import { adaptivePoolKinds } from './pool-adaptive.ts';
import { recurrentKinds } from './recurrent.ts';
import { sequenceKinds } from './sequence.ts';
import { shapeKinds } from './shape.ts';
import { squeezeKinds } from './squeeze.ts';
import { transformerKinds } from './transformer.ts';
import { upsampleKinds } from './upsample.ts';

/** In the palette's order. */
export const layerKinds: readonly LayerKind[] = [
  ...denseKinds,
  ...convKinds,
  ...convTransposeKinds,
  ...convSeparableKinds,
  ...poolKinds,
  ...adaptivePoolKinds,
  ...normKinds,
  ...sampleNormKinds,
  ...activationKinds,
  ...activationDimKinds,
  ...dropoutKinds,
  ...embeddingKinds,
  ...sequenceKinds,
  ...recurrentKinds,
  ...attentionKinds,
  ...transformerKinds,
  ...shapeKinds,
  ...padKinds,
  ...upsampleKinds,
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

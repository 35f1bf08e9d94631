/** The categories of layers as the palette orders and names them, and their colours. */
import type { CSSProperties } from 'react';
import { layerTable } from '../../engine/contract/layers/index.ts';
import type { LayerCategory } from '../../engine/contract/layers/kind.ts';

export const categories: readonly { category: LayerCategory; label: string }[] = [
  { category: 'dense', label: 'Dense' },
  { category: 'conv', label: 'Convolution' },
  { category: 'pool', label: 'Pooling' },
  { category: 'norm', label: 'Normalisation' },
  { category: 'activation', label: 'Activation' },
  { category: 'sequence', label: 'Sequences' },
  { category: 'shape', label: 'Shape and dropout' },
  { category: 'block', label: 'Blocks' },
];

/** null: a kind that the table does not have. */
export function categoryOf(kind: string): LayerCategory | null {
  return layerTable.get(kind)?.category ?? null;
}

/** The colours of a category as variables for the element's own styles; those of shapes for a kind that is not known. */
export function categoryStyle(category: LayerCategory | null): CSSProperties {
  const name = `--cat-${category ?? 'shape'}`;
  const variables = { '--cat': `var(${name})`, '--cat-tint': `var(${name}-tint)`, '--cat-text': `var(${name}-text)` };
  return variables as CSSProperties;
}

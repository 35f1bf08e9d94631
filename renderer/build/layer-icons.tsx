/** A small picture of each kind of layer, in its category's colour. */
import {
  IconArrowBarBoth,
  IconArrowsJoin,
  IconArrowsMinimize,
  IconArrowsSplit2,
  IconBox,
  IconBrandStackshare,
  IconChartDots,
  IconChartLine,
  IconCircleDashed,
  IconEqual,
  IconGridDots,
  IconGridPattern,
  IconLayersSubtract,
  IconLineDashed,
  IconQuestionMark,
  IconRepeat,
  IconStackPush,
  IconTimeline,
  IconWaveSine,
  type TablerIcon,
} from '@tabler/icons-react';
import type { CSSProperties } from 'react';
import { layerTable } from '../../engine/contract/layers/index.ts';
import type { LayerCategory } from '../../engine/contract/layers/kind.ts';

/** (A map: a kind of a file may be called like what every object has.) */
const byKind = new Map<string, TablerIcon>(
  Object.entries({
    Linear: IconBrandStackshare,
    Flatten: IconLineDashed,
    Identity: IconEqual,
    Dropout: IconCircleDashed,
    Residual: IconArrowsJoin,
    Parallel: IconArrowsSplit2,
    Repeat: IconRepeat,
    Block: IconBox,
    AdaptiveAvgPool2d: IconArrowsMinimize,
    Softmax: IconChartDots,
    LogSoftmax: IconChartDots,
    Sigmoid: IconWaveSine,
    Tanh: IconWaveSine,
  }),
);

const byCategory: Record<LayerCategory, TablerIcon> = {
  dense: IconBrandStackshare,
  conv: IconGridPattern,
  pool: IconGridDots,
  norm: IconArrowBarBoth,
  activation: IconChartLine,
  sequence: IconTimeline,
  shape: IconLayersSubtract,
  block: IconStackPush,
};

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

export function LayerIcon({ kind, size = 16 }: { kind: string; size?: number }) {
  const category = categoryOf(kind);
  const Icon = byKind.get(kind) ?? (category === null ? IconQuestionMark : byCategory[category]);
  return <Icon size={size} stroke={1.75} aria-hidden />;
}

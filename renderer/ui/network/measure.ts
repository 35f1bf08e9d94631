/** Sizes of the pictures of networks: everything on logarithmic scales, since tensors differ by thousands. Pure. */
import { layerTable } from '../../../engine/contract/layers/index.ts';
import type { LayerCategory } from '../../../engine/contract/layers/kind.ts';
import type { ThumbLayer } from './thumb.tsx';

export interface ThumbBar {
  key: string;
  x: number;
  width: number;
  height: number;
  category: LayerCategory | null;
  /** Of a block: what it is made of, each a stripe. */
  inside: readonly (LayerCategory | null)[];
  /** So many copies stand one behind another. */
  times: number;
  /** How deep shortcuts lie within each other in it: a residual block has one, a U-Net as many as it has levels. */
  shortcuts: number;
}

/** More stripes could not be told apart. */
const mostStripes = 6;

function categoryOf({ category, kind }: ThumbLayer): LayerCategory | null {
  return category ?? layerTable.get(kind)?.category ?? null;
}

/** Categories of the layers inside a block that have weights or are blocks no more: what it is made of, at a glance. */
function stripesOf(layer: ThumbLayer): (LayerCategory | null)[] {
  const leaves = (layers: readonly ThumbLayer[]): ThumbLayer[] =>
    layers.flatMap((layer) => (layer.children ? layer.children.flatMap((child) => leaves(child.layers)) : [layer]));
  const { children = [] } = layer;
  // Copies are alike: one of them is shown.
  return (copiesOf(layer) > 1 ? children.slice(0, 1) : children)
    .flatMap((child) => leaves(child.layers))
    .map(categoryOf)
    .slice(0, mostStripes);
}

const copiesOf = ({ kind, children = [] }: ThumbLayer): number => (kind === 'Repeat' ? children.length : 1);

function shortcutsOf({ kind, children = [] }: ThumbLayer): number {
  const within = Math.max(0, ...children.flatMap((child) => child.layers.map(shortcutsOf)));
  const passes = kind === 'Parallel' && children.length === 2 && children.some((child) => child.layers.length === 0);
  return within + (kind === 'Residual' || passes ? 1 : 0);
}

function values(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

/** Position of `value` on a logarithmic way from 1 (0) to `largest` (1). */
export function logShare(value: number, largest: number): number {
  if (!(value > 0)) return 0;
  if (largest <= 1) return 1;
  return Math.min(1, Math.max(0, Math.log(value) / Math.log(largest)));
}

/** Layers that have weights are drawn thick, those that only pass values on thin. */
export function thumbBars(
  layers: readonly ThumbLayer[],
  input: readonly number[] | undefined,
  width: number,
  height: number,
): ThumbBar[] {
  type Bar = Pick<ThumbBar, 'key' | 'category' | 'inside' | 'times' | 'shortcuts'> & {
    shape: readonly number[];
    weight: number;
  };
  const all: Bar[] = [
    ...(input ? [{ key: 'input', shape: input, category: null, inside: [], times: 1, shortcuts: 0, weight: 0.6 }] : []),
    ...layers.map((layer, index) => {
      const category = categoryOf(layer);
      const inside = stripesOf(layer);
      return {
        key: `${index} ${layer.kind}`,
        shape: layer.output,
        category,
        inside,
        times: copiesOf(layer),
        shortcuts: shortcutsOf(layer),
        weight:
          inside.length > 1 || copiesOf(layer) > 1
            ? Math.max(copiesOf(layer) > 1 ? 2 : 0, 0.8 + 0.4 * inside.length)
            : layer.parameters > 0 && category !== 'norm'
              ? 1.6
              : category === 'pool' || category === 'norm' || category === 'block'
                ? 1
                : 0.5,
      };
    }),
  ];
  if (all.length === 0) return [];
  const largest = Math.max(...all.map(({ shape }) => values(shape)));
  const weights = all.reduce((sum, { weight }) => sum + weight, 0);
  // Few layers do not spread over the whole picture, many come closer together.
  const gap = Math.min(10, (width * 0.4) / all.length);
  const unit = Math.min(14, (width - gap * (all.length - 1)) / weights);
  const used = unit * weights + gap * (all.length - 1);
  let x = (width - used) / 2;
  return all.map(({ shape, weight, ...known }) => {
    const bar = {
      ...known,
      x,
      width: unit * weight,
      height: 8 + (height - 12) * logShare(values(shape), largest) ** 1.4,
    };
    x += bar.width + gap;
    return bar;
  });
}

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
  const all: { key: string; shape: readonly number[]; category: LayerCategory | null; weight: number }[] = [
    ...(input ? [{ key: 'input', shape: input, category: null, weight: 0.6 }] : []),
    ...layers.map((layer, index) => {
      const category = layer.category ?? layerTable.get(layer.kind)?.category ?? null;
      return {
        key: `${index} ${layer.kind}`,
        shape: layer.output,
        category,
        weight:
          layer.parameters > 0 && category !== 'norm'
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
  return all.map(({ key, shape, category, weight }) => {
    const bar = {
      key,
      x,
      width: unit * weight,
      height: 8 + (height - 12) * logShare(values(shape), largest) ** 1.4,
      category,
    };
    x += bar.width + gap;
    return bar;
  });
}

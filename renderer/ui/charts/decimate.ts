/** Fewer points of a long series, none of its extremes lost: neighbours become one with their minimum, mean and maximum. */
import { firstAtLeast, type Range } from './scale.ts';

export interface Line {
  x: ArrayLike<number>;
  mean: ArrayLike<number>;
  min?: ArrayLike<number> | undefined;
  max?: ArrayLike<number> | undefined;
}

export interface Thinned {
  x: Float64Array;
  /** NaN: nothing finite there. */
  mean: Float64Array;
  min: Float64Array;
  max: Float64Array;
  /** Where values are not finite. */
  gaps: number[];
}

/** Most points that a line is drawn from. */
export const mostPoints = 1500;

/** The points from `from` to `to` and one neighbour on each side, so that lines leave the picture where they should. */
export function decimate(line: Line, [from, to]: Range, most = mostPoints): Thinned {
  const { x, mean, min = mean, max = mean } = line;
  const length = Math.min(x.length, mean.length);
  const start = Math.max(0, firstAtLeast(x, from) - 1);
  const end = Math.min(length, firstAtLeast(x, to) + 1);
  const count = Math.max(0, end - start);
  const size = Math.max(1, Math.ceil(count / most));
  const buckets = Math.ceil(count / size);
  const thinned: Thinned = {
    x: new Float64Array(buckets),
    mean: new Float64Array(buckets).fill(Number.NaN),
    min: new Float64Array(buckets).fill(Number.NaN),
    max: new Float64Array(buckets).fill(Number.NaN),
    gaps: [],
  };
  for (let bucket = 0; bucket < buckets; bucket++) {
    const first = start + bucket * size;
    const last = Math.min(end, first + size);
    let [sum, finite, low, high, at] = [0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
    for (let index = first; index < last; index++) {
      at += x[index] as number;
      const value = mean[index] as number;
      if (!Number.isFinite(value)) {
        if (thinned.gaps.length < most) thinned.gaps.push(x[index] as number);
        continue;
      }
      sum += value;
      finite++;
      low = Math.min(low, finiteOr(min[index], value));
      high = Math.max(high, finiteOr(max[index], value));
    }
    thinned.x[bucket] = at / (last - first);
    if (finite === 0) continue;
    thinned.mean[bucket] = sum / finite;
    thinned.min[bucket] = low;
    thinned.max[bucket] = high;
  }
  return thinned;
}

function finiteOr(value: number | undefined, other: number): number {
  return value !== undefined && Number.isFinite(value) ? value : other;
}

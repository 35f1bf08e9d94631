/** Exponential smoothing as TensorBoard does it: debiased, so that the beginning is not drawn to zero. */

/** `weight` from 0 (as it is) to below 1. What is not finite stays and is passed over. */
export function smooth(values: ArrayLike<number>, weight: number): Float64Array {
  const smoothed = new Float64Array(values.length);
  let last = 0;
  let remaining = 1;
  for (let index = 0; index < values.length; index++) {
    const value = values[index] as number;
    if (!Number.isFinite(value)) {
      smoothed[index] = value;
      continue;
    }
    last = last * weight + (1 - weight) * value;
    remaining *= weight;
    smoothed[index] = last / (1 - remaining);
  }
  return smoothed;
}

/** Products of matrices in half precision on the CPU: oneDNN lays their factors out in tiles first, which is much where they are small. */
import type { Pass } from '../estimate-types.ts';
import type { Dims } from './kind.ts';
import { product } from './kind.ts';

const tile = 14_000;
const most = 262_144;
const mostRows = 110_000;
/** Of a row in the weight's gradient, for which both factors are turned. */
const mostInRow = 450;

/** Smaller products are left to other kernels. */
const smallest = 16 ** 3;

/** Bytes for `rows` times a weight that makes `outputs` of `features`, as if they were fp32's (they count half). */
export function halfProduct(rows: number, [features, outputs]: readonly [number, number], pass: Pass): number {
  if (rows === 1 || rows * features * outputs <= smallest) return 0;
  if (pass === 'backward') return 2 * (tile + rows * Math.min(mostInRow, 2 * (features + outputs)));
  return 2 * (tile + Math.min(most, 256 * features) + Math.min(mostRows, 220 * rows));
}

/** Positions of a sample, each of which is a row. */
export function rowsOf(dims: Dims): number {
  return product(dims.slice(0, -1));
}

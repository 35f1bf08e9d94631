/** Products of matrices in half precision on the CPU: oneDNN lays their factors out in tiles first, which is much where they are small. */
import type { Pass } from '../estimate-types.ts';
import type { Dims } from './kind.ts';
import { product } from './kind.ts';

/** A product's fixed part, and that of a weight's gradient. */
const fixed = 1608;
const tile = 14_000;
/** Of the weight, by features in blocks; of the sums in fp32, by rows in blocks and outputs. */
const block = { features: 32, rows: 16, bytes: 256 };
const most = { features: 512, sums: 131_072, outputs: 128 };
/** Of a row in the weight's gradient, for which both factors are turned. */
const mostInRow = 450;

/** Smaller products are left to other kernels. */
const smallest = 16 ** 3;

/** Bytes for `rows` times a weight that makes `outputs` of `features`, as if they were fp32's (they count half). */
export function halfProduct(rows: number, [features, outputs]: readonly [number, number], pass: Pass): number {
  if (rows === 1 || rows * features * outputs <= smallest) return 0;
  if (pass === 'backward') return 2 * (tile + rows * Math.min(mostInRow, 2 * (features + outputs)));
  const up = (count: number, to: number) => Math.ceil(count / to) * to;
  const weight = block.bytes * Math.min(most.features, up(features, block.features));
  const columns = Math.min(outputs, most.outputs);
  const sums = 4 * columns * Math.min(up(rows, block.rows), Math.floor(most.sums / (4 * up(columns, 64))));
  return 2 * (fixed + weight + sums);
}

/** Positions of a sample, each of which is a row. */
export function rowsOf(dims: Dims): number {
  return product(dims.slice(0, -1));
}

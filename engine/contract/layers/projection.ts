/** The layer with which a Residual's shortcut "auto" brings the input to the shape of what its layers answer. */
import type { PlannedLayer } from '../plan-types.ts';
import type { JsonObject } from '../report.ts';
import { type Dims, sameDims } from './kind.ts';

/**
 * Without bias, as in torchvision's ResNets: a convolution with a window of one and the strides that give the right size, or a Linear where
 * only the last dimension differs. null: there is none. Images and volumes are convolved where that goes. Of two dimensions [A, B] may be
 * channels and length or positions and features: they are convolved first where a layer of `inside` works on channels and length.
 */
export function projection(from: Dims, to: Dims, inside: readonly PlannedLayer[]): JsonObject | null {
  if (from.length !== to.length) return null;
  const ways = [() => convolution(from, to), () => linear(from, to)];
  if (from.length === 2 && !inside.some(worksAlongLength)) ways.reverse();
  for (const way of ways) {
    const found = way();
    if (found) return found;
  }
  return null;
}

function worksAlongLength({ kind, children = [] }: PlannedLayer): boolean {
  return kind.endsWith('1d') || children.some(({ layers }) => layers.some(worksAlongLength));
}

function linear(from: Dims, to: Dims): JsonObject | null {
  const differsInLast = from.length > 0 && sameDims(from.slice(0, -1), to.slice(0, -1));
  return differsInLast ? { kind: 'Linear', out_features: to.at(-1), bias: false } : null;
}

function convolution(from: Dims, to: Dims): JsonObject | null {
  const rank = from.length - 1;
  if (rank < 1 || rank > 3) return null;
  const strides = from.slice(1).map((size, side) => strideFor(size, to[side + 1] as number));
  if (strides.includes(null)) return null;
  const [first] = strides;
  const even = strides.every((stride) => stride === first);
  return {
    kind: `Conv${rank}d`,
    out_channels: to[0],
    kernel_size: 1,
    ...(even && first === 1 ? {} : { stride: even ? first : strides }),
    bias: false,
  };
}

/** The stride at which a window of one takes `size` positions to `wanted`: ⌊(size − 1) / stride⌋ + 1 = wanted. */
function strideFor(size: number, wanted: number): number | null {
  if (wanted === 1) return size;
  const stride = Math.ceil(size / wanted);
  return Math.floor((size - 1) / stride) + 1 === wanted ? stride : null;
}

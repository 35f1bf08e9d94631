/** Windows that slide over images: what convolutions and poolings share. */
import type { Pair } from '../fields.ts';
import type { Fix } from '../problems.ts';
import { removeEdit } from '../report.ts';
import { type Dims, fix, type LayerContext, showDims } from './kind.ts';

export interface Window {
  kernel_size: Pair;
  stride: Pair;
  padding: Pair;
  dilation: Pair;
  ceil_mode: boolean;
}

const sides = [0, 1] as const;
const sideNames = ['height', 'width'] as const;

/** Reach of a kernel with its gaps. */
export function reach(kernel: number, dilation: number): number {
  return dilation * (kernel - 1) + 1;
}

function outputSide(
  size: number,
  kernel: number,
  stride: number,
  padding: number,
  dilation: number,
  ceil: boolean,
): number {
  const free = size + 2 * padding - reach(kernel, dilation);
  const steps = ceil ? Math.ceil(free / stride) : Math.floor(free / stride);
  // A last window that would begin in the padding after the image is left out, as in PyTorch.
  const overhangs = ceil && steps * stride >= size + padding;
  return steps + 1 - (overhangs ? 1 : 0);
}

/** Height and width of the output; null after reporting a window that does not fit. */
export function windowOutput(kind: string, size: Pair, window: Window, context: LayerContext): Pair | null {
  const { kernel_size, stride, padding, dilation, ceil_mode } = window;
  const output = sides.map((side) =>
    outputSide(size[side], kernel_size[side], stride[side], padding[side], dilation[side], ceil_mode),
  ) as Pair;
  const short = sides.find((side) => output[side] < 1);
  if (short === undefined) return output;
  const fitting = sides.map((side) =>
    Math.max(1, Math.min(kernel_size[side], Math.floor((size[side] + 2 * padding[side] - 1) / dilation[side]) + 1)),
  ) as Pair;
  const padded = kind === 'Conv2d';
  const fixes: Fix[] = [];
  if (padded || sides.every((side) => padding[side] <= fitting[side] / 2)) {
    fixes.push(context.set(`Set kernel_size to ${pairText(fitting)}`, { kernel_size: pairValue(fitting) }));
  }
  if (padded) {
    const wider = sides.map((side) =>
      Math.max(padding[side], Math.ceil((reach(kernel_size[side], dilation[side]) - size[side]) / 2)),
    ) as Pair;
    fixes.push(context.set(`Set padding to ${pairText(wider)}`, { padding: pairValue(wider) }));
  }
  fixes.push(fix(`Remove this ${kind}`, removeEdit(context.place)));
  return context.refuse(
    'EMPTY_OUTPUT',
    'kernel_size',
    `The window of ${kind} spans ${reach(kernel_size[short], dilation[short])} in ${sideNames[short]} but its input has only ${size[short]}${
      padding[short] > 0 ? ` and ${padding[short]} of padding on each side` : ''
    }`,
    'Use a smaller window, more padding, or fewer layers that shrink the image.',
    fixes,
  );
}

/** PyTorch allows a pooling window's padding to be at most half the window. */
export function checkPoolPadding(kind: string, { kernel_size, padding }: Window, context: LayerContext): boolean {
  const side = sides.find((each) => padding[each] > Math.floor(kernel_size[each] / 2));
  if (side === undefined) return true;
  const most = kernel_size.map((each) => Math.floor(each / 2)) as Pair;
  context.refuse(
    'BAD_VALUE',
    'padding',
    `The padding of ${kind} may be at most half its window: ${pairText(most)}, but it is ${pairText(padding)}`,
    'Lower the padding or widen the window.',
    [context.set(`Set padding to ${pairText(most)}`, { padding: pairValue(most) })],
  );
  return false;
}

export function pairValue(pair: Pair): number | Pair {
  return pair[0] === pair[1] ? pair[0] : pair;
}

export function pairText(pair: Pair): string {
  return JSON.stringify(pairValue(pair));
}

/** An image's channels, height and width; null after reporting what was received instead. */
export function imageDims(kind: string, dims: Dims, context: LayerContext): [number, number, number] | null {
  const [channels, height, width, ...more] = dims;
  if (channels !== undefined && height !== undefined && width !== undefined && more.length === 0) {
    return [channels, height, width];
  }
  const { before } = context;
  return context.refuse(
    'WRONG_RANK',
    null,
    `${kind} wants images [channels, height, width] but receives ${showDims(dims)}`,
    before?.kind === 'Flatten' ? 'Move it before Flatten.' : 'Use it where the tensor still has three dimensions.',
    [
      ...(before?.kind === 'Flatten' ? [fix('Remove the Flatten before it', removeEdit(before.place))] : []),
      fix(`Remove this ${kind}`, removeEdit(context.place)),
    ],
  );
}

/** Height and width of what a pooling receives: images, or planes [height, width] (PyTorch takes both). */
export function planeDims(kind: string, dims: Dims, context: LayerContext): { lead: number[]; size: Pair } | null {
  if (dims.length === 2) return { lead: [], size: [dims[0] as number, dims[1] as number] };
  const image = imageDims(kind, dims, context);
  return image && { lead: [image[0]], size: [image[1], image[2]] };
}

/**
 * What oneDNN takes for convolutions on the CPU, as measured with AVX-512 and two threads. Images it wants with their channels last. Sequences
 * and volumes it convolves in blocks of channels, into which tensors are copied and out of which come the results. Of each computation there
 * are moments that follow each other; the highest counts.
 */
import type { Operation, Pass } from '../estimate-types.ts';
import type { PlannedLayer } from '../plan-types.ts';
import { type LayerKind, type Layout, type Lying, product } from './kind.ts';

const channelBlock = 16;
const halfBlock = 8;
/** So few channels of an input are not put in blocks for the weight's gradient. */
const fewest = 3;
/** Rows of tiles that the threads work on: of a plain pass, of the gradient behind a stride, and of the weight's gradient, whole and of volumes. */
const tiles = 12_400;
const stridedTiles = 61_500;
const sums = 21_000;
const parts = 8600;
/** More behind a stride that does not divide the rows there; and of a transposed convolution's weight's gradient. */
const unevenTiles = 36_900;
const transposedSums = 8500;
const mostPieces = 98_000;

/** Taps of a kernel from which on each thread lays the windows of a volume's plane side by side, where channels are few; and sums of weights then. */
const largeVolume = 27;
const partialSums = 8;
const threads = 2;
/** In half precision, of images, and of sequences and volumes. */
const halfSums = 30_000;
const halfRowSums = 12_000;
/** A single small sample is not given to oneDNN: its windows are laid side by side. */
const smallSample = 20_480;
const largeKernel = 3;

/** A layer's numbers. */
function sizesOf({ kind, args, input, output }: PlannedLayer) {
  const [groups, stride, kernel] = [args.groups ?? 1, args.stride, args.kernel_size] as [number, number[], number[]];
  const [entering = 1, leaving = 1] = [input[0], output[0]];
  const taps = product(kernel);
  const wide = kernel.length > 1 && kernel.slice(-2).every((side) => side > largeKernel);
  const small = groups === 1 && !wide && product(input.slice(0, 3)) <= smallSample;
  const windows = kind.startsWith('ConvTranspose')
    ? leaving * product(input.slice(1))
    : entering * product(output.slice(1));
  const copied = taps > 1 || product(stride) > 1;
  return {
    entering,
    leaving,
    taps,
    groups,
    strided: product(stride) > 1,
    large: kernel.some((side) => side > largeKernel),
    uneven: ((kind.startsWith('ConvTranspose') ? output : input).at(-1) ?? 0) % (stride.at(-1) ?? 1) > 0,
    input: 4 * product(input),
    output: 4 * product(output),
    /** What a batch of one takes where it is small: null where it is not. */
    alone: small ? (copied ? 4 * taps * windows : 0) : null,
    /** With as many channels as the blocks have. */
    weights: (blocks(entering) * blocks(leaving) * taps * 4) / groups,
  };
}

/** For the weight's gradient in half precision, where all of this counts half: it is added up in fp32, by each thread where there are few blocks. */
function halfSumming(weights: number, leaving: number, base: number): number {
  return 2 * (base + weights * (leaving > threads * channelBlock ? 1 : threads));
}

function blocks(channels: number): number {
  return upTo(channels, channelBlock);
}

/** A convolution whose weight is one number an output lies either way: it is done with channels first, in blocks. */
function single({ args }: PlannedLayer): boolean {
  return args.in_channels === args.groups && product(args.kernel_size as number[]) === 1;
}

/** Of images. */
export const imageConvolution = {
  layout: (layer): Layout => (single(layer) ? {} : { output: 'last', gradient: 'last' }),
  onCpu: (operation, lying) => (single(operation.layer) ? inBlocks(operation) : inOrder(operation, lying)),
} satisfies Pick<LayerKind, 'layout' | 'onCpu'>;

/** Of images with their channels last: others are copied; `within`: what a second convolution reads, and its gradient. */
export function inOrder(operation: Operation, lying: Lying, within = 0): Pick<Operation, 'workspace'> {
  const { layer, outputBytes, keeps, inputs } = operation;
  const { input, alone } = sizesOf(layer);
  // Of a border that it cannot add itself there is a copy, with a gradient of its own.
  const bordered = keeps.bytes - within;
  const circular = layer.args.padding_mode === 'circular';
  const copied = lying.input === 'first' || (bordered > 0 && circular) ? bordered || input : 0;
  const received = lying.gradient === 'first' ? outputBytes : 0;
  const passed = inputs[0]?.grad === true ? input : 0;
  const { ahead, spread, room, first = 0, passing } = weighing(operation, lying.half, within > 0);
  return {
    workspace(batch, pass) {
      if (batch === 1 && alone !== null && within === 0 && !lying.half)
        return alone + (pass === 'unkept' ? bordered : 0);
      if (pass === 'forward') return batch * (copied + spread) + ahead;
      if (pass === 'unkept') {
        const most = within > 0 ? Math.max(0, copied - outputBytes) + within : copied + spread;
        return batch * (most + bordered) + ahead;
      }
      // The gradients of what lies between come before the input's, when what was kept of it is gone.
      const border = passed > 0 ? bordered : 0;
      const last = copied + border - passed;
      if (within > 0) {
        const second = batch * Math.max(0, within + received - passed, last - outputBytes) + room;
        return Math.max(second, batch * (copied + border - outputBytes) + first);
      }
      const alike = batch * Math.max(0, border > 0 ? last + received : copied + received);
      return alike + Math.max(room, passed > 0 ? Math.min(batch * passing, mostPieces) : 0);
    },
  };
}

/** What it takes besides the tensors that come in and go out: in the forward pass once and of each sample, and likewise in the backward pass. */
interface Weighing {
  ahead: number;
  spread: number;
  room: number;
  /** For the gradient of a first convolution's weight, where there are two. */
  first?: number;
  passing: number;
}

function weighing({ layer, gradients }: Operation, half: boolean, pointwise: boolean): Weighing {
  const { entering, leaving, groups, large, uneven, input, output, ...one } = sizesOf(layer);
  // A second convolution after one of each channel is of points.
  const [taps, strided] = pointwise ? [1, false] : [one.taps, one.strided];
  const transposed = layer.kind.startsWith('ConvTranspose');
  const full = (bytes: number) => (half ? 2 : 1) * bytes;
  const weights = (4 * taps * entering * blocks(leaving)) / groups;
  const across = (4 * taps * leaving * blocks(entering)) / groups;
  const plain = full(tiles);
  const behind = full(strided ? stridedTiles + (uneven ? unevenTiles : 0) : tiles);
  const depthwise = groups > 1 && groups === entering;
  // Each group in blocks of its own; single channels under a small kernel lie in blocks together.
  const inGroups = (count: number) => 4 * one.taps * count * blocks(entering / count) * blocks(leaving / count);
  if (groups > 1) {
    const room = (depthwise && !large ? weights : inGroups(groups)) + gradients;
    if (transposed && (strided || depthwise))
      return { ahead: depthwise ? weights : inGroups(groups), spread: output, room, passing: 0 };
    return { ahead: weights + (depthwise ? 0 : plain), spread: 0, room, passing: 0 };
  }
  if (half) {
    const room = Math.max(across + behind, halfSumming(weights, leaving, halfSums));
    return { ahead: weights + (transposed ? behind : plain), spread: 0, room, passing: 0 };
  }
  if (!transposed) {
    const adding = weights + sums;
    const first = large ? 4 * one.taps * entering * channelBlock ** 2 : 0;
    const room = Math.max(0, across + behind - gradients, weights + Math.max(adding - gradients, gradients));
    return { ahead: weights + plain, spread: 0, room, first, passing: 0 };
  }
  // The weight is turned first, and stays so in the backward pass, as long as the weight's gradient has yet to be turned back.
  const turned = leaving > 1 && taps > 1 ? 4 * taps * entering * leaving : 0;
  const added = entering <= channelBlock ? across + transposedSums : 0;
  return {
    ahead: turned + weights + behind,
    spread: 0,
    room: across + Math.max(plain, added, gradients + turned),
    // The gradient of a single channel is convolved in pieces.
    passing: leaving === 1 ? threads * input : 0,
  };
}

function inBlocks({ layer }: Operation): Pick<Operation, 'workspace'> {
  const [channels = 1, ...positions] = layer.output;
  const one = 4 * blocks(channels) * product(positions);
  return { workspace: (batch, pass) => batch * one * (pass === 'backward' ? 2 : 1) };
}

/** Of sequences and volumes. A transposed convolution's passes are those of the convolution the other way round. */
export function volumeConvolution(operation: Operation, { half }: Pick<Lying, 'half'>): Pick<Operation, 'workspace'> {
  const { layer, keeps } = operation;
  const { groups, alone } = sizesOf(layer);
  const passes = groups > 1 ? volumeInGroups(operation) : volumeInBlocks(operation, half);
  return {
    workspace: (batch: number, pass: Pass) => {
      if (batch === 1 && alone !== null && !half) return alone + (pass === 'forward' ? 0 : keeps.bytes);
      return pass === 'backward'
        ? passes.backward(batch)
        : passes.forward(batch) + (pass === 'unkept' ? batch * keeps.bytes : 0);
    },
  };
}

interface Passes {
  forward(batch: number): number;
  backward(batch: number): number;
}

const upTo = (channels: number, block: number) => Math.ceil(channels / block) * block;
const filled = (channels: number, block: number) => upTo(channels, block) / channels;

/** How the kernel of a volume's convolution lies over the borders of its input, which oneDNN's blocks allow for only so far. */
function overBorders({ layer: { args, output }, keeps }: Operation) {
  const [kernel, dilation] = [args.kernel_size, args.dilation ?? []] as [number[], number[]];
  const sides = kernel.map((taps, side) => {
    const reach = (dilation[side] ?? 1) * (taps - 1) + 1;
    const border = args.padding === 'same' ? (reach - 1) / 2 : Number([args.padding].flat()[side] ?? 0);
    return { reach, border: keeps.bytes > 0 ? 0 : border, length: output[side + 1] ?? 1 };
  });
  return {
    /** Or points of the kernel lie apart. */
    padded: sides.some(({ border }) => border > 0) || dilation.some((apart) => apart > 1),
    /** A border wider than half the kernel, or hardly any place where the kernel lies beside it. */
    wide: sides.some(({ reach, border, length }) => border > 0 && (border > reach / 2 || length <= border + 1)),
    /** A border as wide as the kernel, which no block has. */
    outside: sides.some(({ reach, border }) => border >= reach),
  };
}

/**
 * What is laid side by side of a volume under a large kernel for the weight's gradient, and added up, by as many threads as there are samples:
 * where its channels are few and the kernel reaches over its border, or that border is wide; 0: it goes in blocks.
 */
function sideBySide(
  operation: Operation,
  { from, taps, weight }: { from: number; taps: number; weight: number },
): (batch: number) => number {
  const { kind, input, output } = operation.layer;
  const transposed = kind.startsWith('ConvTranspose');
  const few = from > fewest && from < channelBlock;
  const { padded, wide } = overBorders(operation);
  if (input.length < 4 || taps < largeVolume || !(transposed ? few : wide || (few && padded))) return () => 0;
  const plane = product((transposed ? input : output).slice(2));
  const each = 4 * taps * from * plane + (partialSums / threads) * weight;
  return (batch) => Math.min(batch, threads) * each;
}

function volumeInBlocks(operation: Operation, half: boolean): Passes {
  const { layer, gradients, keeps, inputs } = operation;
  const { entering, leaving, taps, strided, uneven, weights, output, input: whole } = sizesOf(layer);
  // Of a border that it cannot add itself there is a copy, with a gradient of its own.
  const bordered = keeps.bytes;
  const input = bordered || whole;
  const transposed = layer.kind.startsWith('ConvTranspose');
  const [x, y] = [input * filled(entering, channelBlock), output * filled(leaving, channelBlock)];
  const from = transposed ? leaving : entering;
  // With few channels the input is taken as it lies.
  const asItLies = from < channelBlock && taps > 1;
  const behind = (half ? 2 : 1) * (stridedTiles + (uneven ? unevenTiles : 0));
  const windows = sideBySide(operation, { from, taps, weight: 4 * taps * entering * leaving });
  const eighths = asItLies && from > fewest;
  const { outside } = overBorders(operation);
  const ahead = asItLies && !transposed ? (weights * entering) / blocks(entering) : weights;
  /** Of the weight's gradient: what both tensors take in blocks. */
  const summed = () => {
    if (eighths) return input * filled(entering, halfBlock) + output * filled(leaving, halfBlock);
    return asItLies && from <= fewest ? (transposed ? x : y) : x + y;
  };
  const weight = eighths ? 4 * taps * upTo(entering, halfBlock) * upTo(leaving, halfBlock) : weights;
  const summedUp = asItLies && !eighths ? (weight * from) / channelBlock : weight;
  const rows = (batch: number) => Math.min(halfRowSums, batch * (input + output));
  /** Where the weight's blocks cannot be shared out to the threads evenly, each adds up all of them over its part of the samples. */
  const adding = (batch: number) => {
    if (half) return halfSumming(batch === 1 ? summedUp / threads : summedUp, leaving, rows(batch));
    if (transposed) {
      const shared = entering <= channelBlock ? transposedSums + summedUp : 0;
      return Math.max(0, summedUp + shared - gradients);
    }
    const block = eighths ? halfBlock : channelBlock;
    const outs = Math.ceil(leaving / block);
    const uneven = asItLies && !eighths ? outs === 1 : (Math.ceil(entering / block) * outs) % threads > 0;
    const apart = uneven ? summedUp + (eighths ? tiles : parts) : 0;
    return Math.max(0, summedUp - gradients) + apart + (outs === 1 && batch > 1 ? tiles : 0);
  };
  /** Its blocks are there when both tensors' are gone. */
  const least = half || transposed ? 0 : summedUp;
  return {
    forward: (batch) => {
      const results = batch * output;
      if (!transposed && outside) return 0;
      if (!transposed) return Math.max(batch * ((asItLies ? 0 : x) + y) + ahead - results, batch * y);
      return strided
        ? Math.max(batch * (input + output) + weights + behind - results, 2 * results)
        : batch * (x + 2 * y) + weights - results;
    },
    backward: (batch) => {
      const known = inputs[0]?.grad === true;
      const border = known && bordered > 0 ? bordered - whole : 0;
      // Behind a stride both are taken as they lie, and what is passed on is copied once more.
      const strides = strided && !transposed;
      const received = strides ? output : asItLies && transposed ? 0 : y;
      const passed = strides ? input : x;
      const over = batch * (received + passed - whole) + weights + (strides ? behind : 0) - gradients;
      const bySides = known ? Math.max(over, batch * (passed + border + (strides ? input : 0)) - gradients) : 0;
      const inBlocks = Math.max(least, batch * summed() + adding(batch));
      return Math.max(bySides, batch * border + (windows(batch) || inBlocks));
    },
  };
}

function volumeInGroups(operation: Operation): Passes {
  const { layer, keeps, inputs } = operation;
  const { entering, leaving, taps, groups, output, ...one } = sizesOf(layer);
  const input = keeps.bytes || one.input;
  const transposed = layer.kind.startsWith('ConvTranspose');
  const depthwise = groups === entering && groups === leaving;
  /** Groups of whole blocks, and groups that lie in a block together. */
  const whole = (channels: number) => (channels / groups) % halfBlock === 0;
  const together = (channels: number) => channels % channelBlock === 0 && channelBlock % (channels / groups) === 0;
  const fills = (channels: number) => whole(channels) || together(channels);
  const inBlocks = depthwise ? layer.input.length === 2 : fills(entering) && fills(leaving);
  const [x, y] = depthwise
    ? [input * filled(entering, channelBlock), output * filled(leaving, channelBlock)]
    : [input, output];
  const from = (transposed ? leaving : entering) / groups;
  const windows = depthwise
    ? () => 0
    : sideBySide(operation, { from, taps, weight: (4 * taps * entering * leaving) / groups });
  const summed = depthwise ? !transposed || together(leaving) : whole(entering) && whole(leaving) && windows(1) === 0;
  return {
    forward: (batch) => {
      if (transposed) return batch * (inBlocks ? x + 2 * y - output : output);
      return batch * (inBlocks ? Math.max(x + y - output, y) : output);
    },
    backward: (batch) => {
      const known = inputs[0]?.grad === true;
      const border = known && keeps.bytes > 0 ? keeps.bytes - one.input : 0;
      const bySides = known ? batch * (inBlocks ? Math.max(y + x - one.input, x) : input) : sums;
      return batch * border + Math.max(bySides, inBlocks && summed ? batch * (x + y) : windows(batch));
    },
  };
}

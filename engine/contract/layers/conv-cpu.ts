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
/** Rows of tiles that the threads work on: of a plain pass, of the gradient behind a stride, and of the weight's gradient. */
const tiles = 12_400;
const stridedTiles = 61_500;
const sums = 21_000;
/** Of a transposed convolution whose stride does not divide its kernel, and of its weight's gradient. */
const unevenTiles = 36_900;
const transposedSums = 8500;
const mostPieces = 98_000;

/** Of a volume of few channels each thread lays the windows of so many positions side by side for the weight's gradient. */
const positionsAtOnce = 130;
const threads = 2;
/** In half precision, where all of this counts half. */
const halfSums = 10_000;
/** A single small sample is not given to oneDNN: its windows are laid side by side. */
const smallSample = 20_480;
const largeKernel = 3;

/** A layer's numbers. */
function sizesOf({ kind, args, input, output }: PlannedLayer) {
  const [groups, stride, kernel] = [args.groups ?? 1, args.stride, args.kernel_size] as [number, number[], number[]];
  const [entering = 1, leaving = 1] = [input[0], output[0]];
  const taps = product(kernel);
  const large = kernel.length > 1 && kernel.slice(-2).every((side) => side > largeKernel);
  const small = groups === 1 && !large && product(input.slice(0, 3)) <= smallSample;
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
    uneven: kernel.some((side, at) => side % (stride[at] ?? 1) > 0),
    input: 4 * product(input),
    output: 4 * product(output),
    /** What a batch of one takes where it is small: null where it is not. */
    alone: small ? (copied ? 4 * taps * windows : 0) : null,
    /** With as many channels as the blocks have. */
    weights: (blocks(entering) * blocks(leaving) * taps * 4) / groups,
  };
}

/** For the weight's gradient, besides the tensors; half as large values are added up in fp32, and all of this counts half. */
function summing(weights: number, half: boolean): number {
  return half ? 60_000 + 7 * weights : weights + sums;
}

function blocks(channels: number): number {
  return Math.ceil(channels / channelBlock) * channelBlock;
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
  const { ahead, spread, room, passing } = weighing(operation, lying.half);
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
      const most = within > 0 ? Math.max(within + received - passed, last - outputBytes) : last + received;
      const alike = batch * Math.max(0, border + within > 0 ? most : copied + received);
      return alike + Math.max(room, passed > 0 ? Math.min(batch * passing, mostPieces) : 0);
    },
  };
}

/** What it takes besides the tensors that come in and go out: in the forward pass once and of each sample, and likewise in the backward pass. */
interface Weighing {
  ahead: number;
  spread: number;
  room: number;
  passing: number;
}

function weighing({ layer, gradients }: Operation, half: boolean): Weighing {
  const { entering, leaving, taps, groups, strided, uneven, input, output } = sizesOf(layer);
  const transposed = layer.kind.startsWith('ConvTranspose');
  const full = (bytes: number) => (half ? 2 : 1) * bytes;
  const weights = (4 * taps * entering * blocks(leaving)) / groups;
  const across = (4 * taps * leaving * blocks(entering)) / groups;
  const plain = full(tiles);
  const behind = full(strided ? stridedTiles : tiles);
  if (groups > 1) {
    const depthwise = groups === entering;
    // Each group in blocks of its own; a single channel each lies in blocks together, but not the other way round where they do not fill one.
    const inGroups = 4 * taps * groups * blocks(entering / groups) * blocks(leaving / groups);
    const together = depthwise && !(transposed && leaving % channelBlock > 0);
    const room = (together ? weights : inGroups) + gradients;
    if (transposed && (strided || depthwise))
      return { ahead: depthwise ? weights : inGroups, spread: output, room, passing: 0 };
    return { ahead: weights + (depthwise ? 0 : plain), spread: 0, room, passing: 0 };
  }
  if (!transposed) {
    const adding = summing(weights, half);
    const room = Math.max(0, across + behind - gradients, weights + Math.max(adding - gradients, gradients));
    return { ahead: weights + plain, spread: 0, room, passing: 0 };
  }
  // The weight is turned first, and stays so in the backward pass, as long as the weight's gradient has yet to be turned back.
  const turned = leaving > 1 && taps > 1 ? 4 * taps * entering * leaving : 0;
  const added = entering <= channelBlock ? summing(across, half) - (half ? 0 : sums - transposedSums) : 0;
  return {
    ahead: turned + weights + behind + (uneven ? full(unevenTiles) : 0),
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
export function volumeConvolution(
  { layer, gradients, keeps, inputs }: Operation,
  { half }: Pick<Lying, 'half'>,
): Pick<Operation, 'workspace'> {
  const { entering, leaving, taps, groups, strided, weights, output, alone, ...one } = sizesOf(layer);
  // Of a border that it cannot add itself there is a copy, with a gradient of its own.
  const bordered = keeps.bytes;
  const input = bordered || one.input;
  const transposed = layer.kind.startsWith('ConvTranspose');
  const grouped = (channels: number) => (channels / groups) % halfBlock === 0;
  // In groups that fill no block nothing is copied there.
  const inBlocks = groups === 1 || (groups < entering && grouped(entering) && grouped(leaving));
  const filled = (channels: number, block: number) =>
    groups > 1 ? 1 : (Math.ceil(channels / block) * block) / channels;
  const [x, y] = [input * filled(entering, channelBlock), output * filled(leaving, channelBlock)];
  const from = transposed ? leaving : entering;
  // With few channels the input is taken as it lies.
  const asItLies = groups === 1 && from < channelBlock && taps > 1;
  const forward = (batch: number) => {
    const results = batch * output;
    if (!inBlocks) return results * (transposed ? 1.2 : 1);
    if (!transposed) return Math.max(batch * ((asItLies ? 0 : x) + y) + weights - results, batch * y);
    return strided
      ? Math.max(batch * (input + output) + weights + stridedTiles - results, 2 * results)
      : batch * (x + 2 * y) + weights - results;
  };
  const volume = layer.input.length === 4;
  const positions = product((transposed ? layer.input : layer.output).slice(1));
  /** Of the weight: what both tensors take in blocks. */
  const summed = () => {
    if (groups > 1 || from >= channelBlock || (taps === 1 && from > fewest)) return x + y;
    if (from <= fewest) return transposed ? x : y;
    if (volume) return y;
    return input * filled(entering, halfBlock) + output * filled(leaving, halfBlock);
  };
  const backward = (batch: number) => {
    const known = inputs[0]?.grad === true;
    const border = known && bordered > 0 ? bordered - one.input : 0;
    if (!inBlocks) return batch * (border + (known ? input : 0)) + (known ? 0 : sums);
    const strides = asItLies && strided;
    const received = asItLies && transposed ? 0 : strides ? output : y;
    const passed = strides ? input * (from > fewest ? filled(entering, halfBlock) : 1) : x;
    const over = batch * (received + passed - one.input) + weights - gradients;
    const bySides = known ? Math.max(over, batch * (passed + border)) : 0;
    const partial =
      volume && from > fewest && from < channelBlock
        ? threads * 4 * taps * from * Math.min(positions, positionsAtOnce)
        : 0;
    return Math.max(
      bySides,
      batch * (summed() + border) + Math.max(partial, half ? halfSums + 9 * gradients + weights : weights + sums),
    );
  };
  return {
    workspace: (batch: number, pass: Pass) => {
      if (batch === 1 && alone !== null && !half) return alone + (pass === 'forward' ? 0 : bordered);
      return pass === 'backward' ? backward(batch) : forward(batch) + (pass === 'unkept' ? batch * bordered : 0);
    },
  };
}

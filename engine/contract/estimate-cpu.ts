/**
 * What the addon does otherwise than PyTorch on the CPU: in fp32 its max pooling remembers a byte an output and nothing else, takes a ReLU
 * with it and a convolution before that, whose output is then never whole; and images lie with their channels last, so that Flatten copies.
 */
import { sequenceOnCpu } from './estimate-sequences.ts';
import type { Operation, Storage } from './estimate-types.ts';
import { product } from './layers/kind.ts';
import type { Json } from './native.ts';
import type { PlannedLayer } from './plan-types.ts';

/** As kernels/max_pool.cpp cuts a batch. */
const sliceBytes = 1 << 20;
const fewestChannels = 8;
const mostPlaces = 255;
/** oneDNN's with AVX-512; half as many elsewhere. */
const channelBlock = 16;

/** `threads`: that compute. With `half` precision only the layout is as in fp32. */
export function onCpu(
  operations: readonly Operation[],
  { threads, half }: { threads: number; half: boolean },
): Operation[] {
  const last = channelsLast(operations);
  const result: Operation[] = [];
  for (let index = 0; index < operations.length; index++) {
    const operation = operations[index] as Operation;
    const { layer, inputs } = operation;
    const from = inputs[0] as Storage;
    const pooled = layer.kind === 'Conv2d' && !half ? poolAfter(operations, index) : 0;
    if (pooled > 0) {
      const pool = operations[pooled] as Operation;
      result.push(convolvedAndPooled(operation, pool, last, threads));
      index = pooled;
    } else if (images.has(layer.kind) || (layer.kind === 'ConvTranspose2d' && last.outputs.has(from))) {
      result.push({ ...operation, workspace: copiesOf(operation, last) });
    } else if (layer.kind.startsWith('Conv')) {
      result.push({ ...operation, workspace: blocksOf(operation) });
    } else if (layer.kind === 'MaxPool2d' && !half && last.outputs.has(from) && poolApplies(layer)) {
      result.push({ ...operation, keeps: places(operation) });
    } else if (layer.kind === 'ReLU' && !half && last.outputs.has(from) && reluAndPool(operations, index)) {
      const pool = operations[index + 1] as Operation;
      result.push({ ...pool, inputs, keeps: places(pool) });
      index += 1;
    } else if (pools.has(layer.kind) && !last.outputs.has(from) && last.gradients.has(operation.output)) {
      result.push(behindOrderedGradient(operation));
    } else if (last.outputs.has(from) && ordering.has(layer.kind) && layer.kind !== 'Permute') {
      result.push(brought(operation));
    } else if (last.outputs.has(from) && !last.gradients.has(operation.output)) {
      result.push(behindPlainGradient(operation));
    } else {
      result.push(sequenceOnCpu(operation) ?? operation);
    }
  }
  return result;
}

/** Tensors, and gradients of tensors, that lie with their channels last. */
interface Layouts {
  outputs: Set<Storage>;
  gradients: Set<Storage>;
}

/** Kinds that make a plain tensor of any, and a plain gradient. */
const ordering: ReadonlySet<string> = new Set(
  `Linear Bilinear Permute Softmax Softmin Softmax2d LogSoftmax LogSigmoid RReLU Dropout AlphaDropout InstanceNorm2d LayerNorm`.split(
    ' ',
  ),
);
/** Kinds whose output lies with its channels last, whatever they receive. */
const images: ReadonlySet<string> = new Set(['Conv2d', 'DepthwiseSeparableConv2d']);
const pools: ReadonlySet<string> = new Set(['MaxPool2d', 'AvgPool2d']);
/** Kinds that hand a gradient on as it lies. */
const handing: ReadonlySet<string> = new Set([
  'Residual',
  'Parallel',
  'Identity',
  'Dropout2d',
  'FeatureAlphaDropout',
  'StochasticDepth',
]);

function channelsLast(operations: readonly Operation[]): Layouts {
  const [outputs, gradients] = [new Set<Storage>(), new Set<Storage>()];
  for (const { layer, inputs, output } of operations) {
    const follows = images.has(layer.kind)
      ? !single(layer)
      : !ordering.has(layer.kind) && inputs.every((input) => outputs.has(input));
    if (follows && layer.output.length === 3) outputs.add(output);
  }
  for (const { layer, inputs, output } of [...operations].reverse()) {
    const handedOn = handing.has(layer.kind) ? layer.args.join !== 'concat' && gradients.has(output) : !plain(layer);
    for (const input of inputs) if ((outputs.has(input) || images.has(layer.kind)) && handedOn) gradients.add(input);
  }
  return { outputs, gradients };
}

/** A convolution whose weight is one number an output lies either way: it is done with channels first, in oneDNN's blocks. */
function single({ args }: PlannedLayer): boolean {
  return args.in_channels === args.groups && product(args.kernel_size as number[]) === 1;
}

/** Layers whose gradient lies as a plain tensor, whatever their input: those that end the image. */
function plain({ kind, output, args }: PlannedLayer): boolean {
  const one = (size: Json | undefined) => (Array.isArray(size) ? size.every((each) => each === 1) : size === 1);
  return (
    output.length !== 3 ||
    (ordering.has(kind) && kind !== 'Permute') ||
    (kind === 'AdaptiveAvgPool2d' && one(args.output_size))
  );
}

/** Works on a copy that lies as a plain tensor; layer normalisation makes it in both passes. */
function brought(operation: Operation): Operation {
  const { kind, input } = operation.layer;
  const copy = 4 * product(input);
  const own = operation.workspace;
  return {
    ...operation,
    workspace: (batch, pass) => own(batch, pass) + (pass === 'forward' || kind === 'LayerNorm' ? batch * copy : 0),
  };
}

/** Pooling of a plain image whose gradient has its channels last: the gradient behind it and maxima's places are brought into that order. */
function behindOrderedGradient(operation: Operation): Operation {
  const { outputBytes, layer } = operation;
  const copies = 4 * product(layer.input) + (layer.kind === 'MaxPool2d' ? 2 * outputBytes : 0);
  return { ...operation, workspace: (batch, pass) => (pass === 'forward' ? 0 : batch * copies) };
}

/** Of an image with its channels last whose gradient does not lie so. */
function behindPlainGradient(operation: Operation): Operation {
  const { kind, input } = operation.layer;
  // These bring the gradient into order behind themselves; batch normalisation has another loop, which needs no room.
  if (kind === 'AvgPool2d' || kind === 'GroupNorm')
    return { ...operation, workspace: (batch, pass) => (pass === 'forward' ? 0 : batch * 4 * product(input)) };
  return kind === 'BatchNorm2d' ? { ...operation, workspace: () => 0 } : operation;
}

/** oneDNN wants its tensors with channels last: others are copied. The weight's gradient comes in oneDNN's own order first. */
function copiesOf(operation: Operation, last: Layouts): Operation['workspace'] {
  const { layer, inputs, output, outputBytes, gradients, workspace } = operation;
  if (single(layer)) return (batch, pass) => batch * inBlocks(layer.output) * (pass === 'forward' ? 1 : 2);
  const one = layer.input[0] === 1 || last.outputs.has(inputs[0] as Storage);
  const input = one ? 0 : 4 * product(layer.input);
  const gradient = last.gradients.has(output) ? 0 : outputBytes;
  const apart = layer.kind === 'DepthwiseSeparableConv2d'; // its input is copied after the gradient has been used
  return (batch, pass) =>
    workspace(batch, pass) +
    (pass === 'forward' ? batch * input : batch * ((apart ? 0 : input) + gradient) + 2 * gradients);
}

/** Sequences and volumes are convolved in oneDNN's blocks of channels, into which input, output and gradients are copied. */
function blocksOf({ layer, gradients, workspace }: Operation): Operation['workspace'] {
  const transposed = layer.kind.startsWith('ConvTranspose');
  // Only of plain convolutions are the blocks filled up.
  const simple = product([layer.args.groups as number, ...(layer.args.stride as number[])]) === 1;
  const bytes = simple ? inBlocks : (dims: number[]) => 4 * product(dims);
  const [input, output] = [bytes(layer.input), bytes(layer.output)];
  const larger = Math.max(input, output);
  return (batch, pass) =>
    workspace(batch, pass) +
    (pass === 'forward'
      ? batch * (transposed ? input + output : larger)
      : batch * (input + (transposed ? output : larger)) + 2 * gradients);
}

/** One sample in blocks, the last of them filled up. */
function inBlocks([channels = 1, ...positions]: readonly number[]): number {
  return 4 * Math.ceil(channels / channelBlock) * channelBlock * product(positions);
}

const places = ({ outputBytes }: Operation) => ({ input: false, output: false, bytes: outputBytes / 4 });

function next(operations: readonly Operation[], index: number): Operation | null {
  const after = operations[index + 1];
  return after && follows((operations[index] as Operation).layer, after.layer) ? after : null;
}

/** In the same list. */
function follows(before: PlannedLayer, after: PlannedLayer): boolean {
  const cut = (path: string) => path.lastIndexOf('.') + 1;
  const [a, b] = [before.path, after.path];
  return a.slice(0, cut(a)) === b.slice(0, cut(b)) && Number(b.slice(cut(b))) === Number(a.slice(cut(a))) + 1;
}

const reluAndPool = (operations: readonly Operation[], index: number): boolean => {
  const after = next(operations, index);
  return after !== null && after.layer.kind === 'MaxPool2d' && poolApplies(after.layer);
};

/** Where the pooling stands that a convolution takes with it; 0: there is none. */
function poolAfter(operations: readonly Operation[], index: number): number {
  const { args } = (operations[index] as Operation).layer;
  if (args.padding_mode !== 'zeros' || typeof args.padding === 'string') return 0;
  const after = next(operations, index);
  const at = after?.layer.kind === 'ReLU' ? index + 1 : index;
  return reluAndPool(operations, at) ? at + 1 : 0;
}

function poolApplies({ args, input }: PlannedLayer): boolean {
  const one = (value: Json | undefined) => (Array.isArray(value) ? value.every((each) => each === 1) : value === 1);
  return (
    one(args.dilation) &&
    input.length === 3 &&
    (input[0] as number) >= fewestChannels &&
    product(args.kernel_size as number[]) < mostPlaces
  );
}

function convolvedAndPooled(conv: Operation, pool: Operation, last: Layouts, threads: number): Operation {
  const sample = conv.outputBytes;
  const samples = Math.max(threads, Math.floor(Math.max(sliceBytes * threads, 8 * conv.gradients) / sample));
  const { input } = conv.layer;
  const copied = input[0] === 1 || last.outputs.has(conv.inputs[0] as Storage) ? 1 : 2;
  const passed = (conv.inputs[0] as Storage).grad ? copied : copied - 1;
  const gradient = last.gradients.has(pool.output) ? 0 : pool.outputBytes;
  return {
    ...conv,
    output: pool.output,
    outputBytes: pool.outputBytes,
    keeps: { ...places(pool), input: true },
    grad: pool.grad,
    // A slice of its output or of the gradient there, and of its input and the gradient that it passes on.
    workspace: (batch, pass) => {
      const slice = Math.min(batch, samples);
      const inputs = 4 * product(input) * (pass === 'forward' ? copied - 1 : passed);
      return slice * (sample + inputs) + (pass === 'forward' ? 0 : batch * gradient + 2 * conv.gradients);
    },
  };
}

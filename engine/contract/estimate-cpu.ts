/**
 * What the addon does otherwise than PyTorch on the CPU, in fp32: its max pooling remembers a byte an output and nothing else, takes a ReLU
 * with it and a convolution before that, whose output is then never whole; and images lie with their channels last, so that Flatten copies.
 */
import type { Operation, Storage } from './estimate-types.ts';
import { product } from './layers/kind.ts';
import type { Json } from './native.ts';
import type { PlannedLayer } from './plan-types.ts';

/** As kernels/max_pool.cpp cuts a batch. */
const sliceBytes = 1 << 20;
const fewestChannels = 8;
const mostPlaces = 255;

/** `threads`: that compute. */
export function onCpu(operations: readonly Operation[], threads: number): Operation[] {
  const lastChannels = new Set<Storage>();
  const result: Operation[] = [];
  for (let index = 0; index < operations.length; index++) {
    const operation = operations[index] as Operation;
    const { layer, inputs, output } = operation;
    const from = inputs[0] as Storage;
    if (layer.kind === 'Conv2d') lastChannels.add(output);
    else if (lastChannels.has(from) && layer.output.length === 3) lastChannels.add(output);
    const pooled = layer.kind === 'Conv2d' ? poolAfter(operations, index) : 0;
    if (pooled > 0) {
      const pool = operations[pooled] as Operation;
      lastChannels.add(pool.output);
      result.push(convolvedAndPooled(operation, pool, threads));
      index = pooled;
    } else if (layer.kind === 'MaxPool2d' && lastChannels.has(from) && poolApplies(layer)) {
      result.push({ ...operation, keeps: places(operation) });
    } else if (layer.kind === 'ReLU' && lastChannels.has(from) && reluAndPool(operations, index)) {
      const pool = operations[index + 1] as Operation;
      lastChannels.add(pool.output);
      result.push({ ...pool, inputs, keeps: places(pool) });
      index += 1;
    } else {
      result.push(operation);
    }
  }
  return result;
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

function convolvedAndPooled(conv: Operation, pool: Operation, threads: number): Operation {
  const sample = conv.outputBytes;
  const samples = Math.max(threads, Math.floor(Math.max(sliceBytes * threads, 8 * conv.gradients) / sample));
  return {
    ...conv,
    output: pool.output,
    outputBytes: pool.outputBytes,
    keeps: { ...places(pool), input: true },
    grad: pool.grad,
    // A slice of its output or of the gradient there, and of the gradient that the convolution passes on.
    workspace: (batch) => Math.min(batch, samples) * (sample + 4 * product(conv.layer.input)) + conv.workspace(batch),
  };
}

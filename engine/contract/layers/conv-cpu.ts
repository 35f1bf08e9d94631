/** What oneDNN takes for convolutions on the CPU: it wants its tensors in an order of its own, and others are copied. */
import type { Operation } from '../estimate-types.ts';
import type { PlannedLayer } from '../plan-types.ts';
import { type LayerKind, type Layout, type Lying, product } from './kind.ts';

/** With AVX-512; half as many elsewhere. */
const channelBlock = 16;

/** A convolution whose weight is one number an output lies either way: it is done with channels first, in oneDNN's blocks. */
function single({ args }: PlannedLayer): boolean {
  return args.in_channels === args.groups && product(args.kernel_size as number[]) === 1;
}

/** Of images: with their channels last. */
export const imageConvolution = {
  layout: (layer) => (single(layer) ? {} : { output: 'last', gradient: 'last' }) satisfies Layout,
  onCpu: (operation, lying) => ({
    workspace: single(operation.layer) ? inBlocks(operation) : inOrder(operation, lying),
  }),
} satisfies Pick<LayerKind, 'layout' | 'onCpu'>;

/** The weight's gradient comes in oneDNN's own order first. */
export function inOrder({ layer, outputBytes, gradients, workspace }: Operation, lying: Lying): Operation['workspace'] {
  const input = lying.input === 'first' ? 4 * product(layer.input) : 0;
  const gradient = lying.gradient === 'first' ? outputBytes : 0;
  return (batch, pass) =>
    workspace(batch, pass === 'backward' ? pass : 'forward') +
    (pass === 'backward' ? batch * (input + gradient) + 2 * gradients : batch * input);
}

function inBlocks({ layer }: Operation): Operation['workspace'] {
  return (batch, pass) => batch * blocks(layer.output) * (pass === 'backward' ? 2 : 1);
}

/** Sequences and volumes are convolved in oneDNN's blocks of channels, into which input, output and gradients are copied. */
export function volumeConvolution({ layer, gradients, workspace }: Operation): Pick<Operation, 'workspace'> {
  const transposed = layer.kind.startsWith('ConvTranspose');
  // Only of plain convolutions are the blocks filled up.
  const simple = product([layer.args.groups as number, ...(layer.args.stride as number[])]) === 1;
  const bytes = simple ? blocks : (dims: number[]) => 4 * product(dims);
  const [input, output] = [bytes(layer.input), bytes(layer.output)];
  const larger = Math.max(input, output);
  return {
    workspace: (batch, pass) =>
      workspace(batch, pass === 'backward' ? pass : 'forward') +
      (pass === 'backward'
        ? batch * (input + (transposed ? output : larger)) + 2 * gradients
        : batch * (transposed ? input + output : larger)),
  };
}

/** One sample in blocks, the last of them filled up. */
function blocks([channels = 1, ...positions]: readonly number[]): number {
  return 4 * Math.ceil(channels / channelBlock) * channelBlock * product(positions);
}

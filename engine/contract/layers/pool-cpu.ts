/** Max pooling of images on the CPU, by kernels/max_pool.cpp: where they lie with their channels last it remembers a byte an output. */
import type { Operation } from '../estimate-types.ts';
import type { Json } from '../native.ts';
import type { PlannedLayer } from '../plan-types.ts';
import { type LayerKind, product } from './kind.ts';

const fewestChannels = 8;
const mostPlaces = 255;

/** Whether it pools images by its own loops, which want channels last. */
export function poolsInOrder({ args, input }: PlannedLayer): boolean {
  const one = (value: Json | undefined) => (Array.isArray(value) ? value.every((each) => each === 1) : value === 1);
  return (
    one(args.dilation) &&
    input.length === 3 &&
    (input[0] as number) >= fewestChannels &&
    product(args.kernel_size as number[]) < mostPlaces
  );
}

/** The places of maxima alone, of so many bytes of floats. */
export function placesOf(outputBytes: number): Operation['keeps'] {
  return { inputs: [], output: false, bytes: outputBytes / 4, integers: outputBytes / 4 };
}

/** Where image and gradient lie in different orders the gradients and the places of maxima are brought into the other. */
export const maxPoolOnCpu = {
  layout: { gradient: 'input' },
  onCpu({ layer, outputBytes }, { input, gradient, half }) {
    if (input === 'last' && !half && poolsInOrder(layer))
      return { keeps: placesOf(outputBytes), workspace: placed(outputBytes) };
    const differ = input !== gradient && input !== 'either' && gradient !== 'either';
    // Places are of eight bytes in any precision.
    const copies = differ ? 4 * product(layer.input) + (half ? 4 : 2) * outputBytes : 0;
    return {
      workspace: (batch, pass) => batch * (pass === 'backward' ? copies : pass === 'unkept' ? 2 * outputBytes : 0),
    };
  },
} satisfies Pick<LayerKind, 'layout' | 'onCpu'>;

/** Where the orders differ the gradient is brought into the input's behind it. */
export const averagePoolOnCpu = {
  layout: { gradient: 'input' },
  onCpu({ layer }, { input, gradient }) {
    if (product(layer.output.slice(1)) === 1) return {};
    const differ = input !== gradient && input !== 'either' && gradient !== 'either';
    const copy = differ ? 4 * product(layer.input) : 0;
    return { workspace: (batch, pass) => (pass === 'backward' ? batch * copy : 0) };
  },
} satisfies Pick<LayerKind, 'layout' | 'onCpu'>;

/** Evaluation has no use for places, and makes them all the same. */
export const placed =
  (outputBytes: number): Operation['workspace'] =>
  (batch, pass) =>
    pass === 'unkept' ? (batch * outputBytes) / 4 : 0;

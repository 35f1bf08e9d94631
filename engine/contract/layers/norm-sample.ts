/** Normalisation within each sample: over its last dimensions, over groups of channels, over neighbouring channels. */
import { z } from 'zod';
import { field, flag, integer, largestSize, number } from '../fields.ts';
import { removeEdit } from '../report.ts';
import { fix, type LayerContext, layerKind, nearestDivisor, parameter, product, sameDims, showDims } from './kind.ts';
import { copying, plain } from './layout.ts';
import { pythonCall } from './python.ts';

const eps = number({ label: 'Epsilon', help: 'Added to the variance for stability.', min: 0, default: 1e-5 });
const bias = flag({
  label: 'Bias',
  help: 'Learns the offset too.',
  default: true,
  idle: ({ affine, elementwise_affine }) =>
    affine === true || elementwise_affine === true ? null : 'Nothing is learned: affine is off.',
});

const dimension = z.number().int().min(1).max(largestSize);
const normalized_shape = field(z.union([dimension, z.array(dimension).min(1)]).nullable(), {
  label: 'Normalized shape',
  help: 'The last dimensions to normalise over; absent: the last one.',
  control: 'numbers',
  expected: 'an integer ≥ 1 or a list of such integers',
  default: null,
  absent: 'the last dimension',
});

const layerParams = {
  normalized_shape,
  eps,
  elementwise_affine: flag({ label: 'Affine', help: 'Learns a factor and an offset for each value.', default: true }),
  bias,
};

const rmsParams = {
  normalized_shape,
  eps: field(z.number().min(0).nullable(), {
    label: 'Epsilon',
    help: 'Added to the mean square for stability; null: the smallest step of the number format.',
    control: 'number',
    expected: 'a number ≥ 0, or null',
    min: 0,
    default: null,
    absent: 'the smallest step',
  }),
  elementwise_affine: flag({ label: 'Affine', help: 'Learns a factor for each value.', default: true }),
};

const groupParams = {
  num_groups: integer({ label: 'Groups', help: 'Into so many equal groups the channels are divided.' }),
  eps,
  affine: flag({ label: 'Affine', help: 'Learns a factor and an offset for each channel.', default: true }),
  bias,
};

const responseParams = {
  size: integer({ label: 'Size', help: 'Neighbouring channels that count, with the channel itself.' }),
  alpha: number({ label: 'Alpha', help: "Factor of the neighbours' mean square.", default: 1e-4 }),
  beta: number({ label: 'Beta', help: 'Exponent of the divisor.', default: 0.75 }),
  k: number({ label: 'K', help: 'Added in the divisor.', default: 1 }),
};

/** The last dimensions that `given` names; null after reporting that the input does not end so. */
function lastDims(kind: string, given: number | number[] | null, context: LayerContext): number[] | null {
  const { dims } = context.input;
  const last = dims.at(-1);
  if (last === undefined) {
    return context.refuse(
      'WRONG_RANK',
      null,
      `${kind} wants at least one dimension but receives a single number`,
      'Check the data.',
    );
  }
  const shape = given === null ? [last] : typeof given === 'number' ? [given] : given;
  if (context.input.mask !== null && shape.length >= dims.length) return context.refuseMask(kind);
  if (sameDims(dims.slice(-shape.length), shape)) return shape;
  return context.refuse(
    'BAD_VALUE',
    'normalized_shape',
    `normalized_shape ${showDims(shape)} is not how the input ${showDims(dims)} ends`,
    'It must equal the last dimensions of the input.',
    [fix('Normalise over the last dimension', removeEdit([...context.place, 'normalized_shape']))],
  );
}

/** A list of one size is written as that size. */
function shownShape(args: Record<string, unknown>): number | number[] {
  const shape = args.normalized_shape as number[];
  return shape.length === 1 ? (shape[0] as number) : shape;
}

export const sampleNormKinds = [
  layerKind({
    kind: 'LayerNorm',
    label: 'Layer normalisation',
    category: 'norm',
    ...copying(plain.layout, { backward: true }),
    free: true,
    help: 'Brings each sample to mean 0 and variance 1 over its last dimensions, then scales it.',
    params: layerParams,
    mask: 'keeps',
    formula: '[…] → […]',
    flopsFormula: '5 · n (statistics and scaling)',
    resolve({ normalized_shape: given, ...others }, context) {
      const shape = lastDims('LayerNorm', given, context);
      if (!shape) return null;
      const { dims } = context.input;
      const { elementwise_affine, bias } = others;
      return {
        args: { normalized_shape: shape, ...others },
        output: dims,
        tensors: [
          ...(elementwise_affine ? [parameter('weight', shape)] : []),
          ...(elementwise_affine && bias ? [parameter('bias', shape)] : []),
        ],
        flops: 5 * product(dims),
        // Mean and reciprocal deviation of each row are kept besides the input.
        keeps: { input: true, bytes: (8 * product(dims)) / product(shape) },
      };
    },
    python: (args) =>
      pythonCall('nn.LayerNorm', layerParams, { ...args, normalized_shape: shownShape(args) }, ['normalized_shape']),
    examples: [
      { params: {}, input: [3, 8], output: [3, 8] },
      { params: { normalized_shape: [4, 4], bias: false }, input: [3, 4, 4], output: [3, 4, 4] },
      { params: { normalized_shape: 6, eps: 0.001, elementwise_affine: false }, input: [6], output: [6] },
    ],
  }),
  layerKind({
    kind: 'RMSNorm',
    label: 'RMS normalisation',
    category: 'norm',
    help: 'Divides each sample by its root mean square over the last dimensions, then scales it: a lighter LayerNorm.',
    params: rmsParams,
    mask: 'keeps',
    formula: '[…] → […]',
    flopsFormula: '4 · n (mean square, division and scaling)',
    resolve({ normalized_shape: given, ...others }, context) {
      const shape = lastDims('RMSNorm', given, context);
      if (!shape) return null;
      const { dims, storage } = context.input;
      const { elementwise_affine } = others;
      const rows = product(dims) / product(shape);
      return {
        args: { normalized_shape: shape, ...others },
        output: dims,
        tensors: elementwise_affine ? [parameter('weight', shape)] : [],
        flops: 4 * product(dims),
        // The reciprocal root of each row is kept besides the input, and what is scaled.
        keeps: { input: true, bytes: 4 * rows + (elementwise_affine ? 4 * product(dims) : 0) },
        workspace: { forward: 0, unkept: 4 * (product(dims) + rows), backward: (storage.grad ? 8 : 4) * product(dims) },
      };
    },
    python: (args) =>
      pythonCall('nn.RMSNorm', rmsParams, { ...args, normalized_shape: shownShape(args) }, ['normalized_shape']),
    examples: [
      { params: {}, input: [3, 8], output: [3, 8] },
      { params: { normalized_shape: [4, 4], eps: 0.001 }, input: [3, 4, 4], output: [3, 4, 4] },
      { params: { normalized_shape: 6, elementwise_affine: false }, input: [6], output: [6] },
    ],
  }),
  layerKind({
    kind: 'GroupNorm',
    label: 'Group normalisation',
    category: 'norm',
    layout: { gradient: 'input' },
    // The gradient is brought into the input's order.
    onCpu: ({ layer, workspace }, { input, gradient }) =>
      input === 'last' && gradient === 'first'
        ? {
            workspace: (batch, pass) =>
              pass === 'backward' ? batch * 4 * product(layer.input) : workspace(batch, pass),
          }
        : {},
    free: true,
    help: 'Brings groups of channels of each sample to mean 0 and variance 1, then scales each channel. Works with any batch size.',
    params: groupParams,
    derived: ['num_channels'],
    formula: '[C, …] → [C, …]',
    flopsFormula: '5 · n (statistics and scaling)',
    resolve({ num_groups, ...others }, context) {
      const { dims } = context.input;
      const num_channels = dims[0];
      if (num_channels === undefined) {
        return context.refuse(
          'WRONG_RANK',
          null,
          'GroupNorm wants at least one dimension, the channels, but receives a single number',
          'Check the data.',
        );
      }
      if (num_channels % num_groups !== 0) {
        const nearest = nearestDivisor(num_channels, num_groups);
        return context.refuse(
          'NOT_DIVISIBLE',
          'num_groups',
          `${num_channels} channels cannot be divided into ${num_groups} equal groups`,
          'num_groups must divide the number of channels.',
          [context.set(`Set num_groups to ${nearest}`, { num_groups: nearest })],
        );
      }
      const { affine, bias } = others;
      if (product(dims) === num_groups) {
        context.warn(
          'BAD_VALUE',
          'num_groups',
          `Each of the ${num_groups} groups of ${showDims(dims)} holds one value, which normalisation makes 0`,
          'Use fewer groups.',
          num_groups > 1 ? [context.set('Use one group', { num_groups: 1 })] : [],
        );
      }
      return {
        args: { num_channels, num_groups, ...others },
        output: dims,
        tensors: [
          ...(affine ? [parameter('weight', [num_channels])] : []),
          ...(affine && bias ? [parameter('bias', [num_channels])] : []),
        ],
        flops: 5 * product(dims),
        // Mean and reciprocal deviation of each group are kept besides the input.
        keeps: { input: true, bytes: 8 * num_groups },
        // A group of one value in a batch of one sample is refused; with more of either nothing depends on the batch.
        ...(product(dims) === num_groups
          ? { batchStatistics: { values: 1, per: 'group', inEvaluation: 'always' } as const }
          : {}),
        workspace: { forward: 0, backward: 8 * num_channels },
      };
    },
    python: (args) => pythonCall('nn.GroupNorm', groupParams, args, ['num_groups', 'num_channels']),
    examples: [
      { params: { num_groups: 2 }, input: [4, 3, 3], output: [4, 3, 3] },
      { params: { num_groups: 3, eps: 0.001, bias: false }, input: [6, 4], output: [6, 4] },
      { params: { num_groups: 1, affine: false }, input: [2, 3, 2, 2], output: [2, 3, 2, 2] },
      { params: { num_groups: 4 }, input: [8], output: [8] },
    ],
  }),
  layerKind({
    kind: 'LocalResponseNorm',
    fp32: true,
    label: 'Local response normalisation',
    category: 'norm',
    help: 'Divides each value by a measure of its neighbours in the channels beside it. Known from AlexNet.',
    params: responseParams,
    formula: '[C, …] → [C, …]',
    flopsFormula: '(size + 5) · n (square, mean over the neighbours, divisor, division)',
    resolve(given, context) {
      const { dims } = context.input;
      if (dims.length < 2) {
        return context.refuse(
          'WRONG_RANK',
          null,
          `LocalResponseNorm wants channels with positions, [channels, …], but receives ${showDims(dims)}`,
          'Use it where the tensor still has positions.',
          [fix('Remove this LocalResponseNorm', removeEdit(context.place))],
        );
      }
      const values = product(dims);
      const padded = (values / (dims[0] as number)) * ((dims[0] as number) + given.size - 1);
      return {
        args: given,
        output: dims,
        flops: (given.size + 5) * values,
        // The squares with their padding, the sum under the power, and the divisor.
        keeps: { input: true, bytes: 4 * padded + 8 * values },
        workspace: { forward: 8 * values, unkept: 16 * values, backward: 12 * values },
      };
    },
    python: (args) => pythonCall('nn.LocalResponseNorm', responseParams, args, ['size']),
    examples: [
      { params: { size: 2 }, input: [5, 4], output: [5, 4] },
      { params: { size: 3, alpha: 0.5, beta: 0.6, k: 2 }, input: [4, 3, 3], output: [4, 3, 3] },
      { params: { size: 7, alpha: 0.1 }, input: [3, 2, 3, 2], output: [3, 2, 3, 2] },
    ],
  }),
];

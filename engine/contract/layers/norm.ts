/** Normalisation. */
import { z } from 'zod';
import { field, flag, largestSize, number } from '../fields.ts';
import { removeEdit } from '../report.ts';
import { buffer, fix, layerKind, parameter, product, sameDims, showDims } from './kind.ts';
import { pythonCall } from './python.ts';
import { imageDims } from './window.ts';

const eps = number({ label: 'Epsilon', help: 'Added to the variance for stability.', min: 0, default: 1e-5 });

const batchParams = {
  eps,
  momentum: field(z.number().nullable(), {
    label: 'Momentum',
    help: 'Share of each new batch in the running statistics; null: the plain mean over all batches.',
    control: 'number',
    expected: 'a number, or null',
    default: 0.1,
  }),
  affine: flag({ label: 'Affine', help: 'Learns a factor and an offset for each channel.', default: true }),
  track_running_stats: flag({
    label: 'Running statistics',
    help: 'Keeps statistics of training for evaluation.',
    default: true,
  }),
  bias: flag({ label: 'Bias', help: 'Learns the offset too.', default: true }),
};

const dimension = z.number().int().min(1).max(largestSize);
const layerParams = {
  normalized_shape: field(z.union([dimension, z.array(dimension).min(1)]).nullable(), {
    label: 'Normalized shape',
    help: 'The last dimensions to normalise over; absent: the last one.',
    control: 'numbers',
    expected: 'an integer ≥ 1 or a list of such integers',
    default: null,
  }),
  eps,
  elementwise_affine: flag({ label: 'Affine', help: 'Learns a factor and an offset for each value.', default: true }),
  bias: flag({ label: 'Bias', help: 'Learns the offset too.', default: true }),
};

export const normKinds = [
  layerKind({
    kind: 'BatchNorm2d',
    label: 'Batch normalisation 2D',
    category: 'norm',
    help: 'Brings each channel to mean 0 and variance 1 over the batch, then scales it. Needs more than one value a channel.',
    params: batchParams,
    derived: ['num_features'],
    formula: '[C, H, W] → [C, H, W]',
    flopsFormula: '4 · n (statistics and scaling)',
    resolve(given, context) {
      const image = imageDims('BatchNorm2d', context.input.dims, context);
      if (!image) return null;
      const [num_features, height, width] = image;
      const { affine, track_running_stats, bias } = given;
      const vector = [num_features];
      return {
        args: { num_features, ...given },
        output: image,
        tensors: [
          ...(affine ? [parameter('weight', vector)] : []),
          ...(affine && bias ? [parameter('bias', vector)] : []),
          ...(track_running_stats
            ? [
                buffer('running_mean', vector),
                buffer('running_var', vector),
                buffer('num_batches_tracked', [], 'int64'),
              ]
            : []),
        ],
        flops: 4 * product(image),
        keeps: { input: true },
        workspace: { forward: 0, backward: 4 * product(image) },
        batchStatistics: { values: height * width, inEvaluation: !track_running_stats },
      };
    },
    python: (args) => pythonCall('nn.BatchNorm2d', batchParams, args, ['num_features']),
    examples: [
      { params: {}, input: [3, 4, 4], output: [3, 4, 4] },
      { params: { eps: 0.001, momentum: null, affine: false }, input: [3, 4, 4], output: [3, 4, 4] },
      { params: { track_running_stats: false, bias: false }, input: [2, 4, 4], output: [2, 4, 4] },
    ],
  }),
  layerKind({
    kind: 'LayerNorm',
    label: 'Layer normalisation',
    category: 'norm',
    help: 'Brings each sample to mean 0 and variance 1 over its last dimensions, then scales it.',
    params: layerParams,
    formula: '[…] → […]',
    flopsFormula: '5 · n (statistics and scaling)',
    resolve({ normalized_shape: given, ...others }, context) {
      const { dims } = context.input;
      const last = dims.at(-1);
      if (last === undefined) {
        return context.refuse(
          'WRONG_RANK',
          null,
          'LayerNorm wants at least one dimension but receives a single number',
          'Check the data.',
        );
      }
      const normalized_shape = given === null ? [last] : typeof given === 'number' ? [given] : given;
      if (!sameDims(dims.slice(-normalized_shape.length), normalized_shape)) {
        return context.refuse(
          'BAD_VALUE',
          'normalized_shape',
          `normalized_shape ${showDims(normalized_shape)} is not how the input ${showDims(dims)} ends`,
          'It must equal the last dimensions of the input.',
          [fix('Normalise over the last dimension', removeEdit([...context.place, 'normalized_shape']))],
        );
      }
      const { elementwise_affine, bias } = others;
      const rows = product(dims) / product(normalized_shape);
      return {
        args: { normalized_shape, ...others },
        output: dims,
        tensors: [
          ...(elementwise_affine ? [parameter('weight', normalized_shape)] : []),
          ...(elementwise_affine && bias ? [parameter('bias', normalized_shape)] : []),
        ],
        flops: 5 * product(dims),
        // Mean and reciprocal deviation of each row are kept besides the input.
        keeps: { input: true, bytes: 8 * rows },
      };
    },
    python: (args) => {
      const shape = args.normalized_shape as number[];
      const shown = shape.length === 1 ? { ...args, normalized_shape: shape[0] as number } : args;
      return pythonCall('nn.LayerNorm', layerParams, shown, ['normalized_shape']);
    },
    examples: [
      { params: {}, input: [3, 8], output: [3, 8] },
      { params: { normalized_shape: [4, 4], bias: false }, input: [3, 4, 4], output: [3, 4, 4] },
      { params: { normalized_shape: 6, eps: 0.001, elementwise_affine: false }, input: [6], output: [6] },
    ],
  }),
];

/** Normalisation of each channel: by the batch's statistics, or by those of the sample alone. */
import { z } from 'zod';
import { field, flag, number, type Rank } from '../fields.ts';
import { removeEdit } from '../report.ts';
import { buffer, type Dims, fix, type LayerKind, layerKind, parameter, product, showDims } from './kind.ts';
import { copying, plain } from './layout.ts';
import { pythonCall } from './python.ts';
import { channelDims, ranks, wordsOf } from './window.ts';

const epsText = { label: 'Epsilon', help: 'Added to the variance for stability.', default: 1e-5 };

const momentum = (absent: string) =>
  field(z.number().nullable(), {
    label: 'Momentum',
    help: `Share of each new batch in the running statistics; null: ${absent}.`,
    control: 'number',
    expected: 'a number, or null',
    default: 0.1,
    idle: ({ track_running_stats }) => (track_running_stats === true ? null : 'There are no running statistics.'),
  });

const bias = flag({
  label: 'Bias',
  help: 'Learns the offset too.',
  default: true,
  idle: ({ affine }) => (affine === true ? null : 'Nothing is learned: affine is off.'),
});

const batchParams = {
  eps: number({ ...epsText, above: 0 }),
  momentum: momentum('the plain mean over all batches'),
  affine: flag({ label: 'Affine', help: 'Learns a factor and an offset for each channel.', default: true }),
  track_running_stats: flag({
    label: 'Running statistics',
    help: 'Keeps statistics of training for evaluation.',
    default: true,
  }),
  bias,
};

const instanceParams = {
  eps: number({ ...epsText, min: 0 }),
  momentum: momentum('they stay as they are'),
  affine: flag({ label: 'Affine', help: 'Learns a factor and an offset for each channel.', default: false }),
  track_running_stats: flag({
    label: 'Running statistics',
    help: "Keeps statistics of training for evaluation, in place of each sample's own.",
    default: false,
  }),
  bias,
};

/** `[C, H, W] → [C, H, W]` */
function unchanged(rank: Rank): string {
  const shape = `[C, ${wordsOf[rank].letters.join(', ')}]`;
  return `${shape} → ${shape}`;
}

/** Factor, offset and running statistics of so many channels. */
function channelTensors(
  channels: number,
  { affine, bias, track_running_stats }: { affine: boolean; bias: boolean; track_running_stats: boolean },
) {
  const vector = [channels];
  return [
    ...(affine ? [parameter('weight', vector)] : []),
    ...(affine && bias ? [parameter('bias', vector)] : []),
    ...(track_running_stats
      ? [buffer('running_mean', vector), buffer('running_var', vector), buffer('num_batches_tracked', [], 'int64')]
      : []),
  ];
}

function batchNorm(rank: Rank): LayerKind {
  const kind = `BatchNorm${rank}d`;
  const [small, large] = [[3, 4, 4, 2].slice(0, rank + 1), [2, 4, 3, 3].slice(0, rank + 1)];
  return layerKind({
    kind,
    label: `Batch normalisation ${rank}D`,
    category: 'norm',
    free: true,
    layout: { gradient: 'input' },
    // Against a plain gradient it has another loop, which needs no room.
    onCpu: (_operation, { input, gradient }) =>
      input === 'last' && gradient === 'first' ? { workspace: () => 0 } : {},
    help: 'Brings each channel to mean 0 and variance 1 over the batch, then scales it. Needs more than one value a channel.',
    params: batchParams,
    derived: ['num_features'],
    formula: rank === 1 ? `[C] → [C]; ${unchanged(1)}` : unchanged(rank),
    flopsFormula: '4 · n (statistics and scaling)',
    resolve(given, context) {
      const { dims } = context.input;
      const vector = rank === 1 && dims.length === 1;
      if (!vector && !channelDims(kind, rank, dims, given, context)) return null;
      const num_features = dims[0] as number;
      return {
        args: { num_features, ...given },
        output: dims,
        tensors: channelTensors(num_features, given),
        flops: 4 * product(dims),
        keeps: { input: true },
        workspace: { forward: 0, backward: 4 * product(dims) },
        batchStatistics: {
          values: product(dims.slice(1)),
          per: 'channel',
          inEvaluation: given.track_running_stats ? false : 'not kept',
        },
      };
    },
    python: (args) => pythonCall(`nn.${kind}`, batchParams, args, ['num_features']),
    examples: [
      { params: {}, input: small, output: small },
      { params: { eps: 0.001, momentum: null, affine: false }, input: small, output: small },
      { params: { track_running_stats: false, bias: false }, input: large, output: large },
      ...(rank === 1 ? [{ params: { momentum: 0.3 }, input: [6], output: [6] }] : []),
    ],
  });
}

/**
 * Of one dimension less than a sample with channels should have, PyTorch takes the batch for the channels of a single sample: each sample is
 * then normalised as a whole. It goes as long as nothing is counted by channels.
 */
function asOneChannel(rank: Rank, given: { affine: boolean; track_running_stats: boolean }, dims: Dims): boolean {
  return dims.length === rank && !given.affine && !given.track_running_stats;
}

function instanceNorm(rank: Rank): LayerKind {
  const kind = `InstanceNorm${rank}d`;
  const [small, large] = [[3, 4, 4, 2].slice(0, rank + 1), [2, 5, 3, 3].slice(0, rank + 1)];
  return layerKind({
    kind,
    label: `Instance normalisation ${rank}D`,
    category: 'norm',
    ...copying(plain.layout),
    help: 'Brings each channel of each sample to mean 0 and variance 1, whatever else is in the batch. Known from style transfer.',
    params: instanceParams,
    derived: ['num_features'],
    formula: unchanged(rank),
    flopsFormula: '4 · n (statistics and scaling)',
    resolve(given, context) {
      const { dims } = context.input;
      const whole = asOneChannel(rank, given, dims);
      if (!whole && !channelDims(kind, rank, dims, given, context)) return null;
      const num_features = dims[0] as number;
      const channels = whole ? 1 : num_features;
      if (product(dims) === channels) {
        return context.refuse(
          'BAD_VALUE',
          null,
          `${kind} normalises each channel of a sample over its positions, but of ${showDims(dims)} each channel has one value only`,
          'Use it before the positions are pooled away, or normalise over the channels.',
          [
            context.set('Use GroupNorm with one group', { kind: 'GroupNorm', num_groups: 1 }),
            fix(`Remove this ${kind}`, removeEdit(context.place)),
          ],
        );
      }
      if (whole) {
        const other = rank > 1 ? `InstanceNorm${rank - 1}d` : null;
        context.warn(
          'WRONG_RANK',
          null,
          `${kind} takes ${showDims(dims)} for a single channel and normalises each sample as a whole`,
          `It is made for ${wordsOf[rank].many} with channels.`,
          other ? [context.set(`Use ${other}`, { kind: other })] : [],
        );
      }
      return {
        args: { num_features, ...given },
        output: dims,
        tensors: channelTensors(num_features, given),
        flops: 4 * product(dims),
        // Besides the input, once for each sample: mean and reciprocal deviation of each channel, its factor, its running statistics.
        keeps: { input: true, bytes: (8 + (given.affine ? 4 : 0) + (given.track_running_stats ? 8 : 0)) * channels },
        workspace: { forward: 0, backward: 4 * product(dims) },
      };
    },
    python: (args) => pythonCall(`nn.${kind}`, instanceParams, args, ['num_features']),
    examples: [
      { params: {}, input: small, output: small },
      { params: { affine: true, eps: 0.001 }, input: small, output: small },
      { params: { affine: true, bias: false, track_running_stats: true, momentum: 0.2 }, input: large, output: large },
      { params: { track_running_stats: true, momentum: null }, input: large, output: large },
    ],
  });
}

export const normKinds: readonly LayerKind[] = [...ranks.map(batchNorm), ...ranks.map(instanceNorm)];

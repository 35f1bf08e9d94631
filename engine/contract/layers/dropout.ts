/** Dropout: values, channels or whole samples set aside at random in training. */
import { choice, number, type Rank } from '../fields.ts';
import { removeEdit } from '../report.ts';
import {
  type Dims,
  fix,
  type LayerContext,
  type LayerExample,
  type LayerKind,
  layerKind,
  product,
  type Resolved,
  showDims,
} from './kind.ts';
import { copying } from './layout.ts';
import { pythonCall } from './python.ts';

const p = { label: 'Probability', min: 0, max: 1, default: 0.5 };

/** `drawn`: how many random numbers one sample takes; null after reporting why it cannot. */
function dropout(row: {
  kind: string;
  label: string;
  help: string;
  of: string;
  flops?: number;
  /** Tensors of the input's size that come and go in the forward pass. */
  passing?: number;
  drawn(dims: Dims, context: LayerContext): number | null;
  /** Masks are drawn in a plain tensor's order. */
  plainly?: boolean;
  examples?: LayerExample[];
}): LayerKind {
  const { kind, label, help, of, flops = 1, passing = 0, drawn, plainly = false, examples } = row;
  const params = { p: number({ ...p, help: `Share of ${of} set aside in training.` }) };
  return layerKind({
    kind,
    label,
    category: 'shape',
    ...(plainly ? copying({ output: 'first' }) : {}),
    help: `${help} Does nothing in evaluation.`,
    params,
    mask: 'keeps',
    formula: '[…] → […]',
    flopsFormula: flops === 1 ? 'n' : `${flops} · n`,
    resolve({ p }, context): Resolved | null {
      const { dims } = context.input;
      const numbers = drawn(dims, context);
      if (numbers === null) return null;
      // The mask: floats on the CPU (where every value is drawn, a byte each on GPUs). Without dropping anything there is none.
      return {
        args: { p },
        output: dims,
        flops: flops * product(dims),
        keeps: { bytes: p === 0 ? 0 : 4 * numbers },
        random: true,
        trainingOnly: true,
        workspace: { forward: 4 * passing * product(dims), backward: 0 },
      };
    },
    python: (args) => pythonCall(`nn.${kind}`, params, args, ['p']),
    examples: examples ?? [
      { params: {}, input: [6], output: [6] },
      { params: { p: 0 }, input: [3, 4], output: [3, 4] },
      { params: { p: 0.2 }, input: [3, 4, 4], output: [3, 4, 4] },
    ],
  });
}

/** Sets whole channels aside. PyTorch takes fewer dimensions than the name says, in ways of its own. */
function channelDropout(rank: Rank): LayerKind {
  const kind = `Dropout${rank}d`;
  const shape = [3, 2, 4, 2].slice(0, rank + 1);
  const what = { 1: 'sequence', 2: 'image', 3: 'volume' }[rank];
  return dropout({
    kind,
    label: `Dropout ${rank}D`,
    help: `In training sets whole channels of each ${what} to 0 at random and scales the others up: neighbouring values say nearly the same, so that dropping single ones would not help.`,
    of: 'channels',
    drawn(dims, context) {
      if (dims.length === 0 || (rank === 1 && dims.length > 2)) {
        const other = dims.length === 3 || dims.length === 4 ? `Dropout${dims.length - 1}d` : 'Dropout';
        return context.refuse(
          'WRONG_RANK',
          null,
          `${kind} wants [channels, …] of ${rank} further ${rank === 1 ? 'dimension' : 'dimensions'} but receives ${showDims(dims)}`,
          'There is a kind for each number of dimensions.',
          [context.set(`Use ${other}`, { kind: other }), fix(`Remove this ${kind}`, removeEdit(context.place))],
        );
      }
      // What has not its number of dimensions counts as a single sample, but in Dropout2d as a batch.
      const whole = rank !== 2 && dims.length !== rank + 1;
      if (dims.length !== rank + 1) {
        const fitting = dims.length > 1 && dims.length < 5 ? `Dropout${dims.length - 1}d` : 'Dropout';
        context.warn(
          'WRONG_RANK',
          null,
          `${kind} is made for samples of ${rank + 1} dimensions: of ${showDims(dims)} it sets aside ${
            whole ? 'whole samples' : dims.length === 1 ? 'single values' : 'whole channels'
          }`,
          `${fitting} says so.`,
          [context.set(`Use ${fitting}`, { kind: fitting })],
        );
      }
      return whole ? 1 : (dims[0] as number);
    },
    examples: [
      { params: {}, input: shape, output: shape },
      { params: { p: 0.2 }, input: shape, output: shape },
      { params: { p: 0 }, input: shape, output: shape },
    ],
  });
}

const depthParams = {
  p: number({ label: 'Probability', help: 'Share of samples set to 0 in training.', min: 0, max: 1 }),
  mode: choice(['row', 'batch'], {
    label: 'Mode',
    help: 'row: each sample for itself; batch: all of a batch or none.',
    default: 'row',
  }),
};

export const dropoutKinds: LayerKind[] = [
  dropout({
    kind: 'Dropout',
    plainly: true,
    label: 'Dropout',
    help: 'In training sets values to 0 at random and scales the others up, against learning by heart.',
    of: 'values',
    drawn: product,
  }),
  channelDropout(1),
  channelDropout(2),
  channelDropout(3),
  dropout({
    kind: 'AlphaDropout',
    plainly: true,
    label: 'Alpha dropout',
    help: 'The dropout that goes with SELU: values are set to what SELU answers at the least, and mean and variance are kept.',
    of: 'values',
    flops: 2,
    passing: 1,
    drawn: product,
  }),
  dropout({
    kind: 'FeatureAlphaDropout',
    label: 'Feature alpha dropout',
    help: 'Alpha dropout of whole channels.',
    of: 'channels',
    flops: 2,
    drawn(dims, context) {
      if (dims[0] !== undefined) return dims[0];
      return context.refuse(
        'WRONG_RANK',
        null,
        'FeatureAlphaDropout wants at least one dimension, the channels, but receives a single number',
        'Use AlphaDropout.',
        [context.set('Use AlphaDropout', { kind: 'AlphaDropout' })],
      );
    },
  }),
  layerKind({
    kind: 'StochasticDepth',
    label: 'Stochastic depth',
    category: 'shape',
    help: 'In training sets whole samples to 0 at random and scales the others up: as the last layer of a Residual it skips that block for some samples.',
    params: depthParams,
    mask: 'keeps',
    formula: '[…] → […]',
    flopsFormula: 'n',
    definition: `class StochasticDepth(nn.Module):
    def __init__(self, p, mode="row"):
        super().__init__()
        self.p = p
        self.mode = mode

    def extra_repr(self):
        return f"p={self.p}, mode={self.mode}"

    def forward(self, x):
        if not self.training or self.p == 0:
            return x
        rows = x.shape[0] if self.mode == "row" else 1
        noise = x.new_empty([rows] + [1] * (x.dim() - 1)).bernoulli_(1 - self.p)
        return x * (noise / (1 - self.p) if self.p < 1 else noise)
`,
    resolve({ p, mode }, { input: { dims } }) {
      const keeps = { bytes: p === 0 ? 0 : 4 };
      return { args: { p, mode }, output: dims, flops: product(dims), keeps, random: true, trainingOnly: true };
    },
    python: (args) => pythonCall('StochasticDepth', depthParams, args, ['p']),
    examples: [
      { params: { p: 0.2 }, input: [3, 4], output: [3, 4] },
      { params: { p: 0.1, mode: 'batch' }, input: [6], output: [6] },
      { params: { p: 0 }, input: [2, 3, 3], output: [2, 3, 3] },
    ],
  }),
];

/** Activations along one dimension: softmax and its kin, gated linear units. */
import { integer } from '../fields.ts';
import { removeEdit } from '../report.ts';
import { fix, type LayerContext, type LayerKind, layerKind, product, sampleDim, showDims } from './kind.ts';
import { copying, plain } from './layout.ts';
import { pythonCall } from './python.ts';

const dimText = { label: 'Dimension', min: -9, max: 9 };
const softmaxParams = {
  dim: integer({
    ...dimText,
    help: 'Values along it sum to 1; the batch is 0, negative counts from the end.',
    default: 1,
  }),
};

/** The dimension's position in a sample; null after reporting why there is none. */
function dimension(kind: string, dim: number, context: LayerContext): number | null {
  const { dims } = context.input;
  const found = sampleDim(dim, dims);
  if (!('wrong' in found)) return found.at;
  return context.refuse(
    'BAD_VALUE',
    'dim',
    `${kind} cannot run over dim ${dim} of ${showDims(dims)}: ${found.wrong}`,
    'Use -1 for the last dimension.',
    dims.length > 0 ? [context.set('Set dim to -1', { dim: -1 })] : [],
  );
}

/** Softmax over one dimension, or something near it. */
function softmax(row: { kind: string; label: string; help: string; flops: number; steps: string }): LayerKind {
  const { kind, label, help, flops, steps } = row;
  return layerKind({
    kind,
    label,
    category: 'activation',
    ...copying(plain.layout),
    help,
    params: softmaxParams,
    mask: 'keeps',
    formula: '[…] → […]',
    flopsFormula: `${flops} · n (${steps})`,
    resolve({ dim }, context) {
      const at = dimension(kind, dim, context);
      if (at === null) return null;
      if (at === 0 && context.input.mask !== null) return context.refuseMask(kind);
      const { dims } = context.input;
      // Softmin works on the negated scores.
      const workspace = { forward: kind === 'Softmin' ? 4 * product(dims) : 0, backward: 0 };
      return { args: { dim }, output: dims, flops: flops * product(dims), keeps: { output: true }, workspace };
    },
    // PyTorch's own default is deprecated: the dimension is always written.
    python: ({ dim }) => `nn.${kind}(dim=${dim})`,
    examples: [
      { params: {}, input: [5], output: [5] },
      { params: { dim: -2 }, input: [3, 4], output: [3, 4] },
    ],
  });
}

const gluParams = {
  dim: integer({
    ...dimText,
    help: 'The dimension to halve; the batch is 0, negative counts from the end.',
    default: -1,
  }),
};

export const activationDimKinds: LayerKind[] = [
  layerKind({
    kind: 'GLU',
    layout: { gradient: 'first' },
    label: 'Gated linear unit',
    category: 'activation',
    help: 'Halves a dimension: its first half, times the sigmoid of the second.',
    params: gluParams,
    mask: 'keeps',
    formula: '[…, 2·A] → […, A]',
    explain: ({ dim }, input, output) => {
      const found = sampleDim(dim as number, input);
      return 'at' in found ? [`dimension ${found.at + 1}: ${input[found.at]} / 2 = ${output[found.at]}`] : [];
    },
    flopsFormula: '2 · n (sigmoid and product)',
    resolve({ dim }, context) {
      const at = dimension('GLU', dim, context);
      if (at === null) return null;
      if (at === 0 && context.input.mask !== null) return context.refuseMask('GLU');
      const { dims } = context.input;
      const size = dims[at] as number;
      if (size % 2 !== 0) {
        const even = dims.findIndex((each) => each % 2 === 0);
        return context.refuse(
          'NOT_DIVISIBLE',
          'dim',
          `GLU halves a dimension, but dim ${dim} of ${showDims(dims)} is ${size}`,
          'Let the layer before answer an even number of values.',
          [
            ...(even < 0 ? [] : [context.set(`Set dim to ${even + 1}`, { dim: even + 1 })]),
            fix('Remove this GLU', removeEdit(context.place)),
          ],
        );
      }
      const output = dims.map((each, index) => (index === at ? each / 2 : each));
      return { args: { dim }, output, flops: 2 * product(output), keeps: { input: true } };
    },
    python: (args) => pythonCall('nn.GLU', gluParams, args),
    examples: [
      { params: {}, input: [6], output: [3] },
      { params: {}, input: [3, 4], output: [3, 2] },
      { params: { dim: 1 }, input: [4, 3, 3], output: [2, 3, 3] },
    ],
  }),
  softmax({
    kind: 'Softmax',
    label: 'Softmax',
    help: 'Turns scores into shares that sum to 1. Not before CrossEntropyLoss, which does it itself.',
    flops: 3,
    steps: 'exponential, sum, division',
  }),
  softmax({
    kind: 'Softmin',
    label: 'Softmin',
    help: 'Softmax of the negated scores: the smallest gets the largest share.',
    flops: 4,
    steps: 'sign, exponential, sum, division',
  }),
  layerKind({
    kind: 'Softmax2d',
    ...copying(plain.layout),
    label: 'Softmax 2D',
    category: 'activation',
    help: 'At each position of an image turns the scores of its channels into shares that sum to 1.',
    params: {},
    formula: '[C, H, W] → [C, H, W]',
    flopsFormula: '3 · n (exponential, sum, division)',
    resolve(_params, context) {
      const { dims } = context.input;
      if (dims.length !== 3) {
        return context.refuse(
          'WRONG_RANK',
          null,
          `Softmax2d wants images [channels, height, width] but receives ${showDims(dims)}`,
          'Softmax runs over any dimension.',
          [
            ...(dims.length > 0 ? [context.set('Use Softmax', { kind: 'Softmax', dim: 1 })] : []),
            fix('Remove this Softmax2d', removeEdit(context.place)),
          ],
        );
      }
      return { args: {}, output: dims, flops: 3 * product(dims), keeps: { output: true } };
    },
    python: () => 'nn.Softmax2d()',
    examples: [{ params: {}, input: [3, 4, 2], output: [3, 4, 2] }],
  }),
  softmax({
    kind: 'LogSoftmax',
    label: 'Log softmax',
    help: 'The logarithms of softmax: what NLLLoss and KLDivLoss want.',
    flops: 3,
    steps: 'exponential, sum, difference',
  }),
];

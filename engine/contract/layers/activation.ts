/** Activations: functions of each value, and softmax over one dimension. */
import { choice, integer, number } from '../fields.ts';
import type { Shape, Values } from '../report.ts';
import { type LayerExample, type LayerKind, layerKind, product, sampleDim, showDims } from './kind.ts';
import { pythonCall } from './python.ts';

/** A function of each value: the shape stays. `keeps`: which side the gradient is computed from. */
function pointwise<const S extends Shape>(row: {
  kind: string;
  label: string;
  help: string;
  params: S;
  keeps: 'input' | 'output';
  examples?: LayerExample[];
}): LayerKind {
  const { keeps, ...rest } = row;
  return layerKind<S>({
    examples: [{ params: {}, input: [3, 4], output: [3, 4] }],
    ...rest,
    category: 'activation',
    formula: '[…] → […]',
    flopsFormula: 'n (the function of a value counts 1)',
    resolve: (params: Values<S>, { input }) => ({
      args: params as Record<string, string | number | boolean>,
      output: input.dims,
      flops: product(input.dims),
      keeps: { [keeps]: true },
    }),
    python: (args) => pythonCall(`nn.${row.kind}`, row.params, args),
  });
}

const softmaxParams = {
  dim: integer({
    label: 'Dimension',
    help: 'Values along it sum to 1; the batch is 0, negative counts from the end.',
    min: -9,
    max: 9,
    default: 1,
  }),
};

/** Softmax over one dimension, or its logarithm. */
function softmax({
  kind,
  label,
  help,
  formula,
}: {
  kind: string;
  label: string;
  help: string;
  formula: string;
}): LayerKind {
  return layerKind({
    kind,
    label,
    category: 'activation',
    help,
    params: softmaxParams,
    formula: '[…] → […]',
    flopsFormula: formula,
    resolve({ dim }, context) {
      const { dims } = context.input;
      const found = sampleDim(dim, dims);
      if ('wrong' in found) {
        return context.refuse(
          'BAD_VALUE',
          'dim',
          `${kind} cannot run over dim ${dim} of ${showDims(dims)}: ${found.wrong}`,
          'Use -1 for the last dimension.',
          dims.length > 0 ? [context.set('Set dim to -1', { dim: -1 })] : [],
        );
      }
      return { args: { dim }, output: dims, flops: 3 * product(dims), keeps: { output: true } };
    },
    // PyTorch's own default is deprecated: the dimension is always written.
    python: ({ dim }) => `nn.${kind}(dim=${dim})`,
    examples: [
      { params: {}, input: [5], output: [5] },
      { params: { dim: -2 }, input: [3, 4], output: [3, 4] },
    ],
  });
}

export const activationKinds: LayerKind[] = [
  pointwise({
    kind: 'ReLU',
    label: 'ReLU',
    help: 'Sets negative values to 0. The usual choice between layers.',
    params: {},
    keeps: 'output',
  }),
  pointwise({
    kind: 'LeakyReLU',
    label: 'Leaky ReLU',
    help: 'Multiplies negative values by a small slope.',
    params: { negative_slope: number({ label: 'Slope', help: 'Factor of negative values.', default: 0.01 }) },
    keeps: 'input',
    examples: [
      { params: {}, input: [3, 4], output: [3, 4] },
      { params: { negative_slope: 0.2 }, input: [5], output: [5] },
      { params: { negative_slope: -0.2 }, input: [5], output: [5] },
    ],
  }),
  pointwise({
    kind: 'GELU',
    label: 'GELU',
    help: 'A smooth ReLU: x times the normal distribution function of x.',
    params: {
      approximate: choice(['none', 'tanh'], { label: 'Approximation', help: 'Exact, or by tanh.', default: 'none' }),
    },
    keeps: 'input',
    examples: [
      { params: {}, input: [3, 4], output: [3, 4] },
      { params: { approximate: 'tanh' }, input: [5], output: [5] },
    ],
  }),
  pointwise({
    kind: 'SiLU',
    label: 'SiLU',
    help: 'x times its sigmoid; also called swish.',
    params: {},
    keeps: 'input',
  }),
  pointwise({ kind: 'Sigmoid', label: 'Sigmoid', help: 'Squeezes values to 0…1.', params: {}, keeps: 'output' }),
  pointwise({ kind: 'Tanh', label: 'Tanh', help: 'Squeezes values to −1…1.', params: {}, keeps: 'output' }),
  softmax({
    kind: 'Softmax',
    label: 'Softmax',
    help: 'Turns scores into shares that sum to 1. Not before CrossEntropyLoss, which does it itself.',
    formula: '3 · n (exponential, sum, division)',
  }),
  softmax({
    kind: 'LogSoftmax',
    label: 'Log softmax',
    help: 'The logarithms of softmax: what NLLLoss and KLDivLoss want.',
    formula: '3 · n (exponential, sum, difference)',
  }),
];

/** Layers without arithmetic of their own: flattening, identity, dropout. */
import { integer, number } from '../fields.ts';
import { removeEdit } from '../report.ts';
import { fix, layerKind, product, sampleDim, showDims } from './kind.ts';
import { pythonCall } from './python.ts';

const flattenParams = {
  start_dim: integer({ label: 'From', help: 'First dimension to join; the batch is 0.', min: -9, max: 9, default: 1 }),
  end_dim: integer({ label: 'To', help: 'Last dimension to join.', min: -9, max: 9, default: -1 }),
};

const dropoutParams = {
  p: number({ label: 'Probability', help: 'Share of values set to 0 in training.', min: 0, max: 1, default: 0.5 }),
};

export const shapeKinds = [
  layerKind({
    kind: 'Flatten',
    label: 'Flatten',
    category: 'shape',
    help: 'Joins dimensions into one, for layers that want plain vectors.',
    params: flattenParams,
    takes: 'any',
    formula: '[A, B, C] → [A·B·C]',
    flopsFormula: '0',
    resolve({ start_dim, end_dim }, context) {
      const { dims } = context.input;
      const reset = [
        fix(
          'Join all dimensions',
          removeEdit([...context.place, 'start_dim']),
          removeEdit([...context.place, 'end_dim']),
        ),
      ];
      const start = sampleDim(start_dim, dims);
      const end = sampleDim(end_dim, dims);
      for (const [key, given, found] of [
        ['start_dim', start_dim, start],
        ['end_dim', end_dim, end],
      ] as const) {
        if (!('wrong' in found)) continue;
        const message = `${key} ${given} does not fit ${showDims(dims)}: ${found.wrong}`;
        return context.refuse(
          'BAD_VALUE',
          key,
          message,
          'The batch is dimension 0, the first of the sample 1.',
          dims.length > 0 ? reset : [],
        );
      }
      const [from, to] = [(start as { at: number }).at, (end as { at: number }).at];
      if (from > to) {
        const message = `start_dim ${start_dim} comes after end_dim ${end_dim} in ${showDims(dims)}`;
        return context.refuse('BAD_VALUE', 'start_dim', message, 'Exchange them.', reset);
      }
      const output = [...dims.slice(0, from), product(dims.slice(from, to + 1)), ...dims.slice(to + 1)];
      return { args: { start_dim, end_dim }, output, reshapes: true };
    },
    python: (args) => pythonCall('nn.Flatten', flattenParams, args),
    examples: [
      { params: {}, input: [2, 3, 4], output: [24] },
      { params: { start_dim: 2 }, input: [2, 3, 4], output: [2, 12] },
      { params: { start_dim: -3, end_dim: -2 }, input: [2, 3, 4], output: [6, 4] },
    ],
  }),
  layerKind({
    kind: 'Identity',
    label: 'Identity',
    category: 'shape',
    help: 'Hands its input on unchanged.',
    params: {},
    takes: 'any',
    formula: '[…] → […]',
    flopsFormula: '0',
    resolve: (_params, { input }) => ({ args: {}, output: input.dims, reshapes: true }),
    python: () => 'nn.Identity()',
    examples: [{ params: {}, input: [3, 4], output: [3, 4] }],
  }),
  layerKind({
    kind: 'Dropout',
    label: 'Dropout',
    category: 'shape',
    help: 'In training sets values to 0 at random and scales the others up, against learning by heart; does nothing in evaluation.',
    params: dropoutParams,
    formula: '[…] → […]',
    flopsFormula: 'n',
    resolve({ p }, { input }) {
      // The mask: a float a value on the CPU (a byte on GPUs). Without dropping anything there is none.
      const bytes = p === 0 ? 0 : 4 * product(input.dims);
      return { args: { p }, output: input.dims, flops: product(input.dims), keeps: { bytes } };
    },
    python: (args) => pythonCall('nn.Dropout', dropoutParams, args, ['p']),
    examples: [
      { params: {}, input: [6], output: [6] },
      { params: { p: 0 }, input: [3, 4], output: [3, 4] },
    ],
  }),
];

/** Layers without arithmetic of their own: reshaping, identity. */
import { z } from 'zod';
import { field, integer, largestSize } from '../fields.ts';
import { removeEdit } from '../report.ts';
import { productLine } from './explain.ts';
import { fix, layerKind, product, sameDims, sampleDim, showDims } from './kind.ts';
import { pythonCall } from './python.ts';

const flattenParams = {
  start_dim: integer({ label: 'From', help: 'First dimension to join; the batch is 0.', min: -9, max: 9, default: 1 }),
  end_dim: integer({ label: 'To', help: 'Last dimension to join.', min: -9, max: 9, default: -1 }),
};

const unflattenParams = {
  dim: integer({ label: 'Dimension', help: 'The dimension to divide; the batch is 0.', min: -9, max: 9 }),
  unflattened_size: field(
    z
      .array(z.union([z.literal(-1), z.number().int().min(1).max(largestSize)]))
      .min(1)
      .max(8)
      .refine((sizes) => sizes.filter((size) => size === -1).length < 2),
    {
      label: 'Sizes',
      help: 'The dimensions that it becomes; one may be -1: what remains.',
      control: 'numbers',
      expected: 'a list of 1 to 8 integers ≥ 1, of which one may be -1',
    },
  ),
};

const permuteParams = {
  dims: field(z.array(z.number().int().min(-9).max(9)).min(1).max(9), {
    label: 'Dimensions',
    help: 'All of them in the wanted order. The batch is 0 and stays first: [0, 2, 1] exchanges the two of a sequence.',
    control: 'numbers',
    expected: 'a list of the dimensions in the wanted order, such as [0, 2, 1]',
  }),
};

/** Sizes near the given ones that divide `size`: one of them left open, else those with another in its place, else all in one. */
function unflattenFixes(given: readonly number[], size: number): number[][] {
  const open = given.map((_, at) => given.map((each, index) => (index === at ? -1 : each === -1 ? 1 : each)));
  const fitting = open.filter((sizes) => size % Math.abs(product(sizes)) === 0);
  return fitting.length > 0 ? fitting.slice(-2) : [[size, ...given.slice(1).map(() => 1)]];
}

export const shapeKinds = [
  layerKind({
    kind: 'Flatten',
    label: 'Flatten',
    category: 'shape',
    help: 'Joins dimensions into one, for layers that want plain vectors.',
    params: flattenParams,
    takes: 'any',
    mask: 'keeps',
    formula: '[A, B, C] → [A·B·C]',
    explain: ({ start_dim, end_dim }, input) => {
      const [start, end] = [start_dim, end_dim].map((dim) => sampleDim(dim as number, input));
      if (!start || !end || 'wrong' in start || 'wrong' in end) return [];
      return [productLine(`dimension ${start.at + 1}`, input.slice(start.at, end.at + 1))];
    },
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
      if (from === 0 && to > 0 && context.input.mask !== null) return context.refuseMask('Flatten');
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
    kind: 'Unflatten',
    label: 'Unflatten',
    category: 'shape',
    help: 'Divides one dimension into several, such as a vector into an image.',
    params: unflattenParams,
    takes: 'any',
    mask: 'keeps',
    formula: '[A·B·C] → [A, B, C]',
    explain: ({ dim, unflattened_size }, input, output) => {
      const found = sampleDim(dim as number, input);
      if ('wrong' in found) return [];
      const parts = output.slice(found.at, found.at + (unflattened_size as number[]).length);
      return [`dimension ${found.at + 1}: ${parts.join(' · ')} = ${input[found.at]}`];
    },
    flopsFormula: '0',
    resolve({ dim, unflattened_size }, context) {
      const { dims } = context.input;
      const found = sampleDim(dim, dims);
      if ('wrong' in found) {
        const message = `dim ${dim} does not fit ${showDims(dims)}: ${found.wrong}`;
        const fixes = dims.length > 0 ? [context.set('Set dim to 1', { dim: 1 })] : [];
        return context.refuse(
          'BAD_VALUE',
          'dim',
          message,
          'The batch is dimension 0, the first of the sample 1.',
          fixes,
        );
      }
      if (found.at === 0 && context.input.mask !== null) return context.refuseMask('Unflatten');
      const size = dims[found.at] as number;
      const known = product(unflattened_size.filter((each) => each !== -1));
      const open = unflattened_size.includes(-1);
      if (open ? size % known !== 0 : known !== size) {
        return context.refuse(
          'NOT_DIVISIBLE',
          'unflattened_size',
          `${size} values cannot become ${showDims(unflattened_size)}${open ? '' : `, which are ${known}`}`,
          'The sizes multiplied must give the size of the dimension.',
          unflattenFixes(unflattened_size, size).map((sizes) =>
            context.set(`Use ${showDims(sizes)}`, { unflattened_size: sizes }),
          ),
        );
      }
      const sizes = unflattened_size.map((each) => (each === -1 ? size / known : each));
      return {
        args: { dim, unflattened_size },
        output: [...dims.slice(0, found.at), ...sizes, ...dims.slice(found.at + 1)],
        reshapes: true,
      };
    },
    python: (args) => pythonCall('nn.Unflatten', unflattenParams, args, ['dim', 'unflattened_size']),
    examples: [
      { params: { dim: 1, unflattened_size: [2, 3] }, input: [6], output: [2, 3] },
      { params: { dim: -1, unflattened_size: [-1, 2, 1] }, input: [3, 4], output: [3, 2, 2, 1] },
      { params: { dim: 1, unflattened_size: [3, -1] }, input: [6, 4, 2], output: [3, 2, 4, 2] },
    ],
  }),
  layerKind({
    kind: 'Permute',
    label: 'Permute',
    category: 'shape',
    help: 'Puts the dimensions in another order: from [channels, length] to [length, channels], say.',
    params: permuteParams,
    takes: 'any',
    mask: 'keeps',
    formula: '[A, B, C] → [C, A, B]',
    explain: ({ dims }, input) =>
      (dims as number[]).slice(1).map((dim, index) => {
        const from = dim < 0 ? dim + input.length + 1 : dim;
        return `dimension ${index + 1}: dimension ${from} of the input, ${input[from - 1]}`;
      }),
    flopsFormula: '0',
    definition: `class Permute(nn.Module):
    def __init__(self, dims):
        super().__init__()
        self.dims = dims

    def extra_repr(self):
        return str(self.dims)

    def forward(self, x):
        return x.permute(self.dims).contiguous()
`,
    resolve({ dims: order }, context) {
      const { dims } = context.input;
      const rank = dims.length + 1;
      const places = order.map((dim) => (dim < 0 ? dim + rank : dim));
      const complete = places.length === rank && dims.every((_, index) => places.includes(index + 1));
      if (!complete || places[0] !== 0) {
        const all = Array.from({ length: rank }, (_, index) => index);
        const rest = all.slice(1).filter((dim) => !places.includes(dim));
        const named = places.filter((dim, index) => dim > 0 && dim < rank && places.indexOf(dim) === index);
        const mended = [0, ...named, ...rest];
        return context.refuse(
          'BAD_VALUE',
          'dims',
          complete && places.includes(0)
            ? `dims ${showDims(order)} move the batch, dimension 0, and samples must not mix`
            : `dims ${showDims(order)} do not name each of the ${rank} dimensions of the batch of ${showDims(dims)} once`,
          `Name 0 for the batch first, then ${all.slice(1).join(', ')} in the wanted order.`,
          [
            context.set(`Use ${showDims(mended)}`, { dims: mended }),
            ...(rank > 2 && sameDims(mended, all)
              ? [
                  context.set(`Use ${showDims([0, ...all.slice(1).reverse()])}`, {
                    dims: [0, ...all.slice(1).reverse()],
                  }),
                ]
              : []),
          ],
        );
      }
      if (places[1] !== 1 && context.input.mask !== null) return context.refuseMask('Permute');
      return { args: { dims: order }, output: places.slice(1).map((place) => dims[place - 1] as number) };
    },
    python: (args) => pythonCall('Permute', permuteParams, args, ['dims']),
    examples: [
      { params: { dims: [0, 2, 1] }, input: [3, 4], output: [4, 3] },
      { params: { dims: [0, -1, 1, 2] }, input: [2, 3, 4], output: [4, 2, 3] },
      { params: { dims: [0, 1, 2] }, input: [3, 4], output: [3, 4] },
    ],
  }),
  layerKind({
    kind: 'Identity',
    label: 'Identity',
    category: 'shape',
    help: 'Hands its input on unchanged.',
    params: {},
    takes: 'any',
    mask: 'keeps',
    formula: '[…] → […]',
    flopsFormula: '0',
    resolve: (_params, { input }) => ({ args: {}, output: input.dims, reshapes: true }),
    python: () => 'nn.Identity()',
    examples: [{ params: {}, input: [3, 4], output: [3, 4] }],
  }),
];

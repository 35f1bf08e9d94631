/** Layers that only put values elsewhere: reshaping, exchanging, windows side by side, identity. */
import { z } from 'zod';
import { asSpan, field, integer, largestSize, span } from '../fields.ts';
import { removeEdit } from '../report.ts';
import { productLine } from './explain.ts';
import { fix, gcd, layerKind, product, sameDims, sampleDim, showDims } from './kind.ts';
import { plain } from './layout.ts';
import { pythonCall } from './python.ts';
import { channelDims, reach, spanDigits, windowOutput } from './window.ts';

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

const shuffleParams = {
  groups: integer({ label: 'Groups', help: 'Channels are cut into this many groups, then taken from each in turn.' }),
};

const patchParams = {
  kernel_size: span(2, { label: 'Kernel', help: 'Height and width of the window.' }),
  dilation: span(2, { label: 'Dilation', help: "Distance between the window's points.", default: 1 }),
  padding: span(2, { label: 'Padding', help: 'Border of zeros on each side.', min: 0, default: 0 }),
  stride: span(2, { label: 'Stride', help: 'How far the window moves from one place to the next.', default: 1 }),
};
const foldParams = {
  output_size: span(2, { label: 'Size', help: 'Height and width of the image that the windows lie on.' }),
  ...patchParams,
};

type Patches = { [Key in keyof typeof patchParams]: number | number[] };

/** The window's arguments, side by side. */
function windowOf(given: Patches) {
  return {
    kernel_size: asSpan(given.kernel_size, 2),
    dilation: asSpan(given.dilation, 2),
    padding: asSpan(given.padding, 2),
    stride: asSpan(given.stride, 2),
  };
}

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
    ...plain,
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
    kind: 'ChannelShuffle',
    label: 'Channel shuffle',
    category: 'shape',
    help: 'Mixes the channels of groups that convolutions keep apart, as ShuffleNet does.',
    params: shuffleParams,
    formula: '[C, …] → [C, …]',
    flopsFormula: '0',
    resolve({ groups }, context) {
      const { dims } = context.input;
      const [channels] = dims;
      if (channels === undefined || dims.length < 2) {
        const message = `ChannelShuffle wants channels and at least one dimension behind them but receives ${showDims(dims)}`;
        return context.refuse('WRONG_RANK', null, message, 'Use it where the tensor still has channels.', [
          fix('Remove this ChannelShuffle', removeEdit(context.place)),
        ]);
      }
      if (channels % groups !== 0) {
        const fits = gcd(channels, groups);
        const message = `${groups} groups do not divide the ${channels} channels`;
        return context.refuse('NOT_DIVISIBLE', 'groups', message, 'Each group holds equally many channels.', [
          context.set(`Set groups to ${fits}`, { groups: fits }),
        ]);
      }
      return { args: { groups }, output: dims };
    },
    python: (args) => pythonCall('nn.ChannelShuffle', shuffleParams, args, ['groups']),
    examples: [
      { params: { groups: 2 }, input: [6, 3, 2], output: [6, 3, 2] },
      { params: { groups: 3 }, input: [6, 4], output: [6, 4] },
    ],
  }),
  layerKind({
    kind: 'Unfold',
    ...plain,
    label: 'Unfold',
    category: 'shape',
    help: 'Cuts an image into windows that may overlap, each a column of numbers.',
    params: patchParams,
    formula: '[C, H, W] → [C · kernel height · kernel width, windows]',
    explain: (args, input, output) => {
      const [height, width] = args.kernel_size as number[];
      return [
        `column: ${input[0]} · ${height} · ${width} = ${output[0]}`,
        `windows: ${output[1]}, wherever the kernel fits`,
      ];
    },
    flopsFormula: '0',
    resolve(given, context) {
      const image = channelDims('Unfold', 2, context.input.dims, null, context);
      const args = windowOf(given);
      const found = image && windowOutput('Unfold', image.size, { ...args, ceil_mode: false }, context, true);
      if (!found) return null;
      // It works on a copy of the image.
      const workspace = { forward: 4 * product(context.input.dims), backward: 0 };
      return { args, output: [image.channels * product(args.kernel_size), product(found)], workspace };
    },
    python: (args) => pythonCall('nn.Unfold', patchParams, args, ['kernel_size']),
    examples: [
      { params: { kernel_size: 2 }, input: [3, 4, 3], output: [12, 6] },
      { params: { kernel_size: [3, 2], dilation: 2, padding: [1, 0], stride: 2 }, input: [2, 6, 5], output: [12, 4] },
    ],
  }),
  layerKind({
    kind: 'Fold',
    label: 'Fold',
    category: 'shape',
    help: 'Lays columns of numbers back onto an image as windows; where they overlap they are added.',
    params: foldParams,
    formula: '[C · kernel height · kernel width, windows] → [C, H, W] of output_size',
    explain: (args, input, output) => {
      const [height, width] = args.kernel_size as number[];
      return [`channels: ${input[0]} / (${height} · ${width}) = ${output[0]}`];
    },
    flopsFormula: 'values of the input (sums)',
    resolve({ output_size: size, ...given }, context) {
      const { dims } = context.input;
      const [column, windows] = dims;
      if (column === undefined || windows === undefined || dims.length !== 2) {
        const message = `Fold wants columns [values, windows] but receives ${showDims(dims)}`;
        return context.refuse('WRONG_RANK', null, message, 'It takes what Unfold answers.', [
          fix('Remove this Fold', removeEdit(context.place)),
        ]);
      }
      const output_size = asSpan(size, 2);
      const args = windowOf(given);
      const { kernel_size, stride, padding } = args;
      const reaches = kernel_size.map((length, side) => reach(length, args.dilation[side] as number));
      const found = output_size.map((length, side) => {
        const free = length + 2 * (padding[side] as number) - (reaches[side] as number);
        return Math.floor(free / (stride[side] as number)) + 1;
      });
      /** The size of an image on which so many windows lie in one row. */
      const inOneRow = (spans: readonly number[]) =>
        [1, windows].map(
          (count, side) =>
            (count - 1) * (stride[side] as number) + (spans[side] as number) - 2 * (padding[side] as number),
        );
      const fixesOf = (spans: readonly number[], label: string, others: { kernel_size?: number }) => {
        const size = inOneRow(spans);
        return size.every((length) => length > 0) ? [context.set(label, { ...others, output_size: size })] : [];
      };
      if (column % product(kernel_size) !== 0) {
        return context.refuse(
          'NOT_DIVISIBLE',
          'kernel_size',
          `Columns of ${column} values are no multiple of the window’s ${product(kernel_size)}`,
          'Give the window of the layer that unfolded it.',
          fixesOf([1, 1], 'Use windows of one value in one row', { kernel_size: 1 }),
        );
      }
      if (found.some((count) => count < 1) || product(found) !== windows) {
        return context.refuse(
          'BAD_VALUE',
          'output_size',
          `An image of ${spanDigits(output_size)} has room for ${product(found.map((count) => Math.max(0, count)))} of these windows, but the input has ${windows}`,
          'Give the size of the image that was unfolded.',
          fixesOf(reaches, `Set output_size to ${spanDigits(inOneRow(reaches))}`, {}),
        );
      }
      return {
        args: { output_size, ...args },
        output: [column / product(kernel_size), ...output_size],
        flops: product(dims),
      };
    },
    python: (args) => pythonCall('nn.Fold', foldParams, args, ['output_size', 'kernel_size']),
    examples: [
      { params: { output_size: [4, 3], kernel_size: 2 }, input: [12, 6], output: [3, 4, 3] },
      { params: { output_size: 4, kernel_size: 2, stride: 2 }, input: [8, 4], output: [2, 4, 4] },
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

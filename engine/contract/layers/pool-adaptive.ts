/** Poolings to a given size, whatever the input's, and over everything. */
import { z } from 'zod';
import { asSpan, field, flag, largestSize, type Rank, spanSchema, spanText } from '../fields.ts';
import { removeEdit } from '../report.ts';
import { fix, layerKind, product, showDims } from './kind.ts';
import { plain } from './layout.ts';
import { averagePoolOnCpu } from './pool-cpu.ts';
import { pythonCall } from './python.ts';
import { inner, planeDims, ranks, wordsOf } from './window.ts';

const size = z.number().int().min(1).max(largestSize);

/** A side may be left as it is, but not along a sequence: PyTorch takes a number there. */
function adaptiveParams(rank: Rank) {
  const open = rank > 1;
  return {
    output_size: field(spanSchema(rank, size, open ? size.nullable() : size), {
      label: 'Output size',
      help: `${wordsOf[rank].sides} of the output${open ? '; where sides are given one by one, null: as the input' : ''}.`,
      control: 'pair',
      rank,
      min: 1,
      expected: `${spanText(rank, 'an integer ≥ 1')}${open ? ' or null' : ''}`,
    }),
  };
}

function adaptive(rank: Rank, by: 'Avg' | 'Max') {
  const kind = `Adaptive${by}Pool${rank}d`;
  const params = adaptiveParams(rank);
  const mean = by === 'Avg';
  const { letters } = wordsOf[rank];
  return layerKind({
    kind,
    label: `Adaptive ${mean ? 'average' : 'max'} pooling ${rank}D`,
    category: 'pool',
    free: true,
    ...(rank === 3
      ? plain
      : {
          ...(rank === 2 && mean ? { onCpu: averagePoolOnCpu.onCpu } : {}),
          layout: ({ output }) => (product(output.slice(-2)) === 1 && mean ? plain.layout : { gradient: 'input' }),
        }),
    help: mean
      ? "Averages to a given size, whatever the input's: 1 gives one value a channel."
      : "Keeps the largest values at a given size, whatever the input's: 1 gives one value a channel.",
    params,
    formula: `[C, ${letters.join(', ')}] → [C, ${rank === 1 ? 'output_size' : letters.map((_, side) => `output_size[${side}]`).join(', ')}]`,
    flopsFormula: mean ? 'values of the input' : 'values of the input (comparisons)',
    resolve({ output_size }, context) {
      const plane = planeDims(kind, rank, context.input.dims, { output_size }, context);
      if (!plane) return null;
      const wanted = typeof output_size === 'number' ? asSpan(output_size, rank) : output_size;
      const sides = plane.size.map((length, side) => wanted[side] ?? length);
      const output = [...plane.lead, ...sides];
      return {
        args: { output_size: sides },
        output,
        flops: product(context.input.dims),
        // To one value it is a mean, which needs no values for its gradient; a maximum's place is an int64.
        keeps: mean
          ? { input: product(sides) > 1 }
          : { input: true, bytes: 8 * product(output), integers: 8 * product(output) },
      };
    },
    python: (args) => pythonCall(`nn.${kind}`, params, args, ['output_size']),
    examples: [
      { params: { output_size: 1 }, input: [3, ...inner(rank, [2, 7, 5])], output: [3, ...inner(rank, [1, 1, 1])] },
      {
        params: { output_size: rank === 1 ? [3] : inner(rank, [2, 3, null]) },
        input: [3, ...inner(rank, [4, 7, 5])],
        output: [3, ...inner(rank, [2, 3, rank === 1 ? 3 : 5])],
      },
      { params: { output_size: 4 }, input: inner(rank, [3, 6, 5]), output: inner(rank, [4, 4, 4]) },
    ],
  });
}

const globalParams = {
  keepdim: flag({ label: 'Keep dimensions', help: 'Leaves each reduced side in place, of size 1.', default: false }),
};

function globalPool(by: 'Avg' | 'Max') {
  const kind = `Global${by}Pool`;
  const mean = by === 'Avg';
  return layerKind({
    kind,
    label: `Global ${mean ? 'average' : 'max'} pooling`,
    category: 'pool',
    ...(mean ? { free: true, ...plain } : { layout: { output: 'first', gradient: 'input' } }),
    help: `${mean ? 'Averages' : 'Takes the maximum of'} all positions of each channel, of sequences, images and volumes alike: one value a channel.`,
    params: globalParams,
    definition: `class ${kind}(nn.Module):
    def __init__(self, keepdim=False):
        super().__init__()
        self.keepdim = keepdim

    def extra_repr(self):
        return f"keepdim={self.keepdim}"

    def forward(self, x):
        return x.${mean ? 'mean' : 'amax'}(dim=tuple(range(2, x.dim())), keepdim=self.keepdim)
`,
    formula: '[C, …] → [C]; with keepdim [C, 1, …]',
    flopsFormula: mean ? 'values of the input' : 'values of the input (comparisons)',
    resolve({ keepdim }, context) {
      const [channels, ...sides] = context.input.dims;
      if (channels === undefined || sides.length === 0) {
        return context.refuse(
          'WRONG_RANK',
          null,
          `${kind} wants channels and at least one more dimension but receives ${showDims(context.input.dims)}`,
          context.before?.kind === 'Flatten' ? 'Use it in place of Flatten.' : 'There is nothing left to pool.',
          [
            ...(context.before?.kind === 'Flatten'
              ? [fix('Remove the Flatten before it', removeEdit(context.before.place))]
              : []),
            fix(`Remove this ${kind}`, removeEdit(context.place)),
          ],
        );
      }
      return {
        args: { keepdim },
        output: [channels, ...(keepdim ? sides.map(() => 1) : [])],
        flops: product(context.input.dims),
        // A maximum's gradient goes where the input equals it.
        keeps: mean ? {} : { input: true, output: true },
        workspace: mean ? 0 : { forward: 0, backward: 5 * product(context.input.dims) },
      };
    },
    python: (args) => pythonCall(kind, globalParams, args),
    examples: [
      { params: {}, input: [3, 5, 4], output: [3] },
      { params: {}, input: [2, 7], output: [2] },
      { params: { keepdim: true }, input: [2, 3, 4, 2], output: [2, 1, 1, 1] },
    ],
  });
}

export const adaptivePoolKinds = [
  ...ranks.map((rank) => adaptive(rank, 'Avg')),
  ...ranks.map((rank) => adaptive(rank, 'Max')),
  globalPool('Avg'),
  globalPool('Max'),
];

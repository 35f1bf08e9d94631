/** Poolings by a window that slides. */
import { z } from 'zod';
import {
  asSpan,
  field,
  flag,
  integer,
  largestSize,
  type Rank,
  type Span,
  span,
  spanSchema,
  spanText,
} from '../fields.ts';
import { type JsonObject, removeEdit } from '../report.ts';
import { explainWindow } from './explain.ts';
import { type Dims, fix, type LayerContext, layerKind, product, sameDims, showDims } from './kind.ts';
import { copying, plain } from './layout.ts';
import { averagePoolOnCpu, maxPoolOnCpu } from './pool-cpu.ts';
import { pythonCall } from './python.ts';
import {
  checkPoolPadding,
  inner,
  noBorder,
  planeDims,
  ranks,
  shapeFormula,
  spanDigits,
  spanValue,
  type Window,
  windowOutput,
  windowValues,
  wordsOf,
} from './window.ts';

const size = z.number().int().min(1).max(largestSize);

function windowParams(rank: Rank) {
  return {
    kernel_size: span(rank, { label: 'Window', help: `${wordsOf[rank].sides} of the window.` }),
    stride: field(z.union([...spanSchema(rank, size, size).options, z.null()]), {
      label: 'Stride',
      help: 'How far the window moves; absent: its own size.',
      control: 'pair',
      rank,
      min: 1,
      expected: `${spanText(rank, 'an integer ≥ 1').replace(' or ', ', ')}, or null`,
      default: null,
      absent: 'as the window',
    }),
    padding: span(rank, {
      label: 'Padding',
      help: 'Border on each side; at most half the window.',
      min: 0,
      default: 0,
    }),
    ceil_mode: flag({ label: 'Ceil mode', help: 'Lets the last window hang over the end.', default: false }),
  };
}

function maxParams(rank: Rank) {
  const { ceil_mode, ...window } = windowParams(rank);
  return {
    ...window,
    dilation: span(rank, { label: 'Dilation', help: "Distance between the window's points.", default: 1 }),
    ceil_mode,
  };
}

const count_include_pad = flag({
  label: 'Count padding',
  help: 'Padding counts in the mean.',
  default: true,
  idle: ({ padding, divisor_override }) =>
    typeof divisor_override === 'number'
      ? 'The divisor is given.'
      : noBorder(padding)
        ? 'No border is added: padding is 0.'
        : null,
});
const divisor_override = field(
  z
    .number()
    .int()
    .refine((value) => value !== 0)
    .nullable(),
  {
    label: 'Divisor',
    help: "Divides by this instead of the window's size.",
    control: 'integer',
    expected: 'an integer other than 0, or null',
    default: null,
    absent: "the window's size",
  },
);

/** A mean along a sequence has no other divisor in PyTorch. */
function avgParams(rank: Rank): ReturnType<typeof windowParams> & {
  count_include_pad: typeof count_include_pad;
  divisor_override?: typeof divisor_override;
} {
  return { ...windowParams(rank), count_include_pad, ...(rank === 1 ? {} : { divisor_override }) };
}

/** Along a sequence PyTorch takes a plain number for the window. */
function lpParams(rank: Rank) {
  const { kernel_size, stride, ceil_mode } = windowParams(rank);
  const norm_type = field(
    z.number().refine((value) => value !== 0),
    {
      label: 'Power',
      help: 'Values are raised to this power, summed, and the root is taken: 1 gives the sum, large powers near the maximum. Where values may be negative use an even number: others can make NaN of them.',
      control: 'number',
      expected: 'a number other than 0',
    },
  );
  if (rank > 1) return { norm_type, kernel_size, stride, ceil_mode };
  return {
    norm_type,
    kernel_size: integer({ label: 'Window', help: 'Length of the window.' }),
    stride,
    ceil_mode,
  };
}

const side = (letter: string) => `⌊(${letter} + 2·padding − dilation·(kernel − 1) − 1) / stride⌋ + 1`;
const ceils = '; ceil_mode rounds up';

interface Given {
  kernel_size: number | Span;
  stride: number | Span | null;
  padding?: number | Span;
  dilation?: number | Span;
  ceil_mode: boolean;
}

/** The window's arguments and the output's dims; null after reporting why it does not fit. */
function pooled(
  kind: string,
  rank: Rank,
  given: Given & JsonObject,
  dims: Dims,
  context: LayerContext,
): { window: Window; output: number[] } | null {
  const plane = planeDims(kind, rank, dims, given, context);
  if (!plane) return null;
  const window = {
    kernel_size: asSpan(given.kernel_size, rank),
    stride: asSpan(given.stride ?? given.kernel_size, rank),
    padding: asSpan(given.padding ?? 0, rank),
    dilation: asSpan(given.dilation ?? 1, rank),
    ceil_mode: given.ceil_mode,
  };
  if (!checkPoolPadding(kind, window, context)) return null;
  const sides = windowOutput(kind, plane.size, window, context);
  if (!sides || (rank === 3 && given.dilation === undefined && !liesInside(kind, plane.size, window, context))) {
    return null;
  }
  return { window, output: [...plane.lead, ...sides] };
}

/** PyTorch's mean over volumes wants the window no larger than what arrives, whatever the padding; false after reporting one that is. */
function liesInside(kind: string, size: Span, { kernel_size, padding }: Window, context: LayerContext): boolean {
  const fitting = kernel_size.map((kernel, side) => Math.min(kernel, size[side] as number));
  if (sameDims(fitting, kernel_size)) return true;
  const border = fitting.map((kernel, side) => Math.min(Math.floor(kernel / 2), padding[side] as number));
  context.refuse(
    'EMPTY_OUTPUT',
    'kernel_size',
    `The window of ${kind}, ${spanDigits(kernel_size)}, is larger than what arrives: ${showDims(size)}; over volumes padding does not make up for it`,
    'Use a smaller window, or fewer layers that shrink the input.',
    [
      context.set(`Set kernel_size to ${spanDigits(fitting)}`, {
        kernel_size: spanValue(fitting),
        ...(sameDims(border, padding) ? {} : { padding: spanValue(border) }),
      }),
      fix(`Remove this ${kind}`, removeEdit(context.place)),
    ],
  );
  return false;
}

function maxPool(rank: Rank) {
  const kind = `MaxPool${rank}d`;
  const params = maxParams(rank);
  return layerKind({
    kind,
    label: `Max pooling ${rank}D`,
    category: 'pool',
    free: true,
    ...(rank === 2 ? maxPoolOnCpu : rank === 3 ? { fp32: true, ...copying(plain.layout) } : {}),
    help: `Keeps the largest value of each window; makes ${wordsOf[rank].many} smaller.`,
    params,
    formula: shapeFormula(rank, 'C', side) + ceils,
    explain: explainWindow,
    flopsFormula: `${windowValues(rank, 'window')} · n (comparisons)`,
    resolve(given, context) {
      const found = pooled(kind, rank, given, context.input.dims, context);
      if (!found) return null;
      const { window, output } = found;
      // Besides the input it remembers where each maximum was: an int64 an output.
      return {
        args: { ...window },
        output,
        flops: product(window.kernel_size) * product(output),
        keeps: { input: true, bytes: 8 * product(output), integers: 8 * product(output) },
        ...(rank === 1 ? { workspace: { forward: 0, unkept: 0, backward: 0 } } : {}),
      };
    },
    python: (args) => pythonCall(`nn.${kind}`, params, args, ['kernel_size'], { stride: args.kernel_size ?? null }),
    examples: [
      {
        params: { kernel_size: 2 },
        input: [2, ...inner(rank, [4, 8, 6])],
        output: [2, ...inner(rank, [2, 4, 3])],
      },
      {
        params: {
          kernel_size: inner(rank, [2, 3, 2]),
          stride: 2,
          padding: inner(rank, [0, 1, 1]),
          dilation: inner(rank, [1, 2, 1]),
          ceil_mode: true,
        },
        input: [2, ...inner(rank, [5, 9, 8])],
        output: [2, ...inner(rank, [3, 4, 5])],
      },
      { params: { kernel_size: 2 }, input: inner(rank, [4, 8, 6]), output: inner(rank, [2, 4, 3]) },
    ],
  });
}

function avgPool(rank: Rank) {
  const kind = `AvgPool${rank}d`;
  const params = avgParams(rank);
  return layerKind({
    kind,
    label: `Average pooling ${rank}D`,
    category: 'pool',
    free: true,
    ...(rank === 2 ? averagePoolOnCpu : rank === 3 ? { fp32: true, ...copying(plain.layout) } : {}),
    help: `Takes the mean of each window; makes ${wordsOf[rank].many} smaller.`,
    params,
    formula: shapeFormula(rank, 'C', side).replace('dilation·', '') + ceils,
    explain: explainWindow,
    flopsFormula: `${windowValues(rank, 'window')} · n`,
    resolve(given, context) {
      const found = pooled(kind, rank, given, context.input.dims, context);
      if (!found) return null;
      const { kernel_size, stride, padding, ceil_mode } = found.window;
      return {
        args: {
          kernel_size,
          stride,
          padding,
          ceil_mode,
          count_include_pad: given.count_include_pad,
          ...(rank === 1
            ? {}
            : { divisor_override: (given as { divisor_override?: number | null }).divisor_override ?? null }),
        },
        output: found.output,
        flops: product(kernel_size) * product(found.output),
        keeps: { input: true },
      };
    },
    python: (args) => pythonCall(`nn.${kind}`, params, args, ['kernel_size'], { stride: args.kernel_size ?? null }),
    examples: [
      {
        params: { kernel_size: 2 },
        input: [2, ...inner(rank, [4, 8, 6])],
        output: [2, ...inner(rank, [2, 4, 3])],
      },
      {
        params: {
          kernel_size: 3,
          stride: inner(rank, [1, 2, 1]),
          padding: 1,
          ceil_mode: true,
          count_include_pad: false,
          ...(rank === 1 ? {} : { divisor_override: 4 }),
        },
        input: [2, ...inner(rank, [3, 8, 6])],
        output: [2, ...inner(rank, [3, 5, 6])],
      },
      { params: { kernel_size: 2, stride: 1 }, input: inner(rank, [3, 4, 5]), output: inner(rank, [2, 3, 4]) },
    ],
  });
}

function lpPool(rank: Rank) {
  const kind = `LPPool${rank}d`;
  const params = lpParams(rank);
  return layerKind({
    kind,
    label: `Power pooling ${rank}D`,
    category: 'pool',
    free: true,
    ...(rank === 2 ? { layout: { gradient: 'input' } } : { fp32: rank === 3, ...plain }),
    help: "Takes the root of the sum of each window's powers: between the sum and the maximum.",
    params,
    formula: shapeFormula(rank, 'C', (letter) => `⌊(${letter} − kernel) / stride⌋ + 1`) + ceils,
    explain: explainWindow,
    flopsFormula: `${windowValues(rank, 'window')} · n + values of the input + n (powers)`,
    resolve(given, context) {
      const found = pooled(kind, rank, given as Given & JsonObject, context.input.dims, context);
      if (!found) return null;
      const { kernel_size, stride, ceil_mode } = found.window;
      const { norm_type } = given;
      const [before, after] = [product(context.input.dims), product(found.output)];
      return {
        args: { norm_type, kernel_size, stride, ceil_mode },
        output: found.output,
        flops: product(kernel_size) * after + before + after,
        // The powers, their means, and three steps to the root.
        keeps: { input: true, bytes: 4 * before + 16 * after },
        // The powers' gradient, when most of what was kept is gone.
        workspace: { forward: 8 * after, unkept: Math.max(4 * before, 24 * after), backward: 4 * before },
      };
    },
    python: (args) => {
      const plain = rank === 1 ? { ...args, kernel_size: (args.kernel_size as Span)[0] ?? 1 } : args;
      const stride = { stride: plain.kernel_size ?? null };
      return pythonCall(`nn.${kind}`, params, plain, ['norm_type', 'kernel_size'], stride);
    },
    examples: [
      {
        params: { norm_type: 2, kernel_size: 2 },
        input: [2, ...inner(rank, [4, 8, 6])],
        output: [2, ...inner(rank, [2, 4, 3])],
      },
      {
        params: {
          norm_type: 4,
          kernel_size: rank === 1 ? 3 : inner(rank, [1, 2, 3]),
          stride: rank === 1 ? 2 : inner(rank, [1, 1, 2]),
          ceil_mode: true,
        },
        input: inner(rank, [2, 4, 6]),
        output: inner(rank, [2, 3, 3]),
      },
    ],
  });
}

export const poolKinds = [...ranks.map(maxPool), ...ranks.map(avgPool), ...ranks.map(lpPool)];

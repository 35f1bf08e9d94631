/** Convolutions. */
import { z } from 'zod';
import {
  asSpan,
  choice,
  field,
  flag,
  integer,
  largestSize,
  type Rank,
  type Span,
  sideNames,
  span,
  spanSchema,
  spanText,
} from '../fields.ts';
import { removeEdit, show } from '../report.ts';
import { imageConvolution, volumeConvolution } from './conv-cpu.ts';
import { explainWindow } from './explain.ts';
import { fix, gcd, type LayerContext, layerKind, parameter, product } from './kind.ts';
import { pythonCall } from './python.ts';
import {
  channelDims,
  inner,
  noBorder,
  ranks,
  reach,
  shapeFormula,
  spanDigits,
  spanValue,
  windowOutput,
  windowValues,
  wordsOf,
} from './window.ts';

const paddingModes = ['zeros', 'reflect', 'replicate', 'circular'] as const;

/** Parameters that convolutions forwards and backwards share. */
export function sharedParams(rank: Rank) {
  return {
    out_channels: integer({ label: 'Channels', help: 'Channels that the layer answers.', unit: 'channels' }),
    kernel_size: span(rank, { label: 'Kernel', help: `${wordsOf[rank].sides} of the window.` }),
    dilation: span(rank, { label: 'Dilation', help: "Distance between the window's points.", default: 1 }),
    groups: integer({
      label: 'Groups',
      help: 'Channels are cut into this many groups that do not mix.',
      default: 1,
    }),
    bias: flag({ label: 'Bias', help: 'Adds a learned value to each channel.', default: true }),
  };
}

/** In PyTorch's order. */
export function convParams(rank: Rank) {
  const { out_channels, kernel_size, dilation, groups, bias } = sharedParams(rank);
  const side = z.number().int().min(0).max(largestSize);
  return {
    out_channels,
    kernel_size,
    stride: span(rank, { label: 'Stride', help: 'How far the window moves from one output to the next.', default: 1 }),
    padding: field(z.union([...spanSchema(rank, side, side).options, z.enum(['same', 'valid'])]), {
      label: 'Padding',
      help: `Border added on each side: a number, [${sideNames[rank].join(', ')}], "same" (output as large as the input; stride 1) or "valid" (none).`,
      control: 'padding',
      rank,
      expected: `${spanText(rank, 'an integer ≥ 0').replace(' or ', ', ')}, "same" or "valid"`,
      default: 0,
    }),
    dilation,
    groups,
    bias,
    padding_mode: choice(paddingModes, {
      label: 'Padding mode',
      help: 'What the added border holds.',
      default: 'zeros',
      idle: ({ padding }) => (noBorder(padding) ? 'No border is added: padding is 0.' : null),
    }),
  };
}

/** Whether groups divide the channels on both sides. */
export function checkGroups(
  in_channels: number,
  { out_channels, groups }: { out_channels: number; groups: number },
  context: LayerContext,
): boolean {
  const fits = gcd(gcd(in_channels, out_channels), groups);
  const rounded = Math.ceil(out_channels / groups) * groups;
  for (const [name, channels] of [
    ['in_channels', in_channels],
    ['out_channels', out_channels],
  ] as const) {
    if (channels % groups === 0) continue;
    context.refuse(
      'NOT_DIVISIBLE',
      'groups',
      `${groups} groups do not divide ${name}, which is ${channels}`,
      'Channels in and out must be multiples of groups.',
      [
        context.set(`Set groups to ${fits}`, { groups: fits }),
        ...(name === 'out_channels' && rounded <= largestSize
          ? [context.set(`Set out_channels to ${rounded}`, { out_channels: rounded })]
          : []),
      ],
    );
    return false;
  }
  return true;
}

/** What a side gets before and after; "same" puts the odd one after, as PyTorch does. */
type Border = [number, number];

function borders(given: number | Span | 'same' | 'valid', kernel: Span, dilation: Span): Border[] {
  if (given === 'valid') return kernel.map(() => [0, 0]);
  if (given !== 'same') return asSpan(given, kernel.length as Rank).map((width) => [width, width]);
  return kernel.map((each, side) => {
    const total = (dilation[side] as number) * (each - 1);
    return [Math.floor(total / 2), total - Math.floor(total / 2)];
  });
}

/** Reflected and wrapped borders take their values from the input: it must be large enough. */
function checkBorder(mode: string, size: Span, border: Border[], context: LayerContext): boolean {
  if (mode !== 'reflect' && mode !== 'circular') return true;
  const most = size.map((each) => (mode === 'reflect' ? each - 1 : each));
  const even = border.every(([before, after]) => before === after);
  if (border.every((widths, side) => Math.max(...widths) <= (most[side] as number))) return true;
  context.refuse(
    'BAD_VALUE',
    'padding',
    `With padding_mode "${mode}" the padding may be at most ${mode === 'reflect' ? "the input's size minus 1" : "the input's size"}, ${spanDigits(most)}, but it is ${even ? spanDigits(border.map(([before]) => before)) : show(border)}`,
    'Lower the padding or use padding_mode "zeros".',
    [context.set('Use padding_mode "zeros"', { padding_mode: 'zeros' })],
  );
  return false;
}

interface Slide {
  kernel_size: number | Span;
  stride: number | Span;
  padding: number | Span | 'same' | 'valid';
  dilation: number | Span;
  padding_mode: string;
}

/** A window that slides over `size`: its resolved arguments, the output's sides, and the bytes of a bordered copy if it needs one. */
export function slide(kind: string, rank: Rank, given: Slide, channels: number, size: Span, context: LayerContext) {
  const [kernel_size, stride, dilation] = [
    asSpan(given.kernel_size, rank),
    asSpan(given.stride, rank),
    asSpan(given.dilation, rank),
  ];
  const same = given.padding === 'same';
  if (same && stride.some((each) => each !== 1)) {
    const half = kernel_size.map((each, side) => Math.floor((reach(each, dilation[side] as number) - 1) / 2));
    return context.refuse(
      'BAD_VALUE',
      'padding',
      `padding "same" needs stride 1, but the stride is ${spanDigits(stride)}`,
      'Give the padding as a number, or set the stride to 1.',
      [
        context.set(`Set padding to ${spanDigits(half)}`, { padding: spanValue(half) }),
        fix('Set stride to 1', removeEdit([...context.place, 'stride'])),
      ],
    );
  }
  const border = borders(given.padding, kernel_size, dilation);
  if (!checkBorder(given.padding_mode, size, border, context)) return null;
  const padding = border.map(([before]) => before);
  const output = same
    ? size
    : windowOutput(kind, size, { kernel_size, stride, padding, dilation, ceil_mode: false }, context, true);
  if (!output) return null;
  // A border that the convolution cannot add itself makes a copy, and that is kept: of the whole border, or with zeros of what one side has more.
  const zeros = given.padding_mode === 'zeros';
  const copied = !zeros || border.some(([before, after]) => before !== after);
  const padded = size.map((length, side) => {
    const [before, after] = border[side] as Border;
    return length + (zeros ? after - before : before + after);
  });
  const bytes = copied ? 4 * channels * product(padded) : 0;
  return {
    args: {
      kernel_size,
      stride,
      padding: same ? 'same' : padding,
      dilation,
      padding_mode: given.padding_mode,
    },
    output,
    // Mirroring and repeating keep the input besides.
    keeps: {
      input: !copied || given.padding_mode === 'reflect' || given.padding_mode === 'replicate',
      bytes,
    },
    // The copy has a gradient of its own.
    workspace: { forward: 0, backward: bytes },
  };
}

/** The rule of the shape, for the help. */
export function convFormula(rank: Rank): string {
  return shapeFormula(
    rank,
    'out_channels',
    (letter) => `⌊(${letter} + 2·padding − dilation·(kernel − 1) − 1) / stride⌋ + 1`,
  );
}

function convolution(rank: Rank) {
  const kind = `Conv${rank}d`;
  const params = convParams(rank);
  const words = wordsOf[rank];
  return layerKind({
    kind,
    label: `Convolution ${rank}D`,
    category: 'conv',
    free: true,
    ...(rank === 2 ? imageConvolution : { onCpu: volumeConvolution }),
    help: `Slides small learned windows over ${words.one}; each gives one output channel.`,
    params,
    derived: ['in_channels'],
    formula: convFormula(rank),
    explain: explainWindow,
    flopsFormula: `2 · (C / groups) · ${windowValues(rank, 'kernel')} · n (bias not counted, as in torch.utils.flop_counter)`,
    resolve(given, context) {
      const found = channelDims(kind, rank, context.input.dims, given, context);
      if (!found) return null;
      const { channels: in_channels, size } = found;
      const { out_channels, groups, bias } = given;
      if (!checkGroups(in_channels, given, context)) return null;
      const slid = slide(kind, rank, given, in_channels, size, context);
      if (!slid) return null;
      const weight = [out_channels, in_channels / groups, ...slid.args.kernel_size];
      return {
        args: { in_channels, out_channels, ...slid.args, groups, bias },
        output: [out_channels, ...slid.output],
        tensors: [parameter('weight', weight), ...(bias ? [parameter('bias', [out_channels])] : [])],
        flops: 2 * product(weight) * product(slid.output),
        keeps: slid.keeps,
        workspace: slid.workspace,
      };
    },
    python: (args) => pythonCall(`nn.${kind}`, params, args, ['in_channels', 'out_channels']),
    examples: [
      {
        params: { out_channels: 4, kernel_size: 3, padding: 1 },
        input: [3, ...inner(rank, [4, 8, 8])],
        output: [4, ...inner(rank, [4, 8, 8])],
      },
      {
        params: {
          out_channels: 6,
          kernel_size: inner(rank, [2, 3, 2]),
          stride: inner(rank, [1, 2, 1]),
          padding: inner(rank, [1, 1, 0]),
          dilation: 2,
          groups: 3,
          bias: false,
        },
        input: [3, ...inner(rank, [4, 9, 9])],
        output: [6, ...inner(rank, [4, 4, 7])],
      },
      {
        params: { out_channels: 2, kernel_size: inner(rank, [3, 4, 3]), padding: 'same', padding_mode: 'reflect' },
        input: [2, ...inner(rank, [3, 6, 6])],
        output: [2, ...inner(rank, [3, 6, 6])],
      },
      {
        params: { out_channels: 2, kernel_size: 2, padding: 'same' },
        input: [1, ...inner(rank, [3, 5, 5])],
        output: [2, ...inner(rank, [3, 5, 5])],
      },
      {
        params: { out_channels: 2, kernel_size: 3, padding: 2, padding_mode: 'circular' },
        input: [1, ...inner(rank, [2, 5, 5])],
        output: [2, ...inner(rank, [4, 7, 7])],
      },
      {
        params: { out_channels: 2, kernel_size: 3, padding: 'valid', padding_mode: 'replicate' },
        input: [1, ...inner(rank, [4, 5, 5])],
        output: [2, ...inner(rank, [2, 3, 3])],
      },
      {
        params: {
          out_channels: 2,
          kernel_size: 3,
          stride: 2,
          padding: inner(rank, [0, 1, 2]),
          padding_mode: 'replicate',
        },
        input: [2, ...inner(rank, [3, 5, 5])],
        output: [2, ...inner(rank, [1, 3, 4])],
      },
    ],
  });
}

export const convKinds = ranks.map(convolution);

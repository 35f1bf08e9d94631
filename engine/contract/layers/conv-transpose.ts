/** Transposed convolutions. */
import { asSpan, choice, type Rank, type Span, span } from '../fields.ts';
import { removeEdit } from '../report.ts';
import { checkGroups, sharedParams } from './conv.ts';
import { inOrder, volumeConvolution } from './conv-cpu.ts';
import { explainTransposedWindow } from './explain.ts';
import { fix, type LayerContext, layerKind, parameter, product } from './kind.ts';
import { pythonCall } from './python.ts';
import {
  channelDims,
  inner,
  ranks,
  reach,
  shapeFormula,
  spanDigits,
  spanValue,
  windowValues,
  wordsOf,
} from './window.ts';

/** In PyTorch's order. */
function transposedParams(rank: Rank) {
  const { out_channels, kernel_size, dilation, groups, bias } = sharedParams(rank);
  return {
    out_channels,
    kernel_size,
    stride: span(rank, { label: 'Stride', help: 'How far apart the inputs lie in the output.', default: 1 }),
    padding: span(rank, { label: 'Padding', help: 'Cut off on each side of the output.', min: 0, default: 0 }),
    output_padding: span(rank, {
      label: 'Output padding',
      help: 'Added to one side of the output, to choose among the sizes that a stride leaves open.',
      min: 0,
      default: 0,
      idle: ({ stride, dilation }) =>
        [stride, dilation].flat().every((each) => each === 1) ? 'A stride of 1 leaves no choice of sizes.' : null,
    }),
    groups,
    bias,
    dilation,
    padding_mode: choice(['zeros'], {
      label: 'Padding mode',
      help: 'PyTorch has no other for transposed convolutions.',
      default: 'zeros',
      idle: () => 'PyTorch has no other for transposed convolutions.',
    }),
  };
}

interface Spread {
  kernel_size: Span;
  stride: Span;
  padding: Span;
  output_padding: Span;
  dilation: Span;
}

/** The output's sides; null after reporting what does not go. */
function spread(kind: string, size: Span, window: Spread, context: LayerContext): Span | null {
  const at = (key: keyof Spread, side: number) => window[key][side] as number;
  const most = size.map((_, side) => Math.max(at('stride', side), at('dilation', side)) - 1);
  if (window.output_padding.some((each, side) => each > (most[side] as number))) {
    const fitting = window.output_padding.map((each, side) => Math.min(each, most[side] as number));
    return context.refuse(
      'BAD_VALUE',
      'output_padding',
      `output_padding must be smaller than stride or dilation, at most ${spanDigits(most)}, but it is ${spanDigits(window.output_padding)}`,
      'Without it the output has the smallest of the sizes that the stride leaves open.',
      [context.set(`Set output_padding to ${spanDigits(fitting)}`, { output_padding: spanValue(fitting) })],
    );
  }
  const uncut = size.map(
    (length, side) =>
      (length - 1) * at('stride', side) +
      reach(at('kernel_size', side), at('dilation', side)) +
      at('output_padding', side),
  );
  const output = uncut.map((length, side) => length - 2 * at('padding', side));
  if (output.every((length) => length >= 1)) return output;
  const fitting = uncut.map((length, side) => Math.min(at('padding', side), Math.floor((length - 1) / 2)));
  return context.refuse(
    'EMPTY_OUTPUT',
    'padding',
    `The padding of ${kind}, ${spanDigits(window.padding)}, cuts off all of its output, which is ${spanDigits(uncut)} without it`,
    'Here padding makes the output smaller: lower it.',
    [
      context.set(`Set padding to ${spanDigits(fitting)}`, { padding: spanValue(fitting) }),
      fix(`Remove this ${kind}`, removeEdit(context.place)),
    ],
  );
}

function transposed(rank: Rank) {
  const kind = `ConvTranspose${rank}d`;
  const params = transposedParams(rank);
  return layerKind({
    kind,
    label: `Transposed convolution ${rank}D`,
    category: 'conv',
    free: true,
    layout: { gradient: 'input' },
    onCpu: (operation, lying) =>
      rank === 2 && lying.input !== 'first' ? inOrder(operation, lying) : volumeConvolution(operation, lying),
    help: `Lays a learned window down for every value of ${wordsOf[rank].one} and adds them up; with a stride it makes its input larger.`,
    params,
    derived: ['in_channels'],
    formula: shapeFormula(
      rank,
      'out_channels',
      (letter) => `(${letter} − 1)·stride − 2·padding + dilation·(kernel − 1) + output_padding + 1`,
    ),
    explain: explainTransposedWindow,
    flopsFormula: `2 · (out_channels / groups) · ${windowValues(rank, 'kernel')} · values of the input (bias not counted, as in torch.utils.flop_counter)`,
    resolve(given, context) {
      const found = channelDims(kind, rank, context.input.dims, given, context);
      if (!found) return null;
      const { channels: in_channels, size } = found;
      const { out_channels, groups, bias, padding_mode } = given;
      if (!checkGroups(in_channels, given, context)) return null;
      const window = {
        kernel_size: asSpan(given.kernel_size, rank),
        stride: asSpan(given.stride, rank),
        padding: asSpan(given.padding, rank),
        output_padding: asSpan(given.output_padding, rank),
        dilation: asSpan(given.dilation, rank),
      };
      const output = spread(kind, size, window, context);
      if (!output) return null;
      const weight = [in_channels, out_channels / groups, ...window.kernel_size];
      return {
        args: { in_channels, out_channels, ...window, groups, bias, padding_mode },
        output: [out_channels, ...output],
        tensors: [parameter('weight', weight), ...(bias ? [parameter('bias', [out_channels])] : [])],
        flops: 2 * product(weight) * product(size),
        keeps: { input: true },
      };
    },
    python: (args) => pythonCall(`nn.${kind}`, params, args, ['in_channels', 'out_channels']),
    examples: [
      {
        params: { out_channels: 2, kernel_size: 2, stride: 2 },
        input: [3, ...inner(rank, [2, 4, 5])],
        output: [2, ...inner(rank, [4, 8, 10])],
      },
      {
        params: {
          out_channels: 6,
          kernel_size: inner(rank, [2, 3, 2]),
          stride: inner(rank, [1, 2, 3]),
          padding: inner(rank, [0, 1, 1]),
          output_padding: inner(rank, [1, 1, 2]),
          groups: 2,
          bias: false,
          dilation: 2,
        },
        input: [4, ...inner(rank, [2, 5, 4])],
        output: [6, ...inner(rank, [5, 12, 12])],
      },
      {
        params: { out_channels: 3, kernel_size: 3, padding: 1 },
        input: [2, ...inner(rank, [3, 5, 4])],
        output: [3, ...inner(rank, [3, 5, 4])],
      },
    ],
  });
}

export const convTransposeKinds = ranks.map(transposed);

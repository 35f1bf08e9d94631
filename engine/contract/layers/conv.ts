/** Convolutions. */
import { z } from 'zod';
import { asPair, choice, field, flag, integer, largestSize, type Pair, pair } from '../fields.ts';
import { removeEdit, show } from '../report.ts';
import { fix, type LayerContext, layerKind, parameter, product } from './kind.ts';
import { pythonCall } from './python.ts';
import { imageDims, pairText, pairValue, reach, windowOutput } from './window.ts';

const side = z.number().int().min(0).max(largestSize);
const padding = field(z.union([side, z.tuple([side, side]), z.enum(['same', 'valid'])]), {
  label: 'Padding',
  help: 'Border added on each side: a number, [height, width], "same" (output as large as the input; stride 1) or "valid" (none).',
  control: 'padding',
  expected: 'an integer ≥ 0, [height, width] of such integers, "same" or "valid"',
  default: 0,
});

const params = {
  out_channels: integer({ label: 'Channels', help: 'Channels that the layer answers.', unit: 'channels' }),
  kernel_size: pair({ label: 'Kernel', help: 'Height and width of the window.' }),
  stride: pair({ label: 'Stride', help: 'How far the window moves from one output to the next.', default: 1 }),
  padding,
  dilation: pair({ label: 'Dilation', help: "Distance between the window's points.", default: 1 }),
  groups: integer({ label: 'Groups', help: 'Channels are cut into this many groups that do not mix.', default: 1 }),
  bias: flag({ label: 'Bias', help: 'Adds a learned value to each channel.', default: true }),
  padding_mode: choice(['zeros', 'reflect', 'replicate', 'circular'], {
    label: 'Padding mode',
    help: 'What the added border holds.',
    default: 'zeros',
  }),
};

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}

/** Before and after, per side; "same" puts the odd one after, as PyTorch does. */
function borders(given: number | Pair | 'same' | 'valid', kernel: Pair, dilation: Pair): [Pair, Pair] {
  if (given === 'valid')
    return [
      [0, 0],
      [0, 0],
    ];
  if (given !== 'same') {
    const [height, width] = asPair(given);
    return [
      [height, height],
      [width, width],
    ];
  }
  const split = (total: number): Pair => [Math.floor(total / 2), total - Math.floor(total / 2)];
  return [split(dilation[0] * (kernel[0] - 1)), split(dilation[1] * (kernel[1] - 1))];
}

/** Reflected and wrapped borders take their values from the image: it must be large enough. */
function checkBorder(mode: string, size: Pair, border: [Pair, Pair], context: LayerContext): boolean {
  if (mode !== 'reflect' && mode !== 'circular') return true;
  const most = (each: 0 | 1) => (mode === 'reflect' ? size[each] - 1 : size[each]);
  if (([0, 1] as const).every((each) => Math.max(...border[each]) <= most(each))) return true;
  context.refuse(
    'BAD_VALUE',
    'padding',
    `With padding_mode "${mode}" the padding may be at most ${mode === 'reflect' ? "the input's size minus 1" : "the input's size"}, ${pairText([most(0), most(1)])}, but it is ${show(border)}`,
    'Lower the padding or use padding_mode "zeros".',
    [context.set('Use padding_mode "zeros"', { padding_mode: 'zeros' })],
  );
  return false;
}

export const convKinds = [
  layerKind({
    kind: 'Conv2d',
    label: 'Convolution 2D',
    category: 'conv',
    help: 'Slides small learned windows over an image; each gives one output channel.',
    params,
    derived: ['in_channels'],
    argNames: [
      'in_channels',
      'out_channels',
      'kernel_size',
      'stride',
      'padding',
      'dilation',
      'groups',
      'bias',
      'padding_mode',
    ],
    formula: '[C, H, W] → [out_channels, ⌊(H + 2·padding − dilation·(kernel − 1) − 1) / stride⌋ + 1, W likewise]',
    flopsFormula:
      '2 · (C / groups) · kernel height · kernel width · n (bias not counted, as in torch.utils.flop_counter)',
    resolve(given, context) {
      const image = imageDims('Conv2d', context.input.dims, context);
      if (!image) return null;
      const [in_channels, ...size] = image;
      const { out_channels, groups, bias, padding_mode } = given;
      const [kernel_size, stride, dilation] = [asPair(given.kernel_size), asPair(given.stride), asPair(given.dilation)];
      for (const [name, channels] of [
        ['in_channels', in_channels],
        ['out_channels', out_channels],
      ] as const) {
        if (channels % groups === 0) continue;
        const fits = gcd(gcd(in_channels, out_channels), groups);
        const rounded = Math.ceil(out_channels / groups) * groups;
        return context.refuse(
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
      }
      if (given.padding === 'same' && (stride[0] !== 1 || stride[1] !== 1)) {
        const half = [0, 1].map((each) =>
          Math.floor((reach(kernel_size[each] as number, dilation[each] as number) - 1) / 2),
        ) as Pair;
        return context.refuse(
          'BAD_VALUE',
          'padding',
          `padding "same" needs stride 1, but the stride is ${pairText(stride)}`,
          'Give the padding as a number, or set the stride to 1.',
          [
            context.set(`Set padding to ${pairText(half)}`, { padding: pairValue(half) }),
            fix('Set stride to 1', removeEdit([...context.place, 'stride'])),
          ],
        );
      }
      const border = borders(given.padding, kernel_size, dilation);
      if (!checkBorder(padding_mode, size, border, context)) return null;
      const padded = [size[0] + border[0][0] + border[0][1], size[1] + border[1][0] + border[1][1]];
      const output =
        given.padding === 'same'
          ? size
          : windowOutput(
              'Conv2d',
              size,
              { kernel_size, stride, padding: [border[0][0], border[1][0]], dilation, ceil_mode: false },
              context,
            );
      if (!output) return null;
      const weight = [out_channels, in_channels / groups, ...kernel_size];
      const copied = padding_mode !== 'zeros' || border.some(([first, last]) => first !== last);
      return {
        args: {
          in_channels,
          out_channels,
          kernel_size,
          stride,
          padding: given.padding === 'same' ? 'same' : [border[0][0], border[1][0]],
          dilation,
          groups,
          bias,
          padding_mode,
        },
        output: [out_channels, ...output],
        tensors: [parameter('weight', weight), ...(bias ? [parameter('bias', [out_channels])] : [])],
        flops: 2 * product(weight) * product(output),
        // A border that the convolution cannot add itself makes a copy, and that is kept.
        keeps: copied ? { bytes: 4 * in_channels * product(padded) } : { input: true },
      };
    },
    python: (args) => pythonCall('nn.Conv2d', params, args, ['in_channels', 'out_channels'], {}),
    examples: [
      { params: { out_channels: 4, kernel_size: 3, padding: 1 }, input: [3, 8, 8], output: [4, 8, 8] },
      {
        params: {
          out_channels: 6,
          kernel_size: [3, 2],
          stride: [2, 1],
          padding: [1, 0],
          dilation: 2,
          groups: 3,
          bias: false,
        },
        input: [3, 9, 9],
        output: [6, 4, 7],
      },
      {
        params: { out_channels: 2, kernel_size: [4, 3], padding: 'same', padding_mode: 'reflect' },
        input: [2, 6, 6],
        output: [2, 6, 6],
      },
      { params: { out_channels: 2, kernel_size: 2, padding: 'same' }, input: [1, 5, 5], output: [2, 5, 5] },
      {
        params: { out_channels: 2, kernel_size: 3, padding: 2, padding_mode: 'circular' },
        input: [1, 5, 5],
        output: [2, 7, 7],
      },
      {
        params: { out_channels: 2, kernel_size: 3, padding: 'valid', padding_mode: 'replicate' },
        input: [1, 5, 5],
        output: [2, 3, 3],
      },
    ],
  }),
];

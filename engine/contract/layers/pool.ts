/** Poolings. */
import { z } from 'zod';
import { asPair, field, flag, largestSize, type Pair, pair } from '../fields.ts';
import { layerKind, product } from './kind.ts';
import { pythonCall } from './python.ts';
import { checkPoolPadding, planeDims, windowOutput } from './window.ts';

const size = z.number().int().min(1).max(largestSize);

const kernel_size = pair({ label: 'Window', help: 'Height and width of the window.' });
const stride = field(z.union([size, z.tuple([size, size]), z.null()]), {
  label: 'Stride',
  help: 'How far the window moves; absent: its own size.',
  control: 'pair',
  expected: 'an integer ≥ 1, [height, width] of such integers, or null',
  default: null,
});
const padding = pair({ label: 'Padding', help: 'Border on each side; at most half the window.', min: 0, default: 0 });
const ceil_mode = flag({ label: 'Ceil mode', help: 'Lets the last window hang over the end.', default: false });

const maxParams = {
  kernel_size,
  stride,
  padding,
  dilation: pair({ label: 'Dilation', help: "Distance between the window's points.", default: 1 }),
  ceil_mode,
};

const avgParams = {
  kernel_size,
  stride,
  padding,
  ceil_mode,
  count_include_pad: flag({ label: 'Count padding', help: 'Padding counts in the mean.', default: true }),
  divisor_override: field(
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
    },
  ),
};

const sizeOrNull = size.nullable();
const adaptiveParams = {
  output_size: field(z.union([size, z.tuple([sizeOrNull, sizeOrNull])]), {
    label: 'Output size',
    help: 'Height and width of the output; in a pair null: as the input.',
    control: 'pair',
    expected: 'an integer ≥ 1, or [height, width] of such integers or null',
  }),
};

const poolFormula =
  '[C, H, W] → [C, ⌊(H + 2·padding − dilation·(kernel − 1) − 1) / stride⌋ + 1, W likewise]; ceil_mode rounds up';

export const poolKinds = [
  layerKind({
    kind: 'MaxPool2d',
    label: 'Max pooling 2D',
    category: 'pool',
    help: 'Keeps the largest value of each window; makes images smaller.',
    params: maxParams,
    formula: poolFormula,
    flopsFormula: 'window height · window width · n (comparisons)',
    resolve(given, context) {
      const plane = planeDims('MaxPool2d', context.input.dims, context);
      if (!plane) return null;
      const window = {
        kernel_size: asPair(given.kernel_size),
        stride: asPair(given.stride ?? given.kernel_size),
        padding: asPair(given.padding),
        dilation: asPair(given.dilation),
        ceil_mode: given.ceil_mode,
      };
      if (!checkPoolPadding('MaxPool2d', window, context)) return null;
      const pooled = windowOutput('MaxPool2d', plane.size, window, context);
      if (!pooled) return null;
      const output = [...plane.lead, ...pooled];
      // Besides the input it remembers where each maximum was: an int64 an output.
      return {
        args: window,
        output,
        flops: product(window.kernel_size) * product(output),
        keeps: { input: true, bytes: 8 * product(output) },
      };
    },
    python: (args) =>
      pythonCall('nn.MaxPool2d', maxParams, args, ['kernel_size'], { stride: args.kernel_size ?? null }),
    examples: [
      { params: { kernel_size: 2 }, input: [2, 8, 6], output: [2, 4, 3] },
      {
        params: { kernel_size: [3, 2], stride: 2, padding: [1, 1], dilation: [2, 1], ceil_mode: true },
        input: [2, 9, 8],
        output: [2, 4, 5],
      },
      { params: { kernel_size: 2 }, input: [8, 6], output: [4, 3] },
    ],
  }),
  layerKind({
    kind: 'AvgPool2d',
    label: 'Average pooling 2D',
    category: 'pool',
    help: 'Takes the mean of each window; makes images smaller.',
    params: avgParams,
    formula: poolFormula.replace('dilation·', ''),
    flopsFormula: 'window height · window width · n',
    resolve(given, context) {
      const plane = planeDims('AvgPool2d', context.input.dims, context);
      if (!plane) return null;
      const { ceil_mode, count_include_pad, divisor_override } = given;
      const window = {
        kernel_size: asPair(given.kernel_size),
        stride: asPair(given.stride ?? given.kernel_size),
        padding: asPair(given.padding),
      };
      const full = { ...window, dilation: [1, 1] as Pair, ceil_mode };
      if (!checkPoolPadding('AvgPool2d', full, context)) return null;
      const pooled = windowOutput('AvgPool2d', plane.size, full, context);
      if (!pooled) return null;
      const output = [...plane.lead, ...pooled];
      return {
        args: { ...window, ceil_mode, count_include_pad, divisor_override },
        output,
        flops: product(window.kernel_size) * product(output),
        keeps: { input: true },
      };
    },
    python: (args) =>
      pythonCall('nn.AvgPool2d', avgParams, args, ['kernel_size'], { stride: args.kernel_size ?? null }),
    examples: [
      { params: { kernel_size: 2 }, input: [2, 8, 6], output: [2, 4, 3] },
      {
        params: {
          kernel_size: 3,
          stride: [2, 1],
          padding: 1,
          ceil_mode: true,
          count_include_pad: false,
          divisor_override: 4,
        },
        input: [2, 8, 6],
        output: [2, 5, 6],
      },
    ],
  }),
  layerKind({
    kind: 'AdaptiveAvgPool2d',
    label: 'Adaptive average pooling 2D',
    category: 'pool',
    help: "Averages to a given size, whatever the input's: 1 gives one value a channel.",
    params: adaptiveParams,
    formula: '[C, H, W] → [C, output height, output width]',
    flopsFormula: 'values of the input',
    resolve({ output_size }, context) {
      const plane = planeDims('AdaptiveAvgPool2d', context.input.dims, context);
      if (!plane) return null;
      const [height, width] = Array.isArray(output_size) ? output_size : [output_size, output_size];
      const pooled: Pair = [height ?? plane.size[0], width ?? plane.size[1]];
      return {
        args: { output_size: pooled },
        output: [...plane.lead, ...pooled],
        flops: product(context.input.dims),
        // To one value it is a mean, which needs no values for its gradient.
        keeps: { input: product(pooled) > 1 },
      };
    },
    python: (args) => pythonCall('nn.AdaptiveAvgPool2d', adaptiveParams, args, ['output_size']),
    examples: [
      { params: { output_size: 1 }, input: [3, 7, 5], output: [3, 1, 1] },
      { params: { output_size: [3, null] }, input: [3, 7, 5], output: [3, 3, 5] },
    ],
  }),
];

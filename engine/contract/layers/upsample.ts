/** Making images larger: interpolation, and channels rearranged as pixels. */
import { z } from 'zod';
import { asSpan, choice, field, integer, largestSize, type Rank, type Span, sideNames } from '../fields.ts';
import type { Fix } from '../problems.ts';
import { removeEdit, show } from '../report.ts';
import { sideLines } from './explain.ts';
import { fix, gcd, type LayerContext, layerKind, product, showDims } from './kind.ts';
import { pythonCall } from './python.ts';
import { wordsOf } from './window.ts';

/** Ranks that a mode works on (lanczos, which PyTorch lists too, it refuses without antialiasing), and values that an output is made of. */
const modes = {
  nearest: { ranks: [1, 2, 3], taps: 0 },
  'nearest-exact': { ranks: [1, 2, 3], taps: 0 },
  linear: { ranks: [1], taps: 2 },
  bilinear: { ranks: [2], taps: 4 },
  bicubic: { ranks: [2], taps: 16 },
  trilinear: { ranks: [3], taps: 8 },
  area: { ranks: [1, 2, 3], taps: 0 },
} as const satisfies Record<string, { ranks: readonly Rank[]; taps: number }>;
type Mode = keyof typeof modes;

/** Modes that know align_corners. */
const aligned: readonly Mode[] = ['linear', 'bilinear', 'bicubic', 'trilinear'];
const linearOf = { 1: 'linear', 2: 'bilinear', 3: 'trilinear' } as const;

const size = z.number().int().min(1).max(largestSize);
const factor = z.number().gt(0);
const yesNo = z.boolean().nullable();

const upsampleParams = {
  size: field(z.union([size, z.array(size).min(1).max(3), z.null()]), {
    label: 'Size',
    help: 'Of the output: one number for every side, or one each. Give this or the scale factor.',
    control: 'numbers',
    expected: 'an integer ≥ 1, a list of one for each side, or null',
    default: null,
    idle: ({ scale_factor }) => (scale_factor === null ? null : 'The scale factor is given.'),
  }),
  scale_factor: field(z.union([factor, z.array(factor).min(1).max(3), z.null()]), {
    label: 'Scale factor',
    help: "The output's size by the input's: one number for every side, or one each; rounded down.",
    control: 'numbers',
    expected: 'a number > 0, a list of one for each side, or null',
    default: null,
    idle: ({ size }) => (size === null ? null : 'The size is given.'),
  }),
  mode: choice(Object.keys(modes) as Mode[], {
    label: 'Mode',
    help: 'How values between are found: nearest copies; linear (sequences), bilinear and bicubic (images), trilinear (volumes) blend; area averages.',
    default: 'nearest',
    offered: (input) => {
      const rank = (input?.length ?? 0) - 1;
      const all = Object.keys(modes) as Mode[];
      const some = all.filter((mode) => (modes[mode].ranks as readonly number[]).includes(rank));
      return some.length > 0 ? some : all;
    },
  }),
  align_corners: field(yesNo, {
    label: 'Align corners',
    help: "Whether the outermost values lie on the output's corners; for modes that blend.",
    control: 'switch',
    expected: 'true, false or null',
    default: null,
    absent: 'off',
    idle: ({ mode }) => (aligned.includes(mode as Mode) ? null : `Mode "${mode}" does not blend.`),
  }),
  recompute_scale_factor: field(yesNo, {
    label: 'Recompute scale',
    help: "Takes the sizes' true ratio, after rounding, in place of the factor given.",
    control: 'switch',
    expected: 'true, false or null',
    default: null,
    absent: 'off',
    idle: ({ scale_factor }) => (scale_factor === null ? 'There is no factor to recompute.' : null),
  }),
};

interface Given {
  size: number | number[] | null;
  scale_factor: number | number[] | null;
  mode: Mode;
  align_corners: boolean | null;
  recompute_scale_factor: boolean | null;
}

/** Settings that do not go together, whatever arrives; true after reporting one. */
function contradicts(
  { size, scale_factor, mode, align_corners, recompute_scale_factor }: Given,
  context: LayerContext,
) {
  const drop = (key: string) => fix(`Remove ${key}`, removeEdit([...context.place, key]));
  if (size === null && scale_factor === null) {
    const hint = 'Give one of the two.';
    return context.refuse('MISSING_VALUE', 'scale_factor', 'Neither size nor scale_factor is given', hint, [
      context.set('Set scale_factor to 2', { scale_factor: 2 }),
    ]);
  }
  if (size !== null && scale_factor !== null) {
    const hint = 'Give one of the two.';
    return context.refuse('BAD_VALUE', 'size', 'Both size and scale_factor are given', hint, [
      drop('size'),
      drop('scale_factor'),
    ]);
  }
  if (align_corners !== null && !aligned.includes(mode)) {
    const message = `align_corners means nothing to mode "${mode}"`;
    const hint = `Only ${aligned.join(', ')} know it.`;
    return context.refuse('BAD_VALUE', 'align_corners', message, hint, [drop('align_corners')]);
  }
  if (recompute_scale_factor && size !== null) {
    const message = 'recompute_scale_factor means nothing where the size is given';
    const hint = 'There is no factor to recompute.';
    return context.refuse('BAD_VALUE', 'recompute_scale_factor', message, hint, [drop('recompute_scale_factor')]);
  }
  return true;
}

/** The output's sides; null after reporting why there are none. */
function interpolated(given: Given, sides: Span, context: LayerContext): Span | null {
  const rank = sides.length as Rank;
  const key = given.size === null ? 'scale_factor' : 'size';
  const value = given[key] as number | number[];
  if (Array.isArray(value) && value.length !== rank) {
    return context.refuse(
      'BAD_VALUE',
      key,
      `${key} has ${value.length} values, ${show(value)}, but ${wordsOf[rank].one} has ${rank}: ${sideNames[rank].join(', ')}`,
      'Give one number for every side, or one each.',
      [context.set(`Set ${key} to ${value[0]}`, { [key]: value[0] })],
    );
  }
  const each = asSpan(value, rank);
  if (key === 'size') return each;
  const output = sides.map((length, side) => Math.trunc(length * (each[side] as number)));
  const short = output.findIndex((length) => length < 1);
  if (short < 0) return output;
  // Two digits, rounded up: the shortest side then has at least one value.
  const rounded = Math.ceil(100 / Math.min(...sides)) / 100;
  return context.refuse(
    'EMPTY_OUTPUT',
    'scale_factor',
    `With scale_factor ${show(value)} nothing is left of the ${sideNames[rank][short]}, which is ${sides[short]}`,
    'Use a larger factor.',
    [context.set(`Set scale_factor to ${rounded}`, { scale_factor: rounded })],
  );
}

/** Channels, height and width at the end of what arrives; null after reporting too few dimensions. */
function pixels(kind: string, context: LayerContext) {
  const { dims } = context.input;
  const [channels, height, width] = dims.slice(-3);
  if (channels !== undefined && height !== undefined && width !== undefined)
    return { lead: dims.slice(0, -3), channels, height, width };
  const fixes: Fix[] = [fix(`Remove this ${kind}`, removeEdit(context.place))];
  return context.refuse(
    'WRONG_RANK',
    null,
    `${kind} wants images [channels, height, width] but receives ${showDims(dims)}`,
    'Use it where the tensor still has three dimensions.',
    fixes,
  );
}

const shuffleParams = {
  upscale_factor: integer({ label: 'Factor', help: 'How many times as high and wide the output is.' }),
};
const unshuffleParams = {
  downscale_factor: integer({ label: 'Factor', help: 'How many times as high and wide the input is.' }),
};

export const upsampleKinds = [
  layerKind({
    kind: 'Upsample',
    label: 'Upsample',
    category: 'shape',
    free: true,
    help: 'Makes sequences, images or volumes larger (or smaller) by finding values between those there are.',
    params: upsampleParams,
    formula: '[C, …] → [C, size…] or [C, ⌊side · scale_factor⌋…]',
    explain: ({ scale_factor }, input, output) => {
      if (scale_factor === null) return [];
      const sides = input.slice(1);
      const factors = asSpan(scale_factor as number | Span, sides.length as Rank);
      return sideLines(
        sides.map((length, side) => `⌊${length} · ${factors[side]}⌋`),
        output,
      );
    },
    flopsFormula:
      '2 · values that an output is made of (linear 2, bilinear 4, trilinear 8, bicubic 16) · n; nearest 0; area: values of the input',
    resolve(given, context) {
      const { dims } = context.input;
      const [channels, ...sides] = dims;
      const rank = sides.length as Rank;
      if (!contradicts(given, context)) return null;
      if (channels === undefined || rank < 1 || rank > 3) {
        return context.refuse(
          'WRONG_RANK',
          null,
          `Upsample wants channels and one to three sides but receives ${showDims(dims)}`,
          context.before?.kind === 'Flatten' ? 'Move it before Flatten.' : 'Use it on sequences, images or volumes.',
          [
            ...(context.before?.kind === 'Flatten'
              ? [fix('Remove the Flatten before it', removeEdit(context.before.place))]
              : []),
            fix('Remove this Upsample', removeEdit(context.place)),
          ],
        );
      }
      const { mode } = given;
      if (!(modes[mode].ranks as readonly Rank[]).includes(rank)) {
        return context.refuse(
          'BAD_VALUE',
          'mode',
          `Mode "${mode}" is for ${wordsOf[modes[mode].ranks[0]].many}, but ${showDims(dims)} is ${wordsOf[rank].one}`,
          `Use "${linearOf[rank]}" or "nearest".`,
          [linearOf[rank], 'nearest' as const].map((other) =>
            other === 'nearest' && given.align_corners !== null
              ? fix(
                  'Use mode "nearest"',
                  removeEdit([...context.place, 'mode']),
                  removeEdit([...context.place, 'align_corners']),
                )
              : context.set(`Use mode "${other}"`, { mode: other }),
          ),
        );
      }
      const output = interpolated(given, sides, context);
      if (!output) return null;
      const values = channels * product(output);
      return {
        args: { ...given },
        output: [channels, ...output],
        flops: mode === 'area' ? product(dims) : 2 * modes[mode].taps * values,
        // Sizes are all that the gradient needs; area is adaptive average pooling.
        keeps: { input: mode === 'area' && product(output) > 1 },
      };
    },
    python: (args) => pythonCall('nn.Upsample', upsampleParams, args),
    examples: [
      { params: { scale_factor: 2 }, input: [2, 3, 4], output: [2, 6, 8] },
      { params: { size: 5, mode: 'nearest-exact' }, input: [2, 3, 4, 3], output: [2, 5, 5, 5] },
      { params: { scale_factor: 2.6, mode: 'linear', align_corners: true }, input: [2, 4], output: [2, 10] },
      { params: { size: [5, 7], mode: 'bilinear' }, input: [2, 3, 4], output: [2, 5, 7] },
      {
        params: { scale_factor: [1.7, 2.3], mode: 'bilinear', recompute_scale_factor: true },
        input: [2, 4, 5],
        output: [2, 6, 11],
      },
      {
        params: { scale_factor: [1.7, 0.6], mode: 'bicubic', align_corners: false },
        input: [2, 4, 5],
        output: [2, 6, 3],
      },
      { params: { scale_factor: 1.5, mode: 'trilinear' }, input: [1, 2, 3, 4], output: [1, 3, 4, 6] },
      { params: { scale_factor: 0.5, mode: 'area' }, input: [2, 4, 6], output: [2, 2, 3] },
    ],
  }),
  layerKind({
    kind: 'PixelShuffle',
    label: 'Pixel shuffle',
    category: 'shape',
    help: 'Makes images larger by laying groups of channels side by side as pixels.',
    params: shuffleParams,
    formula: '[C, H, W] → [C / upscale_factor², H · upscale_factor, W · upscale_factor]',
    explain: ({ upscale_factor }, input, output) => [
      `channels: ${input.at(-3)} / (${upscale_factor} · ${upscale_factor}) = ${output.at(-3)}`,
      ...sideLines(
        input.slice(-2).map((length) => `${length} · ${upscale_factor}`),
        output,
      ),
    ],
    flopsFormula: '0',
    resolve({ upscale_factor }, context) {
      const image = pixels('PixelShuffle', context);
      if (!image) return null;
      const { lead, channels, height, width } = image;
      const square = upscale_factor ** 2;
      if (channels % square !== 0) {
        let fits = Math.min(upscale_factor, Math.floor(Math.sqrt(channels)));
        while (channels % fits ** 2 !== 0) fits--;
        return context.refuse(
          'NOT_DIVISIBLE',
          'upscale_factor',
          `The ${channels} channels are no multiple of upscale_factor², which is ${square}`,
          'Each output pixel takes one channel of such a group.',
          [context.set(`Set upscale_factor to ${fits}`, { upscale_factor: fits })],
        );
      }
      const output = [...lead, channels / square, height * upscale_factor, width * upscale_factor];
      return { args: { upscale_factor }, output };
    },
    python: (args) => pythonCall('nn.PixelShuffle', shuffleParams, args, ['upscale_factor']),
    examples: [
      { params: { upscale_factor: 2 }, input: [8, 3, 2], output: [2, 6, 4] },
      { params: { upscale_factor: 3 }, input: [2, 9, 1, 2], output: [2, 1, 3, 6] },
    ],
  }),
  layerKind({
    kind: 'PixelUnshuffle',
    label: 'Pixel unshuffle',
    category: 'shape',
    help: 'Makes images smaller without losing anything: neighbouring pixels become channels.',
    params: unshuffleParams,
    formula: '[C, H, W] → [C · downscale_factor², H / downscale_factor, W / downscale_factor]',
    explain: ({ downscale_factor }, input, output) => [
      `channels: ${input.at(-3)} · ${downscale_factor} · ${downscale_factor} = ${output.at(-3)}`,
      ...sideLines(
        input.slice(-2).map((length) => `${length} / ${downscale_factor}`),
        output,
      ),
    ],
    flopsFormula: '0',
    resolve({ downscale_factor }, context) {
      const image = pixels('PixelUnshuffle', context);
      if (!image) return null;
      const { lead, channels, height, width } = image;
      const fitting = gcd(gcd(height, width), downscale_factor);
      if (fitting !== downscale_factor) {
        return context.refuse(
          'NOT_DIVISIBLE',
          'downscale_factor',
          `Height ${height} and width ${width} are not both multiples of downscale_factor, which is ${downscale_factor}`,
          'Pixels are taken together in squares of this size.',
          [context.set(`Set downscale_factor to ${fitting}`, { downscale_factor: fitting })],
        );
      }
      const output = [...lead, channels * downscale_factor ** 2, height / downscale_factor, width / downscale_factor];
      return { args: { downscale_factor }, output };
    },
    python: (args) => pythonCall('nn.PixelUnshuffle', unshuffleParams, args, ['downscale_factor']),
    examples: [
      { params: { downscale_factor: 2 }, input: [2, 6, 4], output: [8, 3, 2] },
      { params: { downscale_factor: 3 }, input: [2, 1, 3, 6], output: [2, 9, 1, 2] },
    ],
  }),
];

/** What changes the colours of images. */
import { z } from 'zod';
import { field } from '../fields.ts';
import { argsRow } from '../table.ts';
import { chance, greyOrRgb, type TransformKind } from './kind.ts';

/** Number or [from, to]; null: this one is left out. */
function strength(label: string, help: string) {
  const schema = z.union([
    z.number().min(0),
    z
      .array(z.number().min(0))
      .length(2)
      .refine(([from = 0, to = 0]) => from <= to),
    z.null(),
  ]);
  const expected = 'a number ≥ 0, two numbers, the smaller first, or null for none';
  return field(schema, { label, help, control: 'numbers', expected, default: null, absent: 'unchanged' });
}

/** torchvision's range of factors; null where it changes nothing. */
function factors(value: number | number[] | null): number[] | null {
  const [from = 1, to = 1] = typeof value === 'number' ? [Math.max(0, 1 - value), 1 + value] : (value ?? []);
  return from === 1 && to === 1 ? null : [from, to];
}

function shifts(value: number | number[] | null): number[] | null {
  const [from = 0, to = 0] = typeof value === 'number' ? [-value, value] : (value ?? []);
  return from === 0 && to === 0 ? null : [from, to];
}

export const colourTransforms: readonly TransformKind[] = [
  {
    ...argsRow({
      kind: 'ColorJitter',
      label: 'Changes brightness and colours',
      help: 'Changes brightness, contrast, saturation and hue by random amounts, in random order. Only in training. Before Normalize: it keeps values in 0–1.',
      params: {
        brightness: strength('Brightness', 'Factor from 1 − this to 1 + this, or [from, to].'),
        contrast: strength('Contrast', 'Factor from 1 − this to 1 + this, or [from, to].'),
        saturation: strength('Saturation', 'Factor from 1 − this to 1 + this, or [from, to]. Grey images have none.'),
        hue: field(
          z.union([
            z.number().min(0).max(0.5),
            z
              .array(z.number().min(-0.5).max(0.5))
              .length(2)
              .refine(([from = 0, to = 0]) => from <= to),
            z.null(),
          ]),
          {
            label: 'Hue',
            help: 'Shift around the colour wheel to either side, 0.5 is half of it, or [from, to]. Grey images have none.',
            control: 'numbers',
            expected: 'a number from 0 to 0.5, two from -0.5 to 0.5, the smaller first, or null for none',
            default: null,
            absent: 'unchanged',
          },
        ),
      },
      args: ({ brightness, contrast, saturation, hue }) => ({
        brightness: factors(brightness),
        contrast: factors(contrast),
        saturation: factors(saturation),
        hue: shifts(hue),
      }),
    }),
    beginning: () => ({ brightness: 0.2, contrast: 0.2, saturation: 0.2 }),
    random: true,
    perChannel: [],
    unit: true,
    masks: 'stay',
    moves: (_args, dims) => greyOrRgb(dims) ?? { dims: [...dims] },
  },
  {
    ...argsRow({
      kind: 'Grayscale',
      label: 'Takes the colours away',
      help: 'Makes grey images of colour ones: 0.2989 of red, 0.587 of green, 0.114 of blue.',
      params: {
        num_output_channels: field(z.union([z.literal(1), z.literal(3)]), {
          label: 'Channels',
          help: '1, or 3 alike for networks that take colour images.',
          control: 'choice',
          choices: [1, 3],
          expected: '1 or 3',
          default: 1,
        }),
      },
    }),
    random: false,
    perChannel: [],
    masks: 'stay',
    moves: ({ num_output_channels }, dims) =>
      greyOrRgb(dims) ?? { dims: [num_output_channels as number, ...dims.slice(1)] },
  },
  {
    ...argsRow({
      kind: 'RandomGrayscale',
      label: 'Greys some at random',
      help: 'Makes some images grey, with as many channels as before. Only in training.',
      params: { p: chance('How often an image becomes grey.', 0.1) },
    }),
    random: true,
    perChannel: [],
    masks: 'stay',
    moves: (_args, dims) => greyOrRgb(dims) ?? { dims: [...dims] },
  },
];

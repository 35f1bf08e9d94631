/** What a row of the table of transforms is, and the fields that several rows have. */
import { z } from 'zod';
import { choice, field, flag, number } from '../fields.ts';
import type { Json } from '../native.ts';
import type { Chosen } from '../project-types.ts';
import type { ArgsRow } from '../table.ts';

export interface Misfit {
  key: string;
  wrong: string;
  fix?: { label: string; key: string; value: unknown };
}

export interface TransformKind extends ArgsRow {
  /** Drawn anew for each sample of the training split in each epoch; other splits see what is said in `help`. */
  random: boolean;
  /** Arguments that hold one number, or one a channel. */
  perChannel: readonly string[];
  /** It wants values of 0–1, as images have until they are normalised. */
  unit?: boolean;
  /** It is for images [channels, height, width] alone: the dims that it makes of such, or why it cannot. */
  moves?(args: Chosen['args'], dims: readonly number[]): { dims: number[] } | Misfit;
  /** Parameters that a new one starts with, for samples of these dims: where it has no defaults, or those change nothing. */
  beginning?(dims: readonly number[]): { [parameter: string]: Json };
  /** What becomes of a mask that lies over the image: it moves along, it stays, or it would be left where it is. */
  masks?: 'move' | 'stay' | 'left';
}

export const asList = (value: number | number[]) => (typeof value === 'number' ? [value] : value);

export const chance = (help: string, standard = 0.5) =>
  number({ label: 'Chance', help, min: 0, max: 1, default: standard });

/** [from, to]. */
export function range<const D extends [number, number]>(
  label: string,
  help: string,
  { above, min, max }: { above?: number; min?: number; max?: number },
  standard: D,
) {
  const one = z
    .number()
    .min(min ?? Number.NEGATIVE_INFINITY)
    .max(max ?? Number.POSITIVE_INFINITY)
    .refine((value) => above === undefined || value > above);
  const bounds = [
    ...(above === undefined ? [] : [`> ${above}`]),
    ...(min === undefined ? [] : [`≥ ${min}`]),
    ...(max === undefined ? [] : [`≤ ${max}`]),
  ];
  return field(
    z
      .array(one)
      .length(2)
      .refine(([from = 0, to = 0]) => from <= to),
    {
      label,
      help,
      control: 'numbers',
      expected: `two numbers ${bounds.join(' and ')}${bounds.length > 0 ? ', ' : ''}the smaller first`,
      default: [...standard],
    },
  );
}

/** An angle to both sides, or [from, to], in degrees. */
export const degreesSchema = z.union([
  z.number().min(0),
  z
    .array(z.number())
    .length(2)
    .refine(([from = 0, to = 0]) => from <= to),
]);

export const asRange = (value: number | number[]) => (typeof value === 'number' ? [-value, value] : value);

export const scaling = (standard: 'bilinear' = 'bilinear') =>
  choice(['nearest', 'nearest-exact', 'bilinear', 'bicubic'], {
    label: 'Interpolation',
    help: 'How pixels in between are found. Masks always take the nearest.',
    default: standard,
  });

export const turning = choice(['nearest', 'bilinear'], {
  label: 'Interpolation',
  help: 'How pixels in between are found. Masks always take the nearest.',
  default: 'nearest',
});

export const antialias = flag({
  label: 'Antialias',
  help: 'Averages what is made smaller, so that fine patterns do not flicker; of bilinear and bicubic.',
  default: true,
  idle: ({ interpolation }) =>
    String(interpolation).startsWith('nearest') ? 'Only bilinear and bicubic are antialiased' : null,
});

export const fill = number({ label: 'Fill', help: 'Value of what comes from outside of the image.', default: 0 });

export const centre = field(z.union([z.array(z.number()).length(2), z.null()]), {
  label: 'Center',
  help: 'The point that stays, as [x, y] in pixels from the upper left corner.',
  control: 'numbers',
  expected: 'two numbers [x, y], or null for the middle',
  default: null,
  absent: 'the middle',
});

/** Colours are changed as of grey or RGB images. */
export function greyOrRgb(dims: readonly number[]): Misfit | null {
  const [channels] = dims;
  return channels === 1 || channels === 3
    ? null
    : { key: 'kind', wrong: `it knows images of 1 or 3 channels, and these have ${channels}` };
}

/** An image keeps its size until somebody says otherwise. */
export function sameSize(dims: readonly number[]): { size: number | number[] } {
  const [height = 32, width = height] = dims.slice(-2);
  return { size: height === width ? height : [height, width] };
}

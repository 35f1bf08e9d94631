/** Images turned, shifted, scaled and sheared. */
import { z } from 'zod';
import { field } from '../fields.ts';
import { argsRow } from '../table.ts';
import { asRange, centre, degreesSchema, fill, type TransformKind, turning } from './kind.ts';

const same: TransformKind['moves'] = (_args, dims) => ({ dims: [...dims] });

const pair = (expected: string) => ({ control: 'numbers', expected, default: null, absent: 'none' }) as const;

export const turnTransforms: readonly TransformKind[] = [
  {
    ...argsRow({
      kind: 'RandomRotation',
      label: 'Turns',
      help: 'Turns images by a random angle. Only in training.',
      params: {
        degrees: field(degreesSchema, {
          label: 'Degrees',
          help: 'Most to either side, or [from, to]; counter-clockwise.',
          control: 'numbers',
          expected: 'a number ≥ 0, or two numbers, the smaller first',
        }),
        interpolation: turning,
        center: centre,
        fill,
      },
      args: ({ degrees, interpolation, center, fill }) => ({ degrees: asRange(degrees), interpolation, center, fill }),
    }),
    beginning: () => ({ degrees: 10 }),
    random: true,
    perChannel: [],
    masks: 'move',
    moves: same,
  },
  {
    ...argsRow({
      kind: 'RandomAffine',
      label: 'Turns, moves, scales, shears',
      help: 'Turns, shifts, scales and shears images at random. Only in training.',
      params: {
        degrees: field(degreesSchema, {
          label: 'Degrees',
          help: 'Most to either side, or [from, to]; clockwise. 0: none.',
          control: 'numbers',
          expected: 'a number ≥ 0, or two numbers, the smaller first',
        }),
        translate: field(z.union([z.array(z.number().min(0).max(1)).length(2), z.null()]), {
          label: 'Translate',
          help: 'Most shift to either side, as shares of width and height.',
          ...pair('two numbers from 0 to 1, or null for none'),
        }),
        scale: field(
          z.union([
            z
              .array(z.number().gt(0))
              .length(2)
              .refine(([from = 0, to = 0]) => from <= to),
            z.null(),
          ]),
          {
            label: 'Scale',
            help: 'Factor of the size: [least, most].',
            ...pair('two numbers > 0, the smaller first, or null for none'),
          },
        ),
        shear: field(
          z.union([
            degreesSchema,
            z
              .array(z.number())
              .length(4)
              .refine(([a = 0, b = 0, c = 0, d = 0]) => a <= b && c <= d),
            z.null(),
          ]),
          {
            label: 'Shear',
            help: 'Degrees along x to either side, or [from, to], or with those along y [from, to, from, to].',
            ...pair('a number ≥ 0, two or four numbers, each from before its to, or null for none'),
          },
        ),
        interpolation: turning,
        fill,
        center: centre,
      },
      args: ({ degrees, translate, scale, shear, interpolation, fill, center }) => ({
        degrees: asRange(degrees),
        translate,
        scale,
        shear: shear === null ? null : asRange(shear),
        interpolation,
        fill,
        center,
      }),
    }),
    beginning: () => ({ degrees: 10, translate: [0.1, 0.1] }),
    random: true,
    perChannel: [],
    masks: 'move',
    moves: same,
  },
];

/** What takes something away from images. */
import { z } from 'zod';
import { asSpan, field, span } from '../fields.ts';
import { argsRow } from '../table.ts';
import { asList, chance, range, type TransformKind } from './kind.ts';

export const erasingTransforms: readonly TransformKind[] = [
  {
    ...argsRow({
      kind: 'RandomErasing',
      label: 'Blanks out a rectangle',
      help: 'Covers a random rectangle of some images. Only in training.',
      params: {
        p: chance('How often something is erased: 0.5 for every other image.'),
        scale: range(
          'Scale',
          'Share of the image’s area that is erased: [least, most].',
          { min: 0, max: 1 },
          [0.02, 0.33],
        ),
        ratio: range('Ratio', 'Of the rectangle’s height to its width: [least, most].', { above: 0 }, [0.3, 3.3]),
        value: field(z.union([z.number(), z.array(z.number()).min(1), z.literal('random')]), {
          label: 'Value',
          help: 'What the rectangle then holds: one number, one a channel, or "random" for noise.',
          control: 'numbers',
          expected: 'a number, a list of numbers, one a channel, or "random"',
          default: 0,
        }),
      },
      args: ({ p, scale, ratio, value }) => ({
        p,
        scale,
        ratio,
        value: value === 'random' ? value : asList(value),
      }),
    }),
    random: true,
    perChannel: ['value'],
    masks: 'stay',
    moves: (_args, dims) => ({ dims: [...dims] }),
  },
  {
    ...argsRow({
      kind: 'GaussianBlur',
      label: 'Blurs',
      help: 'Blurs images by a random amount. Only in training.',
      params: {
        kernel_size: span(2, { label: 'Kernel size', help: 'Pixels that are averaged, odd: [across, down].' }),
        sigma: field(
          z.union([
            z.number().gt(0),
            z
              .array(z.number().gt(0))
              .length(2)
              .refine(([from = 0, to = 0]) => from <= to),
          ]),
          {
            label: 'Sigma',
            help: 'Standard deviation of the blur in pixels, or [least, most].',
            control: 'numbers',
            expected: 'a number > 0, or two, the smaller first',
            default: [0.1, 2],
          },
        ),
      },
      args: ({ kernel_size, sigma }) => ({
        kernel_size: asSpan(kernel_size, 2),
        sigma: typeof sigma === 'number' ? [sigma, sigma] : sigma,
      }),
      check({ kernel_size }, place, report) {
        if (asSpan(kernel_size, 2).every((size) => size % 2 === 1)) return;
        const odd = asSpan(kernel_size, 2).map((size) => size - 1 + (size % 2));
        const at = [...place, 'kernel_size'];
        report.error('BAD_VALUE', at, 'The kernel of GaussianBlur has a middle: its sizes are odd', 'Use odd sizes.', [
          {
            label: `Set kernel_size to ${odd.join('×')}`,
            edits: [{ op: 'set', path: at, value: odd[0] === odd[1] ? odd[0] : odd }],
          },
        ]);
      },
    }),
    beginning: () => ({ kernel_size: 3 }),
    random: true,
    perChannel: [],
    masks: 'stay',
    moves({ kernel_size }, dims) {
      const [across = 1, down = 1] = kernel_size as number[];
      const [, height = 0, width = 0] = dims;
      if (Math.floor(across / 2) < width && Math.floor(down / 2) < height) return { dims: [...dims] };
      return {
        key: 'kernel_size',
        wrong: `half of ${across}×${down} reaches past the image of ${height}×${width}`,
        fix: { label: 'Set kernel_size to 3', key: 'kernel_size', value: 3 },
      };
    },
  },
];

/** Flips and crops: whole rows and columns of images change their places. */
import { z } from 'zod';
import { asSpan, choice, field, number, span } from '../fields.ts';
import { argsRow } from '../table.ts';
import { asList, chance, sameSize, type TransformKind } from './kind.ts';

/** Left, top, right, bottom. */
type Sides = [number, number, number, number];

function asSides(padding: number | number[] | null): Sides {
  const list = asList(padding ?? 0);
  const [left = 0, top = left, right = left, bottom = top] = list;
  return [left, top, right, bottom];
}

const flips = (kind: string, label: string, way: string): TransformKind => ({
  ...argsRow({
    kind,
    label,
    help: `Flips samples ${way} at random. Only in training.`,
    params: { p: chance('How often a sample is flipped: 0.5 for every other one.') },
  }),
  random: true,
  perChannel: [],
  masks: 'move',
  moves: (_args, dims) => ({ dims: [...dims] }),
});

const size = span(2, { label: 'Size', help: 'Of the window: what the network then sees.' });

export const moveTransforms: readonly TransformKind[] = [
  flips('RandomHorizontalFlip', 'Flips left to right', 'left to right'),
  flips('RandomVerticalFlip', 'Flips top to bottom', 'top to bottom'),
  {
    ...argsRow({
      kind: 'RandomCrop',
      label: 'Cuts a random window',
      help: 'Cuts a window at a random place, after padding the sides. Outside of training the window is in the middle.',
      params: {
        size,
        padding: field(
          z.union([
            z.number().int().min(0),
            z
              .array(z.number().int().min(0))
              .min(1)
              .max(4)
              .refine((list) => list.length !== 3),
            z.null(),
          ]),
          {
            label: 'Padding',
            help: 'Pixels put around the image first: for all sides, [left and right, top and bottom], or [left, top, right, bottom].',
            control: 'numbers',
            expected: 'an integer ≥ 0, a list of 1, 2 or 4 of them, or null for none',
            default: null,
          },
        ),
        fill: number({
          label: 'Fill',
          help: 'Value of the padding (constant). Masks get the class that the loss ignores, else 0.',
          default: 0,
        }),
        padding_mode: choice(['constant', 'edge', 'reflect', 'symmetric'], {
          label: 'Padding mode',
          help: 'What the padding holds: one value, the edge repeated, or the image mirrored without or with its edge.',
          default: 'constant',
        }),
      },
      args: ({ size, padding, fill, padding_mode }) => ({
        size: asSpan(size, 2),
        padding: asSides(padding),
        fill,
        padding_mode,
      }),
    }),
    beginning: (dims) => ({ ...sameSize(dims), padding: Math.ceil(Math.min(...dims.slice(-2), 256) / 8) }),
    random: true,
    perChannel: [],
    masks: 'move',
    moves({ size, padding, padding_mode }, [channels = 1, height = 0, width = 0]) {
      const [left, top, right, bottom] = padding as Sides;
      const [tall, wide] = size as [number, number];
      const most = padding_mode === 'reflect' ? -1 : padding_mode === 'symmetric' ? 0 : Number.POSITIVE_INFINITY;
      if (Math.max(left, right) > width + most || Math.max(top, bottom) > height + most) {
        const fix = { label: 'Repeat the edge instead', key: 'padding_mode', value: 'edge' };
        return { key: 'padding', wrong: `the image of ${height}×${width} has not as many pixels to mirror`, fix };
      }
      const [paddedHeight, paddedWidth] = [height + top + bottom, width + left + right];
      if (tall > paddedHeight || wide > paddedWidth) {
        const value = paddedHeight === paddedWidth ? paddedHeight : [paddedHeight, paddedWidth];
        const fix = { label: `Set size to ${paddedHeight}×${paddedWidth}`, key: 'size', value };
        const padded = left + top + right + bottom > 0 ? 'padded ' : '';
        return {
          key: 'size',
          wrong: `the ${padded}image is ${paddedHeight}×${paddedWidth}, smaller than ${tall}×${wide}`,
          fix,
        };
      }
      return { dims: [channels, tall, wide] };
    },
  },
  {
    ...argsRow({
      kind: 'CenterCrop',
      label: 'Cuts the middle',
      help: 'Cuts the window in the middle; where the image is smaller, zeros lie around it.',
      params: { size },
      args: ({ size }) => ({ size: asSpan(size, 2) }),
    }),
    beginning: sameSize,
    random: false,
    perChannel: [],
    masks: 'move',
    moves: ({ size }, [channels = 1]) => ({ dims: [channels, ...(size as number[])] }),
  },
];

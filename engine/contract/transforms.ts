/** The table of transforms: applied to each input sample, in order, after scaling to floats; torchvision's names. */
import { z } from 'zod';
import { asSpan, choice, field, number, span } from './fields.ts';
import type { Chosen } from './project-types.ts';
import { type Place, type Report, removeEdit, setEdit, show } from './report.ts';
import { type ArgsRow, argsRow, tableOf } from './table.ts';

/** Left, top, right, bottom. */
type Sides = [number, number, number, number];

interface Misfit {
  key: string;
  wrong: string;
  fix: { label: string; key: string; value: unknown };
}

export interface TransformKind extends ArgsRow {
  /** Drawn anew for each sample of the training split in each epoch; other splits see what is said in `help`. */
  random: boolean;
  /** Arguments that hold one number, or one a channel. */
  perChannel: readonly string[];
  /** It moves pixels of images [channels, height, width]: the dims that it makes of such, or why it cannot. */
  moves?(args: Chosen['args'], dims: readonly number[]): { dims: number[] } | Misfit;
}

const asList = (value: number | number[]) => (typeof value === 'number' ? [value] : value);

const chance = number({
  label: 'Chance',
  help: 'How often a sample is flipped: 0.5 for every other one.',
  min: 0,
  max: 1,
  default: 0.5,
});

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
    params: { p: chance },
  }),
  random: true,
  perChannel: [],
  moves: (_args, dims) => ({ dims: [...dims] }),
});

export const transformKinds: readonly TransformKind[] = [
  {
    ...argsRow({
      kind: 'Normalize',
      label: 'Normalize',
      help: 'Subtracts the mean and divides by the standard deviation, per channel (first dimension) or one for all.',
      params: {
        mean: field(z.union([z.number(), z.array(z.number()).min(1)]), {
          label: 'Mean',
          help: 'One number, or one a channel.',
          control: 'numbers',
          expected: 'a number or a list of numbers, one a channel',
        }),
        std: field(z.union([z.number(), z.array(z.number()).min(1)]), {
          label: 'Standard deviation',
          help: 'One number, or one a channel; not 0.',
          control: 'numbers',
          expected: 'a number or a list of numbers, one a channel',
        }),
      },
      args: ({ mean, std }) => ({ mean: asList(mean), std: asList(std) }),
      check({ std }, place, report) {
        if (!asList(std).includes(0)) return;
        report.error(
          'BAD_VALUE',
          [...place, 'std'],
          `std must not be 0, but is ${show(std)}`,
          'Give a number above 0.',
        );
      },
    }),
    random: false,
    perChannel: ['mean', 'std'],
  },
  flips('RandomHorizontalFlip', 'Flips left to right', 'left to right'),
  flips('RandomVerticalFlip', 'Flips top to bottom', 'top to bottom'),
  {
    ...argsRow({
      kind: 'RandomCrop',
      label: 'Cuts a window',
      help: 'Cuts a window at a random place, after padding the sides. Outside of training the window is in the middle.',
      params: {
        size: span(2, { label: 'Size', help: 'Of the window: what the network then sees.' }),
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
        fill: number({ label: 'Fill', help: 'Value of the padding (constant).', default: 0 }),
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
    random: true,
    perChannel: [],
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
];

export const transforms = tableOf(transformKinds);

/** Dims of a sample after the transforms; those that cannot be applied leave them as they are. */
export function dimsAfter(chosen: readonly Chosen[], dims: readonly number[]): number[] {
  return chosen.reduce(
    (now, { kind, args }) => {
      const moved = now.length === 3 ? transforms.get(kind)?.moves?.(args, now) : undefined;
      return moved && 'dims' in moved ? moved.dims : now;
    },
    [...dims],
  );
}

/** Those that move pixels need images, must fit them, and would leave a target that lies over the image where it is. */
export function checkMoves(
  { kind, args }: Chosen,
  dims: readonly number[],
  target: { kind: string },
  place: Place,
  report: Report,
): void {
  const row = transforms.get(kind);
  if (!row?.moves) return;
  const remove = [{ label: `Remove ${kind}`, edits: [removeEdit(place)] }];
  if (dims.length !== 3) {
    const message = `${kind} moves the pixels of images, but the samples [${dims.join(', ')}] are none`;
    report.error('WRONG_RANK', place, message, 'Remove it.', remove);
    return;
  }
  if (target.kind === 'mask') {
    const message = `${kind} would move the image and leave its mask where it is`;
    report.error('TARGET_MISMATCH', place, message, 'Remove it.', remove);
  }
  const moved = row.moves(args, dims);
  if ('dims' in moved) return;
  const { key, wrong, fix } = moved;
  const fixes = [{ label: fix.label, edits: [setEdit([...place, fix.key], fix.value)] }];
  report.error('BAD_VALUE', [...place, key], `${kind} does not fit: ${wrong}`, 'Choose one that fits.', fixes);
}

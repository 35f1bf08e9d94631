/** Transforms that choose among others. */
import { z } from 'zod';
import { field, integer } from '../fields.ts';
import { argsRow } from '../table.ts';
import { greyOrRgb, type TransformKind, turning } from './kind.ts';

export const policyTransforms: readonly TransformKind[] = [
  {
    ...argsRow({
      kind: 'RandAugment',
      label: 'Random changes of many kinds',
      help: 'Applies a few operations, drawn anew for each image, out of torchvision’s fourteen: shears, shifts, rotation, brightness, colour, contrast, sharpness, fewer levels, inverted lights, more contrast, equal histogram, or none. Only in training, and before Normalize.',
      params: {
        num_ops: integer({ label: 'Operations', help: 'How many, one after the other.', min: 0, max: 100, default: 2 }),
        magnitude: integer({ label: 'Magnitude', help: 'How strong, from 0 on.', min: 0, default: 9 }),
        num_magnitude_bins: integer({
          label: 'Magnitudes',
          help: 'How many steps there are from nothing to the strongest.',
          min: 2,
          default: 31,
        }),
        interpolation: turning,
        fill: field(z.union([z.number(), z.null()]), {
          label: 'Fill',
          help: 'Value of what comes from outside of the image.',
          control: 'number',
          expected: 'a number, or null for black',
          default: null,
          absent: 'black',
        }),
      },
      check({ magnitude, num_magnitude_bins }, place, report) {
        if (magnitude < num_magnitude_bins) return;
        report.error(
          'BAD_VALUE',
          [...place, 'magnitude'],
          `magnitude ${magnitude} is none of the ${num_magnitude_bins} from 0 to ${num_magnitude_bins - 1}`,
          'Use a smaller one.',
          [
            {
              label: `Set magnitude to ${num_magnitude_bins - 1}`,
              edits: [{ op: 'set', path: [...place, 'magnitude'], value: num_magnitude_bins - 1 }],
            },
          ],
        );
      },
    }),
    random: true,
    perChannel: [],
    unit: true,
    masks: 'left',
    moves: (_args, dims) => greyOrRgb(dims) ?? { dims: [...dims] },
  },
];

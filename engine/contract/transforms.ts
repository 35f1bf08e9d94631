/** The table of transforms: applied to each input sample, in order, after scaling to floats; torchvision's names. */
import { z } from 'zod';
import { field } from './fields.ts';
import { show } from './report.ts';
import { argsRow, tableOf } from './table.ts';

const asList = (value: number | number[]) => (typeof value === 'number' ? [value] : value);

export const transformKinds = [
  argsRow({
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
      report.error('BAD_VALUE', [...place, 'std'], `std must not be 0, but is ${show(std)}`, 'Give a number above 0.');
    },
  }),
];

export const transforms = tableOf(transformKinds);

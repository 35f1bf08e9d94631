/** Transforms of values whatever they stand for. */
import { z } from 'zod';
import { field, flag, number } from '../fields.ts';
import { show } from '../report.ts';
import { argsRow } from '../table.ts';
import { asList, type TransformKind } from './kind.ts';

const numbers = z.union([z.number(), z.array(z.number()).min(1), z.null()]);
const fitted = { control: 'numbers', default: null, absent: 'fitted', expected: 'a number or a list of numbers, one a channel, or null to fit it' } as const; // biome-ignore format: one line

export const valueTransforms: readonly TransformKind[] = [
  {
    ...argsRow({
      kind: 'Normalize',
      label: 'Shifts and scales values',
      help: 'Subtracts the mean and divides by the standard deviation, per channel (first dimension) or one for all. Without numbers they are fitted on the samples that train at the start of the run, per channel, and the run keeps them.',
      params: {
        mean: field(numbers, {
          label: 'Mean',
          help: 'One number, or one a channel; nothing: fitted on the samples that train.',
          ...fitted,
        }),
        std: field(numbers, {
          label: 'Standard deviation',
          help: 'One number, or one a channel; not 0. Nothing: fitted on the samples that train.',
          ...fitted,
        }),
      },
      args: ({ mean, std }) => ({
        mean: mean === null ? null : asList(mean),
        std: std === null ? null : asList(std),
      }),
      check({ mean, std }, place, report) {
        if (std !== null && asList(std).includes(0)) {
          const message = `std must not be 0, but is ${show(std)}`;
          report.error('BAD_VALUE', [...place, 'std'], message, 'Give a number above 0.');
        }
        if ((mean === null) === (std === null)) return;
        const missing = mean === null ? 'mean' : 'std';
        report.error(
          'MISSING_VALUE',
          [...place, missing],
          `Normalize has a ${missing === 'mean' ? 'std' : 'mean'} but no ${missing}`,
          'Give both, or neither: then both are fitted on the samples that train.',
          [{ label: 'Fit both', edits: [{ op: 'remove', path: [...place, missing === 'mean' ? 'std' : 'mean'] }] }],
        );
      },
    }),
    random: false,
    perChannel: ['mean', 'std'],
    masks: 'stay',
  },
  {
    ...argsRow({
      kind: 'GaussianNoise',
      label: 'Adds noise',
      help: 'Adds noise of a normal distribution to every value. Only in training.',
      params: {
        mean: number({ label: 'Mean', help: 'Of the noise.', default: 0 }),
        sigma: number({
          label: 'Sigma',
          help: 'Standard deviation of the noise; images have values of 0–1.',
          min: 0,
          default: 0.1,
        }),
        clip: flag({
          label: 'Clip',
          help: 'Keeps the values in 0–1. Off for values that are normalised or no image’s.',
          default: true,
        }),
      },
    }),
    random: true,
    perChannel: [],
    masks: 'stay',
  },
];

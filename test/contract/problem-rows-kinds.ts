/** Faults that only one kind, or one family, can have: norms, activations, dropouts, reshaping. */
import type { Json } from '../../engine/contract/native.ts';
import { conv, digits, flatten, head, linear, projectWith } from './cases.ts';
import type { Row } from './problem-rows.ts';

/** The layer on the digits' images behind a convolution to 6 channels, [6, 26, 26]. */
const onImages = (layer: Json) => projectWith([conv(6), layer, ...head]);
/** The layer on vectors of 6. */
const onVectors = (layer: Json) => projectWith([flatten, linear(6), layer, linear(10)]);
const sequences = { ...digits, input: { dims: [6, 9], dtype: 'float32' as const } };

export const kindRows: { [group: string]: Row[] } = {
  norms: [
    {
      name: 'of the wrong rank',
      project: onImages({ kind: 'BatchNorm1d' }),
      problems: ['WRONG_RANK model.layers.1: BatchNorm1d wants sequences [channels, length] but receives [6, 26, 26]'],
    },
    {
      name: 'batch norm on vectors',
      project: projectWith([flatten, { kind: 'BatchNorm2d' }, linear(10)]),
      problems: ['WRONG_RANK model.layers.1: BatchNorm2d wants images [channels, height, width] but receives [784]'],
    },
    {
      name: 'of images, on volumes',
      project: projectWith([
        conv(6),
        { kind: 'Unflatten', dim: 2, unflattened_size: [2, 13] },
        { kind: 'InstanceNorm2d' },
      ]),
      problems: [
        'WRONG_RANK model.layers.2: InstanceNorm2d wants images [channels, height, width] but receives [6, 2, 13, 26]',
      ],
    },
    {
      name: 'of samples as a whole, where channels are meant',
      project: projectWith([{ kind: 'InstanceNorm2d' }, ...head]),
      facts: sequences,
      problems: [
        '(warning) WRONG_RANK model.layers.0: InstanceNorm2d takes [6, 9] for a single channel and normalises each sample as a whole',
      ],
    },
    {
      name: 'of channels with one value',
      project: projectWith([
        conv(6),
        { kind: 'AdaptiveAvgPool2d', output_size: 1 },
        { kind: 'InstanceNorm2d' },
        ...head,
      ]),
      problems: [
        'BAD_VALUE model.layers.2: InstanceNorm2d normalises each channel of a sample over its positions, but of [6, 1, 1] each channel has one value only',
      ],
    },
    {
      name: 'without epsilon',
      project: onImages({ kind: 'BatchNorm2d', eps: 0 }),
      problems: ['BAD_VALUE model.layers.1.eps: Expected a number > 0 for eps but received 0'],
    },
    {
      name: 'groups that do not divide',
      project: onImages({ kind: 'GroupNorm', num_groups: 4 }),
      problems: ['NOT_DIVISIBLE model.layers.1.num_groups: 6 channels cannot be divided into 4 equal groups'],
    },
    {
      name: 'groups of one value',
      project: onVectors({ kind: 'GroupNorm', num_groups: 6 }),
      problems: [
        '(warning) BAD_VALUE model.layers.2.num_groups: Each of the 6 groups of [6] holds one value, which normalisation makes 0',
      ],
    },
    {
      name: 'over other dimensions than the last',
      project: onImages({ kind: 'RMSNorm', normalized_shape: [6, 26] }),
      problems: [
        'BAD_VALUE model.layers.1.normalized_shape: normalized_shape [6, 26] is not how the input [6, 26, 26] ends',
      ],
    },
    {
      name: 'over neighbouring channels of vectors',
      project: onVectors({ kind: 'LocalResponseNorm', size: 3 }),
      problems: [
        'WRONG_RANK model.layers.2: LocalResponseNorm wants channels with positions, [channels, …], but receives [6]',
      ],
    },
  ],
  activations: [
    {
      name: 'slopes for other channels',
      project: onImages({ kind: 'PReLU', num_parameters: 3 }),
      problems: ['BAD_VALUE model.layers.1.num_parameters: PReLU has 3 slopes for the 6 channels of [6, 26, 26]'],
    },
    {
      name: 'bounds in the wrong order',
      project: projectWith([conv(6), { kind: 'RReLU', lower: 0.5 }, { kind: 'Hardtanh', min_val: 2 }, ...head]),
      problems: ['BAD_VALUE model.layers.1.lower: lower 0.5 is more than upper 0.3333333333333333'],
    },
    {
      name: 'bounds that leave nothing',
      project: onImages({ kind: 'Hardtanh', min_val: 1 }),
      problems: ['BAD_VALUE model.layers.1.max_val: max_val 1 is not larger than min_val 1'],
    },
    {
      name: 'no alpha',
      project: onImages({ kind: 'CELU', alpha: 0 }),
      problems: ['BAD_VALUE model.layers.1.alpha: Expected a number other than 0 for alpha but received 0'],
    },
    {
      name: 'an odd dimension to halve',
      project: projectWith([conv(5), { kind: 'GLU', dim: 1 }, ...head]),
      problems: ['NOT_DIVISIBLE model.layers.1.dim: GLU halves a dimension, but dim 1 of [5, 26, 26] is 5'],
    },
    {
      name: 'softmax of channels of vectors',
      project: onVectors({ kind: 'Softmax2d' }),
      problems: ['WRONG_RANK model.layers.2: Softmax2d wants images [channels, height, width] but receives [6]'],
    },
  ],
  dropouts: [
    {
      name: 'of sequences, on images',
      project: onImages({ kind: 'Dropout1d' }),
      problems: [
        'WRONG_RANK model.layers.1: Dropout1d wants [channels, …] of 1 further dimension but receives [6, 26, 26]',
      ],
    },
    {
      name: 'of channels, on vectors',
      project: onVectors({ kind: 'Dropout2d' }),
      problems: [
        '(warning) WRONG_RANK model.layers.2: Dropout2d is made for samples of 3 dimensions: of [6] it sets aside single values',
      ],
    },
    {
      name: 'of channels, that takes whole samples',
      project: onVectors({ kind: 'Dropout1d' }),
      problems: [
        '(warning) WRONG_RANK model.layers.2: Dropout1d is made for samples of 2 dimensions: of [6] it sets aside whole samples',
      ],
    },
  ],
  reshaping: [
    {
      name: 'sizes that do not multiply to the dimension',
      project: onVectors({ kind: 'Unflatten', dim: 1, unflattened_size: [4, 2] }),
      problems: ['NOT_DIVISIBLE model.layers.2.unflattened_size: 6 values cannot become [4, 2], which are 8'],
    },
    {
      name: 'two sizes left open',
      project: onVectors({ kind: 'Unflatten', dim: 1, unflattened_size: [-1, -1] }),
      problems: [
        'BAD_VALUE model.layers.2.unflattened_size: Expected a list of 1 to 8 integers ≥ 1, of which one may be -1 for unflattened_size but received [-1,-1]',
      ],
    },
    {
      name: 'the batch in another place',
      project: onImages({ kind: 'Permute', dims: [1, 0, 2, 3] }),
      problems: [
        'BAD_VALUE model.layers.1.dims: dims [1, 0, 2, 3] move the batch, dimension 0, and samples must not mix',
      ],
    },
    {
      name: 'an order that leaves dimensions out',
      project: onImages({ kind: 'Permute', dims: [0, 2, 1] }),
      problems: [
        'BAD_VALUE model.layers.1.dims: dims [0, 2, 1] do not name each of the 4 dimensions of the batch of [6, 26, 26] once',
      ],
    },
  ],
};

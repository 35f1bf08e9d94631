/** Faults of convolutions, poolings, paddings and upsampling in one, two and three dimensions. */
import type { Json } from '../../engine/contract/native.ts';
import { digits, flatten, head, projectWith } from './cases.ts';
import type { Row } from './problem-rows.ts';

const on = (...dims: number[]) => ({ ...digits, input: { dims, dtype: 'float32' as const } });
const sequence = on(3, 20);
const image = on(3, 12, 10);
const volume = on(2, 4, 6, 5);

/** One layer, then what makes ten scores of anything. */
function row(
  name: string,
  layer: { [key: string]: Json },
  facts: NonNullable<Row['facts']>,
  ...problems: string[]
): Row {
  return { name, project: projectWith([layer, ...head]), facts, problems };
}

export const windowRows: { [group: string]: Row[] } = {
  'windows of another rank': [
    row(
      'Conv1d on images',
      { kind: 'Conv1d', out_channels: 4, kernel_size: [3] },
      image,
      'WRONG_RANK model.layers.0: Conv1d wants sequences [channels, length] but receives [3, 12, 10]',
    ),
    row(
      'Conv2d on sequences, sides one by one',
      { kind: 'Conv2d', out_channels: 4, kernel_size: [3, 5], padding: 'same' },
      sequence,
      'WRONG_RANK model.layers.0: Conv2d wants images [channels, height, width] but receives [3, 20]',
    ),
    row(
      'ConvTranspose3d on images',
      { kind: 'ConvTranspose3d', out_channels: 4, kernel_size: 2, stride: 2 },
      image,
      'WRONG_RANK model.layers.0: ConvTranspose3d wants volumes [channels, depth, height, width] but receives [3, 12, 10]',
    ),
    row(
      'AdaptiveAvgPool2d on volumes, a side open',
      { kind: 'AdaptiveAvgPool2d', output_size: [null, 2] },
      volume,
      'WRONG_RANK model.layers.0: AdaptiveAvgPool2d wants images [channels, height, width] but receives [2, 4, 6, 5]',
    ),
    row(
      'ReflectionPad2d on volumes',
      { kind: 'ReflectionPad2d', padding: [1, 1, 2, 2] },
      volume,
      'WRONG_RANK model.layers.0: ReflectionPad2d wants images [channels, height, width] but receives [2, 4, 6, 5]',
    ),
    {
      name: 'global pooling of vectors',
      project: projectWith([flatten, { kind: 'GlobalMaxPool' }, { kind: 'Linear', out_features: 10 }]),
      facts: image,
      problems: [
        'WRONG_RANK model.layers.1: GlobalMaxPool wants channels and at least one more dimension but receives [360]',
      ],
    },
  ],
  'windows that do not fit': [
    row(
      'a list for another rank',
      { kind: 'Conv1d', out_channels: 4, kernel_size: [3, 3] },
      sequence,
      'BAD_VALUE model.layers.0.kernel_size: Expected an integer ≥ 1 or [length] of such an integer for kernel_size but received [3,3]',
    ),
    row(
      'too large in depth',
      { kind: 'MaxPool3d', kernel_size: [5, 2, 2] },
      volume,
      'EMPTY_OUTPUT model.layers.0.kernel_size: The window of MaxPool3d spans 5 in depth but its input has only 4',
    ),
    row(
      'same padding with a stride',
      { kind: 'DepthwiseSeparableConv2d', out_channels: 4, kernel_size: [5, 3], stride: 2, padding: 'same' },
      image,
      'BAD_VALUE model.layers.0.padding: padding "same" needs stride 1, but the stride is 2',
    ),
    row(
      'a wrapped border larger than the sequence',
      { kind: 'Conv1d', out_channels: 4, kernel_size: 3, padding: 21, padding_mode: 'circular' },
      sequence,
      'BAD_VALUE model.layers.0.padding: With padding_mode "circular" the padding may be at most the input\'s size, 20, but it is 21',
    ),
    row(
      'groups of a transposed convolution',
      { kind: 'ConvTranspose1d', out_channels: 4, kernel_size: 3, groups: 3 },
      sequence,
      'NOT_DIVISIBLE model.layers.0.groups: 3 groups do not divide out_channels, which is 4',
    ),
    row(
      'output_padding as large as the stride',
      { kind: 'ConvTranspose2d', out_channels: 4, kernel_size: 3, stride: [2, 3], output_padding: 2 },
      image,
      'BAD_VALUE model.layers.0.output_padding: output_padding must be smaller than stride or dilation, at most [1,2], but it is 2',
    ),
    row(
      'padding that leaves nothing',
      { kind: 'ConvTranspose1d', out_channels: 4, kernel_size: 3, padding: 11 },
      sequence,
      'EMPTY_OUTPUT model.layers.0.padding: The padding of ConvTranspose1d, 11, cuts off all of its output, which is 22 without it',
    ),
    row(
      'power zero',
      { kind: 'LPPool2d', norm_type: 0, kernel_size: 2 },
      image,
      'BAD_VALUE model.layers.0.norm_type: Expected a number other than 0 for norm_type but received 0',
    ),
    row(
      'an open side along a sequence',
      { kind: 'AdaptiveMaxPool1d', output_size: [null] },
      sequence,
      'BAD_VALUE model.layers.0.output_size: Expected an integer ≥ 1 or [length] of such an integer for output_size but received [null]',
    ),
  ],
  paddings: [
    row(
      'too few widths',
      { kind: 'ZeroPad2d', padding: [1, 1] },
      image,
      'BAD_VALUE model.layers.0.padding: Expected an integer, or [left, right, top, bottom] of integers for padding but received [1,1]',
    ),
    row(
      'a mirror wider than the image',
      { kind: 'ReflectionPad2d', padding: [0, 10, 3, -1] },
      image,
      'BAD_VALUE model.layers.0.padding: ReflectionPad2d can add at most 9 to the width, which is 10, but the padding there is [0, 10]',
    ),
    row(
      'around more than once',
      { kind: 'CircularPad1d', padding: 21 },
      sequence,
      'BAD_VALUE model.layers.0.padding: CircularPad1d can add at most 20 to the length, which is 20, but the padding there is [21, 21]',
    ),
    row(
      'around what was cut off',
      { kind: 'CircularPad1d', padding: [-15, 6] },
      sequence,
      'BAD_VALUE model.layers.0.padding: CircularPad1d can add at most 5 to the length, which is 20, but the padding there is [-15, 6]',
    ),
    row(
      'all cut off',
      { kind: 'ReplicationPad3d', padding: [0, 0, 0, 0, -2, -2] },
      volume,
      'EMPTY_OUTPUT model.layers.0.padding: The padding [-2, -2] of ReplicationPad3d leaves nothing of the depth, which is 4',
    ),
  ],
  upsampling: [
    row(
      'without a size',
      { kind: 'Upsample' },
      image,
      'MISSING_VALUE model.layers.0.scale_factor: Neither size nor scale_factor is given',
    ),
    row(
      'with two',
      { kind: 'Upsample', size: 20, scale_factor: 2 },
      image,
      'BAD_VALUE model.layers.0.size: Both size and scale_factor are given',
    ),
    row(
      'corners of copies',
      { kind: 'Upsample', scale_factor: 2, align_corners: false },
      image,
      'BAD_VALUE model.layers.0.align_corners: align_corners means nothing to mode "nearest"',
    ),
    row(
      'a factor recomputed from a size',
      { kind: 'Upsample', size: 20, recompute_scale_factor: true },
      image,
      'BAD_VALUE model.layers.0.recompute_scale_factor: recompute_scale_factor means nothing where the size is given',
    ),
    row(
      'a mode of another rank',
      { kind: 'Upsample', scale_factor: 2, mode: 'bicubic', align_corners: true },
      sequence,
      'BAD_VALUE model.layers.0.mode: Mode "bicubic" is for images, but [3, 20] is a sequence',
    ),
    row(
      'sides of another rank',
      { kind: 'Upsample', size: [20, 20, 20] },
      image,
      'BAD_VALUE model.layers.0.size: size has 3 values, [20,20,20], but an image has 2: height, width',
    ),
    row(
      'nothing left',
      { kind: 'Upsample', scale_factor: [0.5, 0.05] },
      image,
      'EMPTY_OUTPUT model.layers.0.scale_factor: With scale_factor [0.5,0.05] nothing is left of the width, which is 10',
    ),
    row(
      'channels that are no squares',
      { kind: 'PixelShuffle', upscale_factor: 2 },
      image,
      'NOT_DIVISIBLE model.layers.0.upscale_factor: The 3 channels are no multiple of upscale_factor², which is 4',
    ),
    row(
      'pixels left over',
      { kind: 'PixelUnshuffle', downscale_factor: 4 },
      image,
      'NOT_DIVISIBLE model.layers.0.downscale_factor: Height 12 and width 10 are not both multiples of downscale_factor, which is 4',
    ),
    row(
      'pixels of sequences',
      { kind: 'PixelShuffle', upscale_factor: 2 },
      sequence,
      'WRONG_RANK model.layers.0: PixelShuffle wants images [channels, height, width] but receives [3, 20]',
    ),
  ],
};

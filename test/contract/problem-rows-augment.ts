/** Faults in how training batches are mixed and samples are moved. */
import type { DataFacts } from '../../engine/contract/tensors.ts';
import { flatten, type JsonProject, linear, projectWith } from './cases.ts';
import type { Row } from './problem-rows.ts';

const mixed = (training: JsonProject) => projectWith([flatten, linear(10)], { training });
const digits = { source: { kind: 'idx', path: 'digits' }, split: { val: 'test' } };
const moved = (...transforms: JsonProject[]) => projectWith([flatten, linear(10)], { data: { ...digits, transforms } });
const vectors: DataFacts = {
  input: { dims: [12], dtype: 'float32' },
  target: { kind: 'class', classes: [...'abcdefghij'] },
  parts: { train: 9000, test: 1000 },
};
const numbers: DataFacts = { ...vectors, target: { kind: 'vector', dims: [10] } };

export const augmentRows: { [group: string]: Row[] } = {
  'mixed batches': [
    { name: 'both, as they are', project: mixed({ mixup: {}, cutmix: { alpha: 0.5 } }), problems: [] },
    {
      name: 'mistyped and misspelt',
      project: mixed({ mixup: { alpha: 0 }, cutmix: { alhpa: 1 } }),
      problems: [
        'BAD_VALUE training.mixup.alpha: Expected a number > 0 for alpha but received 0',
        '(warning) UNKNOWN_KEY training.cutmix.alhpa: The key "alhpa" is not known here and has no effect',
      ],
    },
    {
      name: 'no object',
      project: mixed({ mixup: true }),
      problems: ['BAD_VALUE training.mixup: Expected an object for mixup but received true'],
    },
    {
      name: 'a class that is ignored',
      project: mixed({ mixup: {}, loss: { kind: 'CrossEntropyLoss', ignore_index: 3 } }),
      problems: [
        'TARGET_MISMATCH training.mixup: MixUp makes probabilities of classes, of which none can be ignored as ignore_index says',
      ],
    },
    {
      name: 'CutMix of what is no image',
      project: mixed({ cutmix: {} }),
      facts: vectors,
      problems: [
        'WRONG_RANK training.cutmix: CutMix pastes a box of one image into another, but the samples [12] are no images',
      ],
    },
    {
      name: 'MixUp of numbers as targets',
      project: mixed({ mixup: {}, loss: { kind: 'MSELoss' }, metrics: [] }),
      facts: numbers,
      problems: [
        'TARGET_MISMATCH training.mixup: MixUp makes probabilities of classes, but the targets of this data are no single classes',
      ],
    },
  ],
  'random flips and crops': [
    {
      name: 'a crop of the padded image',
      project: moved({ kind: 'RandomCrop', size: 28, padding: 4 }, { kind: 'RandomHorizontalFlip' }),
      problems: [],
    },
    {
      name: 'a smaller window changes what the network sees',
      project: projectWith([{ kind: 'MaxPool2d', kernel_size: 20 }, flatten, linear(10)], {
        data: { ...digits, transforms: [{ kind: 'RandomCrop', size: [24, 16] }] },
      }),
      problems: [
        'EMPTY_OUTPUT model.layers.0.kernel_size: The window of MaxPool2d spans 20 in width but its input has only 16',
      ],
    },
    {
      name: 'windows that do not fit',
      project: moved(
        { kind: 'RandomCrop', size: 30 },
        { kind: 'RandomCrop', size: 40, padding: [1, 2] },
        { kind: 'RandomCrop', size: 28, padding: 28, padding_mode: 'reflect' },
      ),
      problems: [
        'BAD_VALUE data.transforms.0.size: RandomCrop does not fit: the image is 28×28, smaller than 30×30',
        'BAD_VALUE data.transforms.1.size: RandomCrop does not fit: the padded image is 32×30, smaller than 40×40',
        'BAD_VALUE data.transforms.2.padding: RandomCrop does not fit: the image of 28×28 has not as many pixels to mirror',
      ],
    },
    {
      name: 'mistyped',
      project: moved({ kind: 'RandomCrop', size: 20, padding: [1, 2, 3] }, { kind: 'RandomHorizontalFlip', p: 1.5 }),
      problems: [
        'BAD_VALUE data.transforms.0.padding: Expected an integer ≥ 0, a list of 1, 2 or 4 of them, or null for none for padding but received [1,2,3]',
        'BAD_VALUE data.transforms.1.p: Expected a number ≥ 0 and ≤ 1 for p but received 1.5',
      ],
    },
    {
      name: 'of what is no image',
      project: moved({ kind: 'RandomVerticalFlip' }),
      facts: vectors,
      problems: ['WRONG_RANK data.transforms.0: RandomVerticalFlip is for images, but the samples [12] are none'],
    },
    {
      name: 'of other channels than colours have',
      project: moved({ kind: 'ColorJitter', hue: 0.1 }, { kind: 'RandAugment' }, { kind: 'Grayscale' }),
      facts: { ...vectors, input: { dims: [2, 8, 8], dtype: 'float32' } },
      problems: [
        'BAD_VALUE data.transforms.0: ColorJitter does not fit: it knows images of 1 or 3 channels, and these have 2',
        'BAD_VALUE data.transforms.1: RandAugment does not fit: it knows images of 1 or 3 channels, and these have 2',
        'BAD_VALUE data.transforms.2: Grayscale does not fit: it knows images of 1 or 3 channels, and these have 2',
      ],
    },
    {
      name: 'values that are no longer colours',
      project: moved({ kind: 'Normalize' }, { kind: 'ColorJitter', brightness: 0.2 }),
      problems: [
        '(warning) BAD_VALUE data.transforms.1: ColorJitter keeps values in 0–1, but Normalize before it has made others of them',
      ],
    },
    {
      name: 'half a Normalize',
      project: moved({ kind: 'Normalize', mean: 0.5 }, { kind: 'Normalize', std: [0] }),
      problems: [
        'MISSING_VALUE data.transforms.0.std: Normalize has a mean but no std',
        'BAD_VALUE data.transforms.1.std: std must not be 0, but is [0]',
        'MISSING_VALUE data.transforms.1.mean: Normalize has a std but no mean',
      ],
    },
    {
      name: 'numbers a channel behind what changes the channels',
      project: moved(
        { kind: 'Grayscale', num_output_channels: 3 },
        { kind: 'Normalize', mean: [1, 2, 3], std: [1, 2] },
      ),
      problems: [
        'BAD_VALUE data.transforms.1.std: std of Normalize holds 2 numbers, but the samples [3, 28, 28] have 3 channels',
      ],
    },
    {
      name: 'kernels and magnitudes that there are not',
      project: moved(
        { kind: 'GaussianBlur', kernel_size: [4, 3] },
        { kind: 'GaussianBlur', kernel_size: 57 },
        { kind: 'RandAugment', magnitude: 31 },
        { kind: 'RandomErasing', scale: [0.5, 0.2] },
        { kind: 'Grayscale', num_output_channels: 2 },
      ),
      problems: [
        'BAD_VALUE data.transforms.0.kernel_size: The kernel of GaussianBlur has a middle: its sizes are odd',
        'BAD_VALUE data.transforms.2.magnitude: magnitude 31 is none of the 31 from 0 to 30',
        'BAD_VALUE data.transforms.3.scale: Expected two numbers ≥ 0 and ≤ 1, the smaller first for scale but received [0.5,0.2]',
        'BAD_VALUE data.transforms.4.num_output_channels: Expected 1 or 3 for num_output_channels but received 2',
        'BAD_VALUE data.transforms.1.kernel_size: GaussianBlur does not fit: half of 57×57 reaches past the image of 28×28',
      ],
    },
    {
      name: 'masks that cannot go along',
      project: moved({ kind: 'RandAugment' }, { kind: 'RandomRotation', degrees: 5 }, { kind: 'ColorJitter' }),
      facts: {
        ...vectors,
        input: { dims: [3, 8, 8], dtype: 'float32' },
        target: { kind: 'mask', dims: [4, 4], classes: ['a', 'b'] },
      },
      problems: [
        'OUTPUT_MISMATCH model.layers.1: The network answers [10] but the loss wants one score a class at each position: [2, 4, 4]',
        'TARGET_MISMATCH data.transforms.0: RandAugment would move the image and leave its mask where it is',
        'TARGET_MISMATCH data.transforms.1: RandomRotation cannot move the masks of 4×4 along, which do not lie over the images of 8×8',
      ],
    },
  ],
};

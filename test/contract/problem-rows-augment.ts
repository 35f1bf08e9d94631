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
      problems: [
        'WRONG_RANK data.transforms.0: RandomVerticalFlip moves the pixels of images, but the samples [12] are none',
      ],
    },
  ],
};

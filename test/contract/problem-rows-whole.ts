/** Faults between network, data and training: answers and targets, batches of one. */
import type { Json } from '../../engine/contract/native.ts';
import { conv, digits, flatten, head, type JsonProject, linear, projectWith, relu, vectors } from './cases.ts';
import type { Row } from './problem-rows.ts';

const settings = (training: JsonProject) => projectWith(head, { training });
const normed = (batch_size: number, more: JsonProject = {}, norm: Json = { kind: 'BatchNorm2d' }) =>
  projectWith([conv(4), { kind: 'AdaptiveAvgPool2d', output_size: 1 }, norm, ...head], {
    data: { source: { kind: 'idx', path: 'digits' }, split: { val: 'test' }, loader: { batch_size, ...more } },
  });
const vectorProject = (layers: Json[], loss: Json = { kind: 'MSELoss' }) =>
  projectWith(layers, { data: { source: { kind: 'idx', path: 'data' } }, training: { loss } });

export const wholeRows: { [group: string]: Row[] } = {
  'answer and target': [
    {
      name: 'too few scores',
      project: projectWith([flatten, linear(8)]),
      problems: [
        'OUTPUT_MISMATCH model.layers.1: The network answers 8 scores, but the data has 10 classes: class "9" has none',
      ],
    },
    {
      name: 'too few scores, the sample named',
      project: projectWith([flatten, linear(16), relu, linear(8), relu]),
      facts: {
        ...digits,
        target: { kind: 'class', classes: [...'0123456789'], highest: { sample: 7, file: 'labels' } },
      },
      problems: [
        'OUTPUT_MISMATCH model.layers.4: The network answers 8 scores, but the data has 10 classes: class "9" (sample 7 of labels) has none',
      ],
    },
    {
      name: 'too many scores',
      project: projectWith([flatten, linear(12)]),
      problems: [
        '(warning) SPARE_SCORES model.layers.1: The network answers 12 scores, but the data has only 10 classes: the others are never right',
      ],
    },
    {
      name: 'not flattened',
      project: projectWith([linear(16), relu, linear(10)]),
      problems: [
        'OUTPUT_MISMATCH model.layers.2: The network answers [1, 28, 10] but the loss wants one score a class: [10]',
      ],
    },
    {
      name: 'ends with images',
      project: projectWith([conv(4), relu]),
      problems: [
        'OUTPUT_MISMATCH model.layers.1: The network answers [4, 26, 26] but the loss wants one score a class: [10]',
      ],
    },
    {
      name: 'flattened only',
      project: projectWith([conv(4), flatten]),
      problems: [
        '(warning) SPARE_SCORES model.layers.1: The network answers 2704 scores, but the data has only 10 classes: the others are never right',
      ],
    },
    {
      name: 'softmax twice',
      project: projectWith([...head, { kind: 'Softmax' }]),
      problems: [
        '(warning) OUTPUT_MISMATCH model.layers.2: The network ends with Softmax, but CrossEntropyLoss applies it itself: twice, it learns badly',
      ],
    },
    {
      name: 'class weights',
      project: settings({ loss: { kind: 'CrossEntropyLoss', weight: [1, 2] } }),
      problems: ['BAD_VALUE training.loss.weight: weight holds 2 numbers, but the network answers 10 scores'],
    },
    {
      name: 'another reduction',
      project: settings({ loss: { kind: 'CrossEntropyLoss', reduction: 'sum' } }),
      problems: ['BAD_VALUE training.loss.reduction: Expected "mean" for reduction but received "sum"'],
    },
    {
      name: 'squared error on classes',
      project: settings({ loss: { kind: 'MSELoss' } }),
      problems: [
        'TARGET_MISMATCH training.loss: MSELoss compares with numbers or several labels at once, but the targets of this data are classes',
      ],
    },
    {
      name: 'cross entropy on numbers',
      project: vectorProject([linear(3)], { kind: 'CrossEntropyLoss' }),
      facts: vectors,
      problems: [
        'TARGET_MISMATCH training.loss: CrossEntropyLoss compares with classes, masks or next tokens, but the targets of this data are numbers',
      ],
    },
    {
      name: 'accuracy of numbers',
      project: projectWith([linear(3)], {
        training: { loss: { kind: 'MSELoss' }, metrics: ['accuracy'] },
        data: { source: { kind: 'idx', path: 'd' } },
      }),
      facts: vectors,
      problems: [
        'TARGET_MISMATCH training.metrics.0: The metric accuracy does not fit this data, whose targets are numbers',
      ],
    },
    {
      name: 'vectors of another length',
      project: vectorProject([linear(2)]),
      facts: vectors,
      problems: ['OUTPUT_MISMATCH model.layers.0: The network answers [2] but each target is [3]'],
    },
  ],
  'batches of one': [
    {
      name: 'last batch, one value a channel',
      project: normed(8999),
      problems: [
        'SMALL_BATCH data.loader.batch_size: The last of 9000 training samples in batches of 8999 would be a batch of one sample, and BatchNorm2d at model.layers.2 cannot train on a single value per channel',
      ],
    },
    {
      name: 'batch size 1',
      project: normed(1),
      problems: [
        'SMALL_BATCH data.loader.batch_size: Each batch holds one sample, and BatchNorm2d at model.layers.2 cannot train on a single value per channel',
      ],
    },
    ...[1, 8999].map((batch_size) => ({
      name: `groups of one value, in batches of ${batch_size}`,
      project: normed(batch_size, {}, { kind: 'GroupNorm', num_groups: 4 }),
      problems: [
        '(warning) BAD_VALUE model.layers.2.num_groups: Each of the 4 groups of [4, 1, 1] holds one value, which normalisation makes 0',
        `SMALL_BATCH data.loader.batch_size: ${
          batch_size === 1
            ? 'Each batch holds one sample'
            : 'The last of 9000 training samples in batches of 8999 would be a batch of one sample'
        }, and GroupNorm at model.layers.2 cannot train on a single value per group`,
        ...(batch_size === 1
          ? [
              'SMALL_BATCH model.layers.2: Validation would end with a batch of one sample, and GroupNorm cannot evaluate a single value per group',
            ]
          : []),
      ],
    })),
    { name: 'groups of more values', project: normed(1, {}, { kind: 'GroupNorm', num_groups: 2 }), problems: [] },
    { name: 'left out', project: normed(8999, { drop_last: true }), problems: [] },
    { name: 'no batch of one', project: normed(256), problems: [] },
    {
      name: 'last batch, many values a channel',
      project: projectWith([{ kind: 'BatchNorm2d' }, ...head], {
        data: { source: { kind: 'idx', path: 'd' }, loader: { batch_size: 100 }, split: { val: 0 } },
      }),
      facts: { ...digits, parts: { train: 301 } },
      problems: [
        '(warning) SMALL_BATCH data.loader.batch_size: The last of 301 training samples in batches of 100 would be a batch of one sample, from which BatchNorm2d at model.layers.0 would take its statistics',
      ],
    },
    {
      name: 'counted after the split, class by class',
      project: projectWith([{ kind: 'BatchNorm2d' }, ...head], {
        data: { source: { kind: 'idx', path: 'd' }, loader: { batch_size: 40 } },
      }),
      facts: {
        ...digits,
        target: { kind: 'class', classes: [...'0123456789'], counts: [9, ...Array(9).fill(4)] },
        parts: { train: 45 },
      },
      problems: [],
    },
    {
      name: 'evaluation without running statistics',
      project: projectWith(
        [{ kind: 'AdaptiveAvgPool2d', output_size: 1 }, { kind: 'BatchNorm2d', track_running_stats: false }, ...head],
        { data: { source: { kind: 'idx', path: 'd' }, loader: { batch_size: 999 }, split: { val: 'test' } } },
      ),
      problems: [
        'SMALL_BATCH model.layers.1.track_running_stats: Validation would end with a batch of one sample, and BatchNorm2d without running statistics cannot evaluate a single value per channel',
      ],
    },
  ],
  'sizes beyond any device': [
    {
      name: 'a digit too many in channels',
      project: projectWith([conv(1_000_000_000), { kind: 'ReLU' }, ...head]),
      problems: [
        "(warning) TOO_LARGE model.layers.0.out_channels: One sample's output of this Conv2d takes 2.5 TiB: no usual device holds that",
      ],
    },
    {
      name: 'a table beyond any memory',
      project: projectWith([
        { kind: 'Embedding', num_embeddings: 65, embedding_dim: 2_000_000_000 },
        { kind: 'MeanOverSequence' },
        { kind: 'Linear', out_features: 10 },
      ]),
      facts: { ...digits, input: { dims: [28], dtype: 'int64', tokens: 65 } },
      problems: [
        '(warning) TOO_LARGE model.layers.0.embedding_dim: The weights of this Embedding take 484.3 GiB (130,000,000,000 values): no usual device holds that',
      ],
    },
    {
      name: 'within a block, at its own place',
      project: projectWith([
        { kind: 'Repeat', times: 2, layers: [{ kind: 'Upsample', scale_factor: 2000 }] },
        { kind: 'GlobalAvgPool' },
        { kind: 'Linear', out_features: 10 },
      ]),
      problems: [
        "(warning) TOO_LARGE model.layers.0.layers.0: One sample's output of this Upsample takes 44.6 PiB: no usual device holds that",
      ],
    },
    {
      name: 'large, but somebody has it',
      project: projectWith([
        { kind: 'Flatten' },
        { kind: 'Linear', out_features: 1_000_000 },
        { kind: 'Linear', out_features: 10 },
      ]),
      problems: [],
    },
  ],
};

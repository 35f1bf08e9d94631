/** Faults between the network's answer, losses, metrics and targets of every kind. */
import type { Json } from '../../engine/contract/native.ts';
import type { DataFacts, TargetType } from '../../engine/contract/tensors.ts';
import { conv, flatten, type JsonProject, linear, projectWith } from './cases.ts';
import type { Row } from './problem-rows.ts';

const names = (count: number) => Array.from({ length: count }, (_, index) => String(index));
const factsOf = (dims: number[], target: TargetType): DataFacts => ({
  input: { dims, dtype: 'float32' },
  target,
  parts: { train: 100 },
});

const flat = (target: TargetType) => factsOf([8], target);
const labels = flat({ kind: 'multi_label', classes: names(5) });
const two = flat({ kind: 'class', classes: names(2) });
const numbers = flat({ kind: 'vector', dims: [3] });
const seen = (sample: number) => ({ sample, file: 'masks' });
const mask = (classes: number): DataFacts =>
  factsOf([3, 8, 8], { kind: 'mask', dims: [8, 8], classes: names(classes), highest: seen(7) });
const voided = factsOf([3, 8, 8], {
  kind: 'mask',
  dims: [8, 8],
  classes: names(256),
  highest: seen(7),
  second: { label: 20, ...seen(3) },
});
const tokens = factsOf([6, 4], { kind: 'next_token', dims: [6], tokens: 50 });

const project = (layers: Json[], training: JsonProject) =>
  projectWith(layers, { data: { source: { kind: 'idx', path: 'd' }, split: { val: 0 } }, training });
const at1 = (out_channels: number) => ({ kind: 'Conv2d', out_channels, kernel_size: 1 });
const ce = { kind: 'CrossEntropyLoss' };
const logits = { kind: 'BCEWithLogitsLoss' };
const bce = { kind: 'BCELoss' };

export const answerRows: { [group: string]: Row[] } = {
  'answers of every kind': [
    { name: 'masks that fit', project: project([at1(4)], { loss: ce }), facts: mask(4), problems: [] },
    {
      name: 'masks of another size',
      project: project([conv(4)], { loss: ce }),
      facts: mask(4),
      problems: [
        'OUTPUT_MISMATCH model.layers.0: The network answers [4, 6, 6] but the loss wants one score a class at each position: [4, 8, 8]',
      ],
    },
    {
      name: 'too few channels for a mask',
      project: project([at1(3)], { loss: ce }),
      facts: mask(4),
      problems: [
        'OUTPUT_MISMATCH model.layers.0: The network answers 3 scores, but the data has 4 classes: class "3" (sample 7 of masks) has none',
      ],
    },
    {
      name: 'a mask that marks nothing by 255',
      project: project([at1(21)], { loss: ce }),
      facts: voided,
      problems: [
        'OUTPUT_MISMATCH model.layers.0: The network answers 21 scores, but the data has 256 classes: class "255" (sample 7 of masks) has none',
      ],
    },
    {
      name: 'the same, ignored',
      project: project([at1(21)], { loss: { ...ce, ignore_index: 255 } }),
      facts: voided,
      problems: [],
    },
    {
      name: 'ignored, and the next label too high',
      project: project([at1(20)], { loss: { ...ce, ignore_index: 255 } }),
      facts: voided,
      problems: [
        'OUTPUT_MISMATCH model.layers.0: The network answers 20 scores, but the data has 21 classes: class "20" (sample 3 of masks) has none',
      ],
    },
    {
      name: 'one class',
      project: project([linear(1)], { loss: ce }),
      facts: flat({ kind: 'class', classes: ['only'] }),
      problems: [
        '(warning) ONE_CLASS data.source: This data has one class only, "only": there is nothing to tell apart, and nothing is learned',
      ],
    },
    { name: 'labels that fit', project: project([linear(5)], { loss: logits }), facts: labels, problems: [] },
    {
      name: 'labels of another number',
      project: project([linear(4)], { loss: logits }),
      facts: labels,
      problems: ['OUTPUT_MISMATCH model.layers.0: The network answers [4] but the loss wants one score a label: [5]'],
    },
    {
      name: 'cross entropy of labels',
      project: project([linear(5)], { loss: ce }),
      facts: labels,
      problems: [
        'TARGET_MISMATCH training.loss: CrossEntropyLoss compares with classes, masks or next tokens, but the targets of this data are several labels at once',
      ],
    },
    {
      name: 'two classes by one score',
      project: project([linear(1)], { loss: logits, metrics: ['accuracy', 'f1_score', 'auroc'] }),
      facts: two,
      problems: [],
    },
    {
      name: 'two classes by two scores, where one is wanted',
      project: project([linear(2)], { loss: logits }),
      facts: two,
      problems: ['OUTPUT_MISMATCH model.layers.0: The network answers [2] but BCEWithLogitsLoss wants one score: [1]'],
    },
    {
      name: 'ten classes by one score',
      project: project([flatten, linear(1)], { loss: logits }),
      problems: [
        'TARGET_MISMATCH training.loss: BCEWithLogitsLoss tells two classes apart by one score, but this data has 10 classes',
      ],
    },
    {
      name: 'sigmoid twice',
      project: project([linear(5), { kind: 'Sigmoid' }], { loss: logits }),
      facts: labels,
      problems: [
        '(warning) OUTPUT_MISMATCH model.layers.1: The network ends with Sigmoid, but BCEWithLogitsLoss applies it itself: twice, it learns badly',
      ],
    },
    {
      name: 'no probabilities',
      project: project([linear(5)], { loss: bce }),
      facts: labels,
      problems: [
        'OUTPUT_MISMATCH model.layers.0: BCELoss wants probabilities, as Sigmoid gives them, but the network ends with Linear',
      ],
    },
    {
      name: 'probabilities behind other layers',
      project: project([linear(5), { kind: 'Repeat', times: 2, layers: [linear(5), { kind: 'Sigmoid' }] }, flatten], {
        loss: bce,
      }),
      facts: labels,
      problems: [],
    },
    {
      name: 'no logarithms',
      project: project([linear(2)], { loss: { kind: 'NLLLoss' } }),
      facts: two,
      problems: [
        '(warning) OUTPUT_MISMATCH model.layers.0: NLLLoss wants logarithms of probabilities, as LogSoftmax gives them, but the network ends with Linear',
      ],
    },
    {
      name: 'means without variances',
      project: project([linear(3)], { loss: { kind: 'GaussianNLLLoss' } }),
      facts: numbers,
      problems: [
        'OUTPUT_MISMATCH model.layers.0: The network answers [3] but GaussianNLLLoss wants the means, then as many logarithms of variances: [6]',
      ],
    },
    {
      name: 'means and variances',
      project: project([linear(6)], { loss: { kind: 'GaussianNLLLoss' } }),
      facts: numbers,
      problems: [],
    },
    {
      name: 'weights of labels',
      project: project([linear(5)], { loss: { ...logits, weight: [1, 2, 3], pos_weight: [2] } }),
      facts: labels,
      problems: ['BAD_VALUE training.loss.weight: weight holds 3 numbers, but the network answers 5 scores'],
    },
    { name: 'tokens that fit', project: project([linear(50)], { loss: ce }), facts: tokens, problems: [] },
    {
      name: 'too few tokens',
      project: project([linear(40)], { loss: ce, metrics: ['perplexity'] }),
      facts: tokens,
      problems: [
        'OUTPUT_MISMATCH model.layers.0: The network answers 40 scores, but the data has 50 tokens: token "49" has none',
      ],
    },
  ],
  'metrics and their arguments': [
    {
      name: 'metrics with arguments',
      project: project([linear(5)], {
        loss: logits,
        metrics: ['accuracy', { kind: 'f1_score', average: 'macro' }, { kind: 'auroc', average: 'micro' }],
        checkpoint: { monitor: 'train_accuracy' },
      }),
      facts: labels,
      problems: [],
    },
    {
      name: 'faulty metrics',
      project: project([linear(3)], {
        loss: { kind: 'MSELoss' },
        metrics: ['rmse', { kind: 'r2_score', adjustd: 1 }, { kind: 'mean_squared_error', squared: 1 }, 'accuracy', 7],
      }),
      facts: numbers,
      problems: [
        'UNKNOWN_KIND training.metrics.0: There is no metric "rmse"',
        '(warning) UNKNOWN_KEY training.metrics.1.adjustd: The key "adjustd" is not known here and has no effect',
        'BAD_VALUE training.metrics.2.squared: Expected true or false for squared but received 1',
        'UNKNOWN_KIND training.metrics.4: There is no metric 7',
        'TARGET_MISMATCH training.metrics.3: The metric accuracy does not fit this data, whose targets are numbers',
      ],
    },
    {
      name: 'the same column twice',
      project: project([linear(2)], { loss: ce, metrics: ['f1_score', { kind: 'f1_score', average: 'micro' }] }),
      facts: two,
      problems: ['BAD_VALUE training.metrics.1: The metric f1_score is listed twice'],
    },
    {
      name: 'more than there are',
      project: project([linear(2)], {
        loss: ce,
        metrics: [
          { kind: 'accuracy', top_k: 5 },
          { kind: 'auroc', average: 'micro' },
        ],
      }),
      facts: two,
      problems: [
        'BAD_VALUE training.metrics.0.top_k: top_k is 5, but the network answers only 2 scores',
        'BAD_VALUE training.metrics.1.average: auroc of classes has no micro average: each class is told from all others',
      ],
    },
    {
      name: 'only validation has it',
      project: project([linear(2)], {
        loss: ce,
        metrics: ['auroc'],
        checkpoint: { monitor: 'val_auroc' },
      }),
      facts: two,
      problems: [
        'BAD_VALUE training.checkpoint.monitor: The best checkpoint cannot be chosen by "val_auroc": this project\'s epochs have train_loss',
      ],
    },
  ],
};

/** The table of losses: what each compares, and what the network's last layer must answer for it. */
import { z } from 'zod';
import { choice, field, integer, number } from './fields.ts';
import { type ArgsRow, argsRow, tableOf } from './table.ts';
import type { TargetType } from './tensors.ts';

export interface LossKind extends ArgsRow {
  /** The kind of target that it compares with. */
  target: TargetType['kind'];
}

/** PyTorch has others; training needs the mean, and always takes it. */
const reduction = choice(['mean'], {
  label: 'Reduction',
  help: 'The loss of a batch is the mean of its samples.',
  default: 'mean',
});

export const lossKinds: readonly LossKind[] = [
  {
    ...argsRow({
      kind: 'CrossEntropyLoss',
      label: 'Cross entropy',
      help: 'For classes: takes the raw scores (logits), one a class; applies softmax itself.',
      argNames: ['weight', 'ignore_index', 'label_smoothing'],
      args: ({ weight, ignore_index, label_smoothing }) => ({ weight, ignore_index, label_smoothing }),
      params: {
        weight: field(z.array(z.number().min(0)).min(1).nullable(), {
          label: 'Class weights',
          help: 'One weight a class, for classes that are rare; null: all equal.',
          control: 'numbers',
          expected: 'null or a list of numbers ≥ 0, one a class',
          default: null,
        }),
        ignore_index: integer({
          label: 'Ignored class',
          help: 'Samples of this class index count for nothing.',
          min: Number.MIN_SAFE_INTEGER,
          max: Number.MAX_SAFE_INTEGER,
          default: -100,
        }),
        label_smoothing: number({
          label: 'Label smoothing',
          help: 'Share of the target spread evenly over all classes.',
          min: 0,
          max: 1,
          default: 0,
        }),
        reduction,
      },
    }),
    target: 'class',
  },
  {
    ...argsRow({
      kind: 'MSELoss',
      label: 'Mean squared error',
      help: 'For numbers: the mean of the squared differences between answer and target.',
      argNames: [],
      args: () => ({}),
      params: { reduction },
    }),
    target: 'vector',
  },
];

export const losses = tableOf(lossKinds);

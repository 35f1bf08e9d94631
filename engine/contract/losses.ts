/** The table of losses: PyTorch's names, arguments and defaults; what each compares, and what the network must answer for it. */
import { z } from 'zod';
import { choice, field, flag, integer, number } from './fields.ts';
import type { Json } from './native.ts';
import type { JsonObject, Shape } from './report.ts';
import { type ArgsRow, argsRow, tableOf } from './table.ts';
import type { TargetKind } from './tensors.ts';

export interface LossKind extends ArgsRow {
  /** The kinds of target that it compares with, the usual one first. */
  targets: readonly TargetKind[];
  /**
   * What the network answers for one sample.
   * - `scores`: one score a class, first; for masks at each position, as in PyTorch: [classes, height, width]; for next tokens last:
   *   [length, tokens]
   * - `alike`: the target's dims; for one of two classes a single score
   * - `mean_and_variance`: the target's dims with the first doubled: the means, then the logarithms of the variances
   */
  answer: 'scores' | 'alike' | 'mean_and_variance';
  /** How the network must, should or should not end. */
  end?: LossEnd;
}

export interface LossEnd {
  /** `must`: fails otherwise; `should`: learns badly otherwise; `not`: these are in the loss already. */
  rule: 'must' | 'should' | 'not';
  layers: readonly string[];
  /** Completes "BCELoss wants …" or "CrossEntropyLoss applies … itself". */
  what: string;
  /** The loss that goes with an end that this one does not want. */
  instead: string;
}

/** PyTorch has others; training needs the mean, and always takes it. */
const reduction = choice(['mean'], {
  label: 'Reduction',
  help: 'The loss of a batch is the mean of its samples.',
  default: 'mean',
});

const classWeights = field(z.array(z.number().min(0)).min(1).nullable(), {
  label: 'Class weights',
  help: 'One weight a class, for classes that are rare; null: all equal.',
  control: 'numbers',
  expected: 'null or a list of numbers ≥ 0, one a class',
  default: null,
});
const ignoreIndex = integer({
  label: 'Ignored class',
  help: 'Samples of this class index count for nothing; in masks, positions.',
  min: Number.MIN_SAFE_INTEGER,
  max: Number.MAX_SAFE_INTEGER,
  default: -100,
});
const labelWeights = (label: string, help: string) =>
  field(z.array(z.number().min(0)).min(1).nullable(), {
    label,
    help,
    control: 'numbers',
    expected: 'null or a list of numbers ≥ 0, one or as many as there are labels',
    default: null,
  });
const weightOfLabels = labelWeights('Weights', 'One weight a label, for labels that matter more; null: all equal.');
const epsilon = (value: number, help: string) => number({ label: 'Epsilon', help, above: 0, default: value });

type Extra = Pick<LossKind, 'targets' | 'answer' | 'end'>;

/** Every parameter but the reduction goes to C++ as it is. */
function loss<const S extends Shape>(kind: string, label: string, help: string, params: S, extra: Extra): LossKind {
  const argNames = Object.keys(params);
  const args = (values: JsonObject) => Object.fromEntries(argNames.map((name) => [name, values[name] as Json]));
  const all: Shape = 'reduction' in params ? params : { ...params, reduction };
  return { ...argsRow({ kind, label, help, params: all, argNames, args }), ...extra };
}

const ofClasses = { targets: ['class', 'mask', 'next_token'], answer: 'scores' } as const;
const ofNumbers = { targets: ['vector', 'multi_label'], answer: 'alike' } as const;
const ofLabels = { targets: ['multi_label', 'class', 'mask', 'vector'], answer: 'alike' } as const;
const logProbabilities: LossEnd = {
  rule: 'should',
  layers: ['LogSoftmax'],
  what: 'logarithms of probabilities, as LogSoftmax gives them',
  instead: 'CrossEntropyLoss',
};

export const lossKinds: readonly LossKind[] = [
  loss(
    'CrossEntropyLoss',
    'Cross entropy',
    'For classes: takes the raw scores (logits), one a class; applies softmax itself.',
    {
      weight: classWeights,
      ignore_index: ignoreIndex,
      label_smoothing: number({
        label: 'Label smoothing',
        help: 'Share of the target spread evenly over all classes.',
        min: 0,
        max: 1,
        default: 0,
      }),
    },
    { ...ofClasses, end: { rule: 'not', layers: ['Softmax'], what: 'softmax', instead: 'NLLLoss' } },
  ),
  loss(
    'MSELoss',
    'Mean squared error',
    'For numbers: the mean of the squared differences between answer and target.',
    {},
    ofNumbers,
  ),
];

export const losses = tableOf(lossKinds);
void [flag, weightOfLabels, epsilon, ofLabels, logProbabilities];

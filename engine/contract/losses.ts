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
  help: 'One weight a class, for classes that are rare; left empty: all equal.',
  control: 'numbers',
  expected: 'null or a list of numbers ≥ 0, one a class',
  default: null,
  absent: 'all equal',
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
    absent: 'all equal',
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
    { ...ofClasses, end: { rule: 'not', layers: ['Softmax', 'Softmax2d'], what: 'softmax', instead: 'NLLLoss' } },
  ),
  loss(
    'NLLLoss',
    'Negative log likelihood',
    'For classes, of a network that ends with LogSoftmax. CrossEntropyLoss is both in one.',
    { weight: classWeights, ignore_index: ignoreIndex },
    { ...ofClasses, end: logProbabilities },
  ),
  loss(
    'MultiMarginLoss',
    'Multi-class margin',
    'For classes: the true score should be larger than each other one by a margin.',
    {
      p: field(z.union([z.literal(1), z.literal(2)]), {
        label: 'Power',
        help: 'A shortfall counts as it is (1) or squared (2).',
        control: 'choice',
        expected: '1 or 2',
        choices: [1, 2],
        default: 1,
      }),
      margin: number({ label: 'Margin', help: 'How much larger the true score should be.', default: 1 }),
      weight: classWeights,
    },
    { targets: ['class'], answer: 'scores' },
  ),
  loss(
    'BCEWithLogitsLoss',
    'Binary cross entropy of logits',
    'For several labels at once, or two classes by one score: takes raw scores (logits), applies sigmoid itself.',
    {
      weight: weightOfLabels,
      pos_weight: labelWeights(
        'Positive weights',
        'How much more a label counts where it is there: above 1 for rare labels; null: as much.',
      ),
    },
    { ...ofLabels, end: { rule: 'not', layers: ['Sigmoid'], what: 'sigmoid', instead: 'BCELoss' } },
  ),
  loss(
    'BCELoss',
    'Binary cross entropy',
    'For several labels at once, of a network that ends with Sigmoid. BCEWithLogitsLoss is both in one.',
    { weight: weightOfLabels },
    {
      ...ofLabels,
      end: {
        rule: 'must',
        layers: ['Sigmoid', 'Softmax', 'Softmin', 'Softmax2d', 'Hardsigmoid'],
        what: 'probabilities, as Sigmoid gives them',
        instead: 'BCEWithLogitsLoss',
      },
    },
  ),
  loss(
    'MSELoss',
    'Mean squared error',
    'For numbers: the mean of the squared differences between answer and target.',
    {},
    ofNumbers,
  ),
  loss(
    'L1Loss',
    'Mean absolute error',
    'For numbers: the mean of the differences between answer and target; outliers count less than squared.',
    {},
    ofNumbers,
  ),
  loss(
    'SmoothL1Loss',
    'Smooth L1',
    'For numbers: squared differences where they are small, absolute ones where they are large.',
    {
      beta: number({
        label: 'Beta',
        help: 'Where squared turns to absolute; 0: absolute throughout.',
        min: 0,
        default: 1,
      }),
    },
    ofNumbers,
  ),
  loss(
    'HuberLoss',
    'Huber',
    'For numbers: SmoothL1Loss times its bound.',
    { delta: number({ label: 'Delta', help: 'Where squared turns to absolute.', above: 0, default: 1 }) },
    ofNumbers,
  ),
  loss(
    'KLDivLoss',
    'Kullback-Leibler divergence',
    'For distributions: targets are probabilities, the network answers their logarithms (ends with LogSoftmax).',
    {
      reduction: choice(['mean', 'batchmean'], {
        label: 'Reduction',
        help: 'mean: over all values; batchmean: the sum over the values of a sample, which is the divergence itself, averaged over samples.',
        default: 'mean',
      }),
      log_target: flag({ label: 'Targets are logarithms', help: 'The targets are logarithms too.', default: false }),
    },
    { targets: ['vector'], answer: 'alike', end: logProbabilities },
  ),
  loss(
    'PoissonNLLLoss',
    'Poisson likelihood',
    'For counts: the network answers the logarithm of the expected count.',
    {
      log_input: flag({
        label: 'Logarithms',
        help: 'The network answers logarithms of counts; off: the counts themselves.',
        default: true,
      }),
      full: flag({
        label: 'Full',
        help: "Adds Stirling's term; changes the value, not what is learned.",
        default: false,
      }),
      eps: epsilon(1e-8, 'Keeps the logarithm from zero where the network answers counts.'),
    },
    { targets: ['vector'], answer: 'alike' },
  ),
  loss(
    'GaussianNLLLoss',
    'Gaussian likelihood',
    'For numbers with their uncertainty: the network answers twice as many, first the means, then the logarithms of the variances.',
    {
      full: flag({
        label: 'Full',
        help: 'Adds the constant term; changes the value, not what is learned.',
        default: false,
      }),
      eps: epsilon(1e-6, 'The smallest variance.'),
    },
    { targets: ['vector'], answer: 'mean_and_variance' },
  ),
];

export const losses = tableOf(lossKinds);

/** Losses that compare with such targets and take any end of a network, the usual ones for them first. */
export function lossesFor(target: TargetKind): LossKind[] {
  const rank = ({ targets }: LossKind) => targets.indexOf(target);
  return lossKinds
    .filter(({ targets, end }) => targets.includes(target) && (end?.rule ?? 'not') === 'not')
    .sort((a, b) => rank(a) - rank(b));
}

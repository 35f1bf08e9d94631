/** The table of metrics: torchmetrics' names, arguments, defaults and definitions. */
import { z } from 'zod';
import { choice, field, flag, integer, number } from './fields.ts';
import type { Json } from './native.ts';
import type { Shape } from './report.ts';
import { type ArgsRow, argsRow } from './table.ts';
import type { TargetKind } from './tensors.ts';

export interface MetricKind extends ArgsRow {
  /** The kinds of targets that its definition knows. */
  targets: readonly TargetKind[];
  /** Which direction is better: decides the best checkpoint. */
  better: 'higher' | 'lower';
  /** A share from 0 to 1, shown in per cent. */
  share: boolean;
  /** A mean over samples or positions: each training step has it too, and an epoch of steps. Others are of a whole split. */
  inTraining(args: Readonly<Record<string, Json>>): boolean;
  /** Its column, where that is not the kind and what is not the default. */
  key?(args: Readonly<Record<string, Json>>): string;
  /** Ranks scores instead of comparing decisions: keeps every score of the split until its end. */
  ranks: boolean;
  /** With one score for two classes, both are averaged all the same. */
  twoRegions: boolean;
  /** Arguments that a person usually means when choosing it by a click; `{}`: torchmetrics' defaults. */
  usual: Readonly<Record<string, Json>>;
  defaults(): Record<string, Json>;
}

/** Arguments that follow from the network and its loss. */
type Derived = 'task' | 'classes' | 'ignore_index';

function metric<const S extends Shape>(row: {
  kind: string;
  label: string;
  help: string;
  params: S;
  derived?: readonly Derived[];
  targets: readonly TargetKind[];
  better?: 'higher' | 'lower';
  share?: boolean;
  ranks?: boolean;
  twoRegions?: boolean;
  inTraining?(args: Readonly<Record<string, Json>>): boolean;
  key?(args: Readonly<Record<string, Json>>): string;
  usual?: Readonly<Record<string, Json>>;
}): MetricKind {
  const { kind, label, help, params, derived = [], targets, better = 'higher', share = true, ranks = false } = row;
  const argNames = [...new Set<string>([...Object.keys(params), ...derived])];
  return {
    ...argsRow({ kind, label, help, params, argNames }),
    targets,
    better,
    share,
    ranks,
    twoRegions: row.twoRegions ?? false,
    inTraining: row.inTraining ?? (() => false),
    ...(row.key ? { key: row.key } : {}),
    usual: row.usual ?? {},
    defaults: () =>
      Object.fromEntries(Object.entries(params).map(([name, schema]) => [name, schema.parse(undefined) as Json])),
  };
}

const averages = ['micro', 'macro', 'weighted'] as const;
const average = (standard: (typeof averages)[number]) =>
  choice(averages, {
    label: 'Average',
    help: 'micro: all decisions in one pot; macro: the mean of the classes; weighted: their mean by how often each occurs.',
    default: standard,
  });
const threshold = number({
  label: 'Threshold',
  help: 'A label counts as answered where its probability is above this. Not used where one class is chosen among many.',
  min: 0,
  max: 1,
  default: 0.5,
});
const topK = integer({
  label: 'Top k',
  help: 'Right if the true class is among this many largest scores. Only where one class is chosen among many.',
  default: 1,
});
const ignoreIndex = field(z.number().int().nullable(), {
  label: 'Ignored class',
  help: 'Targets of this class index count for nothing; left empty: that of the loss.',
  control: 'integer',
  expected: 'an integer or null',
  default: null,
  absent: 'that of the loss',
});
const zeroDivision = number({
  label: 'Zero division',
  help: 'The value of a class where the definition divides by zero.',
  min: 0,
  max: 1,
  default: 0,
});

const decided: readonly TargetKind[] = ['class', 'multi_label', 'mask', 'next_token'];
const task = ['task', 'classes'] as const;
const counted = {
  threshold,
  average: average('micro'),
  top_k: topK,
  ignore_index: ignoreIndex,
  zero_division: zeroDivision,
};
const { zero_division: _, ...accuracyParams } = counted;
const ranked = {
  params: { average: average('macro'), ignore_index: ignoreIndex },
  derived: task,
  targets: ['class', 'multi_label'],
  ranks: true,
} as const;

export const metricKinds: readonly MetricKind[] = [
  metric({
    kind: 'accuracy',
    label: 'Accuracy',
    help: 'Share of answers that are right, 0 to 1. For classes, the largest score decides; ignored samples count nowhere.',
    params: accuracyParams,
    derived: task,
    targets: decided,
    inTraining: ({ average }) => average === 'micro',
  }),
  metric({
    kind: 'precision',
    label: 'Precision',
    help: 'Of what was answered as a class, the share that is. For classes, micro is the same as accuracy.',
    params: counted,
    derived: task,
    targets: decided,
    usual: { average: 'macro' },
  }),
  metric({
    kind: 'recall',
    label: 'Recall',
    help: 'Of what is a class, the share that was answered as it. For classes, micro is the same as accuracy.',
    params: counted,
    derived: task,
    targets: decided,
    usual: { average: 'macro' },
  }),
  metric({
    kind: 'f1_score',
    label: 'F1 score',
    help: 'The harmonic mean of precision and recall. For classes, micro is the same as accuracy.',
    params: counted,
    derived: task,
    targets: decided,
    usual: { average: 'macro' },
  }),
  metric({
    kind: 'auroc',
    label: 'AUROC',
    help: 'Area under the ROC curve: how surely a class is told from all others; 0.5 is chance. A class that does not occur counts as 0.',
    ...ranked,
  }),
  metric({
    kind: 'average_precision',
    label: 'Average precision',
    help: 'Area under precision over recall: good for rare classes. A class that does not occur is left out.',
    ...ranked,
  }),
  metric({
    kind: 'jaccard_index',
    label: 'IoU (Jaccard index)',
    help: 'Intersection over union: positions that both are and were answered as a class, of those that are or were.',
    params: { threshold, average: average('macro'), ignore_index: ignoreIndex, zero_division: zeroDivision },
    derived: task,
    targets: ['mask', 'class', 'multi_label'],
  }),
  metric({
    kind: 'dice_score',
    label: 'Dice score',
    help: 'Twice the overlap of answered and true regions over their sizes, of each mask and then averaged over masks.',
    params: {
      include_background: flag({ label: 'Include background', help: 'Counts class 0 too.', default: true }),
      average: average('macro'),
      aggregation_level: choice(['samplewise', 'global'], {
        label: 'Aggregation level',
        help: 'samplewise: the mean of the score of each mask; global: one score of all masks together.',
        default: 'samplewise',
      }),
    },
    derived: ['task', 'classes', 'ignore_index'],
    targets: ['mask'],
    twoRegions: true,
  }),
  metric({
    kind: 'mean_absolute_error',
    label: 'Mean absolute error',
    help: 'How far answers are from targets, on average, in their unit.',
    params: {},
    targets: ['vector'],
    better: 'lower',
    share: false,
    inTraining: () => true,
  }),
  metric({
    kind: 'mean_squared_error',
    label: 'Mean squared error',
    help: 'The mean of the squared differences; with squared off, its root (RMSE), in the unit of the targets.',
    params: {
      squared: flag({ label: 'Squared', help: 'Off: the root of the mean (RMSE).', default: true }),
    },
    targets: ['vector'],
    better: 'lower',
    share: false,
    inTraining: ({ squared }) => squared === true,
    key: ({ squared }) => (squared === false ? 'root_mean_squared_error' : 'mean_squared_error'),
    usual: { squared: false },
  }),
  metric({
    kind: 'r2_score',
    label: 'R² score',
    help: 'Share of the targets’ variance that the answers explain: 1 is perfect, 0 as good as their mean.',
    params: {
      adjusted: integer({
        label: 'Adjusted',
        help: 'Number of regressors for the adjusted score; 0: not adjusted.',
        min: 0,
        default: 0,
      }),
      multioutput: choice(['uniform_average', 'variance_weighted'], {
        label: 'Several outputs',
        help: 'The plain mean of the outputs’ scores, or weighted by their variances.',
        default: 'uniform_average',
      }),
    },
    targets: ['vector'],
    share: false,
  }),
  metric({
    kind: 'perplexity',
    label: 'Perplexity',
    help: 'As if each token had been chosen among this many equally likely ones.',
    params: { ignore_index: ignoreIndex },
    targets: ['next_token'],
    better: 'lower',
    share: false,
  }),
];

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
  help: 'Targets of this class index count for nothing; null: that of the loss.',
  control: 'integer',
  expected: 'an integer or null',
  default: null,
});
const zeroDivision = number({
  label: 'Zero division',
  help: 'The value of a class where the definition divides by zero.',
  min: 0,
  max: 1,
  default: 0,
});

const decided: readonly TargetKind[] = ['class', 'multi_label', 'mask', 'next_token'];
const counted = { threshold, average: average('micro'), top_k: topK, ignore_index: ignoreIndex };
const task = ['task', 'classes'] as const;

export const metricKinds: readonly MetricKind[] = [
  metric({
    kind: 'accuracy',
    label: 'Accuracy',
    help: 'Share of answers that are right, 0 to 1. For classes, the largest score decides; ignored samples count nowhere.',
    params: counted,
    derived: task,
    targets: decided,
    inTraining: ({ average }) => average === 'micro',
  }),
];
void [flag, zeroDivision];

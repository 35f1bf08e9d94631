/** Metrics chosen in a project: by torchmetrics' names and arguments, each with the column that it fills in the journal. */
import { metricKinds } from './metric-kinds.ts';
import type { Json, NativeMetric } from './native.ts';
import { type Place, type Report, removeEdit, setEdit } from './report.ts';
import { tableOf } from './table.ts';
import { type TargetType, targetWords } from './tensors.ts';

export { type MetricKind, metricKinds } from './metric-kinds.ts';

export const metrics = tableOf(metricKinds);

/** A metric of a project, arguments filled in. */
export interface ChosenMetric {
  /** Its column, without `train_` or `val_`: the kind and what is not the default: `accuracy`, `accuracy_top5`, `f1_score_macro`. */
  key: string;
  kind: string;
  args: Record<string, Json>;
}

/** `f1_score` with average macro is `f1_score_macro`; the order is that of the row's parameters. */
export function metricKey(kind: string, args: Readonly<Record<string, Json>>): string {
  const row = metrics.get(kind);
  if (!row) return kind;
  if (row.key) return row.key(args);
  const standard = row.defaults();
  const words = Object.keys(row.params).flatMap((name) => {
    const value = args[name];
    return value === undefined || JSON.stringify(value) === JSON.stringify(standard[name]) ? [] : [word(name, value)];
  });
  return [kind, ...words].join('_');
}

/** Only letters, digits and underscores: these are names of columns, of series, of values to monitor. */
function word(name: string, value: Json): string {
  if (typeof value === 'string') return value;
  if (value === false) return `no_${name.replace(/^include_/, '')}`;
  if (value === true) return name;
  const figure = String(value).replace('-', 'minus_').replace('.', '_').replace('+', '');
  return name === 'top_k' ? `top${figure}` : `${name}_${figure}`;
}

/** The row that a column without `train_` or `val_` belongs to; undefined for what is no metric. */
export function metricOfKey(key: string) {
  if (key === 'root_mean_squared_error') return metrics.get('mean_squared_error');
  return metricKinds
    .filter(({ kind }) => key === kind || key.startsWith(`${kind}_`))
    .sort((a, b) => b.kind.length - a.kind.length)[0];
}

/** How a person calls the column: `F1 score macro`. */
export function metricLabel(key: string): string | null {
  const row = metricOfKey(key);
  if (!row) return null;
  if (key === 'root_mean_squared_error') return 'Root mean squared error';
  const rest = key
    .slice(row.kind.length)
    .replaceAll('_', ' ')
    .replace(/top(\d)/, 'top $1');
  return row.label + rest;
}

/** Whether each training step measures it too; the others are of a whole split at once. */
export function inTraining({ kind, args }: ChosenMetric): boolean {
  return metrics.get(kind)?.inTraining(args) ?? false;
}

/** What a project measures that says nothing of it. */
export function standardMetrics(target: TargetType['kind']): ChosenMetric[] {
  const kind = target === 'vector' ? null : target === 'next_token' ? 'perplexity' : 'accuracy';
  const row = kind === null ? undefined : metrics.get(kind);
  return row ? [{ key: row.kind, kind: row.kind, args: row.defaults() }] : [];
}

/** How a metric reads answer and target. */
export interface MetricTask {
  task: 'multiclass' | 'multilabel';
  /** Scores a sample or position. */
  classes: number;
  /** One score for two classes: averages mean nothing. */
  binary: boolean;
  /** The loss's; a metric takes it unless it has its own. */
  ignore_index: number | null;
}

/** The task of a network whose answer has these dims. */
export function taskOf(target: TargetType, output: readonly number[], ignore_index: number | null): MetricTask {
  const classes = (target.kind === 'next_token' ? output.at(-1) : output[0]) ?? 1;
  const binary = classes === 1 && (target.kind === 'class' || target.kind === 'mask');
  return { task: binary || target.kind === 'multi_label' ? 'multilabel' : 'multiclass', classes, binary, ignore_index };
}

/** Every argument for C++. */
export function nativeMetric({ key, kind, args }: ChosenMetric, task: MetricTask): NativeMetric {
  const row = metrics.get(kind);
  const all: Record<string, Json> = {
    ...args,
    task: task.task,
    classes: task.classes,
    ignore_index: args.ignore_index ?? task.ignore_index,
    ...(task.binary && 'average' in args && !row?.twoRegions ? { average: 'micro' } : {}),
  };
  return { key, kind, args: Object.fromEntries((row?.argNames ?? []).map((name) => [name, all[name] ?? null])) };
}

/**
 * Metrics must fit the kind of the targets, and their arguments the network's answer (`task` null: not known). `positions`: where each
 * stands in the project.
 */
export function checkMetrics(
  chosen: readonly ChosenMetric[],
  target: TargetType,
  task: MetricTask | null,
  positions: ReadonlyMap<string, number>,
  report: Report,
): void {
  for (const [index, metric] of chosen.entries()) {
    const place: Place = ['training', 'metrics', positions.get(metric.key) ?? index];
    const row = metrics.get(metric.kind);
    if (!row) continue;
    if (!row.targets.includes(target.kind)) {
      report.error(
        'TARGET_MISMATCH',
        place,
        `The metric ${metric.kind} does not fit this data, whose targets are ${targetWords[target.kind]}`,
        'Remove it.',
        [{ label: `Remove ${metric.kind}`, edits: [removeEdit(place)] }],
      );
      continue;
    }
    const { top_k, average } = metric.args;
    if (task && typeof top_k === 'number' && top_k > 1 && (task.task === 'multilabel' || top_k > task.classes)) {
      report.error(
        'BAD_VALUE',
        [...place, 'top_k'],
        task.task === 'multilabel'
          ? 'top_k is for one class among many: here each answer is a yes or no of its own'
          : `top_k is ${top_k}, but the network answers only ${task.classes} scores`,
        'Use the largest score alone.',
        [{ label: 'Set top_k to 1', edits: [setEdit([...place, 'top_k'], 1)] }],
      );
    }
    if (row.ranks && task?.task === 'multiclass' && average === 'micro') {
      report.error(
        'BAD_VALUE',
        [...place, 'average'],
        `${metric.kind} of classes has no micro average: each class is told from all others`,
        'Average over the classes.',
        [{ label: 'Set average to macro', edits: [setEdit([...place, 'average'], 'macro')] }],
      );
    }
  }
}

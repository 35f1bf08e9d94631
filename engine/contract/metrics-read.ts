/** `training.metrics` as written: names, or `{kind, …arguments}`; what is wrong with it is reported. */
import { type ChosenMetric, metricKey, metricOfKey, metrics } from './metrics.ts';
import { isObject, nearest, type Place, Report, removeEdit, setEdit, show } from './report.ts';
import { chooseRow } from './table.ts';

/** What people call them elsewhere. */
const otherNames: { readonly [name: string]: string | object } = {
  acc: 'accuracy',
  f1: 'f1_score',
  auc: 'auroc',
  roc_auc: 'auroc',
  ap: 'average_precision',
  map: 'average_precision',
  iou: 'jaccard_index',
  miou: 'jaccard_index',
  jaccard: 'jaccard_index',
  dice: 'dice_score',
  mae: 'mean_absolute_error',
  mse: 'mean_squared_error',
  rmse: { kind: 'mean_squared_error', squared: false },
  root_mean_squared_error: { kind: 'mean_squared_error', squared: false },
  r2: 'r2_score',
  ppl: 'perplexity',
  top5: { kind: 'accuracy', top_k: 5 },
  top5_accuracy: { kind: 'accuracy', top_k: 5 },
  accuracy_top5: { kind: 'accuracy', top_k: 5 },
};

export function examineMetrics(value: unknown, standard: ChosenMetric[], report: Report): ChosenMetric[] {
  const place = ['training', 'metrics'];
  if (value === undefined) return standard;
  if (!Array.isArray(value)) {
    report.error(
      'BAD_VALUE',
      place,
      `Expected a list of metrics but received ${show(value)}`,
      'Write for example ["accuracy"].',
    );
    return standard;
  }
  const chosen: ChosenMetric[] = [];
  for (const [index, item] of value.entries()) {
    const at = [...place, index];
    const metric = isObject(item) ? withArguments(item, at, report) : byName(item, value, at, report);
    if (metric === null) continue;
    if (chosen.some(({ key }) => key === metric.key)) {
      const fixes = [{ label: 'Remove the second one', edits: [removeEdit(at)] }];
      report.error('BAD_VALUE', at, `The metric ${metric.key} is listed twice`, 'List it once.', fixes);
    } else {
      chosen.push(metric);
    }
  }
  return chosen;
}

/** The position in the list as written that each column comes from: what is wrong there fills none. */
export function positionsOf(value: unknown): Map<string, number> {
  const positions = new Map<string, number>();
  for (const [index, item] of (Array.isArray(value) ? value : []).entries()) {
    const key = examineMetrics([item], [], new Report())[0]?.key;
    if (key !== undefined && !positions.has(key)) positions.set(key, index);
  }
  return positions;
}

function withArguments(item: { [key: string]: unknown }, at: Place, report: Report): ChosenMetric | null {
  const made = chooseRow(item, metrics, at, 'metric', report);
  return made && { key: metricKey(made.chosen.kind, made.chosen.args), ...made.chosen };
}

function byName(name: unknown, all: readonly unknown[], at: Place, report: Report): ChosenMetric | null {
  const row = typeof name === 'string' ? metrics.get(name) : undefined;
  if (row) return { key: metricKey(row.kind, row.defaults()), kind: row.kind, args: row.defaults() };
  const known = [...metrics.keys()];
  const near = typeof name === 'string' ? meant(name, known) : undefined;
  report.error(
    'UNKNOWN_KIND',
    at,
    `There is no metric ${show(name)}`,
    near === undefined ? `Known metrics: ${known.join(', ')}.` : `Did you mean ${words(near)}?`,
    near === undefined || all.includes(near)
      ? [{ label: 'Remove it', edits: [removeEdit(at)] }]
      : [{ label: `Change it to ${words(near)}`, edits: [setEdit(at, near)] }],
  );
  return null;
}

function meant(name: string, known: readonly string[]): string | object | undefined {
  const lower = name.toLowerCase();
  const other = Object.hasOwn(otherNames, lower) ? otherNames[lower] : undefined;
  return other ?? metricOfKey(name)?.kind ?? nearest(name, known)[0];
}

const words = (metric: string | object) => (typeof metric === 'string' ? metric : show(metric));

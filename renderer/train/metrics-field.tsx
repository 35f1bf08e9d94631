/** Which metrics are measured: those that fit the kind of the targets. */
import { useId } from 'react';
import {
  type ChosenMetric,
  type MetricKind,
  metricLabel,
  metrics,
  standardMetrics,
} from '../../engine/contract/metrics.ts';
import type { Plan } from '../../engine/contract/plan.ts';
import { targetWords } from '../../engine/contract/tensors.ts';
import { change, useValueAt } from '../state/form.ts';
import { problemsAt, useProblems } from '../state/problems.ts';
import { edit, useProjectState } from '../state/project.ts';
import { SettingRow, ToggleChip } from '../ui/index.ts';
import classes from './train.module.css';

const place = ['training', 'metrics'];

export function MetricsField({ plan }: { plan: Plan }) {
  const id = useId();
  const written = useValueAt(place);
  const problems = problemsAt(useProblems(), place.join('.'));
  const target = useProjectState((state) => state.facts?.target.kind) ?? 'class';
  const chosen = plan.project.training.metrics;
  const isOn = ({ kind }: MetricKind) => chosen.some((metric) => metric.kind === kind);
  const offered = [...metrics.values()].filter((row) => row.targets.includes(target) || isOn(row));
  const items = Array.isArray(written) ? written : chosen.map(({ kind }) => kind);
  const toggle = (row: MetricKind) =>
    change(place, isOn(row) ? items.filter((item) => kindOf(item) !== row.kind) : [...items, asWritten(row)]);
  return (
    <SettingRow
      id={id}
      label="Metrics"
      help="Measured after each epoch besides the loss; they do not change what is learned."
      problems={problems}
      onFix={(fix) => edit(fix.edits)}
      onReset={written === undefined ? undefined : () => change(place, undefined)}
      standard={words(standardMetrics(target))}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset brings a frame and a legend */}
      <div className={classes.chips} role="group" aria-labelledby={`${id}-label`} id={id}>
        {offered.length === 0 && (
          <span className={classes.quiet}>None fits targets that are {targetWords[target]}.</span>
        )}
        {offered.map((row) => (
          <ToggleChip key={row.kind} on={isOn(row)} title={row.help} onToggle={() => toggle(row)}>
            {labelOf(row, chosen)}
          </ToggleChip>
        ))}
      </div>
    </SettingRow>
  );
}

function kindOf(item: unknown): unknown {
  return typeof item === 'object' && item !== null ? (item as { kind?: unknown }).kind : item;
}

/** The name alone, or with the arguments that are usually meant. */
function asWritten({ kind, usual }: MetricKind): unknown {
  return Object.keys(usual).length === 0 ? kind : { kind, ...usual };
}

const words = (chosen: readonly ChosenMetric[]) => chosen.map(({ key }) => key).join(', ') || 'none';

/** With its arguments, where it is measured with some. */
function labelOf(row: MetricKind, chosen: readonly ChosenMetric[]): string {
  const keys = chosen.filter(({ kind }) => kind === row.kind).map(({ key }) => key);
  return keys.length === 1 ? (metricLabel(keys[0] as string) ?? row.label) : row.label;
}

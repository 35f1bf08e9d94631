/** Which metrics are measured: those that fit the kind of the targets. */
import { useId } from 'react';
import { metrics } from '../../engine/contract/metrics.ts';
import type { Plan } from '../../engine/contract/plan.ts';
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
  const offered = [...metrics.values()].filter((row) => row.target === target || chosen.includes(row.kind));
  const toggle = (name: string) =>
    change(place, chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name]);
  return (
    <SettingRow
      id={id}
      label="Metrics"
      help="Measured after each epoch besides the loss; they do not change what is learned."
      problems={problems}
      onFix={(fix) => edit(fix.edits)}
      onReset={written === undefined ? undefined : () => change(place, undefined)}
      standard={target === 'class' ? 'accuracy' : 'none'}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset brings a frame and a legend */}
      <div className={classes.chips} role="group" aria-labelledby={`${id}-label`} id={id}>
        {offered.length === 0 && <span className={classes.quiet}>None fits targets that are numbers.</span>}
        {offered.map((row) => (
          <ToggleChip key={row.kind} on={chosen.includes(row.kind)} title={row.help} onToggle={() => toggle(row.kind)}>
            {row.label}
          </ToggleChip>
        ))}
      </div>
    </SettingRow>
  );
}

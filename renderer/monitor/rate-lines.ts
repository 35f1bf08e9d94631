/** The learning rate that a run took over the one that was planned for it, and what loss scaling did. Pure. */
import type { RunNote } from '../../engine/contract/api.ts';
import type { ResolvedProject } from '../../engine/contract/project-types.ts';
import { schedules } from '../../engine/contract/schedules.ts';
import { type AxisKind, xOf } from '../run-parts/axes.ts';
import { type PlannedCurve, plannedCurve, type RateChange } from '../run-parts/planned-rate.ts';
import type { Series } from '../state/live.ts';
import type { LineSeries } from '../ui/index.ts';

export interface RunLength {
  /** As they are meant now. */
  epochs: number;
  steps_per_epoch: number;
}

/** What a person has changed on the way, as the notes tell it. */
export function changesOf(notes: readonly RunNote[]): RateChange[] {
  return notes.flatMap(({ kind, step, lr, epochs }) =>
    kind === 'change' && step !== undefined ? [{ step, lr, epochs }] : [],
  );
}

/** null where nothing moves, or only what nobody knows before. */
export function plannedOf(
  project: ResolvedProject | null,
  { epochs, steps_per_epoch }: RunLength,
  changes: readonly RateChange[],
): PlannedCurve | null {
  if (!project || steps_per_epoch < 1 || epochs < 1) return null;
  const { schedule, epochs: begun } = project.training;
  if (schedule ? schedules.get(schedule.kind)?.adaptive : changes.length === 0) return null;
  // A longer run that nobody changed on the way was planned anew as a whole.
  const first = changes.some((change) => change.epochs !== undefined) ? begun : epochs;
  return plannedCurve(project.training, { epochs: first, steps_per_epoch }, changes);
}

/** Time has no place for what is still to come. */
export function plannedLine(planned: PlannedCurve | null, axis: AxisKind): LineSeries[] {
  if (!planned || axis === 'time') return [];
  return [
    {
      key: 'planned',
      label: 'Planned',
      color: 'var(--text-off)',
      x: axis === 'step' ? planned.step : planned.epoch,
      mean: planned.lr,
      dashed: true,
    },
  ];
}

/** How many steps had been skipped by then, since the scale was too large for their gradients. */
export function skippedLine(series: Series, axis: AxisKind, color: string): LineSeries[] {
  const skipped = series.columns.get('skipped');
  if (!skipped || series.buckets === 0) return [];
  let [sum, before] = [0, 0];
  const mean = Float64Array.from(skipped.mean, (share, index) => {
    const step = series.step[index] as number;
    // A bucket's share of all of its steps; the last one may not be full yet.
    if (Number.isFinite(share)) sum += Math.round(share * (step - before));
    before = step;
    return sum;
  });
  return [{ key: 'skipped', label: 'Skipped', color, x: xOf(series, axis), mean }];
}

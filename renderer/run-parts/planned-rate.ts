/** The learning rate that a run was, is and will be planned to have, with what a person has changed on the way. Pure. */
import { planSchedule, RatePlan, rateOf, type ScheduledRun } from '../../engine/contract/schedule-plan.ts';
import type { ExtensionPlan } from '../../engine/contract/wire.ts';
import type { LineSeries } from '../ui/index.ts';

/** From the step after `step` on. */
export interface RateChange {
  step: number;
  lr?: number | undefined;
  epochs?: number | undefined;
}

export interface PlannedCurve {
  /** Steps done before, as the journal counts the step that follows. */
  step: number[];
  epoch: number[];
  lr: number[];
}

/** What of a run's project decides; the optimizer's own group stands for all, as in the journal. */
export type RatedProject = Pick<ScheduledRun, 'schedule' | 'optimizer'>;

const points = 256;

/** `epochs`: what the run began with. */
export function plannedCurve(
  { schedule, optimizer }: RatedProject,
  { epochs, steps_per_epoch }: { epochs: number; steps_per_epoch: number },
  changes: readonly RateChange[] = [],
): PlannedCurve {
  const groups = [{ lr: rateOf(optimizer) }];
  const curve: PlannedCurve = { step: [], epoch: [], lr: [] };
  let length = { epochs, steps_per_epoch };
  let factor = 1;
  const stretches = [{ step: 0 } as RateChange, ...[...changes].sort((a, b) => a.step - b.step)];
  for (const [index, { step: from, lr, epochs: last }] of stretches.entries()) {
    if (last !== undefined) length = { ...length, epochs: last };
    const run = { schedule, optimizer, groups, length };
    if (lr !== undefined) {
      const place = { step: from, epoch: Math.floor(from / steps_per_epoch) };
      const planned = new RatePlan(run).rates(place)[0] ?? 0;
      factor = planned === 0 ? 1 : lr / planned;
    }
    const to = stretches[index + 1]?.step ?? Number.POSITIVE_INFINITY;
    const drawn = planSchedule(run, points);
    for (const [at, step] of drawn.steps.entries()) {
      if (step < from || step >= to) continue;
      curve.step.push(step + 1);
      curve.epoch.push((drawn.epochs[at] as number) + 1 / steps_per_epoch);
      curve.lr.push((drawn.lr[0]?.[at] as number) * factor);
    }
  }
  return curve;
}

/** As it was planned, and from where the run goes on as it will be. */
export function extensionLines(plan: ExtensionPlan): LineSeries[] {
  const { steps, steps_per_epoch, from_step, before, after } = plan;
  const epoch = steps.map((step) => step / steps_per_epoch);
  const planned = before.flatMap((rate, index) => (rate === null ? [] : [[epoch[index] as number, rate] as const]));
  const first = steps.findIndex((step) => step >= from_step);
  const rest = first < 0 ? steps.length : first;
  return [
    {
      key: 'before',
      label: 'Planned before',
      color: 'var(--text-3)',
      x: planned.map(([x]) => x),
      mean: planned.map(([, rate]) => rate),
      dashed: true,
    },
    { key: 'after', label: 'From now on', color: 'var(--series-0)', x: epoch.slice(rest), mean: after.slice(rest) },
  ];
}

/** What must hold between a schedule and the length of the run: nothing here hinders training, all of it is rarely meant. */
import { plural } from './format.ts';
import type { SplitCounts } from './plan-types.ts';
import type { ResolvedProject, ResolvedSchedule } from './project-types.ts';
import { type Report, removeEdit, setEdit } from './report.ts';
import { firstScheduledEpoch, stepsPerEpoch } from './schedule-plan.ts';

const place = ['training', 'schedule'];

export function checkSchedule(project: ResolvedProject, counts: SplitCounts, report: Report): void {
  const { schedule, epochs, accumulate } = project.training;
  const steps_per_epoch = stepsPerEpoch(counts.train, project.data.loader, accumulate);
  if (!schedule || steps_per_epoch < 1) return; // an epoch without a step has its own problem
  const { unit, warmup, kind, args } = schedule;
  const steps = epochs * steps_per_epoch;
  if (warmup && warmup.steps >= steps) {
    const tenth = Math.max(1, Math.round(steps / 10));
    report.warn(
      'BAD_VALUE',
      [...place, 'warmup', 'steps'],
      `The warm-up of ${plural(warmup.steps, 'step')} is not over before the run ends, which has ${plural(steps, 'step')}`,
      'A tenth of the run, or less, is usual.',
      [
        ...(tenth < steps
          ? [{ label: `Set it to ${plural(tenth, 'step')}`, edits: [setEdit([...place, 'warmup', 'steps'], tenth)] }]
          : []),
        { label: 'Train without a warm-up', edits: [removeEdit([...place, 'warmup'])] },
      ],
    );
    return;
  }
  const total =
    unit === 'step'
      ? steps - (warmup?.steps ?? 0)
      : epochs - firstScheduledEpoch(schedule, { epochs, steps_per_epoch });
  const length = plural(total, unit);
  const tooLong = (key: string, effect: string, value: number, label: string) => {
    report.warn(
      'BAD_VALUE',
      [...place, key],
      `${effect}: ${kind} has ${length} in this run`,
      `Its unit is the ${unit}.`,
      value >= 1 && value < total ? [{ label, edits: [setEdit([...place, key], value)] }] : [],
    );
  };
  const third = Math.max(1, Math.round(total / 3));
  if (kind === 'StepLR' && (args.step_size as number) >= total) {
    tooLong(
      'step_size',
      `The rate never falls with a step_size of ${args.step_size}`,
      third,
      `Set step_size to ${third}`,
    );
  }
  if (kind === 'MultiStepLR') {
    const milestones = args.milestones as number[];
    const within = milestones.filter((at) => at < total);
    if (within.length === milestones.length) return;
    const beyond = milestones.filter((at) => at >= total);
    const at = [...place, 'milestones'];
    report.warn(
      'BAD_VALUE',
      at,
      `${beyond.length === 1 ? 'The milestone' : 'The milestones'} ${beyond.join(', ')} ${beyond.length === 1 ? 'is' : 'are'} never reached: ${kind} has ${length} in this run`,
      `Its unit is the ${unit}.`,
      within.length > 0 ? [{ label: 'Remove what is beyond the end', edits: [setEdit(at, within)] }] : [],
    );
  }
  if (kind === 'CosineAnnealingWarmRestarts' && (args.T_0 as number) >= total) {
    const quarter = Math.max(1, Math.round(total / 4));
    tooLong('T_0', `There is no restart with a T_0 of ${args.T_0}`, quarter, `Set T_0 to ${quarter}`);
  }
  if (kind === 'ConstantLR' && (args.total_iters as number) >= total) {
    tooLong(
      'total_iters',
      `The full rate is never reached with total_iters ${args.total_iters}`,
      third,
      `Set it to ${third}`,
    );
  }
  if (kind === 'CosineAnnealingLR' || kind === 'LinearLR' || kind === 'PolynomialLR')
    checkGivenTotal(schedule, total, report);
}

/** A length that was typed although the run's own would be taken. */
function checkGivenTotal({ kind, args, unit }: ResolvedSchedule, total: number, report: Report): void {
  const key = kind === 'CosineAnnealingLR' ? 'T_max' : 'total_iters';
  const value = args[key];
  const climbs = key === 'T_max' && typeof value === 'number' && value < total;
  if (typeof value !== 'number' || (value <= total && !climbs)) return;
  report.warn(
    'BAD_VALUE',
    [...place, key],
    `${climbs ? `The rate climbs again after ${key}` : `The run ends before ${key}`} = ${value}: ${kind} has ${plural(total, unit)} in this run`,
    'Left out, it is the length of the run.',
    [{ label: 'Take the length of the run', edits: [removeEdit([...place, key])] }],
  );
}

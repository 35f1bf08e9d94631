/** The learning rate as it is planned over the run, as lines of a chart, and as words. Pure. */
import { fieldInfo } from '../../engine/contract/fields.ts';
import { optimizers } from '../../engine/contract/optimizers.ts';
import type { Plan } from '../../engine/contract/plan.ts';
import type { ResolvedSchedule } from '../../engine/contract/project-types.ts';
import { planSchedule, type SchedulePoints } from '../../engine/contract/schedule-plan.ts';
import { type ScheduleKind, schedules } from '../../engine/contract/schedules.ts';
import { integer, type LineSeries, number, plural, seriesCount } from '../ui/index.ts';
import { stepsOf } from './before.ts';

export interface PlannedRate {
  points: SchedulePoints;
  /** One a learning rate; groups with the same rate are one line. */
  lines: LineSeries[];
  momentum: LineSeries | null;
}

/** null while nobody knows how many steps there are. */
export function plannedRate(plan: Plan): PlannedRate | null {
  const steps = stepsOf(plan);
  const { epochs, optimizer, schedule } = plan.project.training;
  if (!steps || steps.steps === 0) return null;
  const groups = distinct(plan);
  const points = planSchedule({
    schedule,
    optimizer,
    groups,
    length: { epochs, steps_per_epoch: steps.steps },
  });
  const x = points.epochs;
  const lines = groups.map(({ label }, index) => ({
    key: `group ${index}`,
    label,
    color: `var(--series-${index % seriesCount})`,
    x,
    mean: points.lr[index] as number[],
    dashed: index >= seriesCount,
  }));
  const momentum = points.momentum && {
    key: 'momentum',
    label: momentumName(plan),
    color: 'var(--series-2)',
    x,
    mean: points.momentum,
  };
  return { points, lines, momentum };
}

/** What holds where a parameter is left to the run: its length, the optimizer's rate. */
export function derivedValues(
  row: ScheduleKind,
  planned: PlannedRate | null,
  { project }: Plan,
): Record<string, string> {
  const { lr } = project.training.optimizer.args;
  const entries = Object.entries(row.params).flatMap(([key, schema]): [string, string][] => {
    const info = fieldInfo(schema);
    if (info.default !== null) return [];
    if (key === 'max_lr') return typeof lr === 'number' ? [[key, `${number(lr)} of the optimizer`]] : [];
    return planned && info.control === 'integer' ? [[key, `${integer(planned.points.total)}, all of the run`]] : [];
  });
  return Object.fromEntries(entries);
}

/** Adam's momentum is the first of its betas. */
function momentumName({ project }: Plan): string {
  const params = optimizers.get(project.training.optimizer.kind)?.params ?? {};
  return 'betas' in params ? 'First beta' : 'Momentum';
}

/** As many layers are named. */
const mostNamed = 3;

/** Learning rates that differ, each with the layers that have it. */
function distinct({ groups, layers }: Plan): { lr: number; label: string }[] {
  const byRate = new Map<number, Set<string>>();
  for (const { lr, tensors } of groups) {
    if (tensors.length === 0) continue;
    const owners = byRate.get(lr) ?? new Set();
    for (const tensor of tensors) owners.add(tensor.slice(0, tensor.indexOf('.')));
    byRate.set(lr, owners);
  }
  if (byRate.size < 2) return [{ lr: [...byRate.keys()][0] ?? groups[0]?.lr ?? 0, label: 'Learning rate' }];
  return [...byRate].map(([lr, owners]) => ({ lr, label: layerWords([...owners], layers.length) }));
}

function layerWords(numbers: readonly string[], all: number): string {
  if (numbers.length > mostNamed) return `${numbers.length} of ${plural(all, 'layer')}`;
  return `${numbers.length === 1 ? 'Layer' : 'Layers'} ${numbers.join(', ')}`;
}

/** "Cosine over 10 epochs, after 100 steps of warm-up". */
export function scheduleSentence(schedule: ResolvedSchedule | null, plan: Plan): string {
  const { optimizer, epochs } = plan.project.training;
  const { lr } = optimizer.args;
  if (!schedule) return typeof lr === 'number' ? `None, the learning rate stays ${number(lr)}` : 'None';
  const row = schedules.get(schedule.kind);
  const told = row?.adaptive
    ? `, reduced when ${String(schedule.args.monitor)} gets no better`
    : schedule.unit === 'epoch'
      ? ` over ${plural(epochs, 'epoch')}`
      : ' step by step';
  const warmup = schedule.warmup ? `, after ${integer(schedule.warmup.steps)} steps of warm-up` : '';
  return `${row?.label ?? schedule.kind}${told}${warmup}`;
}

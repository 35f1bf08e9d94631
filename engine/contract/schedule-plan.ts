/**
 * What a schedule makes of learning rates and momentum: one pure function from project and length of the run to the values of any real
 * step. The trainer asks it for each chunk, the window draws it before the run.
 *
 * Clocks. With `unit: "step"` a schedule's clock counts real optimizer steps, with `unit: "epoch"` finished epochs (the rate is the same all
 * through an epoch). A warm-up of W steps comes first, as `SequentialLR([LinearLR(start_factor, total_iters=W), schedule], [W])`: step s < W
 * has the group's initial rate times `start_factor + (1 - start_factor) * s / W`, and the schedule's own clock stands at 0. It starts there:
 * by steps at step W; by epochs the epoch in which the warm-up's last step falls is the schedule's epoch 0. Lengths that are not given are
 * what is left of the run for that clock.
 */
import type { Json } from './native.ts';
import type { Chosen, ResolvedSchedule } from './project-types.ts';
import { schedules } from './schedules.ts';

/** Optimizer steps of the whole run are their product. */
export interface RunLength {
  epochs: number;
  steps_per_epoch: number;
}

/** A step of the run: the epoch it belongs to, from 0, and the real steps done before it. */
export interface StepPlace {
  epoch: number;
  step: number;
}

export interface ScheduledRun {
  /** null: the rates stay as they are. */
  schedule: ResolvedSchedule | null;
  optimizer: Chosen;
  /** Parameter groups with their own learning rates; the first is the optimizer's. */
  groups: readonly { lr: number }[];
  length: RunLength;
}

/** Optimizer steps of an epoch: the last one may have fewer batches than `accumulate`. */
export function stepsPerEpoch(
  samples: number,
  { batch_size, drop_last }: { batch_size: number; drop_last: boolean },
  accumulate: number,
): number {
  const batches = drop_last ? Math.floor(samples / batch_size) : Math.ceil(samples / batch_size);
  return Math.ceil(batches / accumulate);
}

/** The optimizer's own learning rate. */
export function rateOf({ args }: Chosen): number {
  return typeof args.lr === 'number' ? args.lr : 0;
}

/** The setting that the learning rates are planned from: a peak of the schedule's own makes nothing of the optimizer's rate. */
export function settingOfRate({ optimizer, schedule }: { optimizer: Chosen; schedule: ResolvedSchedule | null }): {
  path: string[];
  lr: number;
} {
  const peak = schedule?.args.max_lr;
  if (typeof peak === 'number') return { path: ['training', 'schedule', 'max_lr'], lr: peak };
  return { path: ['training', 'optimizer', 'lr'], lr: rateOf(optimizer) };
}

/** Whether the optimizer has a momentum that a schedule can move: `momentum`, or the first of `betas`. */
export function hasMomentum({ args }: Chosen): boolean {
  return typeof args.momentum === 'number' || Array.isArray(args.betas);
}

/** The epoch, from 0, that is a schedule's first: the one in which the warm-up's last step falls. */
export function firstScheduledEpoch(schedule: ResolvedSchedule | null, { steps_per_epoch }: RunLength): number {
  const steps = schedule?.warmup?.steps ?? 0;
  return steps === 0 ? 0 : Math.floor((steps - 1) / Math.max(1, steps_per_epoch));
}

export class RatePlan {
  readonly #run: ScheduledRun;
  /** Epochs or steps before the schedule's clock starts, and how many it counts. */
  readonly #before: number;
  readonly #total: number;

  constructor(run: ScheduledRun) {
    this.#run = run;
    const { schedule, length } = run;
    const byStep = schedule?.unit === 'step';
    this.#before = byStep ? (schedule.warmup?.steps ?? 0) : firstScheduledEpoch(schedule, length);
    const units = byStep ? length.epochs * length.steps_per_epoch : length.epochs;
    this.#total = Math.max(1, units - this.#before);
  }

  /** How many epochs or steps the schedule's clock counts in this run. */
  get total(): number {
    return this.#total;
  }

  /** Each group's learning rate. `adapted`: the rates where an adaptive schedule stands, in place of the groups' own. */
  rates(place: StepPlace, adapted?: readonly number[]): number[] {
    const { schedule, groups, optimizer } = this.#run;
    const row = schedule && schedules.get(schedule.kind);
    const bases = groups.map(({ lr }, group) => adapted?.[group] ?? lr);
    if (!schedule || !row) return bases;
    const moment = { total: this.#total, lr: rateOf(optimizer) };
    const factor = warmupFactor(schedule, place.step);
    return bases.map((base) => {
      if (factor === null) return finite(row.rate(schedule.args, { ...moment, base, time: this.#time(place) }));
      return finite(factor * (row.initial?.(schedule.args, { ...moment, base }) ?? base));
    });
  }

  /** null where the schedule leaves momentum alone. */
  momentum(place: StepPlace): number | null {
    const { schedule, optimizer } = this.#run;
    const row = schedule && schedules.get(schedule.kind);
    if (!schedule || !row?.momentum || !hasMomentum(optimizer)) return null;
    const time = warmupFactor(schedule, place.step) === null ? this.#time(place) : 0;
    return row.momentum(schedule.args, { time, total: this.#total });
  }

  #time({ epoch, step }: StepPlace): number {
    return Math.max(0, (this.#run.schedule?.unit === 'step' ? step : epoch) - this.#before);
  }
}

/** A growth without end is no number that a journal can hold, nor one that anything can be trained with. */
export function finite(rate: number): number {
  return Number.isNaN(rate) ? 0 : Math.min(rate, Number.MAX_VALUE);
}

/** null: the warm-up is over. */
function warmupFactor({ warmup }: ResolvedSchedule, step: number): number | null {
  if (!warmup || step >= warmup.steps) return null;
  return warmup.start_factor + ((1 - warmup.start_factor) * step) / warmup.steps;
}

/**
 * The optimizer as it is built: with a momentum that a schedule cycles it keeps momentum buffers from its first step on, also where the
 * project leaves its momentum at 0 (PyTorch's OneCycleLR sets it, too).
 */
export function startingOptimizer(optimizer: Chosen, schedule: ResolvedSchedule | null): Chosen {
  const plan = new RatePlan({ schedule, optimizer, groups: [], length: { epochs: 1, steps_per_epoch: 1 } });
  const cycles = plan.momentum({ epoch: 0, step: 0 }) !== null;
  const { momentum } = optimizer.args;
  if (!cycles || momentum !== 0) return optimizer;
  return { ...optimizer, args: { ...optimizer.args, momentum: schedule?.args.max_momentum as Json } };
}

/** A schedule as it is drawn before the run: values at some real steps, the first and the last among them. */
export interface SchedulePoints {
  unit: 'epoch' | 'step';
  /** How many of these its clock counts; without the warm-up. */
  total: number;
  /** Real steps done before the step that has the values. */
  steps: number[];
  /** Where in the run, in epochs. */
  epochs: number[];
  /** One list a group. */
  lr: number[][];
  momentum: number[] | null;
  /** What the drawing cannot show. */
  note: string | null;
}

export function planSchedule(run: ScheduledRun, points = 512): SchedulePoints {
  const { schedule, length, groups } = run;
  const plan = new RatePlan(run);
  const steps = drawnSteps(run, points);
  const places = steps.map((step) => ({ step, epoch: Math.floor(step / length.steps_per_epoch) }));
  const rates = places.map((place) => plan.rates(place));
  const momenta = places.map((place) => plan.momentum(place));
  return {
    unit: schedule?.unit ?? 'epoch',
    total: plan.total,
    steps,
    epochs: steps.map((step) => step / length.steps_per_epoch),
    lr: groups.map((_, group) => rates.map((row) => row[group] as number)),
    momentum: momenta.every((value) => value !== null) && momenta.length > 0 ? (momenta as number[]) : null,
    note:
      schedule && schedules.get(schedule.kind)?.adaptive
        ? `Drawn as if the rate were never reduced: ${schedule.kind} decides by ${String(schedule.args.monitor)} after each epoch.`
        : null,
  };
}

/** Evenly spread, and both sides of what is sudden: an epoch's end, a warm-up's. */
function drawnSteps({ schedule, length }: ScheduledRun, points: number): number[] {
  const { epochs, steps_per_epoch } = length;
  const total = epochs * steps_per_epoch;
  if (total <= points) return Array.from({ length: total }, (_, step) => step);
  const chosen = new Set<number>([0, total - 1]);
  const add = (step: number) => {
    if (step > 0 && step < total) chosen.add(step - 1).add(step);
  };
  if (schedule?.warmup) add(schedule.warmup.steps);
  const spread = Math.max(2, points - (schedule?.unit === 'epoch' ? 2 * epochs : 0));
  if (schedule?.unit === 'epoch' && 2 * epochs < points) {
    for (let epoch = 1; epoch < epochs; epoch += 1) add(epoch * steps_per_epoch);
  }
  for (let i = 0; i < spread; i += 1) chosen.add(Math.round((i * (total - 1)) / (spread - 1)));
  return [...chosen].sort((a, b) => a - b);
}

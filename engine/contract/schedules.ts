/**
 * The table of learning rate schedules: PyTorch's names, arguments, defaults and bounds, each with its closed form. A schedule has no row in
 * C++: the trainer computes every step's values here and hands them over.
 */
import { z } from 'zod';
import { choice, field, flag, integer, number } from './fields.ts';
import { type Place, type Report, removeEdit, type Shape, setEdit, type Values } from './report.ts';
import { type Row, tableOf } from './table.ts';

/** What a schedule's clock counts: epochs finished, or real optimizer steps done. */
export type ScheduleUnit = 'epoch' | 'step';

/** One parameter group at one moment, as a closed form sees it. */
export interface ScheduleMoment {
  /** The schedule's clock: 0 for the first epoch (or step) after the warm-up. */
  time: number;
  /** How many epochs (or steps) the clock counts in this run; at least 1. */
  total: number;
  /** The group's learning rate as the project has it. */
  base: number;
  /** The optimizer's own; a group's may differ by a layer's `train.lr`. */
  lr: number;
}

export interface ScheduleRow<V> {
  kind: string;
  label: string;
  help: string;
  /** What its clock counts unless the project says otherwise. */
  unit: ScheduleUnit;
  /** Values for the parameters that have no default, fit for a run of so many units: what a form or a fix begins with. */
  suggest(total: number): Partial<V>;
  rate(params: V, moment: ScheduleMoment): number;
  /** The rate that a warm-up climbs to: PyTorch's `initial_lr`. Absent: `base`. */
  initial?(params: V, moment: Omit<ScheduleMoment, 'time'>): number;
  /** Momentum, or beta1 for optimizers with betas, where the schedule moves it too. */
  momentum?(params: V, moment: Omit<ScheduleMoment, 'base' | 'lr'>): number | null;
  /** Moves by the values of the run's own epochs, which nobody knows before. */
  adaptive?: true;
  /** What the schema of a single parameter cannot say. */
  check?(params: V, place: Place, report: Report): void;
}

/** A row whose parameters are read: every function takes them complete. */
export type ScheduleKind = Row & ScheduleRow<{ [key: string]: unknown }>;

function row<const S extends Shape>(one: ScheduleRow<Values<S>> & { params: S }): ScheduleKind {
  return one as unknown as ScheduleKind;
}

/** PyTorch's arguments that follow from the run itself: never read. */
export const derivedArguments: readonly string[] = [
  'total_steps',
  'epochs',
  'steps_per_epoch',
  'last_epoch',
  'verbose',
];

const count = (label: string, help: string) => integer({ label, help, unit: 'epochs or steps' });
const total = (label: string, help: string) =>
  field(z.number().int().min(1).nullable(), {
    label,
    help: `${help} Left empty: the length of the run.`,
    unit: 'epochs or steps',
    control: 'integer',
    expected: 'an integer ≥ 1, or null for the length of the run',
    min: 1,
    default: null,
    absent: 'the whole run',
  });
const gamma = (value?: number) => {
  const text = { label: 'Gamma', help: 'The factor of each reduction.', min: 0 };
  return value === undefined ? number(text) : number({ ...text, default: value });
};
const etaMin = number({
  label: 'Lowest rate',
  help: 'The learning rate at the bottom of the curve.',
  min: 0,
  default: 0,
});
const momentum = (label: string, help: string, value: number) =>
  number({ label, help, min: 0, below: 1, default: value });

const cosine = (from: number, to: number, share: number) => to + ((from - to) / 2) * (1 + Math.cos(Math.PI * share));
const linear = (from: number, to: number, share: number) => (to - from) * share + from;

/** PyTorch's phases of one cycle: at each end a point between two of the named levels. */
type Level = 'initial' | 'peak' | 'final';
function oneCycle(
  { pct_start, anneal_strategy, three_phase }: { pct_start: number; anneal_strategy: string; three_phase: boolean },
  { time, total: steps }: { time: number; total: number },
  level: { [name in Level]: number },
): number {
  const phases: { end: number; from: Level; to: Level }[] = three_phase
    ? [
        { end: pct_start * steps - 1, from: 'initial', to: 'peak' },
        { end: 2 * pct_start * steps - 2, from: 'peak', to: 'initial' },
        { end: steps - 1, from: 'initial', to: 'final' },
      ]
    : [
        { end: pct_start * steps - 1, from: 'initial', to: 'peak' },
        { end: steps - 1, from: 'peak', to: 'final' },
      ];
  const index = phases.findIndex(({ end }, i) => time <= end || i === phases.length - 1);
  const { end, from, to } = phases[index] as (typeof phases)[number];
  const start = index === 0 ? 0 : (phases[index - 1]?.end ?? 0);
  // PyTorch divides by zero where a phase is a single step: there its end holds.
  const share = end === start ? 1 : (Math.min(time, steps) - start) / (end - start);
  return (anneal_strategy === 'cos' ? cosine : linear)(level[from], level[to], share);
}

export const scheduleKinds: readonly ScheduleKind[] = [
  row({
    kind: 'StepLR',
    label: 'Steps',
    help: 'Multiplies the learning rate by gamma each step_size epochs.',
    unit: 'epoch',
    params: { step_size: count('Every', 'Epochs (or steps) from one reduction to the next.'), gamma: gamma(0.1) },
    suggest: (length) => ({ step_size: Math.max(1, Math.round(length / 3)) }),
    rate: ({ step_size, gamma }, { base, time }) => base * gamma ** Math.floor(time / step_size),
  }),
  row({
    kind: 'MultiStepLR',
    label: 'Milestones',
    help: 'Multiplies the learning rate by gamma at each milestone.',
    unit: 'epoch',
    params: {
      milestones: field(z.array(z.number().int().min(1)).min(1).max(1000), {
        label: 'Milestones',
        help: 'Epochs (or steps) after which the learning rate falls.',
        control: 'numbers',
        expected: 'a list of 1 to 1000 integers ≥ 1',
      }),
      gamma: gamma(0.1),
    },
    suggest: (length) => ({ milestones: halfAndThreeQuarters(length) }),
    rate: ({ milestones, gamma }, { base, time }) => base * gamma ** milestones.filter((at) => at <= time).length,
  }),
  row({
    kind: 'ConstantLR',
    label: 'Constant, then full',
    help: 'Multiplies the learning rate by a factor for the first total_iters epochs; then it is itself.',
    unit: 'epoch',
    params: {
      factor: number({ label: 'Factor', help: 'What the rate is multiplied by.', min: 0, max: 1, default: 1 / 3 }),
      total_iters: integer({
        label: 'For',
        help: 'Epochs (or steps) that it lasts.',
        unit: 'epochs or steps',
        default: 5,
      }),
    },
    suggest: () => ({}),
    rate: ({ factor, total_iters }, { base, time }) => (time < total_iters ? base * factor : base),
  }),
  row({
    kind: 'LinearLR',
    label: 'Linear',
    help: 'Moves the learning rate in a straight line from one factor of it to another.',
    unit: 'epoch',
    params: {
      start_factor: number({ label: 'From', help: 'The factor at the start.', above: 0, max: 1, default: 1 / 3 }),
      end_factor: number({ label: 'To', help: 'The factor at the end.', min: 0, max: 1, default: 1 }),
      total_iters: total('Over', 'Epochs (or steps) from the first factor to the second.'),
    },
    suggest: () => ({}),
    rate: ({ start_factor, end_factor, total_iters }, { base, time, total: length }) => {
      const over = total_iters ?? length;
      return base * (start_factor + ((end_factor - start_factor) * Math.min(over, time)) / over);
    },
  }),
  row({
    kind: 'ExponentialLR',
    label: 'Exponential',
    help: 'Multiplies the learning rate by gamma after each epoch.',
    unit: 'epoch',
    params: { gamma: gamma() },
    // From the full rate to a hundredth of it.
    suggest: (length) => ({ gamma: Number((0.01 ** (1 / Math.max(1, length))).toPrecision(3)) }),
    rate: ({ gamma }, { base, time }) => base * gamma ** time,
  }),
  row({
    kind: 'PolynomialLR',
    label: 'Polynomial',
    help: 'Falls to zero along a power of what is left of the run.',
    unit: 'epoch',
    params: {
      total_iters: total('Over', 'Epochs (or steps) until zero.'),
      power: number({ label: 'Power', help: '1 is a straight line.', above: 0, default: 1 }),
    },
    suggest: () => ({}),
    rate: ({ power, total_iters }, { base, time, total: length }) => {
      const over = total_iters ?? length;
      return base * (1 - Math.min(over, time) / over) ** power;
    },
  }),
  row({
    kind: 'CosineAnnealingLR',
    label: 'Cosine',
    help: 'Falls along half a cosine, slowly at both ends.',
    unit: 'epoch',
    params: { T_max: total('Half a period', 'Epochs (or steps) until the lowest rate.'), eta_min: etaMin },
    suggest: () => ({}),
    rate: ({ T_max, eta_min }, { base, time, total: length }) => cosine(base, eta_min, time / (T_max ?? length)),
  }),
  row({
    kind: 'CosineAnnealingWarmRestarts',
    label: 'Cosine with restarts',
    help: 'Falls along half a cosine again and again, from the full rate each time.',
    unit: 'epoch',
    params: {
      T_0: count('First period', 'Epochs (or steps) until the first restart.'),
      T_mult: integer({ label: 'Growth', help: 'Each period is so many times the one before.', max: 1000, default: 1 }),
      eta_min: etaMin,
    },
    suggest: (length) => ({ T_0: Math.max(1, Math.round(length / 4)) }),
    rate: ({ T_0, T_mult, eta_min }, { base, time }) => {
      let [into, period] = [time, T_0];
      if (T_mult === 1) into %= period;
      else {
        while (into >= period) {
          into -= period;
          period *= T_mult;
        }
      }
      return cosine(base, eta_min, into / period);
    },
  }),
  row({
    kind: 'OneCycleLR',
    label: 'One cycle',
    help: 'Climbs to max_lr and falls far below the start, over the whole run; momentum moves the other way.',
    unit: 'step',
    params: {
      max_lr: field(z.number().gt(0).nullable(), {
        label: 'Peak rate',
        help: "The highest learning rate. Left empty: the optimizer's. Layers with their own rate keep their ratio to it.",
        control: 'number',
        expected: "a number > 0, or null for the optimizer's learning rate",
        default: null,
        absent: "the optimizer's",
      }),
      pct_start: number({ label: 'Climb', help: 'Share of the cycle that climbs.', min: 0, max: 1, default: 0.3 }),
      anneal_strategy: choice(['cos', 'linear'], { label: 'Shape', help: 'Of climb and fall.', default: 'cos' }),
      cycle_momentum: flag({
        label: 'Cycle momentum',
        help: 'Momentum (or the first beta) falls while the rate climbs.',
        default: true,
      }),
      base_momentum: momentum('Lowest momentum', 'At the peak of the rate.', 0.85),
      max_momentum: momentum('Highest momentum', 'At the start and at the end.', 0.95),
      div_factor: number({
        label: 'Start divisor',
        help: 'The start is max_lr divided by this.',
        above: 0,
        default: 25,
      }),
      final_div_factor: number({
        label: 'End divisor',
        help: 'The end is the start divided by this.',
        above: 0,
        default: 1e4,
      }),
      three_phase: flag({
        label: 'Three phases',
        help: 'Falls as long as it climbed, then once more to the end.',
        default: false,
      }),
    },
    suggest: () => ({}),
    rate(params, moment) {
      const peak = peakOf(params, moment);
      const initial = peak / params.div_factor;
      return oneCycle(params, moment, { initial, peak, final: initial / params.final_div_factor });
    },
    initial: (params, moment) => peakOf(params, moment) / params.div_factor,
    momentum(params, moment) {
      if (!params.cycle_momentum) return null;
      const { base_momentum: peak, max_momentum: initial } = params;
      return oneCycle(params, moment, { initial, peak, final: initial });
    },
    check({ pct_start, three_phase }, place, report) {
      if (!three_phase || pct_start <= 0.5) return;
      report.error(
        'BAD_VALUE',
        [...place, 'pct_start'],
        `With three phases the climb and the fall take ${percent(pct_start)} of the cycle each, which is more than there is`,
        'Make pct_start 0.5 or less, or use two phases.',
        [
          { label: 'Set pct_start to 0.3', edits: [setEdit([...place, 'pct_start'], 0.3)] },
          { label: 'Use two phases', edits: [removeEdit([...place, 'three_phase'])] },
        ],
      );
    },
  }),
  row({
    kind: 'ReduceLROnPlateau',
    label: 'On a plateau',
    help: 'Multiplies the learning rate by a factor when a value of the epochs has stopped getting better.',
    unit: 'epoch',
    params: {
      monitor: field(z.string().min(1).nullable(), {
        label: 'Watches',
        help: 'A value of the epoch such as val_loss. Left empty: the one that decides the best checkpoint.',
        control: 'text',
        expected: 'the name of a value of the epoch, such as "val_loss"',
        default: null,
        absent: 'as the best checkpoint',
      }),
      mode: choice(['auto', 'min', 'max'], {
        label: 'Better is',
        help: 'min: less; max: more; auto: less for losses, and for metrics what is better for each.',
        default: 'auto',
      }),
      factor: number({ label: 'Factor', help: 'Of each reduction.', min: 0, below: 1, default: 0.1 }),
      patience: integer({
        label: 'Patience',
        help: 'Epochs without a better value that are let pass before a reduction.',
        unit: 'epochs',
        min: 0,
        default: 10,
      }),
      threshold: number({ label: 'Threshold', help: 'What counts as better.', min: 0, default: 1e-4 }),
      threshold_mode: choice(['rel', 'abs'], {
        label: 'Threshold is',
        help: 'rel: a share of the best value; abs: a difference to it.',
        default: 'rel',
      }),
      cooldown: integer({
        label: 'Cooldown',
        help: 'Epochs after a reduction in which nothing is counted.',
        unit: 'epochs',
        min: 0,
        default: 0,
      }),
      min_lr: number({ label: 'Lowest rate', help: 'No learning rate is reduced below this.', min: 0, default: 0 }),
      eps: number({ label: 'Least change', help: 'A smaller reduction is left out.', min: 0, default: 1e-8 }),
    },
    suggest: () => ({}),
    rate: (_params, { base }) => base,
    adaptive: true,
  }),
];

function halfAndThreeQuarters(length: number): number[] {
  return [...new Set([length / 2, (length * 3) / 4].map((at) => Math.max(1, Math.round(at))))];
}

/** A group's own share of the peak. */
function peakOf({ max_lr }: { max_lr: number | null }, { base, lr }: { base: number; lr: number }): number {
  if (max_lr === null) return base;
  return lr === 0 || base === lr ? max_lr : (max_lr * base) / lr;
}

const percent = (share: number) => `${Math.round(share * 100)} %`;

export const schedules = tableOf(scheduleKinds);

/** A warm-up before any schedule, or before none: the rate climbs in a straight line, as LinearLR in a SequentialLR. */
export const warmupFields = {
  steps: integer({
    label: 'Lasts',
    help: 'Optimizer steps in which the learning rate climbs to where the schedule begins.',
    unit: 'steps',
    max: Number.MAX_SAFE_INTEGER,
  }),
  start_factor: number({
    label: 'From',
    help: 'The share of the learning rate at the first step.',
    above: 0,
    max: 1,
    default: 1 / 3,
  }),
};

export const scheduleUnits: readonly ScheduleUnit[] = ['epoch', 'step'];

/**
 * Every schedule against torch.optim.lr_scheduler: each kind with its options, by epochs and by steps, with and without warm-up, for two
 * groups. PyTorch multiplies its way from one step to the next, we evaluate the closed form: both agree to 1e-5 of each value, and near a
 * curve's zero, where its chain has kept rounding errors of the larger rates before, to 1e-10 of the largest one.
 */
import { expect, test } from 'vitest';
import { resolveProject } from '../../engine/contract/project.ts';
import { firstScheduledEpoch, RatePlan, type ScheduledRun } from '../../engine/contract/schedule-plan.ts';
import { scheduleKinds } from '../../engine/contract/schedules.ts';
import { stepPlateau } from '../../engine/runs/plateau.ts';
import { runPython } from './python.ts';

interface Case {
  schedule: { kind: string; unit: string; warmup?: { steps: number; start_factor: number }; [option: string]: unknown };
  optimizer: { kind: string; lr: number; [option: string]: unknown };
  groups: number[];
  epochs: number;
  steps_per_epoch: number;
  /** Of the epochs, for what decides by them. */
  values: number[];
}

interface Rates {
  lr: number[][];
  momentum: number[] | null;
}

const [epochs, perEpoch] = [12, 7];
const options: { [kind: string]: object[] } = {
  StepLR: [{ step_size: 3 }, { step_size: 5, gamma: 0.7 }],
  MultiStepLR: [{ milestones: [2, 5, 5, 9] }, { milestones: [7, 3], gamma: 0.5 }, { milestones: [100] }],
  ConstantLR: [{}, { factor: 0.5, total_iters: 4 }, { factor: 1, total_iters: 2 }],
  LinearLR: [{}, { start_factor: 1, end_factor: 0.1 }, { start_factor: 0.5, end_factor: 0.9, total_iters: 4 }],
  ExponentialLR: [{ gamma: 0.9 }, { gamma: 1.01 }],
  PolynomialLR: [{}, { power: 2 }, { total_iters: 5, power: 0.5 }],
  CosineAnnealingLR: [{}, { eta_min: 0.01 }, { T_max: 4 }, { T_max: 5, eta_min: 0.003 }],
  CosineAnnealingWarmRestarts: [{ T_0: 3 }, { T_0: 2, T_mult: 2, eta_min: 0.001 }, { T_0: 1, T_mult: 3 }],
  OneCycleLR: [
    { max_lr: 0.3 },
    { max_lr: 0.3, three_phase: true },
    { max_lr: 0.2, anneal_strategy: 'linear', pct_start: 0.4, div_factor: 10, final_div_factor: 100 },
    {
      max_lr: 0.2,
      three_phase: true,
      anneal_strategy: 'linear',
      pct_start: 0.25,
      base_momentum: 0.8,
      max_momentum: 0.9,
    },
    { max_lr: 0.1, cycle_momentum: false },
    {},
  ],
  ReduceLROnPlateau: [
    { patience: 1 },
    { patience: 0, factor: 0.5, cooldown: 2, min_lr: 0.02 },
    { patience: 1, threshold: 0.05, threshold_mode: 'abs', factor: 0.3 },
    { patience: 1, threshold: 0.2, factor: 0.3, eps: 0.02 },
    { mode: 'max', patience: 1, factor: 0.2 },
    { mode: 'max', patience: 0, threshold: 0.1, threshold_mode: 'abs', factor: 0.2 },
  ],
};
const warmups = [
  undefined,
  { steps: 3, start_factor: 0.1 },
  { steps: 7, start_factor: 1 / 3 },
  { steps: 10, start_factor: 1 },
];
/** Better, worse, a little better, far off: what a plateau has to judge. */
const values = [1, 0.8, 0.81, 0.799, 1e30, 0.9, 0.5, 0.52, 0.51, 0.55, 0.5, 0.4].map((v) =>
  Number.isNaN(v) ? 1e30 : v,
);

const cases: Case[] = scheduleKinds.flatMap(({ kind, adaptive }) =>
  (options[kind] ?? []).flatMap((given) =>
    (adaptive ? ['epoch'] : ['epoch', 'step']).flatMap((unit) =>
      warmups.map((warmup, i) => ({
        schedule: { kind, unit, ...(warmup ? { warmup } : {}), ...given },
        optimizer: i % 2 ? { kind: 'Adam', lr: 0.1 } : { kind: 'SGD', lr: 0.1, momentum: 0.9 },
        groups: [0.1, 0.04],
        epochs,
        steps_per_epoch: perEpoch,
        values,
      })),
    ),
  ),
);

/** As the trainer goes through a run. */
function ours({ schedule, optimizer, groups, epochs: last, steps_per_epoch, values: seen }: Case): Rates {
  const { training } = resolveProject({ training: { epochs: last, schedule, optimizer } });
  const length = { epochs: last, steps_per_epoch };
  const run: ScheduledRun = { ...training, groups: groups.map((lr) => ({ lr })), length };
  const plan = new RatePlan(run);
  const plateau = { rates: [...groups], best: null, num_bad_epochs: 0, cooldown_counter: 0 };
  const adapts = schedule.kind === 'ReduceLROnPlateau';
  const rows: number[][] = [];
  const momenta: (number | null)[] = [];
  for (let epoch = 0; epoch < last; epoch += 1) {
    for (let i = 0; i < steps_per_epoch; i += 1) {
      const place = { epoch, step: epoch * steps_per_epoch + i };
      rows.push(plan.rates(place, adapts ? plateau.rates : undefined));
      momenta.push(plan.momentum(place));
    }
    if (adapts && training.schedule && epoch >= firstScheduledEpoch(training.schedule, length)) {
      stepPlateau(plateau, training.schedule.args, seen[epoch] as number);
    }
  }
  const momentum = momenta.every((value) => value !== null) ? (momenta as number[]) : null;
  return { lr: groups.map((_, group) => rows.map((row) => row[group] as number)), momentum };
}

function furthest(found: readonly number[], expected: readonly number[]): string | null {
  const largest = Math.max(...expected.map(Math.abs));
  const wrong = expected.findIndex((value, i) => {
    const far = Math.abs((found[i] as number) - value);
    return !(far <= 1e-5 * Math.abs(value) || far <= 1e-10 * largest);
  });
  return wrong < 0 ? null : `step ${wrong}: ${found[wrong]} instead of ${expected[wrong]}`;
}

test('every kind has its options here', () => {
  expect(Object.keys(options).sort()).toEqual(scheduleKinds.map(({ kind }) => kind).sort());
});

type Column = [name: string, found: readonly number[] | undefined, wanted: readonly number[]];

test('rates and momentum of every step are PyTorch’s', async () => {
  const expected = await runPython<Rates[]>('schedules.py', cases);
  const faults = cases.flatMap((one, i) => {
    const [mine, theirs] = [ours(one), expected[i] as Rates];
    const columns = theirs.lr.map((column, group): Column => [`group ${group}`, mine.lr[group], column]);
    if (theirs.momentum) columns.push(['momentum', mine.momentum ?? [], theirs.momentum]);
    return columns.flatMap(([name, found = [], wanted]) => {
      const fault = furthest(found, wanted);
      return fault === null ? [] : [`${JSON.stringify(one.schedule)} ${name}, ${fault}`];
    });
  });
  expect(faults).toEqual([]);
  expect(expected.every(({ lr }) => lr.length === 2 && lr[0]?.length === epochs * perEpoch)).toBe(true);
});

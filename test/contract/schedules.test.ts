/** What a schedule plans for a run: clocks, warm-up, groups, lengths that follow from the run, points to draw. (Values: test/parity.) */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planProject } from '../../engine/contract/plan.ts';
import { resolveProject } from '../../engine/contract/project.ts';
import {
  planSchedule,
  RatePlan,
  type ScheduledRun,
  startingOptimizer,
  stepsPerEpoch,
} from '../../engine/contract/schedule-plan.ts';
import { scheduleKinds } from '../../engine/contract/schedules.ts';

function scheduled(schedule: unknown, { optimizer = {}, lrs = [0.1], epochs = 4, steps = 5 } = {}): ScheduledRun {
  const { training } = resolveProject({
    training: { epochs, schedule, optimizer: { kind: 'SGD', lr: 0.1, momentum: 0.9, ...optimizer } },
  });
  const groups = lrs.map((lr) => ({ lr }));
  return {
    schedule: training.schedule,
    optimizer: training.optimizer,
    groups,
    length: { epochs, steps_per_epoch: steps },
  };
}

function ratesOf(run: ScheduledRun, group = 0): number[] {
  const { steps, lr } = planSchedule(run, 10_000);
  expect(steps).toEqual(Array.from({ length: run.length.epochs * run.length.steps_per_epoch }, (_, step) => step));
  return (lr[group] as number[]).map((rate) => Number(rate.toPrecision(6)));
}

test('steps of an epoch: a short last batch, a dropped one, a short last accumulation', () => {
  expect(stepsPerEpoch(1000, { batch_size: 256, drop_last: false }, 1)).toBe(4);
  expect(stepsPerEpoch(1000, { batch_size: 256, drop_last: true }, 1)).toBe(3);
  expect(stepsPerEpoch(1000, { batch_size: 256, drop_last: false }, 3)).toBe(2);
});

test('by epochs a rate holds all through an epoch, by steps it moves at each', () => {
  expect(ratesOf(scheduled({ kind: 'StepLR', step_size: 2, gamma: 0.5 }))).toEqual([
    ...new Array(10).fill(0.1),
    ...new Array(10).fill(0.05),
  ]);
  const byStep = ratesOf(scheduled({ kind: 'StepLR', step_size: 2, gamma: 0.5, unit: 'step' }, { epochs: 1 }));
  expect(byStep).toEqual([0.1, 0.1, 0.05, 0.05, 0.025]);
});

test('lengths that are not given are those of the run, in the unit of the clock', () => {
  const total = (schedule: object) => new RatePlan(scheduled(schedule)).total;
  expect(total({ kind: 'CosineAnnealingLR' })).toBe(4);
  expect(total({ kind: 'CosineAnnealingLR', unit: 'step' })).toBe(20);
  expect(total({ kind: 'OneCycleLR' })).toBe(20);
  const linear = ratesOf(scheduled({ kind: 'LinearLR', start_factor: 1, end_factor: 0.2 }));
  expect([0, 5, 10, 15].map((step) => linear[step])).toEqual([0.1, 0.08, 0.06, 0.04]);
  // One that is given is taken, with what PyTorch then does beyond it.
  expect(ratesOf(scheduled({ kind: 'PolynomialLR', total_iters: 2 }))[15]).toBe(0);
});

describe('a warm-up', () => {
  test('by steps: the schedule begins when it is over, and fills what is left', () => {
    const run = scheduled({ kind: 'PolynomialLR', unit: 'step', warmup: { steps: 4, start_factor: 0.2 } });
    expect(new RatePlan(run).total).toBe(16);
    expect(ratesOf(run).slice(0, 6)).toEqual([0.02, 0.04, 0.06, 0.08, 0.1, 0.09375]);
    expect(ratesOf(run)[19]).toBe(Number((0.1 / 16).toPrecision(6)));
  });

  test("by epochs: the epoch in which its last step falls is the schedule's first", () => {
    const rates = (steps: number) =>
      ratesOf(scheduled({ kind: 'ExponentialLR', gamma: 0.5, warmup: { steps, start_factor: 0.5 } }));
    expect(rates(2)).toEqual([0.05, 0.075, 0.1, 0.1, 0.1, ...five(0.05), ...five(0.025), ...five(0.0125)]);
    expect(rates(5).slice(4)).toEqual([0.09, ...five(0.05), ...five(0.025), ...five(0.0125)]);
    expect(rates(6).slice(5)).toEqual([0.0916667, 0.1, 0.1, 0.1, 0.1, ...five(0.05), ...five(0.025)]);
  });

  test('before one cycle climbs to where the cycle starts, with its momentum', () => {
    const run = scheduled({ kind: 'OneCycleLR', max_lr: 1, warmup: { steps: 2, start_factor: 0.5 } });
    expect(ratesOf(run).slice(0, 3)).toEqual([0.02, 0.03, 0.04]);
    expect(planSchedule(run).momentum?.slice(0, 3)).toEqual([0.95, 0.95, 0.95]);
  });
});

test('each group has its own rate, and of one cycle its own peak', () => {
  const lrs = [0.1, 0.02];
  expect(ratesOf(scheduled({ kind: 'ExponentialLR', gamma: 0.5 }, { lrs }), 1)[5]).toBe(0.01);
  const peaks = (max_lr: number | null) =>
    planSchedule(scheduled({ kind: 'OneCycleLR', max_lr, pct_start: 0.5 }, { lrs })).lr.map((rates) =>
      Math.max(...rates),
    );
  expect(peaks(null)).toEqual([0.1, 0.02]);
  expect(peaks(1)).toEqual([1, expect.closeTo(0.2, 12)]);
});

test('a momentum that is cycled is there from the first step on; without one, only the rate moves', () => {
  const still = scheduled({ kind: 'OneCycleLR' }, { optimizer: { momentum: 0 } });
  expect(startingOptimizer(still.optimizer, still.schedule).args.momentum).toBe(0.95);
  expect(startingOptimizer(still.optimizer, null)).toBe(still.optimizer);
  const off = scheduled({ kind: 'OneCycleLR', cycle_momentum: false });
  expect(planSchedule(off).momentum).toBeNull();
});

test('what decides by the epochs is drawn as a constant and says so', () => {
  const { lr, note } = planSchedule(scheduled({ kind: 'ReduceLROnPlateau' }));
  expect(new Set(lr[0])).toEqual(new Set([0.1]));
  expect(note).toMatch(/decides by val_loss/);
});

test('a long run is drawn by few points, with both ends and both sides of each fall', () => {
  const run = scheduled({ kind: 'StepLR', step_size: 3, warmup: { steps: 77 } }, { epochs: 9, steps: 10_000 });
  const { steps, epochs, lr } = planSchedule(run, 200);
  expect(steps.length).toBeLessThanOrEqual(200);
  for (const step of [0, 76, 77, 29_999, 30_000, 59_999, 60_000, 89_999]) expect(steps).toContain(step);
  expect(epochs[steps.indexOf(30_000)]).toBe(3);
  const rates = lr[0] as number[];
  expect([rates[steps.indexOf(29_999)], rates[steps.indexOf(30_000)]].map((x) => x?.toPrecision(3))).toEqual([
    '0.100',
    '0.0100',
  ]);
});

test.each(scheduleKinds)('$kind: what it suggests for a missing value is valid, and its rates are finite', (row) => {
  for (const epochs of [1, 2, 7]) {
    for (const unit of row.adaptive ? ['epoch'] : ['epoch', 'step']) {
      const run = scheduled(
        { kind: row.kind, unit, ...row.suggest(unit === 'epoch' ? epochs : epochs * 5) },
        { epochs },
      );
      expect(run.schedule?.kind).toBe(row.kind);
      for (const rate of ratesOf(run)) expect(rate).toBeGreaterThanOrEqual(0);
    }
  }
});

test('whatever stands in a schedule is a problem or gives a rate for every step', () => {
  const value = fc.oneof(
    fc.constantFrom(0, 1, 0.5, 2, 3, 1e-300, 1e300, 2 ** 31 - 1, -1, 'cos', 'linear', 'rel', 'abs', 'min', true, null),
    fc.array(fc.integer({ min: -1, max: 9 }), { maxLength: 4 }),
    fc.double({ min: 0, max: 1, noNaN: true }),
  );
  const written = fc.constantFrom(...scheduleKinds).chain(({ kind, params }) =>
    fc.record(
      {
        kind: fc.constant(kind),
        unit: fc.constantFrom('epoch', 'step'),
        warmup: fc.record({ steps: fc.integer({ min: 0, max: 40 }), start_factor: fc.double({ min: 0, max: 1 }) }),
        ...Object.fromEntries(Object.keys(params).map((key) => [key, value])),
      },
      { requiredKeys: ['kind'] },
    ),
  );
  let valid = 0;
  const source = { kind: 'random', shape: [2], classes: 2, samples: 60 };
  fc.assert(
    fc.property(written, fc.integer({ min: 1, max: 6 }), (schedule, epochs) => {
      const loader = { batch_size: 8 };
      const plan = planProject({ data: { source, loader }, training: { epochs, schedule } }, null);
      const of = plan.problems.filter(
        ({ path, severity }) => path.startsWith('training.schedule') && severity === 'error',
      );
      const { training } = plan.project;
      if (of.length > 0) return;
      valid += 1;
      const run = { ...training, groups: [{ lr: 0.1 }, { lr: 0 }], length: { epochs, steps_per_epoch: 7 } };
      const { lr, momentum, steps } = planSchedule(run, 20);
      expect(steps.at(-1)).toBe(epochs * 7 - 1);
      for (const rate of lr.flat()) expect(Number.isFinite(rate)).toBe(true);
      for (const one of momentum ?? []) expect(one).toBeLessThan(1);
    }),
    { numRuns: 1500 },
  );
  expect(valid).toBeGreaterThan(100);
});

const five = (rate: number) => new Array<number>(5).fill(rate);

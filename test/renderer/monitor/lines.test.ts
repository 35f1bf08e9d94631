/** A run's values as lines of a chart: parts, ghosts, several runs, memory, marks, and the figures of its progress. */
import { describe, expect, test } from 'vitest';
import type { RunNote, RunRow } from '../../../engine/contract/api.ts';
import { byteTicks } from '../../../renderer/monitor/byte-ticks.ts';
import { markersOf } from '../../../renderer/monitor/markers.ts';
import { bestSoFar, shareDone, stepWithinEpoch } from '../../../renderer/monitor/progress-figures.ts';
import {
  apart,
  memoryCurves,
  quantityLines,
  type RunCurves,
  runLine,
  throughputLine,
  valueLine,
} from '../../../renderer/run-parts/lines.ts';
import type { Band, Series } from '../../../renderer/state/live.ts';

const count = 20;
const numbers = (make: (index: number) => number) => Float64Array.from({ length: count }, (_, index) => make(index));
const band = (mean: Float64Array): Band => ({ min: mean.map((v) => v - 1), mean, max: mean.map((v) => v + 1) });
const columns = (names: Record<string, Float64Array>) =>
  new Map(Object.entries(names).map(([name, values]) => [name, band(values)]));

function series(names: Record<string, Float64Array>, size = 2): Series {
  const step = numbers((index) => (index + 1) * size);
  return {
    buckets: count,
    size,
    step,
    epoch: step.map((v) => v / 20),
    time: step.map((v) => v / 10),
    columns: columns(names),
  };
}

const epochs = [
  {
    epoch: 1,
    step: 20,
    train_loss: 3,
    val_loss: 2,
    val_accuracy: 0.8,
    memory: { allocated: 10, reserved: 12, rss: 30 },
  },
  {
    epoch: 2,
    step: 40,
    train_loss: 2,
    val_loss: 1,
    val_accuracy: 0.7,
    memory: { allocated: 10, reserved: 12, rss: 30 },
  },
];
const curves: RunCurves = {
  series: series({ train_loss: numbers((i) => 4 - i / 10), lr: numbers(() => 0.1) }),
  epochs,
  ghosts: [],
};
const colors = { train: 'green', val: 'red' };

describe('a quantity of one run', () => {
  test('is training step by step with its band, validation epoch by epoch, marked and unsmoothed', () => {
    const [train, val] = quantityLines(curves, 'loss', 'step', colors);
    expect(train).toMatchObject({ key: 'train_loss', label: 'Training', color: 'green' });
    expect(train?.mean).toBe(curves.series.columns.get('train_loss')?.mean);
    expect(train?.min).toBeDefined();
    expect(val).toMatchObject({ key: 'val_loss', label: 'Validation', x: [20, 40], mean: [2, 1], exact: true });
  });

  test('has no band where a point is one step', () => {
    const single = { ...curves, series: series({ train_loss: numbers(() => 1) }, 1) };
    expect(quantityLines(single, 'loss', 'step', colors)[0]?.min).toBeUndefined();
  });

  test('without steps is told by its epochs; one that no part has keeps its own name', () => {
    expect(quantityLines(curves, 'accuracy', 'epoch', colors)).toMatchObject([{ label: 'Validation', x: [1, 2] }]);
    expect(quantityLines(curves, 'lr', 'step', colors)).toMatchObject([{ key: 'lr', label: 'Learning rate' }]);
    expect(quantityLines(curves, 'recall', 'step', colors)).toEqual([]);
  });

  test('shows what a resume gave up as ghosts, with keys of their own', () => {
    const ghost = {
      from_step: 20,
      series: series({ train_loss: numbers(() => 9) }),
      epochs: [{ epoch: 2, step: 40, val_loss: 5 }],
    };
    const lines = quantityLines({ ...curves, ghosts: [ghost, ghost] }, 'loss', 'step', colors);
    expect(lines.filter((line) => line.ghost)).toHaveLength(4);
    expect(new Set(lines.map(({ key }) => key)).size).toBe(6);
    expect(lines.filter((line) => !line.ghost).map(({ label }) => label)).toEqual(['Training', 'Validation']);
  });

  test('is drawn of the closer look where there is one, but epochs stay in their places', () => {
    const detail = series({ train_loss: numbers(() => 7) }, 1);
    const [train, val] = quantityLines({ ...curves, detail }, 'loss', 'time', colors);
    expect(train?.mean[0]).toBe(7);
    expect(val?.x).toEqual([2, 4]);
  });
});

describe('runs together', () => {
  test('are drawn by their validation, else by their training, which is told', () => {
    expect(runLine({ name: 'a' }, curves, 'loss', 'epoch')).toMatchObject({ key: 'a', label: 'a', mean: [2, 1] });
    expect(runLine({ name: 'a' }, { ...curves, epochs: [] }, 'loss', 'epoch')).toMatchObject({ label: 'a (training)' });
    expect(runLine({ name: 'a' }, { ...curves, epochs: [] }, 'accuracy', 'epoch')).toBeNull();
  });

  test('keep their colour when they are renamed', () => {
    const before = runLine({ name: 'a-007' }, curves, 'loss', 'epoch');
    const after = runLine({ name: 'best one', summary: { first_name: 'a-007' } }, curves, 'loss', 'epoch');
    expect(after).toEqual({ ...before, key: 'best one', label: 'best one' });
  });

  test('are drawn by a value’s name, of steps or of epochs', () => {
    expect(valueLine({ name: 'a' }, curves, 'train_loss', 'step')?.mean).toHaveLength(count);
    expect(valueLine({ name: 'a' }, curves, 'val_accuracy', 'step')?.mean).toEqual([0.8, 0.7]);
  });

  test('of one colour are told apart', () => {
    const line = { key: 'a', label: 'a', color: 'red', x: [1], mean: [1] };
    expect(apart([line, { ...line, color: 'blue' }, line]).map(({ dashed }) => dashed ?? false)).toEqual([
      false,
      false,
      true,
    ]);
  });
});

describe('memory', () => {
  const values = (curves_: ReturnType<typeof memoryCurves>) =>
    curves_?.parts.map(({ label, values: v }) => [label, v[1]]);

  test('is the sum of what lies on each other', () => {
    expect(values(memoryCurves({ series: curves.series, epochs }, true, 'step'))).toEqual([
      ['Tensors', 10],
      ['Cached', 2],
      ['Rest of the process', 18],
    ]);
    // Beside a GPU's memory the process counts for nothing.
    expect(values(memoryCurves({ series: curves.series, epochs }, false, 'step'))).toEqual([
      ['Tensors', 10],
      ['Cached', 2],
    ]);
  });

  test('is told chunk by chunk where it can be, and not at all where nothing tells it', () => {
    const told = series({
      memory_allocated: numbers((i) => i),
      memory_reserved: numbers((i) => i),
      memory_rss: numbers(() => 50),
    });
    // A chunk's highest counts.
    expect(values(memoryCurves({ series: told, epochs }, true, 'step'))).toEqual([
      ['Tensors', 2],
      ['Rest of the process', 49],
    ]);
    expect(memoryCurves({ series: curves.series, epochs: [{ epoch: 1, step: 20 }] }, true, 'step')).toBeNull();
  });

  test('has round ticks in units of 1024', () => {
    expect(byteTicks(100 * 1024 ** 2, 2)).toEqual([0, 50 * 1024 ** 2, 100 * 1024 ** 2]);
    expect(byteTicks(0, 3)).toEqual([0]);
    for (const top of [1, 999, 5e6, 3e9, 8e10]) {
      const ticks = byteTicks(top, 4);
      expect(ticks.length).toBeGreaterThan(1);
      expect(ticks.length).toBeLessThan(8);
    }
  });
});

test('throughput needs two points and the samples of a step', () => {
  expect(throughputLine(curves.series, null, 'step', 'red')).toBeNull();
  expect(throughputLine({ ...curves.series, buckets: 1 }, 8, 'step', 'red')).toBeNull();
  expect(throughputLine(curves.series, 8, 'step', 'red')?.mean[5]).toBeCloseTo(80);
});

test('marks stand where something was saved or taken up again, once each, and only where the run has come to', () => {
  const note = (kind: RunNote['kind'], step?: number): RunNote => ({
    time: '',
    kind,
    message: '',
    ...(step ? { step } : {}),
  });
  const marks = markersOf(
    {
      ghosts: [{ from_step: 20 }],
      notes: [note('resume', 20), note('resume', 30), note('checkpoint', 5), note('start')],
      checkpoints: [
        { folder: 'a', step: 40, epoch: 2, roles: ['best', 'last'], bytes: 1 },
        { folder: 'b', step: 99, epoch: 5, roles: [], bytes: 1 },
      ],
    },
    'epoch',
    curves.series,
  );
  expect(marks).toEqual([
    { x: 1, label: 'Resumed from step 20', tone: 'warn' },
    { x: 1.5, label: 'Resumed from step 30', tone: 'warn' },
    { x: 2, label: 'Checkpoint at step 40 (best, last)', tone: 'ok' },
  ]);
});

describe('progress', () => {
  const place = { epoch: 3, step: 45, steps_per_epoch: 20, total_epochs: 10, epochs };

  test('is the share of all epochs, counted from where the last one ended', () => {
    expect(stepWithinEpoch(place)).toBe(5);
    expect(shareDone(place)).toBeCloseTo(2.25 / 10);
    expect(shareDone({ ...place, epoch: 0, step: 0 })).toBe(0);
    expect(shareDone({ ...place, steps_per_epoch: null })).toBeNull();
    expect(stepWithinEpoch({ ...place, epochs: [] })).toBe(5);
  });

  test('tells the best value so far, which may be ahead of the list', () => {
    const run = (best: object | null) => ({ summary: { best } }) as unknown as RunRow;
    expect(bestSoFar(run({ monitor: 'val_loss', value: 2, epoch: 1 }), epochs)).toMatchObject({ value: 1, epoch: 2 });
    expect(bestSoFar(run({ monitor: 'val_accuracy', value: 0.8, epoch: 1 }), epochs)).toMatchObject({
      value: 0.8,
      epoch: 1,
    });
    expect(bestSoFar(run(null), [{ epoch: 1, train_loss: 'NaN' }])).toBeNull();
    expect(bestSoFar(run(null), [])).toBeNull();
  });
});

/** Where a run's values stand on a chart: steps, epochs, time; epoch points between them; throughput. */
import { describe, expect, test } from 'vitest';
import {
  epochPoints,
  firstFrom,
  placeOfStep,
  stepsWithin,
  throughput,
  translate,
} from '../../../renderer/run-parts/axes.ts';
import type { Series } from '../../../renderer/state/live.ts';

/** 40 steps in buckets of 4, 20 steps an epoch, half a second a step. */
const size = 4;
const step = Float64Array.from({ length: 10 }, (_, index) => (index + 1) * size);
const series: Series = {
  buckets: 10,
  size,
  step,
  epoch: step.map((value) => value / 20),
  time: step.map((value) => value / 2),
  columns: new Map(),
};
const empty: Series = {
  ...series,
  buckets: 0,
  step: new Float64Array(),
  epoch: new Float64Array(),
  time: new Float64Array(),
};
const epochs = [
  { epoch: 1, step: 20, seconds: 11, val_loss: 0.5 },
  { epoch: 2, step: 40, seconds: 11, val_loss: 'NaN' },
];

describe('epoch points', () => {
  test('are added to as the run goes on, and found anew where an epoch is told again', () => {
    const rows = Array.from({ length: 5 }, (_, index) => ({ epoch: index + 1, step: 20 * (index + 1), loss: index }));
    const three = epochPoints(rows.slice(0, 3), 'loss', 'step', series);
    expect(three).toEqual({ x: [20, 40, 60], y: [0, 1, 2] });
    const five = epochPoints(rows, 'loss', 'step', series);
    expect(five).toEqual({ x: [20, 40, 60, 80, 100], y: [0, 1, 2, 3, 4] });
    expect(five.x).toBe(three.x);
    const again = epochPoints([...rows.slice(0, 4), { epoch: 5, step: 100, loss: 9 }], 'loss', 'step', series);
    expect(again.y).toEqual([0, 1, 2, 3, 9]);
    expect(again.x).not.toBe(five.x);
    expect(epochPoints(rows.slice(0, 2), 'loss', 'step', series).x).toEqual([20, 40]);
  });

  test('stand at the last step of their epoch, on each axis', () => {
    expect(epochPoints(epochs, 'val_loss', 'step', series).x).toEqual([20, 40]);
    expect(epochPoints(epochs, 'val_loss', 'epoch', series).x).toEqual([1, 2]);
    expect(epochPoints(epochs, 'val_loss', 'time', series).x).toEqual([10, 20]);
  });

  test('that are not finite are gaps, those that an epoch does not have are left out', () => {
    expect(epochPoints(epochs, 'val_loss', 'step', series).y).toEqual([0.5, Number.NaN]);
    expect(epochPoints(epochs, 'val_accuracy', 'step', series)).toEqual({ x: [], y: [] });
    expect(epochPoints([{ epoch: 1, step: 20, train_loss: 0 }], 'train_loss', 'step', series).y).toEqual([0]);
  });

  test('without steps stand where the epochs themselves tell', () => {
    expect(epochPoints(epochs, 'val_loss', 'time', empty).x).toEqual([11, 22]);
  });
});

describe('the axis', () => {
  test('is translated between points, and held at its ends', () => {
    expect(translate(6, step, series.time)).toBe(3);
    expect(translate(-5, step, series.time)).toBe(2);
    expect(translate(99, step, series.time)).toBe(20);
    expect(translate(1, [], [])).toBeNull();
    expect(placeOfStep(20, 'epoch', series)).toBe(1);
  });

  test('finds the first place from a value on', () => {
    expect([0, 4, 5, 40, 41].map((value) => firstFrom(step, value))).toEqual([0, 0, 1, 9, 10]);
  });

  test('turns a stretch into the steps that it holds', () => {
    expect(stepsWithin([3.2, 8.9], 'step', series)).toEqual({ from: 3, to: 9 });
    expect(stepsWithin([1, 1.5], 'epoch', series)).toEqual({ from: 20, to: 30 });
    expect(stepsWithin([-10, 1e9], 'step', series)).toEqual({ from: 1, to: 40 });
    expect(stepsWithin([50, 60], 'step', series)).toBeNull();
    expect(stepsWithin([0, 1], 'step', empty)).toBeNull();
  });
});

test('throughput is samples a second over windows, and unknown where no time has passed', () => {
  expect(Array.from(throughput(series, 256)).slice(1)).toEqual(new Array(9).fill(512));
  expect(throughput(series, 256)[0]).toBeNaN();
  const still = { ...series, time: new Float64Array(10) };
  expect(Array.from(throughput(still, 256)).every(Number.isNaN)).toBe(true);
  expect(throughput(empty, 256)).toHaveLength(0);
});

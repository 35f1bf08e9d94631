/** The learning rate finder's curve and what it suggests, as edits. */
import { expect, test } from 'vitest';
import type { LrFinding } from '../../../engine/contract/finders.ts';
import { type Project, resolveProject } from '../../../engine/contract/project.ts';
import { lossRange, lrCurve, lrMarkers } from '../../../renderer/train/lr-curve.ts';
import { learningRateEdits, roundRate } from '../../../renderer/train/optimizer-edits.ts';
import { applyEdits } from '../../contract/apply-edits.ts';

const finding: LrFinding = {
  lr: [1e-3, 1e-2, 1e-1, 1],
  loss: [2, 1.5, 1, 'Infinity'],
  smoothed: [2, 1.8, 1.5, 40],
  min: 1e-3,
  max: 10,
  steps: 5,
  stopped: 'diverged',
  suggestion: 0.01234,
  reason: '',
  current: 0.05,
  device: 'cpu',
  seconds: 1,
};

test('the curve is drawn over the exponent of the rate, with marks of now and of the suggestion', () => {
  const [loss, smoothed] = lrCurve(finding);
  expect(Array.from(loss?.x ?? []).map((x) => Number(x.toFixed(9)))).toEqual([-3, -2, -1, 0]);
  expect(loss?.mean[3]).toBe(Number.POSITIVE_INFINITY);
  expect(smoothed?.mean).toEqual(finding.smoothed);
  expect(lrMarkers(finding).map(({ label }) => label)).toEqual(['Now 0.05', 'Suggested 0.012']);
  expect(lrMarkers({ ...finding, current: 5, suggestion: null })).toEqual([]);
});

test('what diverges at the end does not press all else to the floor', () => {
  const [low, high] = lossRange(finding);
  expect(low).toBeLessThan(1);
  expect(high).toBeGreaterThan(2);
  expect(high).toBeLessThan(3);
  expect(lossRange({ ...finding, smoothed: [1] })).toEqual([null, null]);
});

const training = (kind: string, schedule?: object) =>
  resolveProject({ training: { optimizer: { kind }, ...(schedule ? { schedule } : {}) } } as Project).training;

test('a suggestion is two digits, and needs the kind of the optimizer that it is for', () => {
  expect(roundRate(0.0123456)).toBe(0.012);
  const written = { training: { optimizer: { kind: 'SGD', lr: 1, momentum: 0.9 } } };
  expect(applyEdits(written, learningRateEdits(written.training.optimizer, training('SGD'), 0.012))).toEqual({
    training: { optimizer: { kind: 'SGD', lr: 0.012, momentum: 0.9 } },
  });
  expect(applyEdits({}, learningRateEdits(undefined, training('Adam'), 0.012))).toEqual({
    training: { optimizer: { kind: 'Adam', lr: 0.012 } },
  });
});

test('where the schedule climbs to a peak of its own, a suggestion is that peak', () => {
  const written = { training: { optimizer: { kind: 'SGD', lr: 1 }, schedule: { kind: 'OneCycleLR', max_lr: 2 } } };
  const edits = learningRateEdits(written.training.optimizer, training('SGD', written.training.schedule), 0.012);
  expect(applyEdits(written, edits)).toEqual({
    training: { optimizer: { kind: 'SGD', lr: 1 }, schedule: { kind: 'OneCycleLR', max_lr: 0.012 } },
  });
  const { optimizer } = training('SGD', { kind: 'OneCycleLR' });
  expect(learningRateEdits(optimizer, training('SGD', { kind: 'OneCycleLR' }), 0.012)[0]?.path.at(-1)).toBe('lr');
});

/** Planned learning rates, skipped steps, waiting for a better value, and what a person types to change a run. */
import { describe, expect, test } from 'vitest';
import { resolveProject } from '../../../engine/contract/project.ts';
import { epochsWithoutGain } from '../../../renderer/monitor/progress-figures.ts';
import { changesOf, plannedLine, plannedOf, skippedLine } from '../../../renderer/monitor/rate-lines.ts';
import { readChange } from '../../../renderer/run-parts/change-words.ts';

const length = { epochs: 4, steps_per_epoch: 5 };
const project = (training: object) => resolveProject({ training });

describe('the planned learning rate', () => {
  test('is drawn where a schedule moves it, by step and by epoch, not over time', () => {
    const planned = plannedOf(project({ schedule: { kind: 'CosineAnnealingLR' } }), length, []);
    expect(plannedLine(planned, 'step')[0]).toMatchObject({ label: 'Planned', dashed: true });
    expect(plannedLine(planned, 'step')[0]?.x).toHaveLength(20);
    expect(plannedLine(planned, 'epoch')[0]?.x[4]).toBe(1);
    expect(plannedLine(planned, 'time')).toEqual([]);
  });

  test('is not where nothing moves it, or only what nobody knows before', () => {
    expect(plannedOf(null, length, [])).toBeNull();
    expect(plannedOf(project({}), length, [])).toBeNull();
    expect(plannedOf(project({ schedule: { kind: 'ReduceLROnPlateau' } }), length, [])).toBeNull();
  });

  test('follows what a person changes on the way', () => {
    const time = '2026-01-01T00:00:00Z';
    const changes = changesOf([
      { kind: 'checkpoint', step: 5, time, message: '' },
      { kind: 'change', step: 6, lr: 0.01, time, message: '' },
    ]);
    expect(changes).toEqual([{ step: 6, lr: 0.01, epochs: undefined }]);
    const planned = plannedOf(project({ optimizer: { kind: 'SGD', lr: 0.1 } }), length, changes);
    expect(planned?.lr.slice(4, 8)).toEqual([0.1, 0.1, 0.01, 0.01]);
  });
});

test('skipped steps are counted up, also where several steps are one point', () => {
  const band = (values: number[]) => ({
    min: new Float64Array(),
    max: new Float64Array(),
    mean: Float64Array.from(values),
  });
  const series = {
    buckets: 3,
    size: 4,
    step: Float64Array.from([4, 8, 10]),
    epoch: new Float64Array(3),
    time: new Float64Array(3),
    columns: new Map([['skipped', band([0.5, 0, 0.5])]]),
  };
  expect(Array.from(skippedLine(series, 'step', 'red')[0]?.mean ?? [])).toEqual([2, 2, 3]);
  expect(skippedLine({ ...series, columns: new Map() }, 'step', 'red')).toEqual([]);
});

test('epochs without a better value are counted as early stopping counts them', () => {
  const rows = (...values: unknown[]) => values.map((val_loss, index) => ({ epoch: index + 1, val_loss }));
  const less = { monitor: 'val_loss', mode: 'min', min_delta: 0.1 } as const;
  expect(epochsWithoutGain(rows(), less)).toBe(0);
  expect(epochsWithoutGain(rows(1, 0.5, 0.6, 0.45), less)).toBe(2);
  expect(epochsWithoutGain(rows(1, 0.95, 0.85), less)).toBe(0);
  expect(epochsWithoutGain(rows('NaN', 'NaN'), less)).toBe(2);
  expect(epochsWithoutGain(rows(1, 2, 1.5), { ...less, mode: 'max' })).toBe(1);
});

test('a change is what is typed, and says what is wrong with it', () => {
  expect(readChange({ lr: ' ', epochs: '' }, 3)).toEqual({ change: null, problems: { lr: null, epochs: null } });
  expect(readChange({ lr: '1e-4', epochs: '' }, 3).change).toEqual({ lr: 1e-4 });
  expect(readChange({ lr: '0', epochs: '12' }, 3).change).toEqual({ lr: 0, epochs: 12 });
  expect(readChange({ lr: '-1', epochs: '12' }, 3)).toMatchObject({ change: null, problems: { epochs: null } });
  expect(readChange({ lr: '', epochs: '2' }, 3).problems.epochs).toContain('not before epoch 3');
});

/** The learning rate that a run is planned to have: as a project says it, and after changes on the way. */
import { expect, test } from 'vitest';
import { resolveProject } from '../../../engine/contract/project.ts';
import { extensionLines, plannedCurve } from '../../../renderer/run-parts/planned-rate.ts';

const project = resolveProject({
  training: { optimizer: { kind: 'SGD', lr: 1 }, schedule: { kind: 'StepLR', step_size: 2, gamma: 0.5 } },
}).training;
const length = { epochs: 4, steps_per_epoch: 2 };

test('steps and epochs are those that the journal counts', () => {
  const { step, epoch, lr } = plannedCurve(project, length);
  expect(step).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(epoch).toEqual([0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4]);
  expect(lr).toEqual([1, 1, 1, 1, 0.5, 0.5, 0.5, 0.5]);
});

test('a rate that was set scales what is planned from then on', () => {
  expect(plannedCurve(project, length, [{ step: 3, lr: 0.1 }]).lr).toEqual([1, 1, 1, 0.1, 0.05, 0.05, 0.05, 0.05]);
  const lowered = plannedCurve(project, length, [{ step: 5, lr: 0.1 }]);
  expect(lowered.lr).toEqual([1, 1, 1, 1, 0.5, 0.1, 0.1, 0.1]);
});

test('another last epoch plans anew and keeps the factor', () => {
  const changes = [
    { step: 2, lr: 2 },
    { step: 3, epochs: 5 },
  ];
  const { step, lr } = plannedCurve(project, length, changes);
  expect(step.at(-1)).toBe(10);
  expect(lr).toEqual([1, 1, 2, 2, 1, 1, 1, 1, 0.5, 0.5]);
});

test('what a longer run will do is drawn from where it goes on', () => {
  const [before, after] = extensionLines({
    from_step: 4,
    from_epoch: 2,
    epochs_before: 2,
    epochs: 3,
    steps_per_epoch: 2,
    unit: 'epoch',
    steps: [0, 1, 2, 3, 4, 5],
    before: [1, 1, 0.5, 0.5, null, null],
    after: [1, 1, 0.8, 0.8, 0.2, 0.2],
    note: null,
  });
  expect([before?.x, before?.mean]).toEqual([
    [0, 0.5, 1, 1.5],
    [1, 1, 0.5, 0.5],
  ]);
  expect([after?.x, after?.mean]).toEqual([
    [2, 2.5],
    [0.2, 0.2],
  ]);
});

test('without a schedule the rate stands still', () => {
  expect(new Set(plannedCurve(resolveProject({}).training, length).lr)).toEqual(new Set([0.001]));
});

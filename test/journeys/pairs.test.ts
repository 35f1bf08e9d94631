/** Each optimizer and each schedule once (all pairs: test/long), and what else has a state of its own: killed and resumed, it is the uninterrupted run. */
import { describe, test } from 'vitest';
import { endures, tinyProject } from './interrupted.ts';
import { somePairs } from './pairs.ts';

test.each(somePairs)('$name', ({ project, seed }) => endures(project, seed));

describe('with', () => {
  const sgd = { kind: 'SGD', lr: 0.05, momentum: 0.9 };
  const cases = [
    { name: 'accumulation, its remainder at the end of the epoch', training: { accumulate: 2 }, steps: 20 },
    { name: 'early stopping', training: { epochs: 40, early_stopping: { patience: 2, min_delta: 0.001 } }, steps: 36 },
    {
      name: 'early stopping and a plateau by accuracy',
      training: {
        epochs: 30,
        early_stopping: { patience: 6, monitor: 'val_accuracy' },
        schedule: { kind: 'ReduceLROnPlateau', monitor: 'val_accuracy', patience: 1, warmup: { steps: 12 } },
      },
      steps: 60,
    },
    {
      name: 'one cycle that gives SGD its momentum',
      training: { optimizer: { kind: 'SGD', lr: 0.05 }, schedule: { kind: 'OneCycleLR' } },
      steps: 36,
    },
    { name: 'clipped gradients', training: { clip_grad_norm: 0.5 }, steps: 36 },
  ];
  test.each(cases)('$name', ({ training, steps }) => endures(tinyProject({ optimizer: sgd, ...training }), 7, steps));
});

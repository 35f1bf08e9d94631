/** Each optimizer and each schedule once (all pairs: test/long), and what else has a state of its own: killed and resumed, it is the uninterrupted run. */
import { describe, expect, test } from 'vitest';
import { endures, tinyProject } from './interrupted.ts';
import { somePairs } from './pairs.ts';

test.each(somePairs)('$name', async ({ project, seed }) => {
  await endures(project, seed);
});

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
    { name: 'clipped gradients', training: { clip_grad_norm: 0.5, clip_grad_value: 0.2 }, steps: 36 },
    { name: 'averaged weights', training: { ema: { decay: 0.9 } }, steps: 36 },
    {
      name: 'fp16, its scale, skipped steps, and a schedule that waits for them',
      training: {
        precision: 'fp16',
        loss_scale: { init_scale: 2 ** 30, growth_interval: 4 },
        schedule: { kind: 'OneCycleLR', warmup: { steps: 6 } },
        ema: { decay: 0.9 },
      },
      steps: 36,
    },
    {
      name: 'mixup or cutmix by chance',
      training: { mixup: { alpha: 0.4 }, cutmix: { alpha: 1 }, schedule: { kind: 'CosineAnnealingLR' } },
      steps: 36,
    },
    {
      name: 'bf16, recomputed activations and accumulation',
      training: { precision: 'bf16', activation_checkpointing: true, accumulate: 2 },
      steps: 20,
    },
  ];
  test.each(cases)('$name', async ({ training, steps }) => {
    const { steps: columns } = await endures(tinyProject({ optimizer: sgd, ...training }), 7, steps);
    if ('loss_scale' in training) expect(columns.skipped).toContain(1); // else nothing is said of skipped steps
  });

  test('images that are flipped and cropped at random', async () => {
    const transforms = [{ kind: 'RandomHorizontalFlip' }, { kind: 'RandomCrop', size: 4, padding: 1 }];
    await endures(tinyProject({ optimizer: sgd }, { data: { transforms } }), 8);
  });
});

/** Groups of settings as sentences. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { planProject } from '../../../engine/contract/plan.ts';
import type { DataFacts } from '../../../engine/contract/tensors.ts';
import { groupOf, stepsOf } from '../../../renderer/train/before.ts';
import { plannedRate, scheduleSentence } from '../../../renderer/train/schedule-lines.ts';
import {
  advancedSentence,
  deviceSentence,
  dropoutOf,
  loaderSentence,
  lossSentence,
  optimizerSentence,
  regularisationSentence,
  runSentence,
  stoppingSentence,
} from '../../../renderer/train/sentences.ts';

const facts: DataFacts = {
  input: { dims: [1, 28, 28], dtype: 'float32' },
  target: { kind: 'class', classes: [...'0123456789'] },
  parts: { train: 8000, test: 2000 },
};
const cnn = JSON.parse(readFileSync('assets/templates/digits-cnn.gradloom.json', 'utf8'));
const planOf = (training: object, data: object = {}) =>
  planProject({ ...cnn, data: { ...cnn.data, ...data }, training: { ...cnn.training, ...training } }, facts);
const settings = (training: object) => planOf(training).project.training;

describe('sentences', () => {
  test('of the run', () => {
    const plan = planOf({ epochs: 1 });
    expect(runSentence(plan.project, stepsOf(plan))).toBe('digits-cnn, 1 epoch of 32 steps');
    expect(runSentence(plan.project, null)).toBe('digits-cnn, 1 epoch');
  });

  test('of the device tell what auto takes', () => {
    expect(deviceSentence(settings({}), null)).toBe('Auto, fp32');
    expect(deviceSentence(settings({}), { value: 'cuda:0' })).toBe('Auto, which takes cuda:0 here, fp32');
    expect(deviceSentence(settings({ device: 'cpu', precision: 'auto' }), { value: 'cpu' })).toBe(
      'Cpu, automatic precision',
    );
    expect(deviceSentence(settings({ precision: 'auto', tf32: true }), { value: 'cuda:0' }, 'bf16')).toBe(
      'Auto, which takes cuda:0 here, automatic precision, which is bf16 here, TF32',
    );
  });

  test('of batches', () => {
    const loader = (given: object) => loaderSentence(planOf({}, { loader: given }).project.data.loader, settings({}));
    expect(loader({})).toBe('Batches of 256, shuffled, 4 workers');
    expect(loader({ batch_size: 4096, shuffle: false, drop_last: true, num_workers: 0 })).toBe(
      'Batches of 4,096, in order, a short last one left out, no workers',
    );
    expect(
      loaderSentence(planOf({}).project.data.loader, settings({ accumulate: 4, activation_checkpointing: true })),
    ).toBe('Batches of 256, 4 a step, shuffled, 4 workers, activations computed twice');
  });

  test.each([
    [{ kind: 'Adam', lr: 0.001 }, 'Adam, lr 0.001, betas 0.9 and 0.999'],
    [{ kind: 'Adam', betas: [0.8, 0.99], amsgrad: true }, 'Adam, lr 0.001, betas 0.8 and 0.99, amsgrad'],
    [{ kind: 'AdamW', weight_decay: 0.1 }, 'AdamW, lr 0.001, betas 0.9 and 0.999, weight decay 0.1'],
    [{ kind: 'SGD', lr: 0.1 }, 'SGD, lr 0.1'],
    [{ kind: 'SGD', lr: 0.1, momentum: 0.9, nesterov: true }, 'SGD, lr 0.1, momentum 0.9, nesterov'],
  ])('of %j', (optimizer, sentence) => expect(optimizerSentence(settings({ optimizer }).optimizer)).toBe(sentence));

  test('of the loss', () => {
    expect(lossSentence(settings({}))).toBe('Cross entropy, measured by accuracy');
    expect(lossSentence(settings({ loss: { kind: 'CrossEntropyLoss', label_smoothing: 0.1 }, metrics: [] }))).toBe(
      'Cross entropy, label smoothing 0.1, no metrics',
    );
  });

  test('of what regularises, wherever it is set', () => {
    const dropout = dropoutOf(planOf({}).layers);
    expect(dropout).toEqual(['0.5']);
    const layers = [{ kind: 'Dropout' }, { kind: 'Dropout', p: 0.3 }, { kind: 'Dropout', p: 1e-7 }];
    expect(dropoutOf(planProject({ ...cnn, model: { layers } }, facts).layers)).toEqual(['0.5', '0.3', '1e-7']);
    expect(regularisationSentence(settings({}), dropout)).toBe('No clipping, dropout 0.5');
    expect(regularisationSentence(settings({ clip_grad_norm: 1, optimizer: { kind: 'AdamW' } }), [])).toBe(
      'Gradients clipped at 1, weight decay 0.01',
    );
    expect(regularisationSentence(settings({ clip_grad_norm: 1, clip_grad_value: 0.5, ema: {}, mixup: {} }), [])).toBe(
      'Gradients clipped at 1, each number at 0.5, MixUp, weights averaged by 0.999',
    );
  });

  test('of checkpoints and of stopping early', () => {
    const of = (training: object) => stoppingSentence(settings(training));
    expect(of({})).toBe('Every epoch, the last 2 kept and the best by val_loss');
    expect(of({ checkpoint: { every_epochs: 5, keep: 1, monitor: 'val_accuracy' } })).toBe(
      'Every 5 epochs, the last one kept and the best by val_accuracy',
    );
    expect(
      of({ checkpoint: { every_steps: 100, every_minutes: 2.5, top_k: 3 }, early_stopping: { patience: 5 } }),
    ).toBe(
      'Every epoch and every 100 steps and every 2.5 min, the last 2 kept and the best 3 by val_loss, stops after 5 epochs without a better val_loss',
    );
  });

  test('of the schedule, over the run that it is for', () => {
    const of = (schedule: object | null, more: object = {}) => {
      const plan = planOf({ schedule, ...more });
      return scheduleSentence(plan.project.training.schedule, plan);
    };
    expect(of(null, { optimizer: { kind: 'SGD', lr: 0.1 } })).toBe('None, the learning rate stays 0.1');
    expect(of({ kind: 'CosineAnnealingLR', warmup: { steps: 100 } })).toBe(
      'Cosine over 10 epochs, after 100 steps of warm-up',
    );
    expect(of({ kind: 'OneCycleLR' })).toBe('One cycle step by step');
    expect(of({ kind: 'ReduceLROnPlateau' })).toBe('On a plateau, reduced when val_loss gets no better');
  });

  test('of the rest', () => {
    expect(advancedSentence(planOf({}).project)).toBe('Seed 42');
    const { project } = planOf({ deterministic: true });
    expect(advancedSentence(project)).toBe('Seed 42, deterministic');
  });
});

describe('the planned learning rate', () => {
  test('is one line, from the first step to the last', () => {
    const planned = plannedRate(
      planOf({ schedule: { kind: 'CosineAnnealingLR' }, optimizer: { kind: 'SGD', lr: 0.1 } }),
    );
    expect(planned?.lines).toHaveLength(1);
    expect(planned?.momentum).toBeNull();
    expect(planned?.lines[0]?.mean[0]).toBe(0.1);
    expect(planned?.lines[0]?.x[0]).toBe(0);
    expect(planned?.points).toMatchObject({ unit: 'epoch', total: 10 });
  });

  test('has a line for each rate that layers have of their own, and tells whose it is', () => {
    const [first, ...others] = cnn.model.layers;
    const layers = [{ ...first, train: { lr: 0.01 } }, ...others];
    const plan = planProject({ ...cnn, model: { layers } }, facts);
    expect(plannedRate(plan)?.lines.map(({ label, mean }) => [label, mean[0]])).toEqual([
      ['Layers 3, 7, 10', 0.001],
      ['Layer 0', 0.01],
    ]);
  });

  test('comes with the momentum that the schedule moves', () => {
    const planned = plannedRate(planOf({ schedule: { kind: 'OneCycleLR' } }));
    expect(planned?.momentum?.label).toBe('First beta');
    expect(plannedRate({ ...planOf({}), splits: null })).toBeNull();
  });
});

describe('before the start', () => {
  test.each([
    [{}, {}, { samples: 8000, batches: 32, steps: 32, effectiveBatch: 256 }],
    [{ batch_size: 300 }, { accumulate: 4 }, { samples: 8000, batches: 27, steps: 7, effectiveBatch: 1200 }],
    [{ batch_size: 300, drop_last: true }, {}, { samples: 7800, batches: 26, steps: 26, effectiveBatch: 300 }],
    [{ batch_size: 9000 }, {}, { samples: 8000, batches: 1, steps: 1, effectiveBatch: 8000 }],
  ])('%j, %j: steps', (loader, training, steps) => expect(stepsOf(planOf(training, { loader }))).toEqual(steps));

  test('every place that this page edits has its group', () => {
    expect(groupOf('training.optimizer.lr')).toBe('optimizer');
    expect(groupOf('training.metrics.1')).toBe('loss');
    expect(groupOf('model.weights')).toBe('weights');
    expect(groupOf('data.loader')).toBe('loader');
    expect(groupOf('training.schedule.warmup.steps')).toBe('schedule');
    expect(groupOf('training.early_stopping.patience')).toBe('checkpoint');
    expect(groupOf('training.accumulate')).toBe('loader');
    expect(groupOf('training.seeds')).toBeNull();
  });
});

/** Groups of settings as sentences. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { planProject } from '../../../engine/contract/plan.ts';
import type { DataFacts } from '../../../engine/contract/tensors.ts';
import { fitOf, groupOf, roomOn, stepsOf } from '../../../renderer/train/before.ts';
import {
  advancedSentence,
  checkpointSentence,
  deviceSentence,
  dropoutOf,
  loaderSentence,
  lossSentence,
  optimizerSentence,
  regularisationSentence,
  runSentence,
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
  });

  test('of batches', () => {
    const loader = (given: object) => loaderSentence(planOf({}, { loader: given }).project.data.loader);
    expect(loader({})).toBe('Batches of 256, shuffled, 4 workers');
    expect(loader({ batch_size: 4096, shuffle: false, drop_last: true, num_workers: 0 })).toBe(
      'Batches of 4,096, in order, a short last one left out, no workers',
    );
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
  });

  test('of checkpoints', () => {
    expect(checkpointSentence(settings({}).checkpoint)).toBe('Every epoch, the last 2 kept and the best by val_loss');
    expect(checkpointSentence({ ...settings({}).checkpoint, every_epochs: 5, keep: 1, monitor: 'val_accuracy' })).toBe(
      'Every 5 epochs, the last one kept and the best by val_accuracy',
    );
  });

  test('of the rest', () => {
    expect(advancedSentence(planOf({}).project)).toBe('Seed 42, fresh weights');
    const { project } = planOf({ accumulate: 4, deterministic: true });
    expect(advancedSentence({ ...project, model: { ...project.model, weights: '../a/best.pt' } })).toBe(
      'Seed 42, deterministic, 4 batches a step, weights of best.pt',
    );
  });
});

describe('before the start', () => {
  test.each([
    [{}, {}, { samples: 8000, batches: 32, steps: 32, effectiveBatch: 256 }],
    [{ batch_size: 300 }, { accumulate: 4 }, { samples: 8000, batches: 27, steps: 7, effectiveBatch: 1200 }],
    [{ batch_size: 300, drop_last: true }, {}, { samples: 7800, batches: 26, steps: 26, effectiveBatch: 300 }],
    [{ batch_size: 9000 }, {}, { samples: 8000, batches: 1, steps: 1, effectiveBatch: 8000 }],
  ])('%j, %j: steps', (loader, training, steps) => expect(stepsOf(planOf(training, { loader }))).toEqual(steps));

  test('memory fits, is tight, or is too large', () => {
    const gib = 2 ** 30;
    const device = { name: 'cuda:0', label: 'GPU', memory_total: 8 * gib, memory_free: 6 * gib, capability: null };
    const host = { cpu: '', cores: 2, memory_total: 16 * gib, memory_free: 4 * gib };
    const room = roomOn(device, host);
    expect(room).toEqual({ free: 6 * gib, total: 8 * gib, name: 'cuda:0' });
    if (!room) return;
    expect(fitOf(gib, room)).toBe('fits');
    expect(fitOf(5 * gib, room)).toBe('tight');
    expect(fitOf(6.1 * gib, room)).toBe('too large');
    expect(roomOn({ ...device, memory_free: null }, host)?.free).toBe(8 * gib);
    expect(roomOn({ ...device, memory_total: null }, host)).toBeNull();
    expect(roomOn({ ...device, name: 'cpu' }, host)).toEqual({ free: 4 * gib, total: 16 * gib, name: 'this computer' });
    expect(roomOn(undefined, host)).toBeNull();
  });

  test('every place that this page edits has its group', () => {
    expect(groupOf('training.optimizer.lr')).toBe('optimizer');
    expect(groupOf('training.metrics.1')).toBe('loss');
    expect(groupOf('model.weights')).toBe('advanced');
    expect(groupOf('data.loader')).toBe('loader');
    expect(groupOf('training.schedule')).toBeNull();
    expect(groupOf('training.seeds')).toBeNull();
  });
});

/** A run's settings as rows, what differs from the defaults, and what differs from run to run. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Edit } from '../../../engine/contract/problems.ts';
import { editProject } from '../../../engine/contract/project.ts';
import { compareSettings, layerText, settingRows, showValue } from '../../../renderer/run-parts/settings.ts';

const template = readFileSync('assets/templates/digits-mlp.gradloom.json', 'utf8');
const changed = (edits: [path: (string | number)[], value: unknown][], more: Edit[] = []) =>
  settingRows(editProject(template, [...edits.map(([path, value]): Edit => ({ op: 'set', path, value })), ...more]));
const row = (rows: ReturnType<typeof settingRows>, path: string) => rows.find((each) => each.path === path);

describe('rows of a project', () => {
  const rows = settingRows(template);

  test('hold every setting once, also those that the project does not say', () => {
    expect(new Set(rows.map(({ path }) => path)).size).toBe(rows.length);
    const bare = settingRows('{"gradloom": 1}');
    expect(row(bare, 'training.optimizer')?.value).toBe('Adam');
    expect(row(bare, 'training.optimizer.lr')?.isDefault).toBe(true);
    expect(bare.filter(({ isDefault }) => !isDefault)).toEqual([]);
  });

  test('tell what differs from the defaults', () => {
    const rows = changed(
      [
        [['training', 'optimizer'], { kind: 'Adam', lr: 0.01 }],
        [['data', 'loader', 'batch_size'], 64],
      ],
      [{ op: 'remove', path: ['data', 'transforms'] }],
    );
    expect(row(rows, 'training.optimizer')).toMatchObject({ value: 'Adam', isDefault: true });
    expect(row(rows, 'training.optimizer.lr')).toMatchObject({
      label: 'Learning rate',
      value: '0.01',
      isDefault: false,
    });
    expect(row(rows, 'data.loader.batch_size')).toMatchObject({ value: '64', isDefault: false });
    expect(row(rows, 'data.transforms')).toMatchObject({ value: 'none', isDefault: true });
    expect(row(rows, 'training.seed')?.isDefault).toBe(true);
  });

  test('of another optimizer tell its kind, and its parameters against its own defaults', () => {
    const rows = changed([[['training', 'optimizer'], { kind: 'SGD', lr: 0.1, momentum: 0.9 }]]);
    expect(row(rows, 'training.optimizer')).toMatchObject({ value: 'SGD', isDefault: false });
    expect(row(rows, 'training.optimizer.momentum')).toMatchObject({ value: '0.9', isDefault: false });
    expect(row(rows, 'training.optimizer.nesterov')).toMatchObject({ value: 'no', isDefault: true });
  });

  test('of what is off until it is wanted tell that, and its parameters once it is on', () => {
    expect(row(rows, 'training.schedule')).toMatchObject({ label: 'Schedule', value: 'none', isDefault: true });
    expect(row(rows, 'training.ema')).toMatchObject({ label: 'Averaged weights', value: 'off', isDefault: true });
    const on = changed([
      [['training', 'schedule'], { kind: 'StepLR', step_size: 3, warmup: { steps: 10 } }],
      [['training', 'early_stopping'], { patience: 7 }],
      [['training', 'ema'], {}],
    ]);
    const told = on.filter(({ isDefault, group }) => !isDefault && group === 'Training');
    expect(told.map(({ label, value }) => [label, value])).toEqual(
      expect.arrayContaining([
        ['Schedule', 'StepLR'],
        ['Schedule: every', '3'],
        ['Warm-up', 'on'],
        ['Warm-up: lasts', '10'],
        ['Early stopping', 'on'],
        ['Early stopping: patience', '7'],
        ['Averaged weights', 'on'],
      ]),
    );
    expect(told.some(({ label }) => label === 'Averaged weights: decay')).toBe(false);
  });

  test('write layers as PyTorch does', () => {
    expect(row(rows, 'model.layers.1')?.value).toBe('Linear(out_features=256)');
    expect(layerText({ kind: 'Residual', layers: [{ kind: 'ReLU' }], shortcut: 'auto' })).toBe(
      'Residual(layers=[ReLU], shortcut=auto)',
    );
    expect(layerText({ kind: 'Linear', out_features: 2, train: { freeze: true, lr: 0.1 } })).toBe(
      'Linear(out_features=2, train(freeze=true, lr=0.1))',
    );
    expect(layerText({ kind: 'Dropout', p: 0.5, disabled: true, name: 'drop' })).toBe('Dropout(p=0.5) “drop” (off)');
  });
});

test('values read as people say them', () => {
  expect([null, true, 3, 0.001, [0.5], [1, 28, 28], [], 'auto'].map(showValue)).toEqual([
    'none',
    'yes',
    '3',
    '0.001',
    '0.5',
    '1×28×28',
    'none',
    'auto',
  ]);
});

describe('several runs', () => {
  const other = changed(
    [[['training', 'optimizer', 'lr'], 0.01]],
    [{ op: 'insert', path: ['model', 'layers', 3], value: { kind: 'Dropout', p: 0.2 } }],
  );
  const compared = compareSettings([settingRows(template), other]);

  test('differ where their values do, also where one of them has no value', () => {
    const differing = compared.filter(({ differs }) => differs);
    expect(differing.find(({ path }) => path === 'training.optimizer.lr')?.values).toEqual(['0.001', '0.01']);
    expect(differing.find(({ path }) => path === 'model.layers.6')?.values).toEqual([null, 'Linear(out_features=10)']);
    expect(differing.some(({ path }) => path === 'training.seed')).toBe(false);
  });

  test('keep the order of their settings, what only a later one has standing beside its neighbour', () => {
    const paths = compared.map(({ path }) => path);
    expect(paths.indexOf('model.layers.6')).toBe(paths.indexOf('model.layers.5') + 1);
    expect(paths[0]).toBe('data.source');
  });

  test('that are the same differ in nothing', () => {
    expect(compareSettings([other, other]).some(({ differs }) => differs)).toBe(false);
    expect(compareSettings([])).toEqual([]);
  });
});

/** Quantities by name, the best of several values, phases of a step, and the words of an export. */
import { describe, expect, test } from 'vitest';
import type { RunRow } from '../../../engine/contract/api.ts';
import { certificateLine, exportName, loadingLine } from '../../../renderer/run-parts/export-words.ts';
import {
  bestIndex,
  figureOf,
  lastOf,
  metricKeys,
  nameLabel,
  quantity,
} from '../../../renderer/run-parts/quantities.ts';
import { phasesOf } from '../../../renderer/run-parts/words.ts';

test('a quantity knows its words and how its values read', () => {
  expect(nameLabel('val_accuracy')).toBe('Validation accuracy');
  expect(nameLabel('train_loss')).toBe('Training loss');
  expect(quantity('accuracy').format(0.9312)).toBe('93.12 %');
  expect(quantity('loss').format(0.1234567)).toBe('0.1235');
  expect(nameLabel('train_constructor')).toBe('Training constructor');
  expect(quantity('mean_squared_error')).toMatchObject({ label: 'Mean squared error', share: false });
  expect(metricKeys(['train_loss', 'lr', 'val_accuracy', 'train_accuracy', 'grad_norm'])).toEqual(['accuracy']);
});

test('values that are not finite travel as words', () => {
  expect([1, 'NaN', '-Infinity', 'x', null, undefined].map(figureOf)).toEqual([
    1,
    Number.NaN,
    Number.NEGATIVE_INFINITY,
    null,
    null,
    null,
  ]);
});

test('the last value is the validation’s where it ran', () => {
  const run = (last: object) => ({ summary: { last } }) as unknown as RunRow;
  expect(lastOf(run({ train_loss: 1, val_loss: 2 }), 'loss')).toEqual({ name: 'val_loss', value: 2 });
  expect(lastOf(run({ train_loss: 0 }), 'loss')).toEqual({ name: 'train_loss', value: 0 });
  expect(lastOf({ summary: null } as RunRow, 'loss')).toBeNull();
});

describe('the best', () => {
  test('is the lowest loss, the highest accuracy', () => {
    expect(bestIndex([0.3, 0.1, null, 0.2], 'lower')).toBe(1);
    expect(bestIndex([0.3, 0.9, Number.NaN], 'higher')).toBe(1);
  });

  test('is not told where nothing is better than something else', () => {
    expect(bestIndex([0.3, 0.3], 'lower')).toBeNull();
    expect(bestIndex([0.3, null], 'lower')).toBeNull();
    expect(bestIndex([1, 2], null)).toBeNull();
    expect(bestIndex([], 'lower')).toBeNull();
  });
});

test('phases come in a step’s order, unknown ones last, empty ones not at all', () => {
  const phases = phasesOf({ total: 9, strange_part: 1, backward: 3, data: 2, copy: 0 });
  expect(phases.map(({ label }) => label)).toEqual(['Waiting for data', 'Backward', 'Strange part']);
  expect(
    new Set(phasesOf({ data: 1, copy: 1, forward: 1, backward: 1, optimizer: 1, other: 1 }).map((p) => p.color)).size,
  ).toBe(6);
});

test('an export says what was checked and how it is loaded', () => {
  expect(certificateLine({ tensors: 6, bytes: 2048, equal: true })).toBe(
    'Read back and compared with the checkpoint: 6 tensors, 2.0 KiB, equal byte for byte',
  );
  expect(certificateLine({})).toBe('Read back');
  expect(exportName('digits-001', 'pt')).toBe('digits-001.pt');
  expect(loadingLine('pt', 'C:\\w "x".pt')).toBe(
    'model.load_state_dict(torch.load("C:\\\\w \\"x\\".pt", weights_only=True))',
  );
  expect(loadingLine('safetensors', 'a.safetensors')).toContain('safetensors.torch.load_file("a.safetensors")');
});

/** What is typed in a form's field, as the value that the project takes. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { layerKind, layerKinds } from '../../../engine/contract/layers/index.ts';
import { optimizerKinds, optimizers } from '../../../engine/contract/optimizers.ts';
import {
  nullMatters,
  parseSpan,
  parseText,
  readNumber,
  showNumber,
  showValue,
  stepText,
} from '../../../renderer/ui/form/parse.ts';

function schema(kind: string, key: string) {
  const row = optimizers.get(kind) ?? layerKind(kind);
  const found = row.params[key];
  if (!found) throw new Error(`${kind} has no ${key}`);
  return found;
}

describe('numbers', () => {
  test.each([
    ['1e-3', 0.001],
    ['.5', 0.5],
    ['5.', 5],
    ['−1', -1],
    ['1 000', 1000],
    [' 12 ', 12],
    ['+2E3', 2000],
  ])('%s', (text, value) => expect(readNumber(text)).toBe(value));

  test.each(['', '1e', '1,5', '0x10', 'Infinity', 'NaN', '1 2', '--1'])('“%s” is none', (text) =>
    expect(readNumber(text)).toBeNaN(),
  );

  test('are shown as they are read', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        // Minus zero is no number that a person types.
        expect(readNumber(showNumber(value)) + 0).toBe(value + 0);
      }),
    );
    expect(showNumber(1e-5)).toBe('1e-5');
    expect(showNumber(0.001)).toBe('0.001');
    expect(showNumber(0)).toBe('0');
  });
});

describe('fields of one line', () => {
  const read = (kind: string, key: string, text: string) => parseText(schema(kind, key), text);

  test('take what their schema takes', () => {
    expect(read('Linear', 'out_features', '128')).toEqual({ value: 128 });
    expect(read('Adam', 'lr', '3e-4')).toEqual({ value: 0.0003 });
    expect(read('Adam', 'betas', '0.9, 0.95')).toEqual({ value: [0.9, 0.95] });
    expect(read('Adam', 'betas', '(0.9 0.95)')).toEqual({ value: [0.9, 0.95] });
    expect(read('LayerNorm', 'normalized_shape', '28×28')).toEqual({ value: [28, 28] });
  });

  test('say what is wrong', () => {
    expect(read('Linear', 'out_features', '1.5')).toEqual({ problem: 'Expected an integer ≥ 1.' });
    expect(read('Linear', 'out_features', '0')).toEqual({ problem: 'Expected an integer ≥ 1.' });
    expect(read('Linear', 'out_features', 'many')).toEqual({ problem: 'An integer ≥ 1 is expected, not “many”.' });
    expect(read('Linear', 'out_features', '')).toEqual({ problem: 'Outputs is needed: an integer ≥ 1.' });
    expect(read('Adam', 'betas', '0.9')).toHaveProperty('problem');
    expect(read('Adam', 'betas', '0.9, 1')).toHaveProperty('problem');
    expect(read('Linear', 'out_features', 'none')).toHaveProperty('problem');
  });

  test('emptied, fall back to the default', () => {
    expect(read('Adam', 'lr', '  ')).toEqual({ absent: true });
    expect(read('BatchNorm2d', 'momentum', 'default')).toEqual({ absent: true });
    expect(read('BatchNorm2d', 'momentum', 'none')).toEqual({ value: null });
  });

  test('know where null says something of its own', () => {
    expect(nullMatters(schema('BatchNorm2d', 'momentum'))).toBe(true);
    expect(nullMatters(schema('LayerNorm', 'normalized_shape'))).toBe(false);
    expect(nullMatters(schema('Adam', 'lr'))).toBe(false);
  });
});

test('spans', () => {
  const kernel = schema('Conv2d', 'kernel_size');
  expect(parseSpan(kernel, ['3'])).toEqual({ value: 3 });
  expect(parseSpan(kernel, ['3', '5'])).toEqual({ value: [3, 5] });
  expect(parseSpan(kernel, ['3', ''])).toHaveProperty('problem');
  expect(parseSpan(kernel, [''])).toEqual({ problem: expect.stringContaining('Kernel is needed') });
  expect(parseSpan(schema('Conv2d', 'stride'), ['', ''])).toEqual({ absent: true });
  expect(parseSpan(schema('AdaptiveAvgPool2d', 'output_size'), ['', '7'])).toEqual({ value: [null, 7] });
  expect(parseSpan(schema('Conv2d', 'padding'), ['0'])).toEqual({ value: 0 });
});

test('arrows step in the last digit that is written', () => {
  expect(stepText('32', true, false, true)).toBe('33');
  expect(stepText('32', false, true, true)).toBe('22');
  expect(stepText('0.01', true, false, false)).toBe('0.02');
  expect(stepText('3e-4', false, false, false)).toBe('2e-4');
  expect(stepText('0.1', true, false, false)).toBe('0.2');
  expect(stepText('many', true, false, false)).toBeNull();
});

test('every default of every layer and optimizer can be typed as it is shown', () => {
  for (const { kind, params } of [...layerKinds, ...optimizerKinds]) {
    for (const [key, field] of Object.entries(params)) {
      const row = field.safeParse(undefined);
      const value = row.success ? row.data : undefined;
      const parts = Array.isArray(value) ? value : [value];
      if (value === null || !parts.every((item) => typeof item === 'number' || item === null)) continue;
      expect(parseText(field, showValue(value)), `${kind}.${key}`).toEqual({ value });
    }
  }
});

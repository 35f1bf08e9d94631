/** Numbers, sizes, times as the window shows them. */
import { describe, expect, test } from 'vitest';
import {
  ago,
  bytes,
  count,
  dims,
  duration,
  flops,
  inSentences,
  number,
  percent,
  rate,
} from '../../../renderer/ui/format.ts';

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.0 KiB'],
  [3.1 * 2 ** 30, '3.1 GiB'],
  [2 ** 20 - 1, '1.0 MiB'],
  [1.6e19, '13.9 EiB'],
])('bytes: %d', (value, text) => expect(bytes(value)).toBe(text));

test.each([
  [0, '0'],
  [999, '999'],
  [1000, '1 k'],
  [1_240_000, '1.24 M'],
  [999_600, '1 M'],
  [23_500_000, '23.5 M'],
  [-1500, '−1.5 k'],
  [1e18, '1 E'],
])('count: %d', (value, text) => expect(count(value)).toBe(text));

test('an error is told in sentences with one full stop each', () => {
  expect(inSentences({ message: 'a is full.', hint: 'Free some space' })).toBe('a is full. Free some space.');
  expect(inSentences({ message: 'a failed: no such file..' })).toBe('a failed: no such file.');
  expect(inSentences({ message: 'a failed', hint: '' })).toBe('a failed.');
});

test('operations have their unit at every scale', () => {
  expect(flops(0)).toBe('0 FLOP');
  expect(flops(640)).toBe('640 FLOP');
  expect(flops(3.1e9)).toBe('3.1 GFLOP');
});

test.each([
  [0.9312, '93.12 %'],
  [1, '100.00 %'],
  [0, '0.00 %'],
  [Number.NaN, 'NaN'],
])('percent: %d', (value, text) => expect(percent(value)).toBe(text));

test.each([
  [0, '0'],
  [0.123456, '0.1235'],
  [12.3456, '12.35'],
  [123456, '123,456'],
  [0.00001234, '1.234e-5'],
  [1e-8, '1e-8'],
  [2e10, '2e10'],
  [-0.5, '−0.5'],
  [Number.POSITIVE_INFINITY, '∞'],
  [Number.NaN, 'NaN'],
])('number: %d', (value, text) => expect(number(value)).toBe(text));

test.each([
  [0, '0 s'],
  [0.0000021, '2.1 µs'],
  [0.0123, '12.3 ms'],
  [0.9999, '1.0 s'],
  [9.99, '10.0 s'],
  [9.996, '10 s'],
  [59.96, '1 min'],
  [135, '2 min 15 s'],
  [3600, '1 h'],
  [3660, '1 h 1 min'],
  [86_400 * 2 + 3600 * 5 + 120, '2 d 5 h'],
  [Number.NaN, '—'],
])('duration: %d', (value, text) => expect(duration(value)).toBe(text));

test('rate', () => {
  expect(rate(48_210, 'samples')).toBe('48.2 k samples/s');
  expect(rate(3.456, 'steps')).toBe('3.46 steps/s');
});

test('dims', () => {
  expect(dims([1, 28, 28])).toBe('1×28×28');
  expect(dims([])).toBe('scalar');
});

describe('ago', () => {
  const now = new Date(2026, 2, 12, 10, 0, 0).getTime();
  test.each([
    [new Date(2026, 2, 12, 9, 59, 40), 'just now'],
    [new Date(2026, 2, 12, 9, 55), '5 min ago'],
    [new Date(2026, 2, 12, 7, 10), '3 h ago'],
    [new Date(2026, 2, 11, 23, 50), 'yesterday'],
    [new Date(2026, 2, 11, 8), 'yesterday'],
    [new Date(2026, 2, 9, 12), '3 days ago'],
    [new Date(2026, 0, 5), '5 Jan'],
    [new Date(2024, 0, 5), '5 Jan 2024'],
  ])('%s', (then, text) => expect(ago(then, now)).toBe(text));

  test('what is no time says so', () => expect(ago('soon')).toBe('—'));
});

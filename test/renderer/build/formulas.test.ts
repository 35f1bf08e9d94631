/** How formulas are set in the inspector. */
import { expect, test } from 'vitest';
import { typeset } from '../../../renderer/build/formulas.ts';

const nb = '\u00a0';

test('thousands stand apart, decimals and names do not', () => {
  expect(typeset('weight: 1000 + 25088 = 26088')).toBe(`weight: 1,000 + 25,088 =${nb}26,088`);
  expect(typeset('⌊7 · 1.33333⌋ = 9')).toBe(`⌊7${nb}·${nb}1.33333⌋ =${nb}9`);
  expect(typeset('1234567.5')).toBe('1,234,567.5');
  expect(typeset('conv2024 stays')).toBe('conv2024 stays');
});

test('lines end between terms, not within a product or a bracket', () => {
  expect(typeset('weight: 32 · 1 · 3 · 3 = 288')).toBe(`weight: 32${nb}·${nb}1${nb}·${nb}3${nb}·${nb}3 =${nb}288`);
  expect(typeset('height: ⌊(28 + 2·1 − 1·(3 − 1) − 1) / 2⌋ + 1 = 14')).toBe(
    `height: ${'⌊(28 + 2·1 − 1·(3 − 1) − 1) / 2⌋'.replaceAll(' ', nb)} + 1 =${nb}14`,
  );
  expect(typeset('n (a remark of words)')).toBe('n (a remark of words)');
});

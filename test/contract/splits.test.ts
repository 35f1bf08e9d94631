/** How many samples validate, whole and class by class. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitCounts, validationByClass } from '../../engine/contract/splits.ts';
import type { DataFacts } from '../../engine/contract/tensors.ts';

const facts = (train: number): DataFacts => ({
  input: { dims: [4], dtype: 'float32' },
  target: { kind: 'class', classes: ['a', 'b', 'c'] },
  parts: { train },
});

test('class by class as many validate as the plan counts without knowing the classes; each class gives its fair share', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 20 });
  const fraction = fc.oneof(
    fc.double({ min: 0, max: 0.999, noNaN: true }),
    fc.integer({ max: 99, min: 0 }).map((n) => n / 100),
  );
  fc.assert(
    fc.property(sizes, fraction, (counts, val) => {
      const total = counts.reduce((sum, count) => sum + count, 0);
      const given = validationByClass(new Map(counts.map((count, label) => [label, count])), val);
      const planned = splitCounts(facts(total), { val, seed: 0, stratify: true });
      expect([...given.values()].reduce((sum, count) => sum + count, 0)).toBe(planned.val);
      for (const [label, count] of counts.entries()) {
        expect(Math.abs((given.get(label) as number) - count * val)).toBeLessThanOrEqual(1 + 1e-6);
        expect(given.get(label)).toBeLessThanOrEqual(count);
      }
    }),
  );
});

test('what rounding leaves goes to the classes that were cut most, the first of equals first', () => {
  const given = validationByClass(
    new Map([
      [2, 5],
      [0, 4],
      [1, 5],
    ]),
    0.1,
  );
  expect(Object.fromEntries(given)).toEqual({ 0: 0, 1: 1, 2: 0 });
  expect(Object.fromEntries(validationByClass(new Map([[0, 100]]), 0.29))).toEqual({ 0: 29 });
});

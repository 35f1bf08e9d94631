/** How many samples validate, whole and class by class. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planProject } from '../../engine/contract/plan.ts';
import { resolveProject } from '../../engine/contract/project.ts';
import { drawnSplit, splitCounts, validationByClass } from '../../engine/contract/splits.ts';
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

describe('a validation part of the source’s own', () => {
  const parts: DataFacts = { ...facts(40), parts: { train: 40, val: 8, test: 9 } };
  const project = (split?: object) => ({
    gradloom: 1,
    data: { source: { kind: 'idx', path: 'x' }, ...(split ? { split } : {}) },
    model: { layers: [{ kind: 'Linear', out_features: 3 }] },
  });
  const places = ({ problems }: ReturnType<typeof planProject>) =>
    problems.filter(({ path }) => path === 'data.split.val').map(({ code, fixes }) => [code, fixes[0]?.label]);

  test('validates where the project says nothing; a fraction that leaves it unused is told', () => {
    expect(planProject(project(), parts).splits).toEqual({ train: 40, val: 8, test: 9 });
    expect(places(planProject(project(), parts))).toEqual([]);
    const fraction = planProject(project({ val: 0.25 }), parts);
    expect(fraction.splits).toEqual({ train: 30, val: 10, test: 9 });
    expect(places(fraction)).toEqual([['UNUSED_PART', 'Validate on the validation part']]);
    expect(planProject(project(), facts(40)).splits).toEqual({ train: 36, val: 4, test: null });
  });

  test('asked for where there is none', () => {
    expect(places(planProject(project({ val: 'val' }), facts(40)))).toEqual([
      ['NO_TEST_PART', 'Validate on a tenth of the training part'],
    ]);
  });

  test('what is drawn, for whoever fits an encoding before the parts are known', () => {
    const unsaid = resolveProject(project()).data.split;
    expect(drawnSplit(unsaid, { val: 8 })).toBeNull();
    expect(drawnSplit(unsaid, {})).toEqual({ val: 0.1, seed: 42, stratify: true });
    expect(drawnSplit(resolveProject(project({ val: 0.1 })).data.split, { val: 8 })).toEqual({
      val: 0.1,
      seed: 42,
      stratify: true,
    });
    for (const val of ['test', 'val', 0])
      expect(drawnSplit(resolveProject(project({ val })).data.split, {})).toBeNull();
  });
});

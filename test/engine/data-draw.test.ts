/** Dividing samples in memory: exclusions, groups, classes; checked against every choice there is. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Drawable, drawSplit } from '../../engine/data/draw.ts';

/** A permutation that depends on the seed; which one does not matter here: test/parity/splits.test.ts compares with PyTorch's. */
function randperm(n: number, seed: number): Float64Array {
  const order = Float64Array.from({ length: n }, (_, i) => i);
  let state = seed + 1;
  for (let i = n - 1; i > 0; i--) {
    state = (state * 48271) % 2147483647;
    const j = state % (i + 1);
    [order[i], order[j]] = [order[j] as number, order[i] as number];
  }
  return order;
}

const draw = (data: Drawable, val: number, { seed = 1, stratify = false } = {}) =>
  drawSplit(data, { val, seed, stratify }, randperm);

test('exclusions take part in nothing, and move few others', () => {
  const labels = Array.from({ length: 100 }, (_, i) => i % 4);
  const before = draw({ count: 100, labels }, 0.2, { stratify: true });
  const excluded = [3, 50, 51, 99];
  const after = draw({ count: 100, labels, excluded }, 0.2, { stratify: true });
  expect(after.val.length).toBe(19);
  expect([...after.train, ...after.val].sort((a, b) => a - b)).toEqual(
    Array.from({ length: 100 }, (_, i) => i).filter((i) => !excluded.includes(i)),
  );
  const moved = [...after.val].filter((i) => !before.val.includes(i));
  expect(moved.length).toBeLessThanOrEqual(4);
});

test('without validation, all but the excluded train; nothing is drawn', () => {
  const drawn = drawSplit({ count: 5, excluded: [1] }, { val: 0, seed: 0, stratify: true }, () => {
    throw new Error('drawn');
  });
  expect([[...drawn.train], [...drawn.val]]).toEqual([[0, 2, 3, 4], []]);
});

describe('groups', () => {
  const sizesOf = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 2, maxLength: 12 });
  const groupsOf = (sizes: number[]) => sizes.flatMap((size, group) => Array<number>(size).fill(group * 10 - 7));

  test('stay together, and no choice of them comes nearer to the fraction', () => {
    fc.assert(
      fc.property(sizesOf, fc.double({ min: 0.01, max: 0.99, noNaN: true }), fc.nat(1000), (sizes, val, seed) => {
        const groups = groupsOf(sizes);
        const total = groups.length;
        const drawn = draw({ count: total, groups }, val, { seed });
        const trains = new Set([...drawn.train].map((i) => groups[i]));
        expect([...drawn.val].some((i) => trains.has(groups[i]))).toBe(false);
        const wanted = Math.max(1, Math.round(total * val));
        let sums = new Set([0]);
        for (const size of sizes) sums = new Set([...sums].flatMap((sum) => [sum, sum + size]));
        const best = Math.min(
          ...[...sums].filter((sum) => sum > 0 && sum < total).map((sum) => Math.abs(sum - wanted)),
        );
        expect(Math.abs(drawn.val.length - wanted)).toBe(best);
      }),
    );
  });

  test('another seed chooses other groups', () => {
    const groups = Array.from({ length: 1000 }, (_, i) => i >> 1);
    const chosen = [1, 2, 3].map((seed) => String(draw({ count: 1000, groups }, 0.3, { seed }).val));
    expect(new Set(chosen).size).toBe(3);
    expect(String(draw({ count: 1000, groups }, 0.3, { seed: 1 }).val)).toBe(chosen[0]);
  });

  test('of many groups of many sizes the fraction is met exactly', () => {
    const groups = Array.from({ length: 300_000 }, (_, i) => Math.floor(Math.sqrt(i * 37)) % 40_000);
    expect(draw({ count: 300_000, groups }, 0.2).val.length).toBe(60_000);
  });

  test('of one class each, every class gives as near its share as its groups allow', () => {
    const sizes = [10, 20, 30, 40, 10, 20, 30, 40]; // of class 0, then of class 1
    const groups = groupsOf(sizes);
    const labels = sizes.flatMap((size, group) => Array<number>(size).fill(group < 4 ? 0 : 1));
    for (let seed = 0; seed < 20; seed++) {
      const { val } = draw({ count: groups.length, groups, labels }, 0.3, { seed, stratify: true });
      const ofClass = [0, 1].map((label) => [...val].filter((i) => labels[i] === label).length);
      expect(ofClass).toEqual([30, 30]);
    }
  });

  test('of mixed classes, the shares are kept better than by size alone', () => {
    const groups = Array.from({ length: 2000 }, (_, i) => Math.floor(i / 20));
    const labels = groups.map((group, i) => (group % 5 === 0 ? 1 : 0) ^ (i % 10 === 0 ? 1 : 0));
    const share = labels.reduce((sum, label) => sum + label, 0) / 2000;
    const { val, train } = draw({ count: 2000, groups, labels }, 0.25, { stratify: true });
    expect(new Set([...val].map((i) => groups[i])).size * 20).toBe(val.length);
    expect(Math.abs(val.length - 500)).toBeLessThanOrEqual(10);
    expect(train.length + val.length).toBe(2000);
    const own = [...val].reduce((sum, i) => sum + (labels[i] as number), 0) / val.length;
    expect(Math.abs(own - share)).toBeLessThan(0.02);
  });

  test('a class in one group stays in training; excluded samples do not weigh', () => {
    const labels = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1];
    const groups = [0, 1, 2, 3, 4, 5, 6, 7, 8, 8];
    const { val } = draw({ count: 10, labels, groups }, 0.25, { stratify: true });
    expect(val.length).toBe(2);
    expect(val.every((i) => labels[i] === 0)).toBe(true);
    const halves = draw({ count: 10, groups: [0, 0, 0, 0, 0, 0, 1, 1, 2, 2], excluded: [0, 1, 2, 3] }, 1 / 3);
    expect(halves.val.length).toBe(2);
  });

  test('one group cannot be divided', () => {
    expect(() => draw({ count: 4, groups: [5, 5, 5, 5] }, 0.5)).toThrow(
      expect.objectContaining({ code: 'PROJECT_INVALID', hint: expect.stringContaining('one group') }),
    );
  });
});

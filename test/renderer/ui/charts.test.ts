/** The arithmetic of charts: ticks, ranges, smoothing, thinning, and what a frame tells. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decimate } from '../../../renderer/ui/charts/decimate.ts';
import { frameOf, type LineSeries, summary } from '../../../renderer/ui/charts/model.ts';
import { linearTicks, logTicks, nearest, paddedRange, scaleOf, tickFormat } from '../../../renderer/ui/charts/scale.ts';
import { smooth } from '../../../renderer/ui/charts/smooth.ts';

describe('linear ticks', () => {
  test.each([
    [[0, 1], 5, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [[0, 0.3], 3, [0, 0.1, 0.2, 0.3]],
    [[3, 47], 5, [10, 20, 30, 40]],
    [[-1, 1], 4, [-1, -0.5, 0, 0.5, 1]],
    [[5, 5], 4, [5]],
  ] as const)('%j', (range, count, ticks) => expect(linearTicks(range, count)).toEqual(ticks));

  test('of whole things are whole', () => expect(linearTicks([0, 2], 8, true)).toEqual([0, 1, 2]));

  test('are always few, rising and within', () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, min: -1e9, max: 1e9 }),
        fc.double({ noNaN: true, min: 1e-6, max: 1e9 }),
        (low, span) => {
          const ticks = linearTicks([low, low + span], 6);
          expect(ticks.length).toBeLessThanOrEqual(13);
          for (const [index, tick] of ticks.entries()) {
            expect(tick).toBeGreaterThanOrEqual(low - span * 1e-6);
            expect(tick).toBeLessThanOrEqual(low + span * (1 + 1e-6));
            if (index > 0) expect(tick).toBeGreaterThan(ticks[index - 1] as number);
          }
        },
      ),
    );
  });
});

describe('logarithmic ticks', () => {
  test.each([
    [[0.001, 1000], 8, [0.001, 0.01, 0.1, 1, 10, 100, 1000]],
    [[0.1, 10], 8, [0.1, 0.2, 0.5, 1, 2, 5, 10]],
    [[0.5, 4], 5, [0.5, 1, 2]],
    [[2.1, 2.4], 5, [2.1, 2.2, 2.3, 2.4]],
    [[0, 5], 5, []],
  ] as const)('%j', (range, count, ticks) => expect(logTicks(range, count)).toEqual(ticks));

  test('over many decades are thinned', () => expect(logTicks([1e-12, 1], 5)).toEqual([1e-12, 1e-9, 1e-6, 1e-3, 1]));
});

test('a padded range is from zero near zero, and holds what does not change', () => {
  expect(paddedRange(0.1, 2, false)[0]).toBe(0);
  expect(paddedRange(10, 11, false)[0]).toBeCloseTo(9.95);
  expect(paddedRange(0, 0, false)).toEqual([0, 1]);
  expect(paddedRange(5, 5, false)).toEqual([4.5, 5.5]);
  expect(paddedRange(5, 5, true)).toEqual([2.5, 10]);
  expect(paddedRange(Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, false)).toEqual([0, 1]);
});

test('a logarithmic scale is true', () => {
  const toY = scaleOf([0.01, 100], [400, 0], true);
  expect([0.01, 0.1, 1, 10, 100].map(toY)).toEqual([400, 300, 200, 100, 0]);
});

test('ticks are written with the decimals that tell them apart', () => {
  const write = (ticks: number[], log = false) => ticks.map(tickFormat(ticks, log));
  expect(write([0, 0.05, 0.1])).toEqual(['0.00', '0.05', '0.10']);
  expect(write([0, 500, 1000])).toEqual(['0', '500', '1,000']);
  expect(write([-1, 0, 1])).toEqual(['−1', '0', '1']);
  expect(write([0, 1e6, 2e6])).toEqual(['0', '1M', '2M']);
  expect(write([1e-5, 1e-4, 1e-3], true)).toEqual(['1e-5', '1e-4', '0.001']);
});

describe('smoothing', () => {
  test("is TensorBoard's: debiased", () => {
    // Worked out by hand: (0.6 · 0 + 0.4 · 1) / (1 − 0.6) = 1, (0.6 · 0.4 + 0.4 · 2) / (1 − 0.36) = 1.625, …
    const smoothed = smooth([1, 2, 3], 0.6);
    expect(smoothed[0]).toBeCloseTo(1, 12);
    expect(smoothed[1]).toBeCloseTo(1.625, 12);
    expect(smoothed[2]).toBeCloseTo((0.6 * 1.04 + 1.2) / (1 - 0.216), 12);
  });

  test('of weight 0 changes nothing, of a constant neither', () => {
    expect([...smooth([3, 1, 2], 0)]).toEqual([3, 1, 2]);
    for (const value of smooth([7, 7, 7, 7], 0.97)) expect(value).toBeCloseTo(7, 9);
  });

  test('passes over what is not finite', () => {
    const smoothed = smooth([1, Number.NaN, 2], 0.6);
    expect(smoothed[1]).toBeNaN();
    expect(smoothed[2]).toBeCloseTo(1.625, 12);
  });
});

describe('thinning', () => {
  const x = Float64Array.from({ length: 100_000 }, (_, index) => index);
  const all = [0, 100_000] as const;

  test('keeps extremes and never gives more than asked', () => {
    const mean = x.map((value) => (value === 54_321 ? 1000 : value === 99 ? -1000 : 1));
    const thinned = decimate({ x, mean }, all, 1500);
    expect(thinned.x.length).toBeLessThanOrEqual(1500);
    expect(Math.max(...thinned.max)).toBe(1000);
    expect(Math.min(...thinned.min)).toBe(-1000);
  });

  test('of few points changes nothing', () => {
    const thinned = decimate({ x: [1, 2, 3], mean: [4, 0, 6] }, [0, 10], 10);
    expect([...thinned.x]).toEqual([1, 2, 3]);
    expect([...thinned.mean]).toEqual([4, 0, 6]);
  });

  test('keeps gaps as gaps and tells where they are', () => {
    const mean = x.map((value) => (value >= 20_000 && value < 30_000 ? Number.NaN : 1));
    const thinned = decimate({ x, mean }, all, 1000);
    expect([...thinned.mean].filter(Number.isNaN).length).toBeCloseTo(100, -1);
    expect(thinned.gaps[0]).toBe(20_000);
    expect(decimate({ x: [1, 2, 3], mean: [1, Number.POSITIVE_INFINITY, 2] }, [0, 4]).gaps).toEqual([2]);
  });

  test('within a range keeps one neighbour on each side', () => {
    expect([...decimate({ x: [0, 10, 20, 30, 40], mean: [0, 1, 2, 3, 4] }, [15, 25]).x]).toEqual([10, 20, 30]);
  });
});

test('the nearest place', () => {
  expect(nearest([0, 10, 20], 14)).toBe(1);
  expect(nearest([0, 10, 20], 16)).toBe(2);
  expect(nearest([0, 10, 20], -5)).toBe(0);
  expect(nearest([0, 10, 20], 99)).toBe(2);
  expect(nearest([], 1)).toBe(-1);
});

describe('a frame', () => {
  const line = (mean: number[], more: Partial<LineSeries> = {}): LineSeries => ({
    key: 'a',
    label: 'loss',
    color: 'red',
    x: mean.map((_, index) => index),
    mean,
    ...more,
  });
  const options = { log: false, domain: null, live: false, xTickCount: 5, yTickCount: 5, wholeX: true };

  test('of a single point has no other place than its own', () => {
    const frame = frameOf([{ ...line([0.9]), x: [1] }], { ...options, wholeX: false });
    expect(frame).toMatchObject({ x: [0.5, 1.5], xTicks: [1] });
  });

  test('counts what a logarithmic axis hides, and what is not finite', () => {
    const frame = frameOf([line([1, 0, -2, Number.NaN, 10])], { ...options, log: true });
    expect(frame).toMatchObject({ hidden: 2, gaps: 1, x: [0, 4], empty: false });
    expect(frame.y[0]).toBeGreaterThan(0);
    expect(frame.y[0]).toBeLessThan(1);
  });

  test('fits y to the range of x that is shown', () => {
    const frame = frameOf([line([1000, 1, 2, 3])], { ...options, domain: [1, 3] });
    expect(frame.y[1]).toBeLessThan(5);
  });

  test('is that of what counts: what was given up decides nothing, unless it is alone', () => {
    const diverged = line([1, 1e23, 1e23], { ghost: true });
    expect(frameOf([diverged, line([1, 2, 3])], options).y[1]).toBeLessThan(5);
    expect(frameOf([diverged], options).y[1]).toBeGreaterThan(1e23);
  });

  test('holds the band', () => {
    expect(frameOf([line([1, 2], { min: [-4, 1], max: [2, 9] })], options).y).toEqual([-4.65, 9.65]);
  });

  test('of a run that goes on stands still while values grow a little', () => {
    const grown = Array.from({ length: 50 }, (_, more) =>
      frameOf([line(Array.from({ length: 1000 + more }, (_, step) => 2 / (1 + step / 100)))], {
        ...options,
        live: true,
      }),
    );
    expect(new Set(grown.map(({ x, y }) => JSON.stringify([x, y]))).size).toBeLessThanOrEqual(2);
    for (const [more, { x }] of grown.entries()) {
      expect(x[1]).toBeGreaterThanOrEqual(999 + more);
      expect(x[1]).toBeLessThan((999 + more) * 1.08);
    }
  });

  test('of sparse series has no gaps', () => {
    expect(frameOf([line([1, Number.NaN, 2], { sparse: true })], options).gaps).toBe(0);
  });

  test('of nothing and of one point can be drawn', () => {
    expect(frameOf([], options)).toMatchObject({ empty: true, x: [0, 1], y: [0, 1] });
    expect(frameOf([line([5])], options).x).toEqual([-0.5, 0.5]);
    expect(frameOf([line([Number.NaN])], options)).toMatchObject({ y: [0, 1], gaps: 1 });
  });

  test('is told in words', () => {
    expect(summary('Loss', [line([3, 1, 2])], String, String)).toBe(
      'Loss, from 0 to 2. loss: last 2, lowest 1 at 1, highest 3.',
    );
    expect(summary('Loss', [], String, String)).toBe('Loss: no values yet.');
  });
});

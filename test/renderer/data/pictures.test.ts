/** Samples as pictures, and what their values are. */
import { describe, expect, test } from 'vitest';
import { drawnRange, layoutOf, shownSize, toBars, toPixels } from '../../../renderer/data/pixels.ts';
import { histogram, normalizeFrom, spreadOf } from '../../../renderer/data/statistics.ts';

describe('how a sample is drawn', () => {
  test.each([
    [[1, 28, 28], { kind: 'image', channels: 1, height: 28, width: 28 }],
    [[3, 8, 16], { kind: 'image', channels: 3, height: 8, width: 16 }],
    [[5, 8, 16], { kind: 'image', channels: 5, height: 8, width: 16 }],
    [[20, 24], { kind: 'image', channels: 1, height: 20, width: 24 }],
    [[8, 16], { kind: 'lines', count: 8, length: 16, seriesStep: 16, valueStep: 1 }],
    [[50, 3], { kind: 'lines', count: 3, length: 50, seriesStep: 1, valueStep: 3 }],
    [[20], { kind: 'bars', length: 20 }],
    [[3, 1, 1], { kind: 'numbers', length: 3 }],
    [[2, 3, 4, 5], { kind: 'bars', length: 120 }],
    [[], { kind: 'numbers', length: 1 }],
  ])('%j', (dims, layout) => expect(layoutOf(dims)).toEqual(layout));

  test('a dim picture stays dim, others use the range that they have', () => {
    expect(drawnRange([0.2, 0.4])).toEqual([0, 1]);
    expect(drawnRange([-1, 1])).toEqual([-1, 1]);
    expect(drawnRange([0, 255])).toEqual([0, 255]);
    expect(drawnRange([3, 3])).toEqual([2.5, 3.5]);
  });

  test('grey, colour, and of more channels the first', () => {
    const layout = { kind: 'image', width: 2, height: 1 } as const;
    expect([...toPixels([0, 1], { ...layout, channels: 1 }, [0, 1])]).toEqual([0, 0, 0, 255, 255, 255, 255, 255]);
    expect([...toPixels([1, 0, 0, 1, 0, 0.5], { ...layout, channels: 3 }, [0, 1])]).toEqual([
      255, 0, 0, 255, 0, 255, 128, 255,
    ]);
    expect([...toPixels([0, 1, 1, 0], { ...layout, channels: 2 }, [0, 1])]).toEqual([0, 0, 0, 255, 255, 255, 255, 255]);
    // Beyond the range is black or white, not wrapped.
    expect([...toPixels([-9, 9], { ...layout, channels: 1 }, [0, 1])].filter((_, at) => at % 4 === 0)).toEqual([
      0, 255,
    ]);
  });

  test('long vectors keep their extremes', () => {
    const values = Array.from({ length: 1000 }, (_, at) => (at === 517 ? 9 : at === 3 ? -9 : 0));
    const bars = toBars(values, 100);
    expect(bars).toHaveLength(100);
    expect(bars[51]).toEqual({ least: 0, most: 9 });
    expect(bars[0]).toEqual({ least: -9, most: 0 });
    expect(toBars([1, 2], 100)).toEqual([
      { least: 1, most: 1 },
      { least: 2, most: 2 },
    ]);
  });

  test('small pictures grow by whole pixels, large ones shrink', () => {
    expect(shownSize(28, 28, 84)).toEqual({ width: 84, height: 84 });
    expect(shownSize(10, 30, 84)).toEqual({ width: 20, height: 60 });
    expect(shownSize(200, 100, 84)).toEqual({ width: 84, height: 42 });
  });
});

describe('what the values are', () => {
  test('mean and deviation of the population', () => {
    expect(spreadOf([])).toBeNull();
    expect(
      spreadOf([
        [1, 2],
        [3, 4],
      ]),
    ).toEqual({ mean: 2.5, std: Math.sqrt(1.25), least: 1, most: 4 });
  });

  test('every value is in one bin, the greatest in the last', () => {
    expect(histogram([[0, 0.1, 0.5], [1]], [0, 1], 4)).toEqual([2, 0, 1, 1]);
    expect(histogram([[3, 3]], [3, 3], 4)).toEqual([2, 0, 0, 0]);
  });

  test('Normalize is measured by channel where there are colours', () => {
    expect(normalizeFrom([[0, 1, 0, 1]], [1, 2, 2])).toEqual({ mean: [0.5], std: [0.5] });
    expect(normalizeFrom([[0, 1, 2, 4, 0, 10]], [3, 1, 2])).toEqual({ mean: [0.5, 3, 5], std: [0.5, 1, 5] });
    expect(normalizeFrom([[2, 2, 2, 2]], [1, 2, 2])).toBeNull();
    expect(normalizeFrom([], [1, 2, 2])).toBeNull();
  });
});

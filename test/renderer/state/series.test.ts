/** Series that grow in place, and how often frames of them are asked for. */
import { describe, expect, test } from 'vitest';
import { intervalFor } from '../../../renderer/state/pace.ts';
import { GrowingSeries, readSeries, type Series } from '../../../renderer/state/series.ts';

/** Buckets `from` to `to` of two steps each, as the engine sends them. */
function wire(from: number, to: number, columns: Record<string, number> = { loss: 1 }): Series {
  const buckets = to - from;
  const step = Array.from({ length: buckets }, (_, index) => 2 * (from + index + 1));
  const values = [
    ...step,
    ...step.map((at) => at / 10),
    ...step.map((at) => at / 100),
    ...Object.values(columns).flatMap((factor) => [0, 1, 2].flatMap((more) => step.map((at) => at * factor + more))),
  ];
  const text = Buffer.from(Float64Array.from(values).buffer).toString('base64');
  return readSeries({ columns: Object.keys(columns), buckets, size: 2, values: text });
}

const plain = ({ buckets, size, step, epoch, time, columns }: Series) => ({
  buckets,
  size,
  step: [...step],
  epoch: [...epoch],
  time: [...time],
  columns: Object.fromEntries(
    [...columns].map(([name, { min, mean, max }]) => [name, [[...min], [...mean], [...max]]]),
  ),
});

describe('growing series', () => {
  test('are what they would have been at once, however they came', () => {
    const grown = new GrowingSeries();
    grown.replace(wire(0, 3));
    // The last bucket is told again until it is finished; room is made more than once.
    for (let from = 2; from < 1500; from += 7) grown.splice(from, wire(from, from + 8));
    expect(plain(grown.series)).toEqual(plain(wire(0, grown.series.buckets)));
  });

  test('grow in the same arrays while there is room, and from others after they were replaced', () => {
    const grown = new GrowingSeries();
    grown.replace(wire(0, 10));
    grown.splice(9, wire(9, 12));
    const before = grown.series;
    grown.splice(11, wire(11, 20));
    expect(grown.series.step.buffer).toBe(before.step.buffer);
    expect(before.step.length).toBe(12);
    grown.replace(wire(0, 4));
    expect(grown.series.step.buffer).not.toBe(before.step.buffer);
    expect(plain(before)).toEqual(plain(wire(0, 12)));
  });

  test('have no values of a quantity where it was not told', () => {
    const grown = new GrowingSeries();
    grown.replace(wire(0, 2));
    grown.splice(2, wire(2, 4, { loss: 1, grad_norm: 3 }));
    grown.splice(4, wire(4, 5));
    const { mean } = grown.series.columns.get('grad_norm') ?? { mean: [] };
    expect([...mean]).toEqual([Number.NaN, Number.NaN, 19, 25, Number.NaN]);
    expect([...(grown.series.columns.get('loss')?.mean ?? [])]).toEqual([3, 5, 7, 9, 11]);
  });
});

describe('the time between two frames', () => {
  test('is the shortest while nothing is known', () => expect(intervalFor([], 2)).toBe(0));

  test('is longer where frames cost more or cores are fewer, and never so long that a line seems to stand', () => {
    expect(intervalFor([2], 2)).toBeGreaterThan(intervalFor([2], 8));
    expect(intervalFor([6], 2)).toBeGreaterThan(intervalFor([2], 2));
    expect(intervalFor([2], 8)).toBeLessThan(100);
    expect(intervalFor([500], 1)).toBe(300);
  });

  test('goes by the cheapest of the last frames: others were interrupted', () => {
    expect(intervalFor([40, 2, 90], 2)).toBe(intervalFor([2], 2));
  });
});

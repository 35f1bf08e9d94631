/** Where growing lines are painted anew. */
import { describe, expect, test } from 'vitest';
import type { LineSeries } from '../../../renderer/ui/charts/model.ts';
import { changedFrom, paintedLines } from '../../../renderer/ui/charts/tail.ts';

const room = Float64Array.from({ length: 200 }, (_, index) => index * 10);
const epochs = Array.from({ length: 100 }, (_, index) => index * 7);
const steps = (length: number, more: Partial<LineSeries> = {}): LineSeries => ({
  key: 'train',
  label: 'Training',
  color: 'red',
  x: room.subarray(0, length),
  mean: room.subarray(0, length),
  ...more,
});
const validation = (x: number[]): LineSeries => ({ ...steps(0), key: 'val', x, mean: x, exact: true });
const same = (value: number) => value;
const from = (before: LineSeries[], after: LineSeries[]) => changedFrom(paintedLines(before), after, same);

describe('a picture of lines changes', () => {
  test('from the last point that was finished when it was painted', () => {
    // Of 50 points the last may have been moving: the one before it stands at 480.
    expect(from([steps(50)], [steps(53)])).toBe(480);
    expect(from([steps(50)], [steps(50)])).toBe(480);
  });

  test('everywhere where values are other ones, fewer, or of other lines', () => {
    expect(from([steps(50)], [steps(53, { x: Float64Array.from(room.subarray(0, 53)) })])).toBe(0);
    expect(from([steps(50)], [steps(49)])).toBe(0);
    expect(from([steps(50)], [steps(50, { key: 'other' })])).toBe(0);
    expect(from([steps(50)], [steps(50), steps(50, { key: 'other' })])).toBe(0);
    expect(from([steps(1)], [steps(2)])).toBe(0);
  });

  test('nowhere for points of epochs, and for what was given up, while none is added', () => {
    expect(from([validation(epochs)], [validation(epochs)])).toBe(Number.POSITIVE_INFINITY);
    const ghost = steps(20, { ghost: true });
    expect(from([ghost, steps(50)], [ghost, steps(52)])).toBe(480);
  });

  test('everywhere while points are few and marked, then from the last one', () => {
    const few = epochs.slice(0, 60);
    const before = paintedLines([validation(few)]);
    few.push(500);
    expect(changedFrom(before, [validation(few)], same)).toBe(0);
    const many = [...epochs];
    const painted = paintedLines([validation(many)]);
    many.push(700);
    expect(changedFrom(painted, [validation(many)], same)).toBe(98 * 7);
  });
});

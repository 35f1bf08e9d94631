/** What was opened lately is not opened again for each page, and changes are noticed all the same. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { OpenedLately } from '../../engine/data/opened-lately.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function opener() {
  let times = 0;
  return { open: async () => ++times, times: () => times };
}

test('within the time nothing is opened twice; another source or a wish for it is', async () => {
  const lately = new OpenedLately<number>({ freshMs: 1000, slowMs: 0 });
  const { open, times } = opener();
  expect(await lately.get('a', open, false)).toBe(1);
  expect(await lately.get('a', open, false)).toBe(1);
  expect(await lately.get('a', open, true)).toBe(2);
  expect(await lately.get('a', open, false)).toBe(2);
  expect(await lately.get('b', open, false)).toBe(3);
  expect(times()).toBe(3);
});

test('after it the known one is answered while the next is opened, once', async () => {
  const lately = new OpenedLately<number>({ freshMs: 1000, slowMs: 0 });
  const { open, times } = opener();
  await lately.get('a', open, false);
  vi.advanceTimersByTime(1001);
  expect(await Promise.all([lately.get('a', open, false), lately.get('a', open, false)])).toEqual([1, 1]);
  expect(await lately.get('a', open, false)).toBe(2);
  expect(times()).toBe(2);
});

test('what opens quickly is opened each time', async () => {
  const lately = new OpenedLately<number>({ freshMs: 1000, slowMs: 100 });
  const { open } = opener();
  expect([await lately.get('a', open, false), await lately.get('a', open, false)]).toEqual([1, 2]);
  const slow = () => new Promise<number>((resolve) => setTimeout(() => resolve(9), 200));
  const opened = lately.get('a', slow, false);
  await vi.advanceTimersByTimeAsync(200);
  expect(await opened).toBe(9);
  expect(await lately.get('a', open, false)).toBe(9);
});

test('who asks while it is opened again waits for that, and a failure is told to the next', async () => {
  const lately = new OpenedLately<number>({ freshMs: 1000, slowMs: 0 });
  const { open } = opener();
  await lately.get('a', open, false);
  let fail = (_why: Error) => {};
  const again = lately.get('a', () => new Promise<number>((_, reject) => (fail = reject)), true);
  const meanwhile = lately.get('a', open, false);
  fail(new Error('gone'));
  await expect(again).rejects.toThrow('gone');
  await expect(meanwhile).rejects.toThrow('gone');
  expect(await lately.get('a', open, false)).toBe(2);
  vi.advanceTimersByTime(1001);
  const fails = () => Promise.reject(new Error('gone again'));
  expect(await lately.get('a', fails, false)).toBe(2);
  await vi.advanceTimersByTimeAsync(1);
  await expect(lately.get('a', fails, false)).rejects.toThrow('gone again');
});

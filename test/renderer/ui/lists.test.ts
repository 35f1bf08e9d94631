/** Searching and selecting in lists. */
import { expect, test } from 'vitest';
import { fuzzy, search } from '../../../renderer/ui/basics/fuzzy.ts';
import { compare, type Gesture, type Selection, select } from '../../../renderer/ui/basics/selection.ts';

const layers = [
  { label: 'Linear', keys: ['dense', 'fully connected'] },
  { label: 'Convolution 2D', keys: ['Conv2d'] },
  { label: 'Batch normalisation 2D', keys: ['BatchNorm2d'] },
  { label: 'Layer normalisation', keys: ['LayerNorm'] },
  { label: 'ReLU', keys: [] },
  { label: 'Leaky ReLU', keys: ['LeakyReLU'] },
];
const found = (query: string) => search(query, layers, ({ label, keys }) => [label, ...keys]).map(({ label }) => label);

test('three letters find what is meant', () => {
  expect(found('rel')[0]).toBe('ReLU');
  expect(found('con')[0]).toBe('Convolution 2D');
  expect(found('bn2')[0]).toBe('Batch normalisation 2D');
  expect(found('dense')[0]).toBe('Linear');
  expect(found('norm')).toEqual(['Layer normalisation', 'Batch normalisation 2D']);
  expect(found('ln')[0]).toBe('Layer normalisation');
  expect(found('xyz')).toEqual([]);
  expect(found('')).toHaveLength(layers.length);
});

test('tells which letters fit', () => {
  expect(fuzzy('bn', 'BatchNorm2d')?.at).toEqual([0, 5]);
  expect(fuzzy('orm', 'BatchNorm2d')?.at).toEqual([6, 7, 8]);
  expect(fuzzy('q', 'BatchNorm2d')).toBeNull();
});

const key = (row: number) => `r${row}`;
const run = (...gestures: Gesture[]) =>
  gestures.reduce<Selection>((was, gesture) => select(was, gesture, key), { keys: new Set(), at: 0, anchor: 0 });

test('selecting is as in a list of files', () => {
  expect([...run({ to: 3 }).keys]).toEqual(['r3']);
  expect([...run({ to: 3 }, { to: 5, range: true }).keys]).toEqual(['r3', 'r4', 'r5']);
  expect([...run({ to: 3 }, { to: 5, range: true }, { to: 2, range: true }).keys]).toEqual(['r2', 'r3']);
  expect([...run({ to: 1 }, { to: 4, toggle: true }, { to: 1, toggle: true }).keys]).toEqual(['r4']);
  expect([...run({ to: 1 }, { to: 5, toggle: true }, { to: 6, range: true, toggle: true }).keys]).toEqual([
    'r1',
    'r5',
    'r6',
  ]);
  expect(run({ to: 1 }, { to: 4, move: true })).toMatchObject({ at: 4, anchor: 1 });
});

test('sorting knows numbers in names and puts what is missing last', () => {
  const sort = (values: (string | number | null)[], descending: boolean) =>
    [...values].sort((a, b) => compare(a, b, descending));
  expect(sort(['run-10', 'run-9', 'run-1'], false)).toEqual(['run-1', 'run-9', 'run-10']);
  expect(sort([2, null, 3, Number.NaN, 1], true).slice(0, 3)).toEqual([3, 2, 1]);
  expect(sort([2, null, 3], false)).toEqual([2, 3, null]);
});

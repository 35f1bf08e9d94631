/** The pure parts of the page Data: roles of columns, points of a plane, shares of classes, names and keys. */
import { describe, expect, test } from 'vitest';
import type { TableColumn, TableRole } from '../../../engine/contract/data/table.ts';
import { sampleOf } from '../../../renderer/data/address.ts';
import { classShares } from '../../../renderer/data/class-shares.ts';
import { roleEdits } from '../../../renderer/data/column-edits.ts';
import { bytesOf, overlay } from '../../../renderer/data/pixels.ts';
import { captionOf, labelOf, markName } from '../../../renderer/data/sample-words.ts';
import { nearestPoint, pointsOf, pointTowards } from '../../../renderer/data/scatter.ts';
import { progressWords, stageWords } from '../../../renderer/data/work-words.ts';
import { marked } from '../../../renderer/state/mark-value.ts';

describe('roles of columns', () => {
  const column = (name: string, role: TableRole): TableColumn => ({
    name,
    role,
    type: 'BIGINT',
    reason: '',
    count: 1,
    missing: 0,
    distinct: 1,
    numbers: null,
    histogram: null,
    frequent: null,
  });
  const columns = [column('age', 'numeric'), column('city', 'categorical'), column('price', 'target_value')];
  const changed = (source: object, names: string[], role: TableRole) =>
    Object.fromEntries(
      roleEdits({ kind: 'table', ...source }, columns, names, role).map(({ path, value }) => [path.at(-1), value]),
    );

  test('several are changed at once, and what else is said of them stays', () => {
    expect(changed({ columns: { age: { scale: 'minmax' } } }, ['age', 'city'], 'ignore')).toEqual({
      columns: { age: { scale: 'minmax', role: 'ignore' }, city: { role: 'ignore' } },
    });
  });

  test('a target is named as the source names it, one class or several numbers', () => {
    expect(changed({ target: 'price' }, ['city'], 'target_class').target).toBe('city');
    expect(changed({}, ['age', 'price'], 'target_value').target).toEqual(['age', 'price']);
  });

  test('what is no target any more is not named as one', () => {
    expect(changed({ target: 'price' }, ['price'], 'numeric').target).toBeNull();
    expect(changed({ target: ['age', 'price'] }, ['price'], 'ignore').target).toBe('age');
    expect(changed({ target: 'price' }, ['age'], 'ignore')).not.toHaveProperty('target');
  });
});

describe('points of a plane', () => {
  const sample = (raw: number[], target: number | null = 0, goal?: number[]) => ({
    raw,
    target,
    ...(goal ? { goal } : {}),
  });

  test('two inputs, or an input and its answer', () => {
    const plane = pointsOf([sample([1, 2], 3), sample([3, 6], null)]);
    expect([...plane.x, ...plane.y, ...plane.group]).toEqual([1, 3, 2, 6, 3, -1]);
    expect([...pointsOf([sample([1], null, [7])]).y]).toEqual([7]);
  });

  test('the nearest within reach is meant, with up as up', () => {
    const plane = pointsOf([sample([0, 0]), sample([10, 10])]);
    const size = { width: 108, height: 108 };
    expect(nearestPoint(plane, { x: 4, y: 104 }, size)).toBe(0);
    expect(nearestPoint(plane, { x: 104, y: 6 }, size)).toBe(1);
    expect(nearestPoint(plane, { x: 54, y: 54 }, size)).toBeNull();
    expect(nearestPoint(pointsOf([]), { x: 0, y: 0 }, size)).toBeNull();
  });

  test('arrow keys go to the nearest that lies that way', () => {
    const plane = pointsOf([sample([0, 0]), sample([4, 1]), sample([2, 9]), sample([9, -3]), sample([0, 0])]);
    const size = { width: 100, height: 100 };
    expect(pointTowards(plane, 0, 'right', size)).toBe(1);
    expect(pointTowards(plane, 0, 'up', size)).toBe(2);
    expect(pointTowards(plane, 1, 'right', size)).toBe(3);
    expect(pointTowards(plane, 1, 'left', size)).toBe(0);
    expect(pointTowards(plane, 2, 'down', size)).toBe(1);
    expect(pointTowards(plane, 2, 'up', size)).toBeNull();
  });
});

describe('shares of classes', () => {
  const target = { kind: 'class' as const, classes: ['a', 'b'], counts: [90, 10] };
  const split = { val: 0.2, seed: 0, stratify: true };

  test('a stratified fraction is known by class beforehand', () => {
    expect(classShares({ target }, split, null)).toEqual([
      { name: 'a', train: 72, val: 18, test: null },
      { name: 'b', train: 8, val: 2, test: null },
    ]);
    expect(classShares({ target }, { ...split, stratify: false }, null)?.[1]).toEqual({
      name: 'b',
      train: 10,
      val: null,
      test: null,
    });
  });

  test('what a check has counted goes before, unless samples were marked since', () => {
    const checked = [
      { name: 'train' as const, count: 95, classes: [87, 9] },
      { name: 'val' as const, count: 4, classes: [3, 1] },
    ];
    expect(classShares({ target }, split, checked)?.[0]).toEqual({ name: 'a', train: 87, val: 3, test: null });
    const marked = { ...target, counts: [89, 11] };
    expect(classShares({ target: marked }, split, checked)?.[1]).toEqual({ name: 'b', train: 9, val: 2, test: null });
  });

  test('targets that are no classes have none', () => {
    expect(classShares({ target: { kind: 'vector', dims: [1] } }, split, null)).toBeNull();
    expect(classShares({ target: { kind: 'class', classes: ['a'] } }, split, null)).toBeNull();
  });
});

describe('names and keys', () => {
  test('a digit means the class that is called so, else the class that it counts to', () => {
    expect(labelOf('5', ['0', '1', '5'])).toBe('5');
    expect(labelOf('0', ['0', '1'])).toBe('0');
    expect(labelOf('7', ['0', '1'])).toBeUndefined();
    expect(labelOf('2', ['cat', 'dog'])).toBe('dog');
    expect(labelOf('3', ['cat', 'dog'])).toBeUndefined();
    expect(labelOf('a', ['a'])).toBeUndefined();
  });

  test('a sample is told by its class, its labels or its few numbers', () => {
    expect(markName({ index: 4 })).toBe('4');
    expect(markName({ index: 4, name: 'row 18' })).toBe('row 18');
    expect(captionOf({ target: 1 }, { kind: 'class', classes: ['cat', 'dog'] })).toBe('dog');
    expect(captionOf({ target: null, goal: [1, 0, 1] }, { kind: 'multi_label', classes: ['a', 'b', 'c'] })).toBe(
      'a, c',
    );
    expect(captionOf({ target: null, goal: [0, 0] }, { kind: 'multi_label', classes: ['a', 'b'] })).toBe('no label');
    expect(captionOf({ target: null, goal: [0.5, 2] }, { kind: 'vector', dims: [2] })).toBe('0.5, 2');
    expect(captionOf({ target: null, goal: [1, 2, 3, 4] }, { kind: 'vector', dims: [4] })).toBeNull();
  });

  test('a mark that says nothing is none', () => {
    expect(marked({ exclude: true, note: 'odd' }, { exclude: false })).toEqual({ note: 'odd' });
    expect(marked({ label: 'cat' }, { label: undefined })).toBeNull();
    expect(marked(null, { note: '' })).toBeNull();
  });

  test('an address names a sample by part and place', () => {
    expect(sampleOf('train.12')).toEqual({ part: 'train', index: 12 });
    expect(sampleOf('val.0')).toEqual({ part: 'val', index: 0 });
    for (const text of [null, '', 'train', 'train.-1', 'other.3', 'train.1.2']) expect(sampleOf(text)).toBeNull();
  });

  test('work on files is told by the file and in bytes', () => {
    const progress = { stage: 'importing /data/a/b.png', done: 1024, total: 4096, seconds_left: 80 };
    expect(stageWords(progress)).toBe('Importing b.png');
    expect(progressWords(progress)).toMatch(/^1.0 KiB of 4.0 KiB, about 1 min/);
    expect(stageWords({ stage: 'examining', done: 3, total: 9 })).toBe('Examining');
    expect(progressWords({ stage: 'examining', done: 3, total: 9 })).toBe('3 of 9');
    expect(progressWords({ stage: 'examining', done: 0, total: 0 })).toBe('');
  });

  test('a mask is laid over the picture, the first class left clear', () => {
    const bytes = Uint8ClampedArray.of(0, 0, 0, 255, 100, 100, 100, 255);
    overlay(bytes, [0, 1], [[200, 0, 0]]);
    expect([...bytes]).toEqual([0, 0, 0, 255, 155, 45, 45, 255]);
    expect([...bytesOf('AP8=')]).toEqual([0, 255]);
  });
});

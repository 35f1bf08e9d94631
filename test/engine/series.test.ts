/** Windows of time series: which there are, what they hold, that parts share no row and are scaled by the training part alone. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { cutSeries, windowStarts } from '../../engine/data/series/windows.ts';
import { openSource } from '../../engine/data/source.ts';
import { tableView } from '../../engine/data/table/view.ts';
import { testFolder } from './idx-writer.ts';
import { chosen, csv, fileOf, inputsOf, packed, targetsOf } from './table-helpers.ts';

beforeEach(() => {
  vi.stubEnv('GRADLOOM_CACHE', testFolder());
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const series = (path: string, settings: { [key: string]: unknown } = {}) => ({
  kind: 'series',
  path,
  window: 3,
  scale: 'none',
  val_part: 0,
  test_part: 0,
  ...settings,
});

async function open(source: { kind: string; [key: string]: unknown }, split = {}) {
  const given = chosen(source, split);
  return openSource(given.source, '/', { split: given.split });
}

const ten = () => fileOf(csv(10, { a: (i) => i, b: (i) => 10 * i }));

describe('windows', () => {
  test('each with the value behind it', async () => {
    const pack = await packed(series(ten(), { inputs: ['a'], target: 'b' }), { val: 0 });
    expect(inputsOf(pack)).toEqual([0, 1, 2, 3, 4, 5, 6].map((i) => [i, i + 1, i + 2]));
    expect(targetsOf(pack).flat()).toEqual([30, 40, 50, 60, 70, 80, 90]);
    expect(pack.facts).toMatchObject({ input: { dims: [1, 3] }, target: { kind: 'vector', dims: [1] } });
  });

  test('both layouts', async () => {
    const settings = { inputs: ['a', 'b'], target: 'b', stride: 4 };
    const first = await packed(series(ten(), settings), { val: 0 });
    const last = await packed(series(ten(), { ...settings, layout: 'channels_last' }), { val: 0 });
    expect([first.facts.input.dims, inputsOf(first)[0]]).toEqual([
      [2, 3],
      [0, 1, 2, 0, 10, 20],
    ]);
    expect([last.facts.input.dims, inputsOf(last)[0]]).toEqual([
      [3, 2],
      [0, 0, 1, 10, 2, 20],
    ]);
  });

  test('horizon and stride', async () => {
    const pack = await packed(series(ten(), { inputs: ['a'], target: 'a', horizon: 3, stride: 2 }), { val: 0 });
    expect(inputsOf(pack).map(([x]) => x)).toEqual([0, 2, 4]);
    expect(targetsOf(pack).flat()).toEqual([5, 7, 9]);
  });

  test('next: the inputs themselves', async () => {
    const pack = await packed(series(ten(), { predicts: 'next' }), { val: 0 });
    expect(pack.facts.target).toEqual({ kind: 'vector', dims: [2] });
    expect(targetsOf(pack)[0]).toEqual([3, 30]);
  });

  test('class: at the window’s last row', async () => {
    const path = fileOf(csv(12, { a: (i) => i, state: (i) => ['rest', 'walk'][Math.floor(i / 3) % 2] }));
    const pack = await packed(series(path, { predicts: 'class', target: 'state', horizon: 0, stride: 3 }), { val: 0 });
    expect(targetsOf(pack).flat()).toEqual([0, 1, 0, 1]);
    expect(pack.facts.target).toMatchObject({ kind: 'class', classes: ['rest', 'walk'], counts: [2, 2] });
  });

  test('none crosses from one series into another, rows come in the order of time', async () => {
    const rows = [
      '2020-01-03,a,2',
      '2020-01-01,b,10',
      '2020-01-01,a,0',
      '2020-01-02,a,1',
      '2020-01-02,b,11',
      '2020-01-10,a,3',
      '2020-01-03,b,12',
      '2020-01-04,b,13',
    ];
    const path = fileOf(`when,who,x\n${rows.join('\n')}\n`);
    const source = series(path, { order: 'when', group: 'who', target: 'x' });
    const pack = await packed(source, { val: 0 });
    expect(inputsOf(pack)).toEqual([
      [0, 1, 2],
      [10, 11, 12],
    ]);
    expect(targetsOf(pack).flat()).toEqual([3, 13]);
    expect((await open(source)).nameOf?.('train', 0)).toBe('rows 3–1');
  });

  test('missing values: windows left out, carried on, or the mean; a missing target is never made up', async () => {
    const path = fileOf(csv(9, { a: (i) => (i === 4 ? '' : i), y: (i) => (i === 7 ? '' : i) }));
    const starts = async (fill: string) =>
      inputsOf(await packed(series(path, { inputs: ['a'], target: 'y', fill }), { val: 0 }));
    expect(await starts('skip')).toEqual([
      [0, 1, 2],
      [1, 2, 3],
      [5, 6, 7],
    ]);
    expect((await starts('last'))[2]).toEqual([2, 3, 3]);
    expect((await starts('mean'))[2]).toEqual([2, 3, 4]);
    expect(await starts('last')).toHaveLength(5);
  });
});

describe('parts', () => {
  const hundred = () => fileOf(csv(100, { x: (i) => i }));
  const settings = { target: 'x', val_part: 0.2, test_part: 0.1, window: 5 };

  test('follow one another and share no row, targets included', async () => {
    const pack = await packed(series(hundred(), settings), { val: 'val' });
    const seen = (part: string) => new Set([...inputsOf(pack, part).flat(), ...targetsOf(pack, part).flat()]);
    expect([...seen('train')].sort((a, b) => a - b)).toEqual(Array.from({ length: 70 }, (_, i) => i));
    expect(Math.min(...seen('val'))).toBe(70);
    expect(Math.max(...seen('val'))).toBe(89);
    expect(Math.min(...seen('test'))).toBe(90);
    expect(pack.facts.parts).toEqual({ train: 65, val: 15, test: 5 });
  });

  test('are scaled by the training part alone', async () => {
    const pack = await packed(series(hundred(), { ...settings, scale: 'standard' }), { val: 'val' });
    const std = Math.sqrt((70 ** 2 - 1) / 12);
    expect(inputsOf(pack)[0]?.[0]).toBeCloseTo((0 - 34.5) / std, 5);
    expect(inputsOf(pack, 'test')[0]?.[0]).toBeCloseTo((90 - 34.5) / std, 5);
    expect(targetsOf(pack)[0]).toEqual([5]);
    const scaled = await packed(series(hundred(), { ...settings, scale: 'standard', scale_target: true }), {
      val: 'val',
    });
    expect(targetsOf(scaled)[0]?.[0]).toBeCloseTo((5 - 34.5) / std, 5);
  });

  test('a random split of windows that overlap is warned of', async () => {
    const told = async (split: object, more = {}) =>
      (await open(series(hundred(), { ...settings, ...more }), split)).notes?.some(({ message }) =>
        message.includes('share rows'),
      );
    expect(await told({ val: 0.1 })).toBe(true);
    expect(await told({ val: 'val' })).toBe(false);
    expect(await told({ val: 0.1 }, { stride: 6 })).toBe(false);
  });

  test('too short for a window they are left out, and a table that gives none is refused', async () => {
    const source = await open(series(hundred(), { ...settings, window: 30 }), { val: 'val' });
    expect(Object.keys(source.parts)).toEqual(['train']);
    expect(source.notes?.map(({ message }) => message).join()).toContain('The val part is too short');
    await expect(open(series(hundred(), { ...settings, window: 90 }))).rejects.toMatchObject({ code: 'DATA_FORMAT' });
  });

  test('by the rules alone', () => {
    expect(
      cutSeries(
        [
          { start: 0, end: 10 },
          { start: 10, end: 13 },
        ],
        { val_part: 0.2, test_part: 0.2 },
      ),
    ).toEqual({
      train: [
        { start: 0, end: 6 },
        { start: 10, end: 11 },
      ],
      val: [
        { start: 6, end: 8 },
        { start: 11, end: 12 },
      ],
      test: [
        { start: 8, end: 10 },
        { start: 12, end: 13 },
      ],
    });
    const found = windowStarts(
      [{ start: 0, end: 8 }],
      { window: 2, horizon: 1, stride: 1 },
      (row) => row === 3,
      (row) => row === 7,
    );
    expect([...found.starts]).toEqual([0, 1, 4]);
    expect(found.skipped).toBe(3);
  });
});

test('columns that are not there or not of numbers are named', async () => {
  const path = fileOf(csv(20, { a: (i) => i, t: (i) => (i === 3 ? 'x' : `${i}`) }));
  await expect(open(series(path, { inputs: ['b'] }))).rejects.toMatchObject({ path: 'data.source.inputs' });
  await expect(open(series(path, { inputs: ['t'], target: 'a' }))).rejects.toMatchObject({
    message: 'Column t is not of numbers: "x" in row 4.',
  });
});

test('a look at the table says what each column is to the windows', async () => {
  const path = fileOf(
    csv(20, { t: (i) => 100 - i, who: (i) => (i % 2 ? 'a' : 'b'), x: (i) => i, y: (i) => -i, z: () => 'w' }),
  );
  const roles = async (settings: { [key: string]: unknown }) => {
    const { source } = chosen(series(path, { order: 't', group: 'who', ...settings }));
    const { columns } = await tableView(source, '/', { start: 0, count: 3 });
    return Object.fromEntries(columns.map(({ name, role }) => [name, role]));
  };
  const special = { t: 'ignore', who: 'group', z: 'ignore' };
  expect(await roles({ target: 'y' })).toEqual({ ...special, x: 'numeric', y: 'numeric' });
  expect(await roles({ inputs: ['x'], target: 'y' })).toEqual({ ...special, x: 'numeric', y: 'target_value' });
  expect(await roles({ predicts: 'next', inputs: ['y'] })).toEqual({ ...special, x: 'ignore', y: 'numeric' });
  expect(await roles({ predicts: 'class', target: 'z' })).toMatchObject({ x: 'numeric', z: 'target_class' });
  const { source } = chosen(series(path, { target: 'w' }));
  const { rows, notes } = await tableView(source, '/', { start: 0, count: 3 });
  expect(rows).toHaveLength(3);
  expect(notes.map(({ message }) => message).join()).toContain('no column "w"');
});

/** Types, roles and statistics of a table's columns: by all values of a column, with the reasons. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { literal, withDatabase } from '../../engine/data/table/duckdb.ts';
import { readNumber } from '../../engine/data/table/encoding.ts';
import { numberSql, readNumberText } from '../../engine/data/table/numbers.ts';
import { dateSql } from '../../engine/data/table/profile.ts';
import { cacheDir } from '../../engine/workspace.ts';
import { testFolder } from './idx-writer.ts';
import { columnsOf, csv, fileOf, inputsOf, look, openTableAt, packed } from './table-helpers.ts';

beforeEach(() => {
  vi.stubEnv('GRADLOOM_CACHE', testFolder());
});
afterEach(() => {
  vi.unstubAllEnvs();
});

describe('case 3: types and missing values', () => {
  test('the category NA or ? stays one among texts, and is told; among numbers it is missing', async () => {
    const content = csv(30, {
      area: (i) => ['EU', 'NA', '?'][i % 3],
      n: (i) => (i % 5 === 0 ? 'NA' : i % 7),
      y: (i) => i % 2,
    });
    const { area, n, notes } = await columnsOf(content);
    expect(area).toMatchObject({
      role: 'categorical',
      missing: 0,
      distinct: 3,
      frequent: expect.arrayContaining([{ value: 'NA', count: 10 }]),
    });
    expect(n).toMatchObject({ role: 'numeric', missing: 6 });
    expect(notes.join()).toContain('Column area is of texts: "?" (10), "NA" (10) are categories there, not missing');
  });

  test('an explicit list counts in every column, one of a column in that one', async () => {
    const path = fileOf(
      csv(30, { a: (i) => ['EU', 'NA', 'X'][i % 3], n: (i) => (i % 5 === 0 ? 'X' : i % 7), y: (i) => i % 2 }),
    );
    const missing = async (settings: { [key: string]: unknown }) =>
      (await look(path, settings)).columns.map((column) => column.missing);
    expect(await missing({ missing: ['X'] })).toEqual([10, 6, 0]);
    expect(await missing({ columns: { a: { missing_tokens: ['NA'] } } })).toEqual([10, 0, 0]);
  });

  test('the same in a large file as in a small one: the last row decides as the first does', async () => {
    for (const count of [50, 150_000]) {
      // Enough of them for a column of texts.
      const last = (i: number) => (i >= 0.98 * count ? 'many' : i % 10);
      const { n, m } = await columnsOf(
        csv(count, { n: last, m: (i) => (i === count - 1 ? '0.5' : i % 10), y: (i) => i % 2 }),
      );
      expect(n?.type).toBe('VARCHAR');
      expect(n?.reason).toContain(
        `${(0.02 * count).toLocaleString('en')} of ${count.toLocaleString('en')} values are no`,
      );
      expect(m).toMatchObject({ type: 'DOUBLE', role: 'numeric', distinct: 11 });
    }
  });

  test('the reason is in numbers', async () => {
    const { n } = await columnsOf(csv(120, { n: (i) => i % 7, y: (i) => (i % 2 ? 'a' : 'b') }));
    expect(n?.reason).toBe('120 of 120 values are whole numbers, 7 different ones');
  });

  test('types are changed in bulk', async () => {
    const path = fileOf(csv(40, { a: (i) => i % 3, b: (i) => i % 4, c: (i) => i % 5, y: (i) => i % 2 }));
    const role = { role: 'categorical' };
    const open = await openTableAt(path, { target: 'y', columns: { a: role, b: role, c: role } });
    expect(open.columns.input.shape).toEqual([12]);
  });

  test.each<[string, { [name: string]: (row: number) => unknown }, { [name: string]: string }]>([
    [
      'row numbers and identifiers',
      { id: (i) => i + 1, key: (i) => `k${i}`, x: (i) => i % 5, y: (i) => i % 2 },
      { id: 'ignore', key: 'ignore', x: 'numeric' },
    ],
    [
      'constants and empty columns',
      { c: () => 7, e: () => '', x: (i) => i % 5, y: (i) => i % 2 },
      { c: 'ignore', e: 'ignore', x: 'numeric' },
    ],
    [
      'dates',
      { d: (i) => `2020-01-${String((i % 28) + 1).padStart(2, '0')}`, x: (i) => i % 5, y: (i) => i % 2 },
      { d: 'ignore' },
    ],
    ['free text', { t: (i) => `text ${i % 150}`, x: (i) => i % 5, y: (i) => i % 2 }, { t: 'ignore' }],
    [
      'targets by name',
      { species: (i) => 'abc'[i % 3], x: (i) => i % 5, z: (i) => i * 0.5 },
      { species: 'target_class', z: 'numeric' },
    ],
    ['many numbers as a target', { x: (i) => i % 5, y: (i) => i * 1.5 }, { y: 'target_value' }],
    ['few whole numbers as a target', { x: (i) => i * 1.5, y: (i) => i % 10 }, { y: 'target_class' }],
  ])('%s', async (_, columns, roles) => {
    const found = await columnsOf(csv(200, columns));
    for (const [name, role] of Object.entries(roles)) expect([name, found[name]?.role]).toEqual([name, role]);
  });

  test('a value that is no number in a column said to be of numbers is named with its row', async () => {
    const path = fileOf(csv(30, { n: (i) => (i === 17 ? 'abc' : i % 7), y: (i) => i % 2 }));
    const settings = { kind: 'table', path, columns: { n: { role: 'numeric' } } };
    await expect(packed(settings)).rejects.toMatchObject({
      message: expect.stringContaining('row 18: n: "abc" is no number'),
    });
    const pack = await packed({ ...settings, on_bad: 'skip' });
    expect(pack.excluded.train).toEqual([17]);
    expect(pack.facts.parts.train).toBe(29);
    expect(inputsOf(pack)[17]).toEqual([0]);
  });

  test('rows without a target, and numbers that 32 bits cannot hold', async () => {
    const path = fileOf('x,y\n1,a\n2,\n1e300,b\n-inf,a\n5,b\n');
    await expect(packed({ kind: 'table', path, columns: { x: { scale: 'none' } } })).rejects.toMatchObject({
      message: expect.stringMatching(
        /row 2: y: the target is missing[\s\S]*row 3: x: 1e300 is no number that 32[\s\S]*row 4: x: -inf/,
      ),
    });
  });

  test('rows of other lengths stop the import with their lines, or are left out', async () => {
    const path = fileOf('x,y\n1,a\n2,b,c\n3,b\n');
    await expect(openTableAt(path)).rejects.toMatchObject({
      message: expect.stringContaining('line 3: 3 cells, where the table has 2 columns'),
    });
    const open = await openTableAt(path, { on_bad: 'skip' });
    expect(open.parts).toEqual({ train: 2 });
    expect([0, 1].map((index) => open.nameOf?.('train', index))).toEqual(['row 1', 'row 3']);
    expect(open.notes).toContainEqual(
      expect.objectContaining({ names: ['line 3: 3 cells, where the table has 2 columns'], count: 1 }),
    );
  });
});

describe('numbers', () => {
  test.each<[string, string, (number | null)[]]>([
    ['decimal commas', 'x;y\n1,5;a\n1.234,25;b\n-3,0;a\n', [1.5, 1234.25, -3]],
    ['points between thousands', 'x;z;y\n1.234;0,5;a\n2.345.678;1,5;b\n', [1234, 2345678]],
    ['commas between thousands', 'x,y\n"1,234",a\n"2,345,678.5",b\n', [1234, 2345678.5]],
    ['signs, exponents, bare points', 'x,y\n+1,a\n-2.5e-3,b\n.5,a\n5.,b\n', [1, -0.0025, 0.5, 5]],
    ['points in a table with decimal commas', 'x;z;y\n0.5;0,5;a\n1.5;1,5;b\n', [0.5, 1.5]],
  ])('%s', async (_, content, values) => {
    const pack = await packed({
      kind: 'table',
      path: fileOf(content),
      target: 'y',
      columns: { x: { role: 'numeric', scale: 'none' }, ...(content.includes('z') ? { z: { role: 'ignore' } } : {}) },
    });
    expect(inputsOf(pack).map(([x]) => x)).toEqual(values.map((value) => Math.fround(value ?? Number.NaN)));
  });

  test('are read in SQL as they are here', async () => {
    const texts = [
      '1',
      '-1',
      '+1.5',
      '.5',
      '5.',
      '1e5',
      '1,5',
      '1.234',
      '1.234,5',
      '1,234',
      '1,234.5',
      '1_000',
      '0x10',
      'inf',
      '',
      '-',
      '1e',
      '१',
      '1 2',
      'nan',
    ];
    for (const style of ['point', 'comma', 'grouped'] as const) {
      const found = await withDatabase(cacheDir(), (database) =>
        database.rows(
          `SELECT ${numberSql('c', style)} FROM (VALUES ${texts.map((text) => `(${literal(text)})`).join(', ')}) AS t(c)`,
        ),
      );
      expect(found.map(([value]) => value)).toEqual(texts.map((text) => readNumberText(text, style)));
    }
  });
});

test('dates are read in SQL as they are here', async () => {
  const texts = [
    '2020-01-02',
    '1969-12-31',
    '2020-01-02 03:04:05',
    '2020-01-02T03:04:05Z',
    '2020-01-02 03:04:05.25+02:00',
  ];
  const odd = ['2020-13-01', '2020-1-2', '01/02/2020', '20200102', '2020-01-02x', 'abc', '2020-02-30'];
  const values = [...texts, ...odd].map((text) => `(${literal(text)})`).join(', ');
  const found = await withDatabase(cacheDir(), (database) =>
    database.rows(`SELECT ${dateSql(0, [''])} FROM (VALUES ${values}) AS t(c0)`),
  );
  const date = {
    kind: 'number',
    name: 'd',
    style: 'point',
    tokens: [''],
    date: true,
    shift: 0,
    scale: 1,
    fill: 0,
    indicator: false,
  } as const;
  const here = [...texts, ...odd].map((text) => readNumber(text, { ...date, tokens: [''] }));
  expect(found.map(([value]) => value)).toEqual(here.map((value) => (typeof value === 'number' ? value : null)));
  expect(found.slice(0, texts.length).every(([value]) => typeof value === 'number')).toBe(true);
});

describe('the view', () => {
  const path = () => fileOf(csv(100, { n: (i) => (i % 10 === 0 ? '' : i), t: (i) => `Word${i % 4}`, y: (i) => i % 2 }));

  test('has exact statistics', async () => {
    const { columns, total } = await look(path());
    const values = Array.from({ length: 100 }, (_, i) => i).filter((i) => i % 10 !== 0);
    const mean = values.reduce((a, b) => a + b, 0) / 90;
    expect(columns[0]).toMatchObject({
      count: 90,
      missing: 10,
      distinct: 90,
      numbers: {
        min: 1,
        max: 99,
        mean: expect.closeTo(mean, 10),
        std: expect.closeTo(Math.sqrt(values.reduce((a, b) => a + (b - mean) ** 2, 0) / 90), 10),
        median: 50,
      },
    });
    expect(columns[0]?.histogram?.reduce((a, b) => a + b, 0)).toBe(90);
    expect(columns[1]?.frequent).toEqual(['Word0', 'Word1', 'Word2', 'Word3'].map((value) => ({ value, count: 25 })));
    expect(total).toBe(100);
  });

  test('searches, sorts and pages', async () => {
    const file = path();
    const rows = async (wanted: object) => (await look(file, {}, wanted)).rows.map(({ row }) => row);
    expect(await rows({ start: 40, count: 3 })).toEqual([41, 42, 43]);
    expect(await rows({ count: 3, sort: { column: 'n', down: true } })).toEqual([100, 99, 98]);
    expect(await rows({ count: 3, sort: { column: 'n', down: false } })).toEqual([2, 3, 4]);
    expect(await rows({ count: 3, search: 'WORD1' })).toEqual([2, 6, 10]);
    expect((await look(file, {}, { search: "'; drop" })).total).toBe(0);
    expect((await look(file, {}, { count: 1 })).rows[0]?.cells).toEqual([null, 'Word0', '0']);
    await expect(look(file, {}, { sort: { column: 'm', down: true } })).rejects.toMatchObject({ code: 'BAD_CALL' });
  });

  test('shows a table whose roles do not go together, and says why', async () => {
    const { notes, columns } = await look(path(), { target: ['t', 'y'], columns: { t: { role: 'target_class' } } });
    expect(columns).toHaveLength(3);
    expect(notes[0]?.message).toContain('One class or several numbers');
  });
});

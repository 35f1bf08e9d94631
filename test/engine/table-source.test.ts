/** Tables as training sees them: encodings fitted on the rows that train, parts, formats that say the same. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { clearPacks } from '../../engine/data/cache.ts';
import { drawSplit } from '../../engine/data/draw.ts';
import { literal, withDatabase } from '../../engine/data/table/duckdb.ts';
import { sortedNames } from '../../engine/data/table/encoding.ts';
import { lazyAddon } from '../../engine/native/lazy.ts';
import { cacheDir } from '../../engine/workspace.ts';
import { testFolder } from './idx-writer.ts';
import { csv, encodingOf, fileOf, inputsOf, openTableAt, packed, targetsOf } from './table-helpers.ts';

beforeEach(() => {
  vi.stubEnv('GRADLOOM_CACHE', testFolder());
});
afterEach(() => {
  vi.unstubAllEnvs();
});

describe('encoding', () => {
  const count = 200;
  const content = csv(count, {
    x: (i) => (i % 11 === 4 ? '' : ((i * 7919) % 101) / 3),
    colour: (i) => ['red', 'green', 'blue'][(i * 7) % 3],
    y: (i) => ['no', 'yes'][(i * 5) % 2],
  });

  test('is fitted on the rows that train and on no others', async () => {
    const path = fileOf(content);
    const split = { val: 0.3, seed: 7 };
    const pack = await packed({ kind: 'table', path }, split);
    const raw = content
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split(',') as [string, string, string]);
    const labels = raw.map(([, , y]) => (y === 'yes' ? 1 : 0));
    const { train } = drawSplit({ count, labels }, { ...split, stratify: true }, lazyAddon.randperm);
    const values = Array.from(train, (row) => raw[row]?.[0] as string)
      .filter((text) => text !== '')
      .map(Number);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const std = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
    for (const [row, [x, colour]] of raw.entries()) {
      const found = inputsOf(pack)[row] as number[];
      expect(found[0]).toBeCloseTo(x === '' ? 0 : (Number(x) - mean) / std, 5);
      expect(found.slice(1)).toEqual(['blue', 'green', 'red'].map((name) => Number(name === colour)));
    }
    expect(targetsOf(pack).flat()).toEqual(labels);
    expect(pack.facts.target).toMatchObject({ kind: 'class', classes: ['no', 'yes'], counts: [100, 100] });
  });

  test('another split gives other numbers and another pack', async () => {
    const path = fileOf(content);
    const [a, b] = [
      await encodingOf(path, {}, { seed: 1, val: 0.5 }),
      await encodingOf(path, {}, { seed: 2, val: 0.5 }),
    ];
    expect(a.inputs[0]).not.toEqual(b.inputs[0]);
    const hashes = [
      await packed({ kind: 'table', path }, { seed: 1 }),
      await packed({ kind: 'table', path }, { seed: 2 }),
    ];
    expect(hashes[0]?.hash).not.toBe(hashes[1]?.hash);
  });

  test.each<[string, object, number[][]]>([
    ['standard', {}, [[-1], [0], [1]].map(([x]) => [(x as number) * Math.sqrt(1.5)])],
    ['minmax', { scale: 'minmax' }, [[0], [0.5], [1]]],
    ['none', { scale: 'none' }, [[2], [4], [6]]],
  ])('scale %s', async (_, settings, rows) => {
    const path = fileOf('x,y\n2,a\n4,b\n6,a\n');
    const pack = await packed({ kind: 'table', path, columns: { x: { role: 'numeric', ...settings } } }, { val: 0 });
    expect(inputsOf(pack)).toEqual(rows.map((row) => row.map((value) => expect.closeTo(value, 6))));
  });

  test.each<[string, number[][]]>([
    ['mean', [[1], [5], [4], [10]]],
    ['median', [[1], [1], [4], [10]]],
    ['zero', [[1], [0], [4], [10]]],
    [
      'indicator',
      [
        [1, 0],
        [4, 1],
        [1, 0],
        [10, 0],
      ],
    ],
  ])('missing numbers by %s', async (missing, rows) => {
    const body =
      missing === 'indicator'
        ? ['1', '', '1', '10']
        : missing === 'median'
          ? ['1', '', '4', '10']
          : ['1', '', '4', '10'];
    const path = fileOf(`x,y\n${body.map((x, i) => `${x},${i % 2}`).join('\n')}\n`);
    const pack = await packed(
      { kind: 'table', path, target: 'y', columns: { x: { role: 'numeric', scale: 'none', missing } } },
      { val: 0 },
    );
    const expected = missing === 'median' ? [[1], [4], [4], [10]] : rows;
    expect(inputsOf(pack)).toEqual(expected);
  });

  test('categories of other rows are zeros and are counted', async () => {
    const folder = testFolder();
    writeFileSync(
      join(folder, 'train.csv'),
      csv(40, { colour: (i) => ['red', 'blue'][i % 2], y: (i) => ['a', 'b'][i % 2] }),
    );
    writeFileSync(join(folder, 'test.csv'), 'y,colour\na,red\nb,pink\nb,\n');
    const open = await openTableAt(folder, {}, { val: 0 });
    expect(open.parts).toEqual({ train: 40, test: 3 });
    expect(open.notes).toContainEqual({
      message: expect.stringContaining('colour: values of rows of test that no row that trains has'),
      names: ['pink'],
      count: 1,
    });
    const pack = await packed({ kind: 'table', path: folder }, { val: 0 });
    expect(inputsOf(pack, 'test')).toEqual([
      [0, 1],
      [0, 0],
      [0, 0],
    ]);
    expect(targetsOf(pack, 'test')).toEqual([[0], [1], [1]]);
  });

  test('a class that training lacks is named', async () => {
    const folder = testFolder();
    writeFileSync(join(folder, 'train.csv'), 'x,y\n1,a\n2,b\n3,a\n4,b\n');
    writeFileSync(join(folder, 'test.csv'), 'x,y\n1,a\n2,c\n');
    await expect(packed({ kind: 'table', path: folder }, { val: 0 })).rejects.toMatchObject({
      message: expect.stringContaining('row 2: y: no row that trains is of class "c"'),
    });
  });

  test('classes are numbered by size where they are numbers', async () => {
    const path = fileOf(csv(60, { x: (i) => i * 0.5, y: (i) => [10, 9, 2.0, 100][i % 4] }));
    expect((await packed({ kind: 'table', path, target: 'y' })).facts.target).toMatchObject({
      classes: ['2', '9', '10', '100'],
    });
    expect(sortedNames(['b', 'B', 'a', '10', '9'])).toEqual(['10', '9', 'B', 'a', 'b']);
  });

  test('several numbers as targets, as they are', async () => {
    const path = fileOf('x,a,b\n1,10,0.5\n2,20,1.5\n4,30,2.5\n');
    const pack = await packed(
      { kind: 'table', path, target: ['a', 'b'], columns: { x: { role: 'numeric' } } },
      { val: 0 },
    );
    expect(pack.facts.target).toEqual({ kind: 'vector', dims: [2] });
    expect(targetsOf(pack)).toEqual([
      [10, 0.5],
      [20, 1.5],
      [30, 2.5],
    ]);
  });

  test('rows of one group stay together', async () => {
    const path = fileOf(csv(90, { x: (i) => i % 13, who: (i) => `p${i % 9}`, y: (i) => i % 2 }));
    const pack = await packed({ kind: 'table', path, target: 'y', columns: { who: { role: 'group' } } });
    expect(pack.facts.input.dims).toEqual([1]);
    expect(pack.parts.train?.group?.dtype).toBe('int64');
  });

  test('a column says the part', async () => {
    const path = fileOf('x,set,y\n1,train,a\n2,test,b\n3,train,b\n4,val,a\n5,Training,a\n');
    const open = await openTableAt(
      path,
      { part_column: 'set', target: 'y', columns: { x: { role: 'numeric', scale: 'none' } } },
      { val: 'val' },
    );
    expect(open.parts).toEqual({ train: 3, val: 1, test: 1 });
    expect(open.nameOf?.('test', 0)).toBe('row 2');
    const pack = await packed(
      { kind: 'table', path, part_column: 'set', target: 'y', columns: { x: { role: 'numeric', scale: 'none' } } },
      { val: 'val' },
    );
    expect([inputsOf(pack), inputsOf(pack, 'val'), inputsOf(pack, 'test')]).toEqual([[[1], [3], [5]], [[4]], [[2]]]);
  });

  test('dates as numbers are seconds since 1970', async () => {
    const path = fileOf('d,x,y\n1970-01-02,1,a\n2000-01-01 12:00:00,2,b\n');
    const pack = await packed({ kind: 'table', path, columns: { d: { role: 'numeric', scale: 'none' } } }, { val: 0 });
    expect(inputsOf(pack).map(([d]) => d)).toEqual([86_400, Math.fround(946_728_000)]);
  });
});

describe('formats', () => {
  test('Parquet, JSON lines, a JSON list and a packed CSV give what CSV gives', async () => {
    const path = fileOf('n,f,t,y\n1,0.5,"a,b",x\n2,,NA,z\n3,1e3,"ü ""q""",x\n4,-2.25,c,z\n');
    const folder = testFolder();
    const copies = {
      parquet: 'FORMAT parquet',
      jsonl: 'FORMAT json',
      json: 'FORMAT json, ARRAY true',
      'csv.gz': 'FORMAT csv, COMPRESSION gzip',
    };
    await withDatabase(cacheDir(), async (database) => {
      for (const [ending, how] of Object.entries(copies)) {
        await database.run(
          `COPY (SELECT n::INT AS n, f::DOUBLE AS f, t, y FROM read_csv($path, header = true, all_varchar = true)) TO ${literal(join(folder, `t.${ending}`))} (${how})`,
          { path },
        );
      }
    });
    const settings = {
      target: 'y',
      columns: { n: { role: 'numeric' }, f: { role: 'numeric' }, t: { role: 'categorical' } },
    };
    const first = await packed({ kind: 'table', path, ...settings }, { val: 0 });
    for (const ending of Object.keys(copies)) {
      const other = await packed({ kind: 'table', path: join(folder, `t.${ending}`), ...settings }, { val: 0 });
      expect([ending, inputsOf(other), targetsOf(other)]).toEqual([ending, inputsOf(first), targetsOf(first)]);
    }
  });

  test('a folder with several tables for a part is refused', async () => {
    const folder = testFolder();
    mkdirSync(folder, { recursive: true });
    for (const name of ['train_a.csv', 'train_b.csv']) writeFileSync(join(folder, name), 'x,y\n1,a\n');
    await expect(openTableAt(folder)).rejects.toMatchObject({
      message: expect.stringContaining('several tables for train'),
    });
  });

  test('order and bits are the same each time, for more rows than one piece', async () => {
    const path = fileOf(
      csv(300_000, { x: (i) => (i * 7919) % 10_007, t: (i) => ['a', 'b', 'c'][i % 3], y: (i) => i % 2 }),
    );
    const first = await packed({ kind: 'table', path });
    vi.stubEnv('GRADLOOM_CACHE', testFolder());
    const second = await packed({ kind: 'table', path });
    expect(second.hash).toBe(first.hash);
    expect(targetsOf(first).slice(0, 4).flat()).toEqual([0, 1, 0, 1]);
    const categories = inputsOf(first).map((row) => row.slice(1).indexOf(1));
    expect(categories.every((at, row) => at === row % 3)).toBe(true);
  });
});

test('clearing the cache takes what tables were read into, and what a process left that is gone', async () => {
  const path = fileOf(csv(40, { x: (i) => i % 7, part: (i) => (i % 4 ? 'train' : 'test'), y: (i) => i % 2 }));
  const { hash } = await packed({ kind: 'table', path, part_column: 'part' });
  const tables = join(cacheDir(), 'tables');
  const key = '0'.repeat(32);
  const [gone, alive] = [2 ** 22 + 1, process.pid].map((pid) => join(tables, `${key}.${pid}-abcd.tmp`));
  for (const folder of [gone, alive, join(tables, `spill-${2 ** 22 + 1}-ab`)]) mkdirSync(folder as string);
  expect((await clearPacks(cacheDir())).bytes).toBeGreaterThan(0);
  expect(readdirSync(tables)).toEqual([`${key}.${process.pid}-abcd.tmp`]);
  expect((await packed({ kind: 'table', path, part_column: 'part' })).hash).toBe(hash);
});

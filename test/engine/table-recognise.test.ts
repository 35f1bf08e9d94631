/** What is taken for a table or a series, by content, and what is not. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { inspectPath } from '../../engine/data/recognise/inspect.ts';
import { testFolder } from './idx-writer.ts';
import { csv, fileOf } from './table-helpers.ts';

beforeEach(() => {
  vi.stubEnv('GRADLOOM_CACHE', testFolder());
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const seen = async (path: string) =>
  (await inspectPath(path)).found.filter(({ source }) => source.kind === 'table' || source.kind === 'series');
const flowers = csv(60, {
  width: (i) => (i % 7) / 2,
  length: (i) => (i % 5) / 3,
  species: (i) => ['a', 'b', 'c'][i % 3],
});

test('a CSV file, with what was guessed and why', async () => {
  const path = fileOf(flowers);
  const [found] = await seen(path);
  expect(found).toMatchObject({
    source: { kind: 'table', path, target: 'species' },
    title: 'Table, 60 rows of 3 columns',
    sure: 'certain',
    facts: { input: { dims: [2] }, target: { kind: 'class', classes: ['a', 'b', 'c'] }, parts: { train: 60 } },
  });
  expect(found?.guesses.map(({ key }) => key)).toEqual(['encoding', 'delimiter', 'header', 'target']);
  for (const { reason } of found?.guesses ?? []) expect(reason).not.toBe('');
});

test.each<[string, string, string]>([
  ['without a name that says so', flowers.replaceAll(',', ';'), 'measured'],
  ['JSON lines', '{"a":1,"y":"p"}\n{"a":2,"y":"q"}\n', 'rows.jsonl'],
  ['a JSON list', '[{"a":1,"y":"p"},{"a":2,"y":"q"}]', 'rows.json'],
])('a table %s', async (_, content, name) => {
  expect((await seen(fileOf(content, name)))[0]?.source.kind).toBe('table');
});

test.each<[string, string, string]>([
  ['a letter', 'Dear all,\nthis is no table.\nIt has commas, of course, and lines.\nBest,\nme\n', 'letter.txt'],
  ['settings', '{\n  "a": 1,\n  "b": { "c": 2 }\n}\n', 'settings.json'],
  ['nothing', '', 'empty.csv'],
])('%s is none', async (_, content, name) => {
  expect(await seen(fileOf(content, name))).toEqual([]);
});

test('a folder with parts', async () => {
  const folder = join(testFolder(), 'flowers');
  mkdirSync(folder);
  writeFileSync(join(folder, 'train.csv'), flowers);
  writeFileSync(join(folder, 'test.csv'), flowers);
  const [found] = await seen(folder);
  expect(found).toMatchObject({ source: { kind: 'table', path: folder }, facts: { parts: { train: 60, test: 60 } } });
});

test('rows that are none of it are told, and do not hide it', async () => {
  const [found] = await seen(fileOf(`${flowers}1,2\n`));
  expect(found?.notes).toContainEqual(
    expect.objectContaining({ names: ['line 62: 2 cells, where the table has 3 columns'] }),
  );
});

test('dates beside numbers may be a series, one for each station', async () => {
  const day = (i: number) => new Date(Date.UTC(2020, 0, 1 + Math.floor(i / 2))).toISOString().slice(0, 10);
  const path = fileOf(csv(400, { day, station: (i) => 'AB'[i % 2], rain: (i) => ((i * 7) % 11) / 2 }));
  const [table, series] = await seen(path);
  expect(table?.source.kind).toBe('table');
  expect(series).toMatchObject({
    source: { kind: 'series', order: 'day', group: 'station', target: 'rain', window: 10 },
    sure: 'possible',
    facts: { input: { dims: [1, 10] }, parts: { train: 300, val: 20, test: 20 } },
  });
});

test('a column called split with words for parts divides the rows, as a guess with its reason', async () => {
  const word = (i: number) => (i % 10 < 7 ? 'train' : i % 10 < 9 ? 'Val' : 'test');
  const rows = (name: string, of: (i: number) => unknown) =>
    fileOf(csv(60, { a: (i) => (i % 7) / 2, [name]: of, b: (i) => (i % 5) / 3, y: (i) => 'pq'[i % 2] }));
  const [found] = await seen(rows('Split', word));
  expect(found).toMatchObject({
    source: { kind: 'table', part_column: 'Split', target: 'y' },
    title: 'Table, 60 rows of 4 columns',
    facts: { parts: { train: 42, val: 12, test: 6 }, input: { dims: [2] } },
  });
  expect(found?.guesses).toContainEqual({
    key: 'part_column',
    value: 'Split',
    reason: 'all of its values name parts: "Val", "test", "train"',
  });
  for (const path of [
    rows('fold', (i) => i % 5),
    rows('set', (i) => (i % 2 ? 'train' : 'jazz')),
    rows('kind', word),
    rows('part', () => 'train'),
  ]) {
    expect((await seen(path))[0]?.source).not.toHaveProperty('part_column');
  }
});

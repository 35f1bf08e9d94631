/** Tables as people write them: marks that could mean two things, slips in columns of numbers, long numbers. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { codes, examine, only } from './doctor-helpers.ts';
import { testFolder } from './idx-writer.ts';
import { columnsOf, csv, fileOf, inputsOf, look, openTableAt, packed } from './table-helpers.ts';

beforeEach(() => {
  vi.stubEnv('GRADLOOM_CACHE', testFolder());
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const valuesOf = async (content: string, settings = {}) => {
  const source = { kind: 'table', path: fileOf(content), target: 'y', columns: { v: { scale: 'none' } }, ...settings };
  return inputsOf(await packed(source)).map(([v]) => v);
};
const close = (values: number[]) => values.map((value) => Math.fround(value));

describe('three digits behind a comma or a point', () => {
  test.each<[string, string, number[]]>([
    ['no group of thousands begins with 0', 'v;y\n0,357;p\n0,040;q\n-0,192;p\n', [0.357, 0.04, -0.192]],
    ['quoted, between commas', 'v,y\n"7,576",p\n"0,871",q\n"9,658",p\n', [7.576, 0.871, 9.658]],
    ['behind a semicolon a comma is decimal', 'v;y\n7,332;p\n8,970;q\n-7,925;p\n', [7.332, 8.97, -7.925]],
    ['behind a tab', 'v\ty\n7,332\tp\n8,970\tq\n', [7.332, 8.97]],
    ['but not where the table has decimal points', 'v;w;y\n7,332;0.5;p\n8,970;1.5;q\n', [7332, 8970]],
    ['nor where it has thousands in another column', 'v;w;y\n7,332;"1,234,567";p\n8,970;1,234.5;q\n', [7332, 8970]],
    ['between commas they are thousands', 'v,y\n"7,332",p\n"8,970",q\n', [7332, 8970]],
  ])('%s', async (_, content, values) => {
    expect(await valuesOf(content)).toEqual(close(values));
  });

  test.each<[string, string, string | undefined, RegExp]>([
    [
      'thousands or decimals',
      'v;y\n7,332;p\n8,970;q\n',
      ',',
      /^in v groups of three digits could be thousands as well/,
    ],
    [
      'taken for thousands',
      'v,y\n"7,332",p\n"8,970",q\n',
      '.',
      /^in v commas before three digits.* decimal ones as well/,
    ],
    [
      'sure of one, not of another',
      'v;w;y\n2.989;8,12;p\n7.288;4,23;q\n',
      ',',
      /^w can be read in no other way; in v /,
    ],
  ])('what is ambiguous is told as a guess: %s', async (_, content, value, reason) => {
    const { openTable } = await import('../../engine/data/table/open-table.ts');
    const { chosen } = await import('./table-helpers.ts');
    const { cacheDir } = await import('../../engine/workspace.ts');
    const { source } = chosen({ kind: 'table', path: fileOf(content), target: 'y' });
    const { guesses } = await openTable(source as never, '/', { cacheDir: cacheDir() });
    expect(guesses.find(({ key }) => key === 'decimal')).toMatchObject({
      value,
      reason: expect.stringMatching(reason),
    });
  });
});

describe('slips in a column of numbers', () => {
  const slipped = (count: number, slip = 'x7') =>
    csv(count, { n: (i) => (i === 40 ? slip : (i % 7) + 0.5), y: (i) => i % 2 });

  test('few of many leave it numeric; their rows are named and stop the import, or are left out', async () => {
    const path = fileOf(slipped(200));
    const { columns, notes } = await look(path);
    expect(columns[0]).toMatchObject({ role: 'numeric', type: 'DOUBLE', distinct: 7 });
    expect(columns[0]?.reason).toBe('1 of 200 values are no numbers: "x7" in row 41');
    expect(notes.map(({ message }) => message)).toContain('Column n: 1 of 200 values are no numbers: "x7" in row 41');
    await expect(packed({ kind: 'table', path })).rejects.toMatchObject({
      message: expect.stringContaining('row 41: n: "x7" is no number'),
    });
    const open = await openTableAt(path, { on_bad: 'skip' });
    expect(open.notes).toContainEqual(expect.objectContaining({ names: ['row 41: n: "x7" is no number'], count: 1 }));
  });

  test('more than one in a hundred make it one of texts', async () => {
    expect((await columnsOf(slipped(60))).n?.type).toBe('VARCHAR');
  });

  test('n.a. is missing', async () => {
    for (const token of ['n.a.', 'N.A.']) {
      expect((await columnsOf(slipped(60, token))).n).toMatchObject({ type: 'DOUBLE', missing: 1 });
    }
  });
});

test('long numbers that doubles round to one another are different all the same', async () => {
  const id = (i: number) => `90071992547409${String(i).padStart(5, '0')}`;
  const { user_id } = await columnsOf(csv(40, { user_id: id, x: (i) => i % 5, y: (i) => i % 2 }));
  expect(user_id).toMatchObject({ distinct: 40, role: 'ignore' });
  expect(user_id?.reason).toContain('called like an identifier');
});

describe('a broken line of JSON', () => {
  const lines = (bad: string[]) =>
    Array.from({ length: 40 }, (_, i) => bad[i - 20] ?? JSON.stringify({ a: i / 2, y: i % 2 ? 'p' : 'q' })).join('\n');

  test('stops with its line, or is left out; the rows after it keep their numbers', async () => {
    const path = fileOf(lines(['{"a": 0.5, "y": "p"', '[1, 2]']), 'rows.jsonl');
    const refused = await openTableAt(path).catch((thrown: Error) => thrown.message);
    expect(refused).toContain(`2 rows that cannot be read:\n  line 21: it is no JSON: "{\\"a\\": 0.5`);
    expect(refused).toContain('line 22: it is no object of values');
    const open = await openTableAt(path, { on_bad: 'skip' });
    expect(open.parts).toEqual({ train: 38 });
    expect([19, 20].map((at) => open.nameOf?.('train', at))).toEqual(['row 20', 'row 23']);
  });

  test('a file that is no JSON lines is told as what it is', async () => {
    const path = fileOf('{\n"a": 1,\n"b"\n}\n', 'rows.jsonl');
    await expect(openTableAt(path, { on_bad: 'skip' })).rejects.toMatchObject({
      message: expect.stringContaining('cannot be read as json'),
    });
  });
});

describe('the Data Doctor', () => {
  test('tells ragged rows as samples that cannot be read', async () => {
    const path = fileOf(`${csv(40, { a: (i) => (i * 7) % 11, y: (i) => i % 2 })}1,2,3\n`);
    const finding = only(await examine({ kind: 'table', path }), 'UNREADABLE');
    expect(finding).toMatchObject({
      severity: 'error',
      count: 1,
      offenders: [{ name: 'line 42', detail: '3 cells, where the table has 2 columns' }],
    });
    expect(finding.fixes).toHaveLength(1);
    const skipping = await examine({ kind: 'table', path, on_bad: 'skip' });
    expect(only(skipping, 'UNREADABLE')).toMatchObject({ severity: 'warning', fixes: [] });
  });

  test('names columns that few odd cells have made one of texts, and reads them as numbers by a click', async () => {
    const path = fileOf(csv(60, { a: (i) => (i % 30 === 7 ? 'bad' : i * 3), b: (i) => (i * 7) % 11, y: (i) => i % 2 }));
    const finding = only(await examine({ kind: 'table', path }), 'NEARLY_NUMBERS');
    expect(finding.offenders).toEqual([
      { name: 'column a', detail: '2 of 60 values are no numbers: "bad" in row 8, "bad" in row 38' },
    ]);
    expect(finding.fixes[0]?.edits).toEqual([
      { op: 'set', path: ['data', 'source', 'columns', 'a', 'role'], value: 'numeric' },
    ]);
    const said = await examine({ kind: 'table', path, columns: { a: { role: 'ignore' } } });
    expect(codes(said)).not.toContain('NEARLY_NUMBERS');
  });
});

test.each<[string, unknown[], string]>([
  ['letter case', ['TRUE', 'true', 'False', 'FALSE'], '"FALSE", "False"; "TRUE", "true"'],
  ['leading zeros', ['01', '1', '2', '02'], '"01", "1"; "02", "2"'],
])('classes that differ in %s alone are told', async (_, names, told) => {
  const { notes, target } = await openTableAt(fileOf(csv(40, { a: (i) => i / 2, y: (i) => names[i % 4] })));
  expect(await target()).toMatchObject({ classes: expect.arrayContaining(names) });
  expect(notes?.map(({ message }) => message)).toContain(
    `Classes of y differ only in letter case, spaces or leading zeros, and count as different: ${told}`,
  );
});

describe('numbers and dates that are not read', () => {
  const writings: [string, (i: number) => string][] = [
    ['dates in another order', (i) => `${(i % 12) + 1}/${(i % 28) + 1}/2024`],
    ['percentages', (i) => `${i % 30}%`],
    ['apostrophes', (i) => `${(i % 30) + 1}'234.5`],
    ['blanks between thousands', (i) => `${(i % 30) + 1}\u00a0234,5`],
    ['minus sign', (i) => `${i % 2 ? '−' : ''}${i % 30}.5`],
    ['money', (i) => `$1.${10 + (i % 30)}`],
  ];
  test.each(writings)('are no inputs of one value each, and told: %s', async (what, write) => {
    for (const more of [0, 150]) {
      const wide = Object.fromEntries(Array.from({ length: more }, (_, at) => [`m${at}`, (i: number) => i % 3]));
      const { v, notes } = await columnsOf(csv(40, { v: (i) => `"${write(i)}"`, ...wide, y: (i) => i % 2 }));
      expect(v?.role).toBe('ignore');
      expect(notes.join()).toMatch(
        new RegExp(`values of column v look like .*${what === 'money' ? what : what.slice(0, 5)}`),
      );
    }
  });

  test('nor is a text that nearly each row has its own of', async () => {
    const { v } = await columnsOf(csv(40, { v: (i) => `t${i % 30}`, x: (i) => i % 3, y: (i) => i % 2 }));
    expect(v).toMatchObject({
      role: 'ignore',
      reason: expect.stringContaining('nearly each row has a value of its own'),
    });
  });
});

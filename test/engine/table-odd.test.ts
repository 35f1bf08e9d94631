/** Tables as people write them: marks that could mean two things, slips in columns of numbers, long numbers. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
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

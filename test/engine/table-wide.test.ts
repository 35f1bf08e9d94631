/** Tables of hundreds of columns, whose cells are walked through: they say what narrow ones say, which SQL looks at. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { testFolder } from './idx-writer.ts';
import { csv, fileOf, inputsOf, look, packed, targetsOf } from './table-helpers.ts';

beforeEach(() => {
  vi.stubEnv('GRADLOOM_CACHE', testFolder());
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const rows = 60;
type Columns = { [name: string]: (row: number) => unknown };

const columns: Columns = {
  whole: (i) => (i * 7) % 31,
  point: (i) => (i * 0.37 - 5).toFixed(2),
  signed: (i) => ['-0', '0', '+1', '1e2', '.5', '2.'][i % 6],
  infinite: (i) => (i === 3 ? '-inf' : i === 4 ? '1e999' : i),
  huge: (i) => (i === 0 ? '-1.7e308' : i === 1 ? '1.7e308' : i),
  thousands: (i) => `${i + 1}.${100 + i}`,
  grouped: (i) => `"${i + 1},${100 + i}"`,
  gaps: (i) => (i % 5 === 0 ? ['', 'NA', '?', '-', 'null'][(i / 5) % 5] : i / 8),
  same: () => 4,
  none: () => '',
  tokens: () => 'NaN',
  categories: (i) => ['EU', 'NA', '?', 'é'][i % 4],
  odd: (i) => (i % 20 === 7 ? 'seven' : i % 20 === 9 ? 'NA' : i),
  ownTokens: (i) => (i % 6 === 0 ? 'X' : i % 9),
  day: (i) => `2024-02-${String((i % 28) + 1).padStart(2, '0')}`,
  time: (i) => (i % 9 === 0 ? '' : `2024-02-03 0${i % 9}:00:00+01`),
  noDay: (i) => `2024-02-${String((i % 30) + 1).padStart(2, '0')}`,
  id: (i) => `id-${i}`,
};
const target: Columns = { y: (i) => ['no', 'yes', 'perhaps'][i % 3] };
const filler: Columns = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`f${at}`, (i: number) => i % 4]));
const names = [...Object.keys(columns), ...Object.keys(target)];

const narrowAndWide = (own: Columns) =>
  [fileOf(csv(rows, { ...own, ...target })), fileOf(csv(rows, { ...own, ...target, ...filler }))] as const;

type Found = Awaited<ReturnType<typeof look>>;

/** Sums come in another order. */
const rounded = ({ columns: found }: Found) =>
  found
    .filter(({ name }) => names.includes(name))
    .map(({ numbers, ...column }) => ({
      ...column,
      numbers: numbers && Object.entries(numbers).map(([name, value]) => [name, Number(value.toPrecision(12))]),
    }));

test.each([
  ['as they are', {}],
  ['with tokens of a column', { columns: { ownTokens: { missing_tokens: ['X'] } } }],
  ['with tokens of the table', { missing: ['X', 'seven'] }],
  ['with decimal commas', { decimal: ',' }],
])('types, reasons and statistics, %s', async (_, settings) => {
  // Whose deviation is none takes that of its neighbours with it where SQL looks.
  const { huge, infinite, ...finite } = columns;
  for (const own of [finite, { infinite }, { huge }] as Columns[]) {
    const [narrow, wide] = narrowAndWide(own);
    const said = Object.hasOwn(own, 'ownTokens') || !('columns' in settings) ? { ...settings, target: 'y' } : {};
    expect(rounded(await look(wide, said))).toEqual(rounded(await look(narrow, said)));
  }
});

test('what trains, and rows that cannot', async () => {
  const [narrow, wide] = narrowAndWide({
    ...columns,
    word: (i) => (i === 5 ? 'none at all' : i),
  });
  const settings = {
    target: 'y',
    on_bad: 'skip',
    columns: {
      word: { role: 'numeric' },
      day: { role: 'numeric' },
      huge: { role: 'ignore' },
      gaps: { missing: 'indicator' },
      whole: { missing: 'median' },
    },
  };
  const [few, many] = [
    await packed({ kind: 'table', path: narrow, ...settings }),
    await packed({ kind: 'table', path: wide, ...settings }),
  ];
  const width = inputsOf(few)[0]?.length ?? 0;
  expect(width).toBeGreaterThan(10);
  expect(inputsOf(many).map((row) => row.slice(0, width))).toEqual(inputsOf(few));
  expect(targetsOf(many)).toEqual(targetsOf(few));
  expect(many.excluded).toEqual(few.excluded);
  expect(few.excluded?.train).toContain(5);
});

test('cells of a page', async () => {
  const [narrow, wide] = narrowAndWide(columns);
  const cells = async (path: string) =>
    (await look(path, { target: 'y' }, { search: 'seven' })).rows.map((row) => row.cells.slice(0, names.length));
  expect(await cells(wide)).toEqual(await cells(narrow));
  expect(await cells(wide)).toHaveLength(3);
});

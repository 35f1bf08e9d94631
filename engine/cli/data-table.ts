/** `data table`: the columns of a table with their roles and statistics, and its rows. */
import path from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import type { TableColumn, TablePage } from '../contract/data/table.ts';
import { askHere } from '../data/asks.ts';
import { chosenSource } from '../data/chosen-source.ts';
import { givenPlace } from '../data/given.ts';
import { integer, short, table } from '../format.ts';
import { countFrom0, setting } from './arguments.ts';
import { abortable, type Context } from './context.ts';
import { noteText } from './data-inspect.ts';
import type { Output } from './output.ts';

interface Options {
  columns?: boolean;
  rows?: number;
  start: number;
  search?: string;
  sort?: { column: string; down: boolean };
  set?: [string, unknown][];
}

const standardRows = 10;
const longestCell = 24;

export function addDataTable(data: Command, context: Context): void {
  data
    .command('table')
    .argument('<path>', 'table, folder of tables, or project file')
    .option('--columns', 'only the columns')
    .option('--rows <n>', `so many rows (default: ${standardRows})`, countFrom0)
    .option('--start <n>', 'from this row on, counted from 0', countFrom0, 0)
    .option('--search <text>', 'only rows with a cell that holds this')
    .option('--sort <column>', 'by this column; with a - before it the largest first', sorting)
    .option('--set <key=json>', 'change a setting of the source: delimiter=";"; may be repeated', setting)
    .summary('look at the columns and rows of a table')
    .description('Shows what each column of a table holds, how it takes part and why, and the table’s rows.')
    .action(async (given: string, { columns, rows, start, search, sort, set = [] }: Options) => {
      const { out } = context;
      await abortable(context, async (signal) => {
        const { source: written, baseDir } = await givenPlace(path.resolve(given));
        const source = chosenSource({ data: { source: { ...written, ...Object.fromEntries(set) } } }, { strict: true });
        const wanted = {
          start,
          count: columns ? 0 : (rows ?? standardRows),
          ...(search === undefined ? {} : { search }),
          ...(sort === undefined ? {} : { sort }),
        };
        const page = await askHere('table', { source, baseDir, wanted }, { signal });
        out.object({ type: 'table', ...page });
        if (rows === undefined) showColumns(out, page.columns);
        if (!columns) showRows(out, page);
        for (const note of page.notes) out.say(noteText(note));
      });
    });
}

function sorting(text: string): { column: string; down: boolean } {
  const down = text.startsWith('-');
  const column = down ? text.slice(1) : text;
  if (column === '') throw new InvalidArgumentError('Expected the name of a column.');
  return { column, down };
}

const number = (value: number | undefined) => (value === undefined ? '' : short(value, 5));

function showColumns(out: Output, columns: readonly TableColumn[]): void {
  const rows = columns.map(({ name, role, type, missing, distinct, numbers, frequent }) => [
    cut(name),
    role,
    type,
    missing === 0 ? '' : integer(missing),
    integer(distinct),
    number(numbers?.mean),
    number(numbers?.std),
    number(numbers?.min),
    number(numbers?.max),
    numbers
      ? ''
      : cut(
          (frequent ?? [])
            .slice(0, 3)
            .map(({ value }) => value)
            .join(', '),
        ),
  ]);
  out.say(
    table(
      [['column', 'role', 'type', 'missing', 'distinct', 'mean', 'std', 'min', 'max', 'most often'], ...rows],
      [3, 4, 5, 6, 7, 8],
    ),
  );
  out.say();
  for (const { name, reason } of columns) out.say(`  ${name}: ${reason}`);
  out.say();
}

function showRows(out: Output, { columns, rows, total }: TablePage): void {
  const cells = rows.map(({ row, cells: own }) => [
    String(row),
    ...own.map((cell) => (cell === null ? '–' : cut(cell))),
  ]);
  out.say(table([['row', ...columns.map(({ name }) => cut(name))], ...cells], [0]));
  out.say(`${integer(rows.length)} of ${integer(total)} rows`);
  out.say();
}

const cut = (text: string) => {
  const line = text.replace(/\s+/g, ' ');
  return line.length > longestCell ? `${line.slice(0, longestCell - 1)}…` : line;
};

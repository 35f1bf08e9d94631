/** How a text file is a table: what stands between cells, where the rows begin, whether the first names the columns. Pure, from the file's start. */
import type { Guess } from '../../contract/data/inspect.ts';
import { plural } from '../../contract/format.ts';
import { type CsvRow, CsvRows, isBlankRow } from './csv-rows.ts';
import { isNumberText } from './numbers.ts';

export interface Dialect {
  delimiter: string;
  header: boolean;
  /** Of the columns, all different, none empty. */
  names: string[];
  /** Lines before the first row of data: comments, blank ones, the header. */
  skip: number;
  /** Whether lines that begin with # were taken for comments. */
  comments: boolean;
  /** Of the rows looked at, the share that has as many cells as most. */
  even: number;
  guesses: Guess[];
  notes: string[];
}

const delimiterNames: { [delimiter: string]: string } = {
  '\t': 'a tab',
  ' ': 'a blank',
  ';': '";"',
  ',': '","',
  '|': '"|"',
  ':': '":"',
};
const delimiterName = (delimiter: string) => delimiterNames[delimiter] ?? JSON.stringify(delimiter);

/** Of equally good ones the first is taken. */
const candidates = ['\t', ';', '|', ',', ' '];
const lookedAt = 1_000;

interface Reading {
  delimiter: string;
  rows: CsvRow[];
  /** Cells of most rows. */
  width: number;
  /** How many of the rows have so many. */
  even: number;
  score: number;
  /** Where the row behind the last of them begins. */
  next: number;
}

/** `whole`: the start is all there is. */
export function readDialect(
  start: string,
  whole: boolean,
  asked: { delimiter: string | null; header: boolean | null },
): Dialect {
  const guesses: Guess[] = [];
  const notes: string[] = [];
  const readings = (asked.delimiter === null ? candidates : [asked.delimiter]).map((each) => read(start, whole, each));
  const best = readings.reduce((a, b) => (b.score > a.score ? b : a));
  const reading = best.width > 1 || asked.delimiter !== null ? best : read(start, whole, ',');
  const { delimiter, rows, width, even } = reading;
  if (asked.delimiter === null) {
    const times = plural(width - 1, 'time');
    guesses.push({
      key: 'delimiter',
      value: delimiter,
      reason:
        width === 1
          ? 'nothing stands between cells: there is one column'
          : `${delimiterName(delimiter)} stands ${times} in ${even === rows.length ? 'each' : `${even}`} of the first ${plural(rows.length, 'row')}, outside of quotes`,
    });
  }
  const [first, ...body] = rows;
  const decided = first ? headerOf(first, body) : { header: true, reason: 'the file is empty' };
  const header = asked.header ?? decided.header;
  if (asked.header === null) guesses.push({ key: 'header', value: header, reason: decided.reason });
  const bodyWidth = mode((header ? body : rows).map(({ cells }) => cells.length)) ?? width;
  const names = header && first ? namesOf(first.cells, bodyWidth, body, notes) : numbered(bodyWidth);
  const data = header ? body[0] : first;
  const comments = leading(start).some((line) => line.startsWith('#'));
  if (comments) notes.push('Lines that begin with # are comments and were left out');
  const skip = (data?.line ?? reading.next) - 1;
  return { delimiter, header, names, skip, comments, even: rows.length === 0 ? 0 : even / rows.length, guesses, notes };
}

/** Lines above the table that a program wrote for people. */
function leading(start: string): string[] {
  const lines: string[] = [];
  for (const line of start.split(/\r\n|\r|\n/, 1_000)) {
    if (line.trim() !== '' && !line.startsWith('#')) break;
    lines.push(line);
  }
  return lines;
}

/** A line that begins with # is a comment where the table's first lines are: elsewhere it may be a value, such as a colour. */
export function isComment({ cells: [first = ''] }: CsvRow, comments: boolean): boolean {
  return comments && first.trimStart().startsWith('#');
}

function read(start: string, whole: boolean, delimiter: string): Reading {
  const comments = leading(start).some((line) => line.startsWith('#'));
  const rows: CsvRow[] = [];
  const reader = new CsvRows(delimiter);
  for (const row of reader.read(start, whole)) {
    if (isBlankRow(row) || isComment(row, comments)) continue;
    rows.push(row);
    if (rows.length === lookedAt) break;
  }
  const widths = rows.map(({ cells }) => cells.length);
  // The header may lack the name of the first column, and tells little of the rows' width.
  const width = mode(widths.length > 1 ? widths.slice(1) : widths) ?? 0;
  const even = widths.filter((each) => each === width).length;
  const head = widths[0] === width || widths[0] === width - 1 || (widths[0] ?? 0) > width ? 1 : 0.6;
  const score = width < 2 ? 0 : (even / rows.length) * head * cleanness(rows, delimiter, width);
  return { delimiter, rows, width, even, score, next: reader.line };
}

/** How many of the cells hold none of the other delimiters, a decimal comma aside. */
function cleanness(rows: CsvRow[], delimiter: string, width: number): number {
  const others = candidates.filter((each) => each !== delimiter && each !== ' ');
  let [clean, all] = [0, 0];
  for (const { cells } of rows) {
    if (cells.length !== width) continue;
    for (const cell of cells) {
      all++;
      const foreign = others.some((each) => cell.includes(each));
      if (!foreign || isNumberText(cell.trim())) clean++;
      else clean += 0.3;
    }
  }
  const share = all === 0 ? 0 : clean / all;
  // Words stand between blanks in any text.
  return delimiter === ' ' ? 0.5 * share : share;
}

function mode(values: number[]): number | null {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  let best: number | null = null;
  for (const [value, count] of counts) if (best === null || count > (counts.get(best) as number)) best = value;
  return best;
}

function headerOf(first: CsvRow, body: CsvRow[]): { header: boolean; reason: string } {
  const cells = first.cells.map((cell) => cell.trim());
  if (body.length === 0) {
    const numbers = cells.some(isNumberText);
    return { header: !numbers, reason: `there is one row only, ${numbers ? 'with numbers' : 'of texts'}` };
  }
  const number = cells.find(isNumberText);
  if (number !== undefined) {
    return { header: false, reason: `the first row holds the number ${number}, as values do` };
  }
  const column = (at: number) => body.map(({ cells: row }) => (row[at] ?? '').trim()).filter((cell) => cell !== '');
  const shift = mode(body.map(({ cells: row }) => row.length)) === cells.length + 1 ? 1 : 0;
  for (const [at, cell] of cells.entries()) {
    const values = column(at + shift);
    if (values.length === 0 || values.filter(isNumberText).length < 0.8 * values.length) continue;
    return { header: true, reason: `the first row is ${JSON.stringify(cell)} above a column of numbers` };
  }
  for (const [at, cell] of cells.entries()) {
    if (cell === '' || !column(at).includes(cell)) continue;
    return { header: false, reason: `the first row's ${JSON.stringify(cell)} stands further down in its column too` };
  }
  const named = cells.filter((cell) => cell !== '');
  if (new Set(named).size < named.length) return { header: false, reason: 'the first row holds a text twice' };
  return { header: true, reason: 'the texts of the first row stand nowhere else in their columns' };
}

const numbered = (width: number) => Array.from({ length: width }, (_, at) => `column ${at + 1}`);

function namesOf(header: string[], width: number, body: CsvRow[], notes: string[]): string[] {
  let given = header.map((name) => name.trim());
  while (given.length > width && given.at(-1) === '') given = given.slice(0, -1);
  if (given.length === width - 1) {
    if (body.every(({ cells }) => cells.length < width || (cells.at(-1) as string).trim() === '')) {
      notes.push('Each row ends with a delimiter: an empty last column was added to the header');
      given = [...given, ''];
    } else {
      notes.push(
        'The header names one column fewer than the rows have: the first, which has no name, is called "row name"',
      );
      given = ['row name', ...given];
    }
  }
  return distinctNames(given, notes);
}

/** Names as they are, empty ones numbered, repeated ones told apart. */
export function distinctNames(given: readonly string[], notes: string[]): string[] {
  const taken = new Set(given);
  const seen = new Set<string>();
  const changed: string[] = [];
  const names = given.map((name, at) => {
    if (name !== '' && !seen.has(name)) {
      seen.add(name);
      return name;
    }
    const base = name === '' ? `column ${at + 1}` : name;
    let free = name === '' ? base : `${base} (2)`;
    for (let count = name === '' ? 2 : 3; taken.has(free) || seen.has(free); count++) free = `${base} (${count})`;
    seen.add(free);
    changed.push(name === '' ? `${free} (no name)` : free);
    return free;
  });
  if (changed.length > 0) {
    const some = changed.slice(0, 5).join(', ');
    notes.push(`Columns without a name of their own were given one: ${some}${changed.length > 5 ? ', …' : ''}`);
  }
  return names;
}

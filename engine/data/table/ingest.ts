/** A table's file into Parquet of trimmed texts, `c0`, `c1`, …: whatever it is, it is read once and by one rule. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataNote, Guess } from '../../contract/data/inspect.ts';
import { GradloomError } from '../../contract/errors.ts';
import { plural } from '../../contract/format.ts';
import type { TableReading } from '../../contract/sources/table.ts';
import type { ContentOptions } from '../content.ts';
import { isGzip, readStart } from '../content.ts';
import { CsvRows, csvCell, isBlankRow } from './csv-rows.ts';
import { type Dialect, distinctNames, isComment, readDialect } from './dialect.ts';
import { type Database, exactPath, identifier, literal } from './duckdb.ts';
import { decoded, guessEncoding } from './encoding-guess.ts';
import { type JsonLines, objectLines } from './json-lines.ts';

export type TextReading = Pick<TableReading, 'format' | 'delimiter' | 'encoding' | 'header'>;

/** A row that is not as long as the others: it is in none of the columns. */
export interface Ragged {
  line: number;
  reason: string;
}

export interface Ingested {
  format: 'csv' | 'parquet' | 'json';
  names: string[];
  /** As the file says them; null: it holds texts. */
  types: string[] | null;
  /** Of text. */
  delimiter: string | null;
  guesses: Guess[];
  notes: DataNote[];
  ragged: Ragged[];
  raggedCount: number;
}

/** Ragged rows that are kept by line; more are counted. */
const mostRagged = 1_000;
/** Bytes of the start that tell how the text is a table. */
const startBytes = 1 << 20;
/** A row longer than this is a quote that was never closed. */
const longestRow = 16 << 20;
const cellsPerGroup = 4_000_000;
/** Conditions of one query: planning it takes longer than in proportion. */
const conditionsAtOnce = 200;
/** A dozen characters: more cells than columns of any table that could be trained on. */
const mostColumns = 50_000;

/** Writes `rows.parquet` into `folder`. @throws GradloomError DATA_*, NOT_READABLE, CANCELLED */
export async function ingest(
  database: Database,
  path: string,
  reading: TextReading,
  folder: string,
  options: ContentOptions,
): Promise<Ingested> {
  const format = reading.format === 'auto' ? await formatOf(path) : reading.format;
  try {
    if (format === 'parquet') return await ingestParquet(database, path, folder);
    if (format === 'json') return await ingestJson(database, path, reading, folder, options);
  } catch (thrown) {
    const error = unreadable(thrown, path, format);
    const lines =
      format === 'json' && error !== thrown ? await ingestLines(database, path, reading, folder, options) : null;
    if (lines) return lines;
    throw error;
  }
  return ingestText(database, path, reading, folder, options);
}

function unreadable(thrown: unknown, path: string, format: string): unknown {
  if (thrown instanceof GradloomError || /out of memory|interrupt/i.test(String(thrown))) return thrown;
  const [first = ''] = String((thrown as Error).message).split('\n');
  return new GradloomError('DATA_FORMAT', `${path} cannot be read as ${format}: ${first}`, {
    hint: 'Mend or export the file again, or say another format.',
    path,
    cause: thrown,
  });
}

/** By the content: Parquet has a mark, JSON begins with a bracket, anything else is text. */
export async function formatOf(path: string): Promise<'csv' | 'parquet' | 'json'> {
  const start = await readStart(path, 4096);
  if (start.subarray(0, 4).toString('latin1') === 'PAR1') return 'parquet';
  const text = start
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart();
  return /^\{\s*("|$)|^\[\s*(\{|$)/.test(text) ? 'json' : 'csv';
}

async function ingestParquet(database: Database, path: string, folder: string): Promise<Ingested> {
  const from = 'read_parquet($path, hive_partitioning = false)';
  const parameters = { path: exactPath(path) };
  const columns = await database.rows(`DESCRIBE SELECT * FROM ${from}`, parameters);
  const given = columns.map(([name]) => String(name));
  const types = columns.map(([, type]) => String(type));
  const texts = given.map((name) => trimmed(`CAST(${identifier(name)} AS VARCHAR)`));
  await copy(database, folder, texts, from, parameters);
  return { format: 'parquet', types, ...plain(given) };
}

async function ingestJson(
  database: Database,
  path: string,
  reading: TextReading,
  folder: string,
  options: ContentOptions,
): Promise<Ingested> {
  const guess = await guessEncoding(path, options);
  const encoding = reading.encoding ?? guess.encoding;
  const text = guess.plain && encoding === 'utf-8' && !(await isGzip(path)) ? path : join(folder, 'text.json');
  if (text !== path) await writeText(text, decoded(path, encoding, options));
  const found = await readObjects(database, path, text, 'auto', folder);
  if (text !== path) await rm(text);
  return found;
}

/** Objects one a line, and lines that are none: null where it is no such file. */
async function ingestLines(
  database: Database,
  path: string,
  reading: TextReading,
  folder: string,
  options: ContentOptions,
): Promise<Ingested | null> {
  const encoding = reading.encoding ?? (await guessEncoding(path, options)).encoding;
  const told: JsonLines = { good: 0, bad: [], badCount: 0 };
  const text = join(folder, 'lines.json');
  await writeText(text, objectLines(decoded(path, encoding, options), told));
  if (told.badCount === 0 || told.badCount > told.good) return null;
  const found = await readObjects(database, path, text, 'newline_delimited', folder);
  await rm(text);
  await leaveOutBlank(database, folder, found.names.length);
  return { ...found, ragged: told.bad, raggedCount: told.badCount };
}

async function readObjects(
  database: Database,
  path: string,
  text: string,
  format: 'auto' | 'newline_delimited',
  folder: string,
): Promise<Ingested> {
  const from = `read_json($path, format = '${format}', maximum_depth = 1, sample_size = -1, hive_partitioning = false)`;
  const parameters = { path: exactPath(text) };
  const columns = await database.rows(`DESCRIBE SELECT * FROM ${from}`, parameters);
  const given = columns.map(([name]) => String(name));
  if (columns.some(([, type]) => type !== 'JSON')) {
    throw new GradloomError('DATA_FORMAT', `${path} holds no JSON objects, one a row.`, {
      hint: 'Each line, or each item of one list, has to be an object of values by column.',
      path,
    });
  }
  const texts = given.map((name) => trimmed(`json_extract_string(${identifier(name)}, '$')`));
  await copy(database, folder, texts, from, parameters);
  return { format: 'json', types: null, ...plain(given) };
}

function plain(given: string[]): Omit<Ingested, 'format' | 'types'> {
  const told: string[] = [];
  const names = distinctNames(
    given.map((name) => name.trim()),
    told,
  );
  return {
    names,
    delimiter: null,
    guesses: [],
    notes: told.map((message) => ({ message })),
    ragged: [],
    raggedCount: 0,
  };
}

async function ingestText(
  database: Database,
  path: string,
  reading: TextReading,
  folder: string,
  options: ContentOptions,
): Promise<Ingested> {
  const guess = await guessEncoding(path, options);
  const encoding = reading.encoding?.toLowerCase() ?? guess.encoding;
  const { text: start, whole } = await startOf(path, encoding, options);
  if (start.includes('\0')) {
    throw new GradloomError('DATA_FORMAT', `${path} is no table: its content is not text.`, {
      hint: 'Tables are CSV and kin, Parquet, JSON lines or a JSON list of objects.',
      path,
    });
  }
  if (start.trim() === '') {
    throw new GradloomError('DATA_FORMAT', `${path} is empty: it holds no rows.`, { hint: 'Give a table.', path });
  }
  const dialect = readDialect(start, whole, reading);
  if (dialect.names.length > mostColumns) {
    throw new GradloomError('DATA_FORMAT', `${path} has ${dialect.names.length} columns, more than a table may.`, {
      hint: 'Check the delimiter, data.source.delimiter.',
      path,
    });
  }
  const plainText = guess.plain && encoding === 'utf-8' && !(await isGzip(path));
  const direct = plainText && dialect.delimiter !== ' ' && !dialect.comments && dialect.names.length > 1;
  const told = { ragged: [] as Ragged[], raggedCount: 0 };
  if (!direct || !(await readDirectly(database, path, dialect, folder))) {
    const clean = join(folder, 'clean.csv');
    const longest = await writeClean(clean, decoded(path, encoding, options), dialect, path, told);
    await readClean(database, clean, dialect.names.length, longest, folder);
    await rm(clean);
  }
  const notes: DataNote[] = dialect.notes.map((message) => ({ message }));
  const dropped = (await leaveOutBlank(database, folder, dialect.names.length)) - told.raggedCount;
  if (dropped > 0) notes.push({ message: 'Rows without a single value were left out', count: dropped });
  return {
    format: 'csv',
    names: dialect.names,
    types: null,
    delimiter: dialect.delimiter,
    guesses: [
      ...(reading.encoding === null ? [{ key: 'encoding', value: encoding, reason: guess.reason }] : []),
      ...dialect.guesses,
    ],
    notes,
    ragged: told.ragged,
    raggedCount: told.raggedCount,
  };
}

async function startOf(path: string, encoding: string, options: ContentOptions) {
  let text = '';
  for await (const piece of decoded(path, encoding, { ...options, tolerant: true })) {
    text += piece;
    if (text.length > startBytes) return { text, whole: false };
  }
  return { text, whole: true };
}

const columnTypes = (count: number) =>
  `{${Array.from({ length: count }, (_, at) => `'c${at}': 'VARCHAR'`).join(', ')}}`;
const allColumns = (count: number) => Array.from({ length: count }, (_, at) => `c${at}`);
/** A null of Parquet or JSON is an empty cell. */
const trimmed = (text: string) => `trim(coalesce(${text}, ''), ${literal(' \t\r\n\u00a0')})`;

/** DuckDB's own reader, in parallel: right wherever it has nothing to say. Anything odd is read again by our rules. */
async function readDirectly(database: Database, path: string, dialect: Dialect, folder: string): Promise<boolean> {
  const count = dialect.names.length;
  const from = `read_csv($path, delim = ${literal(dialect.delimiter)}, quote = '"', escape = '"', header = false, auto_detect = false,
    skip = ${dialect.skip}, columns = ${columnTypes(count)}, store_rejects = true, hive_partitioning = false)`;
  try {
    await copy(database, folder, allColumns(count).map(trimmed), from, { path: exactPath(path) });
    const [rejected] = await database.numbers('SELECT count(*) FROM reject_errors');
    // What begins with a quote behind a blank was read as it stands.
    const rows = { rows: exactPath(join(folder, 'rows.parquet')) };
    for (let first = 0; first < count && rejected === 0; first += conditionsAtOnce) {
      const some = allColumns(count).slice(first, first + conditionsAtOnce);
      const quoted = some.map((column) => `starts_with(${column}, '"')`).join(' OR ');
      const [odd] = await database.numbers(`SELECT count(*) FROM read_parquet($rows) WHERE ${quoted}`, rows);
      if (odd) return false;
    }
    return rejected === 0;
  } catch (thrown) {
    if (/out of memory|interrupt|no space/i.test(String((thrown as Error).message))) throw thrown;
    return false;
  }
}

async function readClean(database: Database, path: string, count: number, longest: number, folder: string) {
  const most = Math.max(2_000_000, 4 * longest + 1024);
  const from = `read_csv($path, delim = ',', quote = '"', escape = '"', header = false, auto_detect = false,
    columns = ${columnTypes(count)}, max_line_size = ${most}, buffer_size = ${16 * most}, new_line = '\\n', hive_partitioning = false)`;
  await copy(database, folder, allColumns(count).map(trimmed), from, { path: exactPath(path) });
}

async function copy(
  database: Database,
  folder: string,
  expressions: string[],
  from: string,
  parameters: Record<string, string>,
): Promise<void> {
  if (expressions.length === 0) {
    throw new GradloomError('DATA_FORMAT', 'The table has no columns.', { hint: 'Give a table with columns.' });
  }
  const columns = expressions.map((expression, at) => `${expression} AS c${at}`).join(', ');
  const group = Math.max(2_048, Math.min(122_880, Math.floor(cellsPerGroup / expressions.length)));
  await database.run(
    `COPY (SELECT ${columns} FROM ${from}) TO ${literal(join(folder, 'rows.parquet'))} (FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE ${group})`,
    parameters,
  );
}

/** Rows of empty cells, such as spreadsheets leave below a table. Those that stay remember their places. */
async function leaveOutBlank(database: Database, folder: string, count: number): Promise<number> {
  const rows = join(folder, 'rows.parquet');
  const blank =
    count > conditionsAtOnce
      ? `concat(${allColumns(count).join(', ')}) = ''`
      : allColumns(count)
          .map((column) => `${column} = ''`)
          .join(' AND ');
  const parameters = { rows: exactPath(rows) };
  const [found] = await database.numbers(`SELECT count(*) FROM read_parquet($rows) WHERE ${blank}`, parameters);
  if (!found || count === 1) return 0;
  const kept = join(folder, 'kept.parquet');
  await database.run(
    `COPY (SELECT file_row_number + 1 AS place, * EXCLUDE (file_row_number)
      FROM read_parquet($rows, file_row_number = true) WHERE NOT (${blank}))
      TO ${literal(kept)} (FORMAT parquet, COMPRESSION snappy)`,
    parameters,
  );
  await rename(kept, rows);
  return found;
}

/** Writes the rows as wide as they should be; tells of the others. Answers the length of the longest. */
async function writeClean(
  target: string,
  text: AsyncIterable<string>,
  { delimiter, names, skip, comments }: Dialect,
  path: string,
  told: { ragged: Ragged[]; raggedCount: number },
): Promise<number> {
  const rows = new CsvRows(delimiter);
  let longest = 0;
  let pending = 0;
  const take = function* (piece: string, last: boolean): Generator<string> {
    let out = '';
    for (const row of rows.read(piece, last)) {
      pending = 0;
      if (row.line <= skip || isBlankRow(row) || isComment(row, comments)) continue;
      const { cells } = row;
      const over = cells.length - names.length;
      const spare = over > 0 && cells.slice(names.length).every((cell) => cell.trim() === '');
      if ((over !== 0 && !spare) || row.open) {
        told.raggedCount++;
        const reason = row.open
          ? 'a quote that begins in this row is never closed'
          : `${plural(cells.length, 'cell')}, where the table has ${plural(names.length, 'column')}`;
        if (told.ragged.length < mostRagged) told.ragged.push({ line: row.line, reason });
        // Leaves its place empty, so that the rows after it keep their numbers.
        if (names.length > 1) out += `${','.repeat(names.length - 1)}\n`;
        continue;
      }
      const line = (spare ? cells.slice(0, names.length) : cells).map(csvCell).join(',');
      longest = Math.max(longest, line.length);
      // A row of one empty cell would be no row to whoever reads it.
      out += line === '' ? '""\n' : `${line}\n`;
      if (out.length > 1 << 20) {
        yield out;
        out = '';
      }
    }
    pending += piece.length;
    if (pending > longestRow) {
      throw new GradloomError(
        'DATA_FORMAT',
        `${path}: a quote in line ${rows.line} is not closed within ${longestRow >> 20} MiB.`,
        {
          hint: 'Close it, or double it if it is meant as a character.',
          path,
        },
      );
    }
    if (out !== '') yield out;
  };
  const pieces = async function* () {
    for await (const piece of text) yield* take(piece, false);
    yield* take('', true);
  };
  await writeText(target, pieces());
  return longest;
}

async function writeText(target: string, pieces: AsyncIterable<string>): Promise<void> {
  const file = createWriteStream(target, { flags: 'wx' });
  const failed = once(file, 'error').then(([error]) => Promise.reject(error));
  failed.catch(() => {}); // told below, where it is waited for
  for await (const piece of pieces) {
    if (!file.write(piece)) await Promise.race([once(file, 'drain'), failed]);
  }
  file.end();
  await Promise.race([once(file, 'close'), failed]);
}

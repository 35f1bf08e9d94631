/** Recognises tables: files of delimited text, Parquet and JSON objects, alone or in a folder by their parts. */
import { basename, extname } from 'node:path';
import type { DataNote, Guess, Recognised } from '../../contract/data/inspect.ts';
import { integer, plural } from '../../contract/format.ts';
import { resolveProject } from '../../contract/project.ts';
import type { TableSource } from '../../contract/sources/table.ts';
import { cacheDir } from '../../workspace.ts';
import { factsOf } from '../describe.ts';
import type { Found } from '../recognise/recogniser.ts';
import { defaultContext } from '../source.ts';
import { type Dialect, readDialect } from './dialect.ts';
import { openFiles, tableFilesIn } from './files.ts';
import { openTable } from './open-table.ts';
import { guessPartColumn } from './part-column.ts';
import { openTableSource } from './source.ts';

/** Larger files are told of by their start. */
export const mostLookedAt = 1 << 30;
const startBytes = 256 << 10;
/** Tables of a folder that are told of one by one. */
const mostTables = 5;
/** So many rows must be as long as each other for a text to be a table. */
const evenEnough = 0.9;
/** A text whose lines have so many cells each is hardly anything else. */
const fewestColumns = 4;

interface Look {
  reason: string;
  sure: Recognised['sure'];
  guesses: Guess[];
}

const tableNames = new Set(['.csv', '.tsv', '.tab', '.parquet', '.pq', '.jsonl', '.ndjson']);

export async function recogniseTable(found: Found): Promise<Recognised[]> {
  if (found.kind === 'file') return one(found, found.path, found.path);
  const { train, val, test, others } = await tableFilesIn(found.path);
  if (train.length === 1 && val.length <= 1 && test.length <= 1) return one(found, found.path, train[0] as string);
  const alone = [...train, ...others];
  if (alone.length === 1) return one(found, found.path, alone[0] as string);
  const readings: Recognised[] = [];
  for (const file of alone.slice(0, mostTables)) readings.push(...(await one(found, file, file)));
  return readings;
}

/** `path`: what the source names; `file`: the table that tells what it is. */
async function one({ head, files, signal }: Found, path: string, file: string): Promise<Recognised[]> {
  const look = lookAt(await head(file, startBytes), file);
  if (!look) return [];
  const source = { kind: 'table' as const, path };
  const bytes = files.find((each) => each.path === file)?.bytes ?? 0;
  const name = basename(file);
  if (bytes > mostLookedAt) {
    const note = `${name} is large: its columns are looked at when it is imported`;
    return [{ source, title: 'Table', ...look, notes: [{ message: note }], facts: null }];
  }
  const settings = resolveProject({ data: { source } }).data.source as TableSource;
  const options = { cacheDir: cacheDir(), signal };
  const whole: TableSource = { ...settings, on_bad: 'skip' };
  const { parts: given } = await openFiles(whole, path, options);
  const told = Object.keys(given).length > 1 ? null : await guessPartColumn(given.train, 'part_column', options);
  const divided = told ? { part_column: String(told.value) } : {};
  const lenient: TableSource = { ...whole, ...divided };
  const table = await openTable(lenient, path, options);
  const target = table.targets.map((at) => table.profiles[at]?.name ?? '');
  const chosen = { ...source, ...divided, target: target.length === 1 ? (target[0] as string) : target };
  const notes: DataNote[] = [...table.notes];
  let facts: Recognised['facts'] = null;
  try {
    const opened = await openTableSource({ ...lenient, target: chosen.target }, path, defaultContext());
    facts = factsOf(opened, await opened.target());
    notes.splice(0, notes.length, ...(opened.notes ?? []));
  } catch (thrown) {
    signal.throwIfAborted();
    notes.push({ message: (thrown as Error).message.replace(/\.$/, '') });
  }
  const { rows, names } = given.train;
  return [
    {
      source: chosen,
      title: `Table, ${plural(rows, 'row')} of ${plural(names.length, 'column')}`,
      reason: `${look.reason}; ${chosen.target} is to be predicted by ${integer(table.columns.filter(({ role }) => role === 'numeric' || role === 'categorical').length)} of the others.`,
      sure: look.sure,
      guesses: told ? [...table.guesses, told] : table.guesses,
      notes,
      facts,
    },
  ];
}

/** Whether the file's start is that of a table. */
export async function looksLikeTable(path: string, head: Found['head']): Promise<boolean> {
  return lookAt(await head(path, startBytes), path) !== null;
}

function lookAt(start: Buffer, file: string): Look | null {
  const ending = extname(file.replace(/\.gz$/i, '')).toLowerCase();
  const named = tableNames.has(ending);
  if (start.subarray(0, 4).toString('latin1') === 'PAR1') {
    return { reason: 'It begins as Parquet files do', sure: 'certain', guesses: [] };
  }
  const wide = start[0] === 0xff || start[0] === 0xfe;
  const text = wide
    ? new TextDecoder(start[0] === 0xff ? 'utf-16le' : 'utf-16be').decode(start)
    : start.toString('utf8').replace(/^\uFEFF/, '');
  if (text.includes('\0') || text.trim() === '') return null;
  if (/^\s*(\{\s*"|\[\s*\{)/.test(text)) return jsonLook(text, named);
  const dialect = readDialect(text, start.length < startBytes, { delimiter: null, header: null });
  const columns = dialect.names.length;
  if (columns < 2 ? ending !== '.csv' : dialect.even < evenEnough && !named) return null;
  // Prose has blanks and commas too: there what stands between them must be numbers.
  if (!named && dialect.delimiter === ' ' && dialect.header) return null;
  const [guess] = dialect.guesses;
  return {
    reason: `In its rows ${guess?.reason ?? 'cells stand apart'}`,
    sure: surenessOf(dialect, named),
    guesses: dialect.guesses,
  };
}

function surenessOf({ even, names }: Dialect, named: boolean): Recognised['sure'] {
  if (named) return even >= evenEnough ? 'certain' : 'likely';
  return even === 1 && names.length >= fewestColumns ? 'likely' : 'possible';
}

/** Objects of values, one a line or in one list; an object that goes on over many lines is some program's settings. */
function jsonLook(text: string, named: boolean): Look | null {
  if (text.trimStart().startsWith('[')) {
    return { reason: 'It is a JSON list of objects', sure: 'likely', guesses: [] };
  }
  const [first = ''] = text.trimStart().split('\n', 1);
  try {
    JSON.parse(first);
  } catch {
    return null;
  }
  return { reason: 'Each of its lines is a JSON object', sure: named ? 'certain' : 'likely', guesses: [] };
}

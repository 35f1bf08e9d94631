/** Texts and labels of a table's columns. */
import type { Guess } from '../../contract/data/inspect.ts';
import { GradloomError } from '../../contract/errors.ts';
import type { LabelledTextSource } from '../../contract/sources/text.ts';
import type { PartName } from '../../contract/tensors.ts';
import { cacheDir } from '../../workspace.ts';
import { partInName } from '../part-names.ts';
import { type Database, withDatabase } from '../table/duckdb.ts';
import { refuseRagged } from '../table/files.ts';
import { openStore, placeSql, storeParameters, storeRows, type TableStore } from '../table/store.ts';
import type { Document, Documents } from './documents.ts';

interface Columns {
  text: number[];
  label: number;
  part: number | null;
  /** How many a column has in its texts, on average. */
  blanks(column: number): number;
}

const labelNames = /^(label|labels|class|classes|category|categories|target|sentiment|topic|intent|rating|stars|y)$/i;
/** More different values than this are no classes. */
const mostClasses = 1_000;
/** A column of texts has so many blanks in each. */
const severalWords = 4;

/** @throws GradloomError DATA_* */
export async function tableDocuments(
  path: string,
  settings: LabelledTextSource,
  signal?: AbortSignal,
): Promise<Documents> {
  const { store, columns, guesses } = await chosenColumns(path, settings, signal);
  const notes = [...store.notes];
  if (store.raggedCount > 0) refuseRagged(store, settings.on_bad, notes);
  const texts = columns.text.map((column) => `c${column}`);
  const text = texts.length === 1 ? texts[0] : `concat_ws(chr(10), ${texts.join(', ')})`;
  const wanted = [text, `c${columns.label}`, columns.part === null ? 'NULL' : `c${columns.part}`, placeSql(store)];
  const sql = `SELECT ${wanted.join(', ')} FROM ${storeRows} ORDER BY file_row_number`;

  async function* documents(database: Database): AsyncGenerator<Document, void, void> {
    for await (const chunk of database.chunks(sql, storeParameters(store))) {
      for (const [value, label, part, place] of chunk.getRows()) {
        yield {
          part: part === null ? 'train' : partCalled(String(part), store, Number(place)),
          name: `row ${place}`,
          label: label === null || label === '' ? null : String(label),
          text: value === null ? '' : String(value),
        };
      }
    }
  }
  return {
    identity: store.identity,
    bytes: 0,
    notes,
    guesses,
    read: ({ signal: stop }, work) => withDatabase(cacheDir(), (database) => work(documents(database)), stop),
  };
}

/** What would be read of a table as texts with labels; null where no column has texts of several words. @throws GradloomError DATA_* */
export async function looksAtTexts(path: string, settings: LabelledTextSource, signal: AbortSignal) {
  const { store, columns, guesses } = await chosenColumns(path, settings, signal);
  const name = (at: number) => store.names[at] as string;
  const text = columns.text[0] as number;
  if (columns.blanks(text) < severalWords) return null;
  return { text: name(text), label: name(columns.label), columns: store.names.length, guesses };
}

async function chosenColumns(path: string, settings: LabelledTextSource, signal: AbortSignal | undefined) {
  const { encoding, delimiter, header } = settings;
  const store = await openStore(
    path,
    { format: 'auto', encoding, delimiter, header },
    { cacheDir: cacheDir(), signal },
  );
  const guesses: Guess[] = [...store.guesses];
  const columns = await withDatabase(cacheDir(), (database) => choose(database, store, settings, guesses), signal);
  return { store, columns, guesses };
}

function partCalled(value: string, { path }: TableStore, place: number): PartName {
  const part = partInName(value);
  if (part) return part;
  throw new GradloomError('DATA_FORMAT', `Row ${place} of ${path} is of the part ${JSON.stringify(value)}.`, {
    hint: 'The column of parts (data.source.part_column) says train, val or test in each row.',
    path,
  });
}

async function choose(
  database: Database,
  store: TableStore,
  settings: LabelledTextSource,
  guesses: Guess[],
): Promise<Columns> {
  const place = (name: string): number => {
    const at = store.names.indexOf(name);
    if (at >= 0) return at;
    throw new GradloomError('DATA_FORMAT', `${store.path} has no column ${JSON.stringify(name)}.`, {
      hint: `Its columns: ${store.names.slice(0, 20).join(', ')}${store.names.length > 20 ? ', …' : ''}.`,
      path: store.path,
    });
  };
  const known = await database.rows(
    `SELECT ${store.names.map((_, i) => `avg(length(c${i})), approx_count_distinct(c${i}), avg(length(c${i}) - length(replace(c${i}, ' ', '')))`).join(', ')} FROM ${storeRows}`,
    storeParameters(store),
  );
  const measures = store.names.map((name, at) => ({
    name,
    at,
    length: Number(known[0]?.[3 * at] ?? 0),
    distinct: Number(known[0]?.[3 * at + 1] ?? 0),
    blanks: Number(known[0]?.[3 * at + 2] ?? 0),
  }));
  const part = settings.part_column === null ? null : place(settings.part_column);
  const texts = settings.text === null ? null : [settings.text].flat().map(place);
  const free = measures.filter(({ at }) => at !== part && !texts?.includes(at));
  const longest = free.reduce((a, b) => (b.length > a.length ? b : a), free[0] ?? (measures[0] as Measure));
  const label =
    settings.label !== null
      ? place(settings.label)
      : labelOf(texts === null ? free.filter(({ at }) => at !== longest.at) : free, store, guesses);
  const others = free.filter(({ at }) => at !== label);
  const text = texts ?? others.slice(0, 1).map(() => others.reduce((a, b) => (b.length > a.length ? b : a)).at);
  if (text.length === 0) {
    throw new GradloomError('DATA_FORMAT', `${store.path} has no column of texts beside that of labels.`, {
      hint: 'Give a table with a column of texts and a column of labels.',
      path: store.path,
    });
  }
  if (settings.text === null) {
    const value = store.names[text[0] as number];
    guesses.push({ key: 'text', value, reason: 'the column with the longest texts' });
  }
  return { text, label, part, blanks: (at) => measures[at]?.blanks ?? 0 };
}

interface Measure {
  name: string;
  at: number;
  length: number;
  distinct: number;
  blanks: number;
}

function labelOf(columns: readonly Measure[], { path, rows }: TableStore, guesses: Guess[]): number {
  const few = columns.filter(
    ({ distinct }) => distinct > 0 && distinct <= Math.min(mostClasses, Math.max(2, rows / 2)),
  );
  const called = columns.find(({ name, distinct }) => labelNames.test(name.trim()) && distinct <= mostClasses);
  const found = called ?? [...few].sort((a, b) => a.distinct - b.distinct)[0];
  if (!found) {
    throw new GradloomError('DATA_FORMAT', `${path} has no column that could hold labels.`, {
      hint: 'Say which one it is: data.source.label.',
      path,
    });
  }
  const reason = called ? 'it is called so' : `it has the fewest different values (${found.distinct})`;
  guesses.push({ key: 'label', value: found.name, reason });
  return found.at;
}

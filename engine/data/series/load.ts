/** The rows of a table of series in memory, in the order of time: 8 bytes a value. */
import { resolve } from 'node:path';
import type { DataNote, Guess } from '../../contract/data/inspect.ts';
import { GradloomError } from '../../contract/errors.ts';
import { nearest } from '../../contract/report.ts';
import type { SeriesSource } from '../../contract/sources/series.ts';
import { cacheDir } from '../../workspace.ts';
import { type Database, withDatabase } from '../table/duckdb.ts';
import { openFiles } from '../table/files.ts';
import { decimalGuesses } from '../table/open-table.ts';
import { type ColumnProfile, dateSql, numericSql, presentSql, profileTable, typeReason } from '../table/profile.ts';
import { placeSql, storeParameters, storeRows, type TableStore } from '../table/store.ts';
import type { Stretch } from './windows.ts';

/** What a column is called, and how its numbers are read. */
export type SeriesColumn = Pick<ColumnProfile, 'name' | 'style' | 'tokens'>;

export interface SeriesTable {
  store: TableStore;
  inputs: ColumnProfile[];
  targets: ColumnProfile[];
  notes: DataNote[];
  guesses: Guess[];
}

export interface SeriesRows {
  count: number;
  /** By input, then row; NaN: missing. */
  inputs: Float64Array[];
  /** By target of numbers, then row. */
  values: Float64Array[];
  /** Of a class target: its names by row; null: missing. */
  names: (string | null)[] | null;
  /** One for each series, in the order of their texts. */
  series: Stretch[];
  /** Number of each row in the file, from 1. */
  places: Uint32Array;
}

const isNumber = ({ type }: ColumnProfile) => type === 'whole' || type === 'number';

export async function openSeriesTable(settings: SeriesSource, baseDir: string): Promise<SeriesTable> {
  const options = { cacheDir: cacheDir() };
  const { parts, notes } = await openFiles({ ...settings, part_column: null }, resolve(baseDir), options);
  if (parts.val || parts.test) {
    notes.push({ message: 'Only the file for training was read: a series’ parts follow one another in time' });
  }
  const store = parts.train;
  const profiles = await profileTable(store, { ...settings, tokens: {} }, options);
  const find = (name: string, key: string): ColumnProfile => {
    const profile = profiles.find((each) => each.name === name);
    if (profile) return profile;
    const names = profiles.map((each) => each.name);
    const near = nearest(name, names, 3);
    throw new GradloomError('DATA_FORMAT', `The table has no column ${JSON.stringify(name)}.`, {
      hint: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `Its columns: ${names.slice(0, 20).join(', ')}.`,
      path: `data.source.${key}`,
    });
  };
  const guesses: Guess[] = [...store.guesses, ...decimalGuesses(profiles, settings.decimal)];
  const special = [settings.order, settings.group].filter((name) => name !== null);
  for (const name of special) find(name, name === settings.order ? 'order' : 'group');
  const targets = chooseTargets(settings, profiles, special, find, guesses);
  const inputs =
    settings.inputs?.map((name) => find(name, 'inputs')) ??
    profiles.filter(
      (profile) =>
        isNumber(profile) &&
        !special.includes(profile.name) &&
        (settings.predicts !== 'class' || !targets.includes(profile)),
    );
  const text = inputs.find((profile) => profile.oddCount > 0 || (!isNumber(profile) && profile.type !== 'empty'));
  if (inputs.length === 0 || (text && settings.on_bad === 'stop')) {
    const [odd] = text?.odd ?? [];
    const where = odd ? `: ${JSON.stringify(odd.value)} in row ${odd.row}` : '';
    throw new GradloomError(
      'DATA_FORMAT',
      text
        ? `Column ${text.name} is not of numbers${isNumber(text) ? ' alone' : ''}${where}.`
        : `${store.path} has no column of numbers to read.`,
      {
        hint:
          text && isNumber(text)
            ? 'Mend the file, or take such values for missing ones: "on_bad": "skip".'
            : 'Name columns of numbers: data.source.inputs.',
        path: 'data.source.inputs',
      },
    );
  }
  for (const profile of new Set([...inputs, ...targets])) {
    if (!isNumber(profile) || profile.oddCount === 0) continue;
    notes.push({
      message: `Column ${profile.name}: ${typeReason(profile)}; they count as missing`,
      count: profile.oddCount,
    });
  }
  return { store, inputs, targets: settings.predicts === 'next' ? inputs : targets, notes, guesses };
}

function chooseTargets(
  { predicts, target }: SeriesSource,
  profiles: readonly ColumnProfile[],
  special: readonly string[],
  find: (name: string, key: string) => ColumnProfile,
  guesses: Guess[],
): ColumnProfile[] {
  if (predicts === 'next') return [];
  const names = typeof target === 'string' ? [target] : target;
  const free = profiles.filter(({ name, type }) => !special.includes(name) && type !== 'empty');
  const chosen =
    names?.map((name) => find(name, 'target')) ?? free.filter((p) => predicts === 'class' || isNumber(p)).slice(-1);
  if (names === null && chosen[0]) {
    guesses.push({ key: 'target', value: chosen[0].name, reason: 'it is the last column that could be predicted' });
  }
  const fault =
    chosen.length === 0
      ? 'The table has no column to predict'
      : predicts === 'class' && chosen.length > 1
        ? 'One column of classes can be predicted'
        : predicts === 'value' && !chosen.every(isNumber)
          ? `Column ${chosen.find((each) => !isNumber(each))?.name} is not of numbers`
          : null;
  if (fault === null) return chosen;
  throw new GradloomError('DATA_FORMAT', `${fault}.`, {
    hint: 'Name another target, or say what is predicted: data.source.predicts.',
    path: 'data.source.target',
  });
}

/** The columns that are loaded, as they are read. */
export interface SeriesColumns {
  store: TableStore;
  inputs: readonly SeriesColumn[];
  targets: readonly SeriesColumn[];
}

export function loadSeries(table: SeriesColumns, settings: SeriesSource, signal?: AbortSignal): Promise<SeriesRows> {
  return withDatabase(cacheDir(), (database) => load(database, table, settings), signal);
}

async function load(
  database: Database,
  { store, inputs, targets }: SeriesColumns,
  settings: SeriesSource,
): Promise<SeriesRows> {
  const at = ({ name }: SeriesColumn) => store.names.indexOf(name);
  const own = targets.filter((target) => !inputs.includes(target) || settings.predicts === 'class');
  const classes = settings.predicts === 'class';
  const group = settings.group === null ? `''` : `c${store.names.indexOf(settings.group)}`;
  const order = settings.order === null ? [] : orderSql(store.names.indexOf(settings.order));
  const wanted = [
    group,
    placeSql(store),
    ...inputs.map((profile) => numericSql(at(profile), profile)),
    ...own.map((profile) => (classes ? presentSql(at(profile), profile.tokens) : numericSql(at(profile), profile))),
  ];
  const rows: SeriesRows = {
    count: store.rows,
    inputs: inputs.map(() => new Float64Array(store.rows)),
    values: [],
    names: classes ? [] : null,
    series: [],
    places: new Uint32Array(store.rows),
  };
  const loaded = classes ? [] : own.map(() => new Float64Array(store.rows));
  const columns = [...rows.inputs, ...loaded];
  let [row, before] = [0, null as string | null];
  const sql = `SELECT ${wanted.join(', ')} FROM ${storeRows} ORDER BY ${[...(settings.group === null ? [] : [group]), ...order, 'file_row_number'].join(', ')}`;
  for await (const chunk of database.chunks(sql, storeParameters(store))) {
    const vectors = Array.from({ length: chunk.columnCount }, (_, column) => chunk.getColumnVector(column));
    for (let i = 0; i < chunk.rowCount; i++, row++) {
      const series = String(vectors[0]?.getItem(i));
      if (series !== before) {
        rows.series.push({ start: row, end: row });
        before = series;
      }
      (rows.series.at(-1) as Stretch).end = row + 1;
      rows.places[row] = Number(vectors[1]?.getItem(i));
      for (const [column, values] of columns.entries()) {
        const value = vectors[column + 2]?.getItem(i);
        values[row] = typeof value === 'number' && Number.isFinite(value) ? value : Number.NaN;
      }
      if (rows.names) rows.names.push(vectors[2 + inputs.length]?.getItem(i) as string | null);
    }
  }
  rows.values = classes
    ? []
    : targets.map((target) => {
        const input = inputs.indexOf(target);
        return (input >= 0 ? rows.inputs[input] : loaded[own.indexOf(target)]) as Float64Array;
      });
  return rows;
}

/** Numbers by size, dates by time, anything else as text. */
function orderSql(at: number): string[] {
  const number = numericSql(at, { tokens: [], style: 'point' });
  return [`${number} NULLS LAST`, `${dateSql(at, [])} NULLS LAST`, `c${at}`];
}

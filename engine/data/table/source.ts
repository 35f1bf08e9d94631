/** The `table` source: rows of a table, encoded as fitted on those that train. */
import type { DataNote } from '../../contract/data/inspect.ts';
import { plural } from '../../contract/format.ts';
import type { TableSource } from '../../contract/sources/table.ts';
import { drawnSplit } from '../../contract/splits.ts';
import { type PartName, partNames, type TargetType } from '../../contract/tensors.ts';
import { lazyAddon } from '../../native/lazy.ts';
import { cacheDir } from '../../workspace.ts';
import type { ColumnType, OpenContext, OpenSource } from '../open-source.ts';
import { inputColumns } from './columns.ts';
import { withDatabase } from './duckdb.ts';
import { countUnseen, encodedInputs, encodedTargets, numberedTexts, tableRows } from './encoded.ts';
import type { TableEncoding } from './encoding.ts';
import { unreadRows } from './files.ts';
import { type Fitted, fitTable, textReading, unseenMessage } from './fit.ts';
import { markedRows } from './marked-rows.ts';
import { type OpenTable, openTable } from './open-table.ts';
import { placesOf, rowName } from './places.ts';
import { type ColumnProfile, typeReason } from './profile.ts';
import { keptBeside, type TableStore } from './store.ts';
import { type BadRow, type ColumnReading, findBadRows } from './values.ts';

export interface TableData {
  table: OpenTable;
  fitted: Fitted;
  bad: { [Part in PartName]?: BadRow[] };
  /** What the encoding depends on besides the rows. */
  fitsOn: unknown[];
}

/** The table with its encoding, both from the cache where they were made before. */
export async function fitted(settings: TableSource, baseDir: string, context: OpenContext): Promise<TableData> {
  const options = { cacheDir: cacheDir() };
  const table = await openTable(settings, baseDir, options);
  const others = partNames.flatMap((part) => (part === 'train' ? [] : (table.parts[part]?.identity ?? null)));
  const split = drawnSplit(context.split, table.parts);
  const marked = await markedRows(table, settings, baseDir, context.marks);
  const of = [settings, split, others, ...(marked ? [marked] : [])];
  const found = await keptBeside(table.parts.train.folder, 'encoding', of, () =>
    withDatabase(options.cacheDir, async (database) => {
      const made = await fitTable(database, table, settings, { split, marked, randperm: lazyAddon.randperm });
      const bad: TableData['bad'] = { train: made.bad };
      for (const part of ['val', 'test'] as const) {
        const store = table.parts[part];
        if (!store) continue;
        bad[part] = await findBadRows(database, store, made.encoding.inputs, targetChecks(made.encoding));
        for (const { name, values, count } of await countUnseen(database, store, made.encoding.inputs)) {
          made.notes.push({ message: unseenMessage(name, `rows of ${part}`), names: values, count });
        }
      }
      return { fitted: made, bad };
    }),
  );
  return { table, fitsOn: [split, ...(marked ? [marked] : [])], ...found };
}

function targetReadings({ target }: TableEncoding): ColumnReading[] {
  return target.kind === 'class' ? [{ ...target, kind: 'text' }] : target.values;
}

const targetChecks = (encoding: TableEncoding) =>
  targetReadings(encoding).map((column) => ({
    column,
    known: encoding.target.kind === 'class' ? encoding.target.classes : null,
  }));

/** @throws GradloomError DATA_*, NOT_READABLE, CANCELLED, DISK_FULL */
export async function openTableSource(
  settings: TableSource,
  baseDir: string,
  context: OpenContext,
): Promise<OpenSource> {
  const data = await fitted(settings, baseDir, context);
  const { table, bad } = data;
  const { encoding, counts, groups, notes } = data.fitted;
  const stores = partNames.flatMap((part) => (table.parts[part] ? [[part, table.parts[part]] as const] : []));
  const { on_bad, ...settled } = settings;
  const group = groupReading(table, groups !== null);
  const places = await placesOf(stores.map(([, store]) => store));
  const type = (dtype: 'float32' | 'int64', shape: number[]): ColumnType => ({ dtype, shape, scaled: false });
  const store = (part: string) => table.parts[part as PartName] as TableStore;
  return {
    identity: [settled, stores.map(([part, { identity }]) => [part, identity]), ...data.fitsOn],
    readBytes: 0,
    parts: Object.fromEntries(stores.map(([part, { rows }]) => [part, rows])) as OpenSource['parts'],
    columns: {
      input: type('float32', [encoding.names.length]),
      target: encoding.target.kind === 'class' ? type('int64', []) : type('float32', [encoding.target.values.length]),
      ...(group ? { group: type('int64', []) } : {}),
    },
    notes: [...table.notes, ...notes, ...badNotes(bad, on_bad)],
    skipsBad: on_bad === 'skip',
    unreadRows: unreadRows(stores.map(([, each]) => each)),
    nearlyNumbers: nearlyNumbers(table, settings),
    ...(groups ? { groupNames: groups } : {}),
    nameOf: (part, index) => rowName(places.get(store(part)), index),
    rows: (part) => tableRows(store(part), encoding),
    encoding: async () => JSON.parse(JSON.stringify(encoding)),
    inputColumns: async () => inputColumns(encoding.inputs, table.profiles),
    target: async () => targetType(encoding, counts),
    async write(part, sink, { signal, onBad }) {
      const rows = store(part);
      const own = bad[part as PartName] ?? [];
      for (const { index, place, reason } of own) onBad({ part, index, name: `row ${place}`, reason });
      const out = new Set(own.map(({ index }) => index));
      await withDatabase(
        cacheDir(),
        async (database) => {
          await sink('input', (first) => encodedInputs(database, rows, encoding.inputs, out, first));
          await sink('target', (first) => encodedTargets(database, rows, encoding, out, first));
          if (group && groups) await sink('group', (first) => numberedTexts(database, rows, group, groups, first));
        },
        signal,
      );
    },
  };
}

/** Few cells of a column are odd if no more than this share of them are. */
const fewOdd = 0.1;

/** Where nobody has said what the column is. */
function nearlyNumbers({ profiles, columns }: OpenTable, settings: TableSource): { name: string; reason: string }[] {
  return profiles.flatMap((profile, at) => {
    const { name, type, oddCount, rows, missing } = profile;
    const role = columns[at]?.role;
    const said =
      (Object.hasOwn(settings.columns, name) && settings.columns[name]?.role) || name === settings.part_column;
    const few = type === 'text' && oddCount > 0 && oddCount <= fewOdd * (rows - missing);
    return few && !said && (role === 'categorical' || role === 'ignore') ? [{ name, reason: typeReason(profile) }] : [];
  });
}

function badNotes(bad: TableData['bad'], onBad: 'stop' | 'skip'): DataNote[] {
  if (onBad === 'stop') return [];
  return partNames.flatMap((part) => {
    const rows = bad[part] ?? [];
    if (rows.length === 0) return [];
    const names = rows.slice(0, 200).map(({ place, reason }) => `row ${place}: ${reason}`);
    return [
      {
        message: `${plural(rows.length, 'row')} of ${part} cannot be used and ${rows.length === 1 ? 'is' : 'are'} left out`,
        otherwise: `${plural(rows.length, 'row')} of ${part} cannot be used: an import stops at ${rows.length === 1 ? 'it' : 'them'}, unless "on_bad" is "skip"`,
        names,
        count: rows.length,
      },
    ];
  });
}

function groupReading(table: OpenTable, has: boolean): ColumnReading | null {
  const at = table.columns.findIndex(({ role }) => role === 'group');
  return has ? textReading(table.profiles[at] as ColumnProfile) : null;
}

function targetType({ target }: TableEncoding, counts: number[] | null): TargetType {
  if (target.kind === 'value') return { kind: 'vector', dims: [target.values.length] };
  return { kind: 'class', classes: target.classes, ...(counts ? { counts } : {}) };
}

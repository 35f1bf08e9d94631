/** The encoding of a table, fitted on the rows that train and on no others: means, deviations, categories; classes by the whole training part. */
import type { DataNote } from '../../contract/data/inspect.ts';
import { GradloomError } from '../../contract/errors.ts';
import { plural } from '../../contract/format.ts';
import type { Addon } from '../../contract/native.ts';
import type { DrawnSplit } from '../../contract/project.ts';
import { standardMissing, type TableColumnSettings, type TableSource } from '../../contract/sources/table.ts';
import { drawSplit } from '../draw.ts';
import type { Database } from './duckdb.ts';
import {
  type CategoryInput,
  type ClassTarget,
  type EncodedInput,
  inputNames,
  type NumberInput,
  sortedNames,
  type TableEncoding,
} from './encoding.ts';
import type { MarkedRows } from './marked-rows.ts';
import { Moments } from './moments.ts';
import type { OpenTable } from './open-table.ts';
import type { ColumnProfile } from './profile.ts';
import type { TableStore } from './store.ts';
import { type BadRow, type ColumnReading, findBadRows, readValues } from './values.ts';

/** One-hot inputs beyond this are a mistake: a name or a number of its own in each row. */
const mostCategories = 20_000;

export interface Fitted {
  encoding: TableEncoding;
  /** Of the training part. */
  bad: BadRow[];
  /** Training samples by class; null: no classes. */
  counts: number[] | null;
  /** Names of groups in the order of their numbers; null: no groups. */
  groups: string[] | null;
  notes: DataNote[];
}

export interface FitOptions {
  /** null: all rows train. */
  split: DrawnSplit | null;
  marked: MarkedRows | null;
  randperm: Addon['randperm'];
}

const isNumeric = ({ type }: ColumnProfile) => type === 'whole' || type === 'number';

function numberReading(profile: ColumnProfile): NumberInput {
  const { name, style, type } = profile;
  // In a column that is said to be of numbers, the standard tokens mean what they mean among numbers.
  const tokens = type === 'text' && profile.standard ? [...standardMissing] : profile.tokens;
  return { kind: 'number', name, style, tokens, date: type === 'date', shift: 0, scale: 1, fill: 0, indicator: false };
}

/** A column of classes, categories or groups. */
export function textReading(profile: ColumnProfile): Extract<ColumnReading, { kind: 'text' }> {
  const { name, tokens, style } = profile;
  return { kind: 'text', name, tokens, numbers: isNumeric(profile) && style === 'point' };
}

/** What an input is read as before it is fitted. */
function inputReading(profile: ColumnProfile, role: string, own: TableColumnSettings): EncodedInput | null {
  const indicator = own.missing === 'indicator';
  if (role === 'numeric') return { ...numberReading(profile), indicator };
  if (role !== 'categorical') return null;
  const { name, tokens, numbers } = textReading(profile);
  return { kind: 'category', name, tokens, numbers, categories: [], indicator };
}

export async function fitTable(
  database: Database,
  table: OpenTable,
  settings: TableSource,
  options: FitOptions,
): Promise<Fitted> {
  const { train } = table.parts;
  const own = (name: string): TableColumnSettings =>
    (Object.hasOwn(settings.columns, name) ? settings.columns[name] : undefined) ?? {};
  const inputs = table.profiles.flatMap((profile, at) => {
    const input = inputReading(profile, table.columns[at]?.role ?? 'ignore', own(profile.name));
    return input ? [input] : [];
  });
  if (inputs.length === 0) {
    throw new GradloomError('DATA_FORMAT', `No column of ${train.path} is an input.`, {
      hint: 'Give a column the role numeric or categorical: data.source.columns.',
      path: 'data.source.columns',
    });
  }
  const targetProfiles = table.targets.map((at) => table.profiles[at] as ColumnProfile);
  const isClass = table.columns[table.targets[0] as number]?.role === 'target_class';
  const readings: ColumnReading[] = isClass ? targetProfiles.map(textReading) : targetProfiles.map(numberReading);
  const bad = await findBadRows(
    database,
    train,
    inputs,
    readings.map((column) => ({ column, known: null })),
  );
  refuseAllBad(train, bad);
  const out = new Uint8Array(train.rows);
  for (const { index } of bad) out[index] = 1;

  const groupAt = table.columns.flatMap(({ role }, at) => (role === 'group' ? [at] : []));
  if (groupAt.length > 1) {
    throw new GradloomError('DATA_FORMAT', 'Several columns have the role group: one says which rows stay together.', {
      hint: 'Leave the role to one of them.',
      path: 'data.source.columns',
    });
  }
  const classes = isClass ? await readNames(database, train, readings[0] as ColumnReading, out) : null;
  const groups =
    groupAt.length === 0
      ? null
      : await readGroups(database, table, textReading(table.profiles[groupAt[0] as number] as ColumnProfile), out);
  for (const [index, name] of options.marked?.relabelled ?? []) {
    const label = classes?.names.indexOf(name) ?? -1;
    if (classes && label >= 0) classes.of[index] = label;
  }
  for (const index of options.marked?.excluded ?? []) out[index] = 1;
  const trains = drawn(train.rows, out, classes?.of ?? null, groups?.of ?? null, options);
  const rows = trains.reduce((sum, each) => sum + each, 0);
  const notes: DataNote[] = [];
  const fitted = await fitInputs(database, table, inputs, own, trains, notes);
  const names = inputNames(fitted);
  const target: TableEncoding['target'] = classes
    ? ({ ...textReading(targetProfiles[0] as ColumnProfile), kind: 'class', classes: classes.names } as ClassTarget)
    : {
        kind: 'value',
        values: (await fitInputs(
          database,
          table,
          targetProfiles.map(numberReading),
          targetScale(own),
          trains,
          [],
        )) as NumberInput[],
      };
  if (target.kind === 'value') notes.push(...scaledNotes(target.values));
  else notes.push(...alikeNotes(target));
  return {
    encoding: { kind: 'table', version: 1, inputs: fitted, names, target, rows },
    bad,
    counts: classes?.counts ?? null,
    groups: groups?.names ?? null,
    notes,
  };
}

function refuseAllBad({ rows, path }: TableStore, bad: readonly BadRow[]): void {
  if (bad.length < rows) return;
  const some = bad.slice(0, 5).map(({ place, reason }) => `  row ${place}: ${reason}`);
  throw new GradloomError('DATA_FORMAT', `No row of ${path} can be used:\n${some.join('\n')}`, {
    hint: 'Check the roles of the columns, the target and the decimal mark.',
    path: 'data.source.columns',
  });
}

/** Targets stay as they are unless the project says otherwise. */
const targetScale = (own: (name: string) => TableColumnSettings) => (name: string) => ({
  scale: own(name).scale ?? ('none' as const),
});

function scaledNotes(values: readonly NumberInput[]): DataNote[] {
  return values
    .filter(({ shift, scale }) => shift !== 0 || scale !== 1)
    .map(({ name, shift, scale }) => ({
      message: `Target ${name} is scaled: an answer a of the network stands for a × ${scale} + ${shift}`,
    }));
}

/** Classes that a person may have meant to be one. */
function alikeNotes({ name, classes }: ClassTarget): DataNote[] {
  const alike = new Map<string, string[]>();
  for (const each of classes) {
    const key = each
      .normalize('NFKC')
      .toLowerCase()
      .replace(/\s+/g, '')
      .replace(/^([+-]?)0+(?=\d)/, '$1');
    alike.set(key, [...(alike.get(key) ?? []), each]);
  }
  const several = [...alike.values()].filter(({ length }) => length > 1);
  if (several.length === 0) return [];
  const names = several.map((same) => same.map((each) => JSON.stringify(each)).join(', '));
  return [
    {
      message: `Classes of ${name} differ only in letter case, spaces or leading zeros, and count as different: ${names.slice(0, 3).join('; ')}`,
      names: names.slice(0, 200),
      count: several.length,
    },
  ];
}

interface Names {
  /** Numbers sorted as numbers, texts by code unit. */
  names: string[];
  /** By row, an index into `names`; of rows that are bad any. */
  of: Uint32Array;
  counts: number[];
}

/** Groups that only other parts have come behind those of the training part, so that none is taken for one of it. */
async function readGroups(
  database: Database,
  { parts }: OpenTable,
  column: ColumnReading,
  out: Uint8Array,
): Promise<Names> {
  const groups = await readNames(database, parts.train, column, out);
  const known = new Set(groups.names);
  const others = new Set<string>();
  for (const store of [parts.val, parts.test]) {
    if (!store) continue;
    const { names } = await readNames(database, store, column, new Uint8Array(store.rows));
    for (const name of names) if (!known.has(name)) others.add(name);
  }
  return { ...groups, names: [...groups.names, ...sortedNames(others)] };
}

/** The different texts of a column among the rows that are no bad ones, and which row has which. */
async function readNames(
  database: Database,
  store: TableStore,
  column: ColumnReading,
  out: Uint8Array,
): Promise<Names> {
  const met = new Map<string, { at: number; count: number }>();
  const of = new Uint32Array(out.length);
  for await (const { first, count, columns } of readValues(database, store, [column])) {
    for (let row = 0; row < count; row++) {
      if (out[first + row]) continue;
      // A row without a group is one of its own kind, together with the others.
      const name = String(columns[0]?.getItem(row) ?? '');
      let known = met.get(name);
      if (!known) {
        known = { at: met.size, count: 0 };
        met.set(name, known);
      }
      known.count++;
      of[first + row] = known.at;
    }
  }
  const names = sortedNames(met.keys());
  const place = new Uint32Array(met.size);
  for (const [at, name] of names.entries()) place[(met.get(name) as { at: number }).at] = at;
  for (let row = 0; row < of.length; row++) of[row] = place[of[row] as number] ?? 0;
  return { names, of, counts: names.map((name) => met.get(name)?.count ?? 0) };
}

/** 1 for each row that trains: as the run itself will draw them. */
function drawn(
  count: number,
  out: Uint8Array,
  labels: Uint32Array | null,
  groups: Uint32Array | null,
  { split, randperm }: FitOptions,
): Uint8Array {
  const every = out.map((bad) => 1 - bad);
  if (!split) return every;
  const excluded = Array.from(out.keys()).filter((index) => out[index]);
  try {
    const { train } = drawSplit({ count, labels, groups, excluded }, split, randperm);
    const trains = new Uint8Array(count);
    for (const index of train) trains[index] = 1;
    return trains;
  } catch (thrown) {
    // That the data cannot be divided so is told where the run is planned.
    if (GradloomError.from(thrown).code === 'PROJECT_INVALID') return every;
    throw thrown;
  }
}

/** Values of a column of categories, by whether their rows train. */
class Met {
  readonly training = new Set<string>();
  readonly others = new Map<string, number>();

  add(value: string, trains: boolean): void {
    if (trains) this.training.add(value);
    else this.others.set(value, (this.others.get(value) ?? 0) + 1);
  }
}

/** Columns that are fitted in one walk through the rows. */
const atOnce = 256;

async function fitInputs<Input extends EncodedInput>(
  database: Database,
  table: OpenTable,
  inputs: readonly Input[],
  own: (name: string) => TableColumnSettings,
  trains: Uint8Array,
  notes: DataNote[],
): Promise<EncodedInput[]> {
  const fitted: EncodedInput[] = [];
  for (let first = 0; first < inputs.length; first += atOnce) {
    const some = inputs.slice(first, first + atOnce);
    const found = some.map((input) =>
      input.kind === 'number' ? new Moments(own(input.name).missing === 'median') : new Met(),
    );
    for await (const chunk of readValues(database, table.parts.train, some)) {
      for (const [at, kept] of found.entries()) {
        const values = chunk.columns[at] as { getItem(row: number): unknown };
        for (let row = 0; row < chunk.count; row++) {
          const value = values.getItem(row);
          if (kept instanceof Met) {
            if (value !== null) kept.add(value as string, trains[chunk.first + row] === 1);
          } else if (!trains[chunk.first + row]) continue;
          else if (value === null) kept.missing++;
          else kept.add(value as number);
        }
      }
    }
    for (const [at, input] of some.entries()) {
      const kept = found[at] as Moments | Met;
      fitted.push(
        kept instanceof Met
          ? fitCategories(input as CategoryInput, kept, notes)
          : fitNumber(input as NumberInput, kept, own(input.name), notes),
      );
    }
  }
  return fitted;
}

export const unseenMessage = (name: string, where: string) =>
  `${name}: values of ${where} that no row that trains has; all of its inputs are 0 there`;

function fitCategories(input: CategoryInput, { training, others }: Met, notes: DataNote[]): CategoryInput {
  if (training.size > mostCategories) {
    throw new GradloomError(
      'DATA_FORMAT',
      `Column ${input.name} has ${plural(training.size, 'category', 'categories')}, too many for one input each.`,
      { hint: 'Give it the role ignore, or numeric.', path: `data.source.columns.${input.name}` },
    );
  }
  const unseen = [...others].filter(([name]) => !training.has(name));
  if (unseen.length > 0) {
    const count = unseen.reduce((sum, [, each]) => sum + each, 0);
    const names = unseen.slice(0, 200).map(([name]) => name);
    notes.push({ message: unseenMessage(input.name, 'rows that validate'), names, count });
  }
  return { ...input, categories: sortedNames(training) };
}

function fitNumber(
  input: NumberInput,
  moments: Moments,
  { scale = 'standard', missing = 'mean' }: TableColumnSettings,
  notes: DataNote[],
): NumberInput {
  const { mean, count } = moments;
  const fill = missing === 'zero' || count === 0 ? 0 : missing === 'median' ? moments.median : mean;
  if (moments.missing > 0) {
    const with_ =
      missing === 'zero'
        ? '0'
        : `${Number(fill.toPrecision(6))} (the ${missing === 'median' ? 'median' : 'mean'} of the rows that train)`;
    notes.push({ message: `Missing values of ${input.name} were filled with ${with_}`, count: moments.missing });
  }
  return { ...input, fill, ...moments.scaling(scale) };
}

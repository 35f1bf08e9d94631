/** What the columns of a table hold: every value of every column looked at, whatever the size of the file. */
import type { DuckDBMapValue } from '@duckdb/node-api';
import { plural } from '../../contract/format.ts';
import { standardMissing } from '../../contract/sources/table.ts';
import { type Database, literals, withDatabase } from './duckdb.ts';
import { datePattern, type NumberStyle, numberSql, patterns } from './numbers.ts';
import { keptBeside, placeSql, type StoreOptions, storeParameters, storeRows, type TableStore } from './store.ts';
import { eachTexts, firstOdd, isWide, keptTokens, numbersOf, presentTexts, writingOf } from './texts.ts';
import { lookOf, lookOfTexts } from './written.ts';

export interface ColumnProfile {
  name: string;
  /** `empty`: no value at all. */
  type: 'whole' | 'number' | 'date' | 'text' | 'empty';
  /** Of numbers. */
  style: NumberStyle;
  /** Whether another style could read them all as well, as other numbers: 1,234. */
  ambiguous: boolean;
  rows: number;
  missing: number;
  distinct: number;
  /** Of numbers. */
  min: number | null;
  max: number | null;
  /** Standard tokens that stand in a column of texts, and so are categories. */
  kept: { value: string; count: number }[];
  /** Values that keep the column from being one of numbers, where most are. */
  odd: { row: number; value: string }[];
  oddCount: number;
  /** Of texts: as what numbers or dates they look that are not read. */
  look: string | null;
  /** Texts that mean "missing" here. */
  tokens: string[];
  /** Whether they follow from the column, as nobody has listed any. */
  standard: boolean;
  /** As the file says it, else as its values are. */
  fileType: string;
}

export interface ProfileSettings {
  decimal: '.' | ',' | null;
  /** null: the standard ones, in columns of numbers. */
  missing: readonly string[] | null;
  /** Of single columns, by name. */
  tokens: { readonly [name: string]: readonly string[] };
}

/** Columns that one query looks at. */
const atOnce = 40;
const mostNamed = 5;
/** A column is meant to be of numbers if this share of it are. */
const mostlyNumbers = 0.5;
/** With so few cells that are none it is one of numbers: these are slips, and their rows bad. */
const numbersShare = 0.99;
const fewestNumbers = 20;

export function profileTable(
  store: TableStore,
  settings: ProfileSettings,
  options: StoreOptions,
): Promise<ColumnProfile[]> {
  return keptBeside(store.folder, 'profile', settings, () =>
    withDatabase(options.cacheDir, (database) => makeProfile(database, store, settings), options.signal),
  );
}

/** How many of a column's values, missing ones and tokens aside, are written how. */
export interface Counted {
  empty: number;
  token: number;
  whole: number;
  point: number;
  /** With a comma, and to be read with decimal commas only. */
  comma: number;
  /** With a comma, either way: 1,234. */
  either: number;
  /** With commas between thousands only. */
  grouped: number;
  /** Whole or with a point, and to be read with points between thousands as well: 1.234. */
  thousands: number;
  other: number;
}

async function makeProfile(database: Database, store: TableStore, settings: ProfileSettings): Promise<ColumnProfile[]> {
  const wide = isWide(store);
  const counts: Counted[] = [];
  if (wide) await countWide(database, store, settings, counts);
  else for (const columns of batches(store)) counts.push(...(await count(database, store, columns, settings)));
  const comma = settings.decimal === ',' || (settings.decimal === null && decimalCommas(counts, store.delimiter));
  const profiles = counts.map((counted, at) => begin(store, at, counted, comma, settings));
  if (wide) await measureWide(database, store, profiles);
  else {
    for (const columns of batches(store)) {
      await measure(
        database,
        store,
        columns,
        columns.map((at) => profiles[at] as ColumnProfile),
      );
    }
  }
  for (const profile of profiles) profile.fileType ||= fileTypes[profile.type];
  return profiles;
}

const allColumns = ({ names }: TableStore) => names.map((_, at) => at);

function batches(store: TableStore, all = allColumns(store)): number[][] {
  return Array.from({ length: Math.ceil(all.length / atOnce) }, (_, i) => all.slice(i * atOnce, (i + 1) * atOnce));
}

export function tokensFor(name: string, settings: ProfileSettings): readonly string[] | null {
  return (Object.hasOwn(settings.tokens, name) ? settings.tokens[name] : undefined) ?? settings.missing;
}

const classes = ['empty', 'token', 'whole', 'point', 'comma', 'either', 'grouped', 'thousands', 'other'] as const;

async function count(
  database: Database,
  store: TableStore,
  columns: number[],
  settings: ProfileSettings,
): Promise<Counted[]> {
  const sorts = columns.map((at) => {
    const value = `c${at}`;
    const token = countedTokens(store, at, settings).filter((each) => each !== '');
    return `CASE WHEN ${value} = '' THEN 0 ${token.length > 0 ? `WHEN ${value} IN (${literals(token)}) THEN 1` : ''}
      WHEN regexp_full_match(${value}, '${patterns.whole}') THEN 2
      WHEN regexp_full_match(${value}, '${patterns.point}') THEN
        CASE WHEN contains(${value}, '.') AND regexp_full_match(${value}, '${patterns.thousands}') THEN 7 ELSE 3 END
      WHEN regexp_full_match(${value}, '${patterns.comma}') THEN
        CASE WHEN regexp_full_match(${value}, '${patterns.grouped}') THEN 5 ELSE 4 END
      WHEN contains(${value}, ',') AND regexp_full_match(${value}, '${patterns.grouped}') THEN 6
      ELSE 8 END AS k${at}`;
  });
  // One aggregate a column: planning costs more than counting where there are thousands.
  const [found = []] = await database.rows(
    `SELECT ${columns.map((at) => `histogram(k${at})`).join(', ')} FROM (SELECT ${sorts.join(', ')} FROM ${storeRows})`,
    storeParameters(store),
  );
  return columns.map((_, i) => {
    const counted = noneCounted();
    const { entries } = found[i] as DuckDBMapValue;
    for (const { key, value } of entries) counted[classes[Number(key)] as keyof Counted] = Number(value);
    return counted;
  });
}

const countedTokens = (store: TableStore, at: number, settings: ProfileSettings) =>
  tokensFor(store.names[at] as string, settings) ?? standardMissing;

const noneCounted = () => Object.fromEntries(classes.map((name) => [name, 0])) as unknown as Counted;

function countWide(database: Database, store: TableStore, settings: ProfileSettings, counts: Counted[]): Promise<void> {
  return eachTexts(database, store, allColumns(store), (at, texts) => {
    const tokens = countedTokens(store, at, settings);
    const counted = noneCounted();
    for (const [text, count] of texts) counted[writingOf(text, tokens)] += count;
    counts[at] = counted;
  });
}

const valuesOf = (c: Counted) => c.whole + c.point + c.comma + c.either + c.grouped + c.thousands + c.other;
/** Of a column's values, how many a style can read. */
const readable: { [Style in NumberStyle]: (c: Counted) => number } = {
  point: (c) => c.whole + c.point + c.thousands,
  comma: (c) => c.whole + c.point + c.comma + c.either + c.thousands,
  grouped: (c) => c.whole + c.point + c.grouped + c.either + c.thousands,
};

const ofNumbers = (numbers: number, values: number) =>
  numbers > 0 && (numbers === values || (numbers >= fewestNumbers && numbers >= numbersShare * values));

/** Whoever has these between cells writes commas in numbers. */
const delimitersBesideCommas: readonly (string | null)[] = [';', '\t'];

/**
 * A table writes decimal commas if one of its columns can be read in no other way, and none has commas between thousands; or if one may be read
 * so, no column has a decimal point, and what stands between the cells lets commas be.
 */
function decimalCommas(counts: Counted[], delimiter: string | null): boolean {
  const all = (c: Counted, style: NumberStyle) => ofNumbers(readable[style](c), valuesOf(c));
  if (counts.some((c) => c.grouped > 0 && all(c, 'grouped'))) return false;
  if (counts.some((c) => c.comma > 0 && c.point === 0 && all(c, 'comma'))) return true;
  return (
    delimitersBesideCommas.includes(delimiter) &&
    counts.some((c) => c.either > 0 && all(c, 'comma')) &&
    !counts.some((c) => c.point > 0 && (all(c, 'point') || all(c, 'grouped')))
  );
}

function styleOf(c: Counted, comma: boolean, decimal: ProfileSettings['decimal']): NumberStyle {
  // In a table of decimal commas a column with real points, such as 0.5, is one with points all the same.
  if (comma && c.point === 0 && (c.comma + c.either + c.thousands > 0 || decimal === ',')) return 'comma';
  return c.grouped + c.either > 0 && c.comma === 0 ? 'grouped' : 'point';
}

function isAmbiguous(c: Counted, style: NumberStyle): boolean {
  if (style === 'comma') return c.comma === 0 && c.either + c.thousands > 0;
  return style === 'grouped' && c.grouped + c.point === 0;
}

function begin(store: TableStore, at: number, c: Counted, comma: boolean, settings: ProfileSettings): ColumnProfile {
  const name = store.names[at] as string;
  const asked = tokensFor(name, settings);
  const style = styleOf(c, comma, settings.decimal);
  const values = valuesOf(c);
  const numbers = readable[style](c);
  const isNumber = ofNumbers(numbers, values);
  // What is not said to be missing is a category, unless it stands among numbers.
  const tokens = asked ?? (isNumber ? standardMissing : ['']);
  const present = asked || isNumber ? values : values + c.token;
  return {
    name,
    type: present === 0 ? 'empty' : isNumber ? (c.whole === numbers ? 'whole' : 'number') : 'text',
    style,
    ambiguous: settings.decimal === null && isNumber && isAmbiguous(c, style),
    rows: store.rows,
    missing: store.rows - present,
    distinct: 0,
    min: null,
    max: null,
    kept: [],
    odd: [],
    look: null,
    oddCount: numbers > mostlyNumbers * values ? values - numbers : 0,
    tokens: [...tokens],
    standard: asked === null,
    fileType: store.types?.[at] ?? '',
  };
}

/** A column's value as SQL: null where it is missing. */
export function presentSql(at: number, tokens: readonly string[]): string {
  return tokens.length === 0
    ? `c${at}`
    : tokens.length === 1 && tokens[0] === ''
      ? `nullif(c${at}, '')`
      : `CASE WHEN c${at} NOT IN (${literals(tokens)}) THEN c${at} END`;
}

/** A column's value as a number: null where it is missing or none. */
export const numericSql = (at: number, { tokens, style }: Pick<ColumnProfile, 'tokens' | 'style'>): string =>
  `CASE WHEN ${tokens.length === 0 ? 'TRUE' : `c${at} NOT IN (${literals(tokens)})`} THEN ${numberSql(`c${at}`, style)} END`;

/** Seconds since 1970 of a date or time as ISO 8601 writes it, UTC where it names no zone; null where it is none. */
export const dateSql = (at: number, tokens: readonly string[]): string =>
  `CASE WHEN regexp_matches(${presentSql(at, tokens)}, '${datePattern}') THEN epoch(TRY_CAST(c${at} AS TIMESTAMPTZ)) END`;

const isNumber = ({ type }: ColumnProfile) => type === 'whole' || type === 'number';

async function measure(
  database: Database,
  store: TableStore,
  columns: number[],
  profiles: ColumnProfile[],
): Promise<void> {
  const read = columns.flatMap((at, i) => {
    const profile = profiles[i] as ColumnProfile;
    const value = isNumber(profile) ? numericSql(at, profile) : presentSql(at, profile.tokens);
    const date = isNumber(profile) || profile.type === 'empty' ? 'NULL' : dateSql(at, profile.tokens);
    return [`${value} AS v${i}`, `${date} AS d${i}`];
  });
  const wanted = profiles.flatMap((profile, i) => [
    `count(DISTINCT v${i})`,
    `count(d${i})`,
    ...(isNumber(profile) ? [`min(v${i})`, `max(v${i})`] : ['NULL', 'NULL']),
  ]);
  const found = await database.numbers(
    `SELECT ${wanted.join(', ')} FROM (SELECT ${read.join(', ')} FROM ${storeRows})`,
    storeParameters(store),
  );
  for (const [i, at] of columns.entries()) {
    const profile = profiles[i] as ColumnProfile;
    const [distinct, dates, min, max] = found.slice(4 * i, 4 * i + 4);
    profile.distinct = distinct ?? 0;
    profile.min = min ?? null;
    profile.max = max ?? null;
    if (isBeyondDoubles(profile)) {
      const texts = `SELECT count(DISTINCT ${presentSql(at, profile.tokens)}) FROM ${storeRows}`;
      profile.distinct = (await database.numbers(texts, storeParameters(store)))[0] ?? 0;
    }
    if (profile.type === 'text' && dates === profile.rows - profile.missing) profile.type = 'date';
    if (profile.type === 'text') profile.look = await lookOf(database, store, presentSql(at, profile.tokens));
    if (profile.type === 'text' || profile.oddCount > 0) await tellOdd(database, store, at, profile);
  }
}

/** Whole numbers that doubles round to one another, such as long identifiers. */
const isBeyondDoubles = ({ type, min, max }: ColumnProfile) =>
  type === 'whole' && Math.max(Math.abs(min ?? 0), Math.abs(max ?? 0)) > Number.MAX_SAFE_INTEGER;

const fileTypes = { whole: 'BIGINT', number: 'DOUBLE', date: 'TIMESTAMP', text: 'VARCHAR', empty: 'VARCHAR' };

async function measureWide(database: Database, store: TableStore, profiles: ColumnProfile[]): Promise<void> {
  const dates: number[] = [];
  await eachTexts(database, store, allColumns(store), (at, texts) => {
    const profile = profiles[at] as ColumnProfile;
    if (isNumber(profile)) {
      const numbers = numbersOf(texts, profile);
      profile.distinct = numbers.length;
      profile.min = numbers[0]?.[0] ?? null;
      profile.max = numbers.at(-1)?.[0] ?? null;
      if (isBeyondDoubles(profile)) profile.distinct = presentTexts(texts, profile.tokens).length;
      return;
    }
    const present = presentTexts(texts, profile.tokens);
    profile.distinct = present.length;
    if (profile.type !== 'text') return;
    profile.kept = keptTokens(texts, profile.tokens);
    profile.look = lookOfTexts(texts, profile.tokens);
    if (present.every(([text]) => text === '' || startsAsDate.test(text))) dates.push(at);
  });
  for (const columns of batches(store, dates)) {
    const counts = columns.map((at) => `count(${dateSql(at, profiles[at]?.tokens ?? [])})`);
    const found = await database.numbers(`SELECT ${counts.join(', ')} FROM ${storeRows}`, storeParameters(store));
    for (const [i, at] of columns.entries()) {
      const profile = profiles[at] as ColumnProfile;
      if (found[i] !== profile.rows - profile.missing) continue;
      profile.type = 'date';
      profile.kept = [];
      profile.look = null;
    }
  }
  const odd = profiles.flatMap((profile, at) =>
    profile.oddCount > 0 ? [{ at, skipped: skippedOf(profile), style: profile.style }] : [],
  );
  const found = await firstOdd(database, store, odd, mostNamed);
  for (const [i, { at }] of odd.entries()) (profiles[at] as ColumnProfile).odd = found[i] ?? [];
}

const startsAsDate = new RegExp(datePattern);

/** What is no number and yet not odd. */
const skippedOf = ({ type, tokens }: ColumnProfile) => (type === 'text' ? [...tokens, ...standardMissing] : tokens);

async function tellOdd(database: Database, store: TableStore, at: number, profile: ColumnProfile): Promise<void> {
  const parameters = storeParameters(store);
  const tokens = profile.type === 'text' ? standardMissing.filter((token) => !profile.tokens.includes(token)) : [];
  if (tokens.length > 0) {
    const kept = await database.rows(
      `SELECT c${at}, count(*) FROM ${storeRows} WHERE c${at} IN (${literals(tokens)}) GROUP BY 1 ORDER BY 1`,
      parameters,
    );
    profile.kept = kept.map(([value, count]) => ({ value: String(value), count: Number(count) }));
  }
  if (profile.oddCount === 0) return;
  const odd = await database.rows(
    `SELECT ${placeSql(store)}, c${at} FROM ${storeRows}
      WHERE (${presentSql(at, skippedOf(profile))}) IS NOT NULL AND ${numberSql(`c${at}`, profile.style)} IS NULL
      ORDER BY file_row_number LIMIT ${mostNamed}`,
    parameters,
  );
  profile.odd = odd.map(([row, value]) => ({ row: Number(row), value: String(value) }));
}

/** What the whole column is, in words: `12,000 of 12,000 values are whole numbers, 7 different ones`. */
export function typeReason(profile: ColumnProfile): string {
  const present = profile.rows - profile.missing;
  if (profile.type === 'empty') return 'no row has a value';
  const of = `${present.toLocaleString('en')} of ${plural(present, 'value')} are`;
  const distinct = `${profile.distinct.toLocaleString('en')} different ones`;
  const style =
    profile.style === 'comma'
      ? ' with decimal commas'
      : profile.style === 'grouped'
        ? ' with commas between thousands'
        : '';
  const missing = profile.missing > 0 ? `; ${profile.missing.toLocaleString('en')} missing` : '';
  const words = { whole: `whole numbers${style}`, number: `numbers${style}`, date: 'dates', text: 'texts' };
  if (profile.oddCount === 0) return `${of} ${words[profile.type]}, ${distinct}${missing}`;
  const odd = profile.odd.map(({ row, value }) => `${JSON.stringify(value.slice(0, 40))} in row ${row}`).join(', ');
  const more = profile.oddCount - profile.odd.length;
  return `${profile.oddCount.toLocaleString('en')} of ${plural(present, 'value')} are no numbers: ${odd}${more > 0 ? ` and ${more.toLocaleString('en')} more` : ''}${missing}`;
}

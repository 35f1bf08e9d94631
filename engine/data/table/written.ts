/** Texts that stand for numbers or dates in ways that are not read: told by their look, so that no value becomes an input of its own. */
import { type Database, literal } from './duckdb.ts';
import { storeParameters, storeRows, type TableStore } from './store.ts';
import type { Texts } from './texts.ts';

const digits = '[0-9][0-9.,]*';
/** Of RE2 and of JavaScript alike; a whole text has to match. */
const looks: readonly { of: string; pattern: string }[] = [
  { of: 'percentages', pattern: `[-+−]?${digits} ?%` },
  { of: 'amounts of money', pattern: `[-+−]?[$€£¥] ?[-+−]?${digits}|[-+−]?${digits} ?[$€£¥]` },
  { of: 'dates in another order than 2024-12-31', pattern: '[0-9]{1,4}([/.-])[0-9]{1,2}[/.-][0-9]{1,4}([ T].*)?' },
  {
    of: 'numbers with apostrophes or blanks between thousands, or with a minus sign of typesetters',
    pattern: `[-+−]?[0-9]{1,3}(['’ \u00a0\u2009\u202f][0-9]{3})*([.,][0-9]+)?|[-+−]?[0-9]+([.,][0-9]+)?`,
  },
];
/** So many of a column's values have to look so. */
const share = 0.9;
const tests = looks.map(({ pattern }) => new RegExp(`^(?:${pattern})$`));

function named(counts: readonly number[], present: number): string | null {
  const at = counts.findIndex((count) => present > 0 && count >= share * present);
  return looks[at]?.of ?? null;
}

/** `value`: the column's as SQL, null where it is missing. */
export async function lookOf(database: Database, store: TableStore, value: string): Promise<string | null> {
  const counts = looks.map(({ pattern }) => `count(*) FILTER (regexp_full_match(v, ${literal(pattern)}))`);
  const [present = 0, ...found] = await database.numbers(
    `SELECT count(v), ${counts.join(', ')} FROM (SELECT ${value} AS v FROM ${storeRows})`,
    storeParameters(store),
  );
  return named(
    found.map((count) => count ?? 0),
    present ?? 0,
  );
}

/** The same of texts in memory. */
export function lookOfTexts(texts: Texts, tokens: readonly string[]): string | null {
  const present = [...texts].filter(([text]) => !tokens.includes(text));
  const sum = (some: readonly [string, number][]) => some.reduce((total, [, count]) => total + count, 0);
  return named(
    tests.map((pattern) => sum(present.filter(([text]) => pattern.test(text)))),
    sum(present),
  );
}

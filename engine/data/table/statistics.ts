/** Statistics of whole columns: exact, by every row, computed once for a file. */
import type { TableColumn } from '../../contract/data/table.ts';
import { type Database, withDatabase } from './duckdb.ts';
import { type ColumnProfile, numericSql, type ProfileSettings, presentSql } from './profile.ts';
import { keptBeside, type StoreOptions, storeParameters, storeRows, type TableStore } from './store.ts';

export type ColumnStatistics = Pick<TableColumn, 'numbers' | 'histogram' | 'frequent'>;

const bins = 20;
const mostFrequent = 50;
const atOnce = 40;

export function statisticsOf(
  store: TableStore,
  profiles: readonly ColumnProfile[],
  settings: ProfileSettings,
  options: StoreOptions,
): Promise<ColumnStatistics[]> {
  return keptBeside(store.folder, 'statistics', settings, () =>
    withDatabase(
      options.cacheDir,
      async (database) => {
        const found: ColumnStatistics[] = [];
        for (let first = 0; first < profiles.length; first += atOnce) {
          found.push(...(await measure(database, store, first, profiles.slice(first, first + atOnce))));
        }
        return found;
      },
      options.signal,
    ),
  );
}

const isNumber = ({ type }: ColumnProfile) => type === 'whole' || type === 'number';

async function measure(
  database: Database,
  store: TableStore,
  first: number,
  profiles: readonly ColumnProfile[],
): Promise<ColumnStatistics[]> {
  const parameters = storeParameters(store);
  const aggregates = profiles.flatMap((profile, i) => {
    if (!isNumber(profile)) return ['NULL', 'NULL', 'NULL'];
    const value = numericSql(first + i, profile);
    return [`avg(${value})`, `stddev_pop(${value})`, `median(${value})`];
  });
  // Deviations of values too large for them are none, where DuckDB would stop.
  const moments = await database
    .numbers(`SELECT ${aggregates.join(', ')} FROM ${storeRows}`, parameters)
    .catch((thrown: unknown) => {
      if (/out of range/i.test(String(thrown))) return [];
      throw thrown;
    });
  const found: ColumnStatistics[] = [];
  for (const [i, profile] of profiles.entries()) {
    const at = first + i;
    const [mean = null, std = null, median = null] = moments.slice(3 * i, 3 * i + 3);
    const { min, max } = profile;
    const all = [min, max, mean, std, median];
    const finite = isNumber(profile) && all.every((value) => value !== null && Number.isFinite(value));
    const range = finite ? { min: min as number, max: max as number } : null;
    found.push({
      numbers: range && { ...range, mean: mean as number, std: std as number, median: median as number },
      histogram: range && (await histogram(database, store, at, profile, range)),
      frequent:
        profile.type === 'text' || profile.distinct <= mostFrequent
          ? await frequent(database, store, at, profile)
          : null,
    });
  }
  return found;
}

async function histogram(
  database: Database,
  store: TableStore,
  at: number,
  profile: ColumnProfile,
  { min, max }: { min: number; max: number },
): Promise<number[]> {
  const counts = new Array<number>(bins).fill(0);
  const width = max - min;
  // Halved, so that the widest of ranges is a number as well.
  const place = width > 0 ? `((v / 2 - ${sqlNumber(min / 2)}) / ${sqlNumber(max / 2 - min / 2)}) * ${bins}` : '0';
  const rows = await database.rows(
    `SELECT least(${bins - 1}, greatest(0, CAST(floor(${place}) AS INTEGER))) AS bin, count(*)
      FROM (SELECT ${numericSql(at, profile)} AS v FROM ${storeRows}) WHERE v IS NOT NULL GROUP BY bin`,
    storeParameters(store),
  );
  for (const [bin, count] of rows) counts[Number(bin)] = Number(count);
  return counts;
}

const sqlNumber = (value: number) => `CAST('${value}' AS DOUBLE)`;

async function frequent(
  database: Database,
  store: TableStore,
  at: number,
  { tokens }: ColumnProfile,
): Promise<{ value: string; count: number }[]> {
  const rows = await database.rows(
    `SELECT v, count(*) AS n FROM (SELECT ${presentSql(at, tokens)} AS v FROM ${storeRows}) WHERE v IS NOT NULL
      GROUP BY v ORDER BY n DESC, v LIMIT ${mostFrequent}`,
    storeParameters(store),
  );
  return rows.map(([value, count]) => ({ value: String(value), count: Number(count) }));
}

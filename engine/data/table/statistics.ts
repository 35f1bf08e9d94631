/** Statistics of whole columns: exact, by every row, computed once for a file. */
import type { TableColumn } from '../../contract/data/table.ts';
import { type Database, withDatabase } from './duckdb.ts';
import { type ColumnProfile, numericSql, type ProfileSettings, presentSql } from './profile.ts';
import { keptBeside, type StoreOptions, storeParameters, storeRows, type TableStore } from './store.ts';
import { eachTexts, isWide, numbersOf, presentTexts } from './texts.ts';

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
        if (isWide(store)) return measureWide(database, store, profiles);
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

async function measureWide(
  database: Database,
  store: TableStore,
  profiles: readonly ColumnProfile[],
): Promise<ColumnStatistics[]> {
  const found: ColumnStatistics[] = [];
  const columns = profiles.map((_, at) => at);
  await eachTexts(database, store, columns, (at, texts) => {
    const profile = profiles[at] as ColumnProfile;
    const counted = isNumber(profile) ? numbersOf(texts, profile) : [];
    const numbers = momentsOf(counted);
    found[at] = {
      numbers,
      histogram: numbers && histogramOf(counted, numbers),
      frequent: hasFrequent(profile)
        ? presentTexts(texts, profile.tokens)
            .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
            .slice(0, mostFrequent)
            .map(([value, count]) => ({ value, count }))
        : null,
    };
  });
  return found;
}

type Moments = NonNullable<ColumnStatistics['numbers']>;

/** `counted` rises; null: there is a number among them that is too large. */
function momentsOf(counted: readonly [value: number, count: number][]): Moments | null {
  const [min] = counted[0] ?? [];
  const [max] = counted.at(-1) ?? [];
  if (min === undefined || max === undefined) return null;
  const total = counted.reduce((sum, [, count]) => sum + count, 0);
  const mean = counted.reduce((sum, [value, count]) => sum + value * count, 0) / total;
  const std = Math.sqrt(counted.reduce((sum, [value, count]) => sum + (value - mean) ** 2 * count, 0) / total);
  const low = valueAt(counted, (total - 1) >> 1);
  const median = low + (valueAt(counted, total >> 1) - low) / 2;
  return [min, max, mean, std, median].every(Number.isFinite) ? { min, max, mean, std, median } : null;
}

function valueAt(counted: readonly [value: number, count: number][], place: number): number {
  let seen = 0;
  for (const [value, count] of counted) {
    seen += count;
    if (seen > place) return value;
  }
  return Number.NaN;
}

function histogramOf(counted: readonly [value: number, count: number][], { min, max }: Moments): number[] {
  const counts = new Array<number>(bins).fill(0);
  for (const [value, count] of counted) {
    // Halved, so that the widest of ranges is a number as well.
    const share = max > min ? (value / 2 - min / 2) / (max / 2 - min / 2) : 0;
    const bin = Math.min(bins - 1, Math.max(0, Math.floor(share * bins)));
    counts[bin] = (counts[bin] ?? 0) + count;
  }
  return counts;
}

/** Few texts or numbers, and texts anyhow. */
const hasFrequent = ({ type, distinct }: ColumnProfile) => type === 'text' || distinct <= mostFrequent;

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
      frequent: hasFrequent(profile) ? await frequent(database, store, at, profile) : null,
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

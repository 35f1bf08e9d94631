/** A table as a person looks at it: columns with their statistics, a page of rows, searched and sorted. */
import type { DataNote } from '../../contract/data/inspect.ts';
import type { TableColumn, TablePage } from '../../contract/data/table.ts';
import { GradloomError } from '../../contract/errors.ts';
import type { ResolvedSource } from '../../contract/project.ts';
import { nearest } from '../../contract/report.ts';
import type { TableSource } from '../../contract/sources/table.ts';
import { cacheDir } from '../../workspace.ts';
import { seriesRoles } from '../series/roles.ts';
import { type Database, withDatabase } from './duckdb.ts';
import { openFiles } from './files.ts';
import { profileSettings } from './open-table.ts';
import { type ColumnProfile, numericSql, presentSql, profileTable } from './profile.ts';
import { decideRoles, type TableRoles } from './roles.ts';
import { statisticsOf } from './statistics.ts';
import { placeSql, storeParameters, storeRows, type TableStore } from './store.ts';

export interface WantedRows {
  start: number;
  count: number;
  /** Only rows with a cell that holds this, large or small letters. */
  search?: string;
  sort?: { column: string; down: boolean };
}

/** Of the training part. @throws GradloomError DATA_*, BAD_CALL, NOT_READABLE, CANCELLED, DISK_FULL */
export async function tableView(
  source: ResolvedSource,
  baseDir: string,
  wanted: WantedRows,
  signal?: AbortSignal,
): Promise<TablePage> {
  const options = { cacheDir: cacheDir(), signal };
  const settings = asTable(source);
  // What cannot be trained on is looked at all the same: to see why.
  const { parts, notes } = await openFiles({ ...settings, on_bad: 'skip' }, baseDir, options);
  const store = parts.train;
  const profiles = await profileTable(store, profileSettings(settings), options);
  const statistics = await statisticsOf(store, profiles, profileSettings(settings), options);
  const { roles, told } = await firstRoles(
    source.kind === 'series'
      ? [() => seriesRoles(source, baseDir, profiles)]
      : [settings, { target: null, columns: {}, part_column: settings.part_column }].map(
          (tried) => async () => decideRoles(profiles, tried),
        ),
  );
  const columns = profiles.map((profile, at): TableColumn => {
    const { role = 'ignore', reason = '' } = roles.columns[at] ?? {};
    return {
      name: profile.name,
      type: profile.fileType,
      role,
      reason,
      count: profile.rows - profile.missing,
      missing: profile.missing,
      distinct: profile.distinct,
      ...(statistics[at] ?? { numbers: null, histogram: null, frequent: null }),
    };
  });
  const page = await withDatabase(options.cacheDir, (database) => readPage(database, store, profiles, wanted), signal);
  return { columns, ...page, start: wanted.start, notes: [...told, ...notes, ...roles.notes] };
}

function asTable(source: ResolvedSource): TableSource {
  if (source.kind === 'table') return source;
  if (source.kind === 'series') return { ...source, kind: 'table', part_column: null, columns: {} };
  throw new GradloomError('BAD_CALL', `A source of kind ${source.kind} is no table.`, {
    hint: 'Look at its samples instead.',
  });
}

/** Roles that do not go together are told, and those of a project that says nothing are shown. */
async function firstRoles(tries: (() => Promise<TableRoles>)[]): Promise<{ roles: TableRoles; told: DataNote[] }> {
  const none = { columns: [], targets: [], guesses: [], notes: [] };
  const told: DataNote[] = [];
  for (const make of tries) {
    try {
      return { roles: await make(), told };
    } catch (thrown) {
      const error = GradloomError.from(thrown);
      if (error.code !== 'DATA_FORMAT') throw error;
      told.push({ message: `${error.message.replace(/\.$/, '')}: ${error.hint ?? ''}` });
    }
  }
  return { roles: none, told };
}

async function readPage(
  database: Database,
  store: TableStore,
  profiles: readonly ColumnProfile[],
  { start, count, search, sort }: WantedRows,
): Promise<Pick<TablePage, 'total' | 'rows'>> {
  const parameters = storeParameters(store);
  const total = search ? await findRows(database, store, search) : store.rows;
  const where = search ? ' WHERE file_row_number IN (SELECT found FROM matches)' : '';
  if (count === 0 || start >= total) return { total, rows: [] };
  let positions: number[];
  if (search || sort) {
    const order = sort ? `${sortSql(profiles, sort)}, ` : '';
    const found = await database.rows(
      `SELECT file_row_number FROM ${storeRows}${where} ORDER BY ${order}file_row_number LIMIT ${count} OFFSET ${start}`,
      parameters,
    );
    positions = found.map(([position]) => Number(position));
  } else {
    positions = Array.from({ length: Math.min(count, total - start) }, (_, i) => start + i);
  }
  const cells = profiles.map((_, at) => `c${at}`);
  const sql = `SELECT file_row_number, ${[placeSql(store), ...cells].join(', ')} FROM ${storeRows}
    WHERE file_row_number IN (${positions.join(', ')})`;
  const byPosition = new Map(
    (await database.streamed(sql, parameters)).map(([position, row, ...values]) => [Number(position), { row, values }]),
  );
  const rows = positions.flatMap((position) => {
    const one = byPosition.get(position);
    return one
      ? [{ row: Number(one.row), cells: one.values.map((value, at) => presentText(String(value), profiles[at])) }]
      : [];
  });
  return { total, rows };
}

/** Columns of one query: each has its buffers. */
const searchedAtOnce = 400;

/** Makes the table `matches` of rows with a cell that holds the text; answers how many there are. */
async function findRows(database: Database, store: TableStore, search: string): Promise<number> {
  const parameters = { ...storeParameters(store), search: search.toLowerCase() };
  await database.run('CREATE TEMP TABLE matches (found BIGINT)');
  for (let first = 0; first < store.names.length; first += searchedAtOnce) {
    const texts = store.names.slice(first, first + searchedAtOnce).map((_, i) => `c${first + i}`);
    // No search crosses the sign between cells.
    await database.run(
      `INSERT INTO matches SELECT file_row_number FROM ${storeRows}
        WHERE contains(lower(concat_ws(chr(31), ${texts.join(', ')})), $search)`,
      parameters,
    );
  }
  return (await database.numbers('SELECT count(DISTINCT found) FROM matches'))[0] ?? 0;
}

const presentText = (text: string, profile: ColumnProfile | undefined) =>
  profile?.tokens.includes(text) ? null : text;

/** Numbers by size, texts by their code points, missing values last. */
function sortSql(profiles: readonly ColumnProfile[], { column, down }: NonNullable<WantedRows['sort']>): string {
  const at = profiles.findIndex(({ name }) => name === column);
  const profile = profiles[at];
  if (!profile) {
    const near = nearest(
      column,
      profiles.map(({ name }) => name),
      3,
    );
    throw new GradloomError('BAD_CALL', `The table has no column ${JSON.stringify(column)}.`, {
      hint: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'Name a column of the table.',
    });
  }
  const number = profile.type === 'whole' || profile.type === 'number';
  return `${number ? numericSql(at, profile) : presentSql(at, profile.tokens)} ${down ? 'DESC' : 'ASC'} NULLS LAST`;
}

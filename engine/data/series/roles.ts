/** How each column of a table of series takes part, for a look at the table. */
import type { SeriesSource } from '../../contract/sources/series.ts';
import { type ColumnProfile, typeReason } from '../table/profile.ts';
import type { ColumnRole, TableRoles } from '../table/roles.ts';
import { openSeriesTable } from './load.ts';

/** @throws GradloomError DATA_FORMAT where the project's columns do not go together */
export async function seriesRoles(
  settings: SeriesSource,
  baseDir: string,
  profiles: readonly ColumnProfile[],
): Promise<TableRoles> {
  const { inputs, targets, guesses } = await openSeriesTable({ ...settings, on_bad: 'skip' }, baseDir);
  const [read, predicted] = [inputs, targets].map((columns) => new Set(columns.map(({ name }) => name)));
  const roleOf = (profile: ColumnProfile): ColumnRole => {
    const { name } = profile;
    const why = typeReason(profile);
    if (name === settings.order) return { role: 'ignore', reason: `${why}: rows are put in its order` };
    if (name === settings.group) return { role: 'group', reason: `${why}: each is a series of its own` };
    if (read?.has(name)) {
      return { role: 'numeric', reason: predicted?.has(name) ? `${why}: it is predicted as well` : why };
    }
    if (!predicted?.has(name)) return { role: 'ignore', reason: `${why}: it is no input` };
    return { role: settings.predicts === 'class' ? 'target_class' : 'target_value', reason: why };
  };
  const columns = profiles.map(roleOf);
  const at = profiles.flatMap(({ name }, index) => (predicted?.has(name) ? [index] : []));
  return { columns, targets: at, guesses, notes: [] };
}

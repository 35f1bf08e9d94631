/** Recognises time series: tables with a column of dates, each later than the one before, beside columns of numbers. */
import type { Recognised } from '../../contract/data/inspect.ts';
import { resolveProject } from '../../contract/project.ts';
import type { SeriesSource } from '../../contract/sources/series.ts';
import type { TableSource } from '../../contract/sources/table.ts';
import { cacheDir } from '../../workspace.ts';
import { factsOf } from '../describe.ts';
import type { Found } from '../recognise/recogniser.ts';
import { defaultContext } from '../source.ts';
import { openTable } from '../table/open-table.ts';
import { looksLikeTable, mostLookedAt } from '../table/recognise.ts';
import { openSeriesSource } from './source.ts';

/** Fewer rows give too few windows to tell anything. */
const fewestRows = 50;
const standardWindow = 32;

export async function recogniseSeries({ files, path, kind, head, signal }: Found): Promise<Recognised[]> {
  if (kind !== 'file' || (files[0]?.bytes ?? 0) > mostLookedAt || !(await looksLikeTable(path, head))) return [];
  const written = { kind: 'table' as const, path };
  const settings = resolveProject({ data: { source: written } }).data.source as TableSource;
  const table = await openTable({ ...settings, on_bad: 'skip' }, '/', { cacheDir: cacheDir(), signal });
  const { rows } = table.parts.train;
  const dates = table.profiles.filter(
    ({ type, missing, distinct }) => type === 'date' && missing === 0 && distinct > 1,
  );
  const [date] = dates;
  const numbers = table.profiles.filter(
    ({ type, distinct }) => (type === 'whole' || type === 'number') && distinct > 1,
  );
  if (!date || dates.length > 1 || numbers.length === 0 || rows < fewestRows) return [];
  // Where a date stands for several rows, a column of few texts tells whose row it is.
  const groups = table.profiles.filter(
    ({ type, distinct, missing }) => type === 'text' && missing === 0 && distinct <= rows / fewestRows,
  );
  const group =
    date.distinct === rows ? null : (groups.find(({ distinct }) => distinct * date.distinct >= rows)?.name ?? null);
  if (date.distinct < rows && group === null) return [];
  const lengths = group === null ? rows : rows / (table.profiles.find(({ name }) => name === group)?.distinct ?? 1);
  const window = Math.max(2, Math.min(standardWindow, Math.floor(lengths / 20)));
  const source = {
    kind: 'series' as const,
    path,
    order: date.name,
    ...(group === null ? {} : { group }),
    target: numbers.at(-1)?.name ?? '',
    ...(window === standardWindow ? {} : { window }),
  };
  const resolved = resolveProject({ data: { source } }).data.source as SeriesSource;
  const opened = await openSeriesSource({ ...resolved, on_bad: 'skip' }, '/', defaultContext());
  return [
    {
      source,
      title: `Time series, ${rows.toLocaleString('en')} rows of ${numbers.length} channels${group === null ? '' : ` by ${group}`}`,
      reason: `${date.name} is a date in every row, ${group === null ? 'each another one' : `each another one for each ${group}`}: windows of rows can tell the next value of ${source.target}.`,
      sure: 'possible',
      guesses: [
        { key: 'order', value: date.name, reason: 'it is the column of dates' },
        ...(group === null
          ? []
          : [{ key: 'group', value: group, reason: 'each date stands once for each of its texts' }]),
        { key: 'target', value: source.target, reason: 'it is the last column of numbers' },
        { key: 'window', value: window, reason: 'a series’ validation part, a tenth of it, holds some of them' },
      ],
      notes: opened.notes ?? [],
      facts: factsOf(opened, await opened.target()),
    },
  ];
}

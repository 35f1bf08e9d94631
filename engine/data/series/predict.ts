/** Windows of files that a run has never seen: all that fit, the one that ends with each series' last row included. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GradloomError } from '../../contract/errors.ts';
import { plural } from '../../contract/format.ts';
import type { SeriesSource } from '../../contract/sources/series.ts';
import { standardMissing } from '../../contract/sources/table.ts';
import { cacheDir } from '../../workspace.ts';
import type { FileSamples, FilesRequest } from '../predict/files.ts';
import { withDatabase } from '../table/duckdb.ts';
import { refuseRagged } from '../table/files.ts';
import { openStore, type TableStore } from '../table/store.ts';
import { findBadRows, placeOfColumn } from '../table/values.ts';
import { loadSeries, type SeriesColumn } from './load.ts';
import { fillMissing, type Scale, windowAt } from './source.ts';
import { windowStarts } from './windows.ts';

const mostNamed = 20;

/** @throws GradloomError DATA_*, NOT_READABLE, CANCELLED */
export async function seriesSamples({
  source,
  encoding,
  facts,
  files,
  folder,
  signal,
}: FilesRequest): Promise<FileSamples> {
  const settings = source as SeriesSource;
  const inputs = (encoding as unknown as { inputs: Scale[] }).inputs;
  const path = join(folder, 'files.input.bin');
  const found: FileSamples = {
    count: 0,
    input: { path, dtype: 'float32', shape: facts.input.dims, scaled: false },
    names: [],
    notes: [],
  };
  // As the run reads them: another file's own values could suggest other marks and tokens.
  const columns = inputs.map(({ name, style = 'point', tokens = [...(settings.missing ?? standardMissing)] }) => {
    return { name, style, tokens };
  });
  const options = { cacheDir: cacheDir(), signal };
  for (const file of files) {
    const store = await openStore(file, settings, options);
    if (store.raggedCount > 0) refuseRagged(store, settings.on_bad, found.notes);
    for (const name of [settings.order, settings.group]) if (name !== null) placeOfColumn(store, name);
    await tellBadCells(store, inputs, columns, settings, found, signal);
    // What is to be predicted need not be in the file.
    const own = { ...settings, predicts: 'next' as const };
    const rows = await loadSeries({ store, inputs: columns, targets: columns }, own, signal);
    found.notes.push(...fillMissing(rows, inputs, settings.fill));
    const unusable = (row: number) => rows.inputs.some((values) => Number.isNaN(values[row]));
    const { starts, skipped } = windowStarts(rows.series, { ...settings, horizon: 0 }, unusable, () => false);
    if (skipped > 0) {
      found.notes.push({ message: `Windows of ${file} with a missing value were left out`, count: skipped });
    }
    const before = files.length > 1 ? `${file} ` : '';
    for (const start of starts) {
      const values = windowAt({ rows, inputs }, start, settings);
      await writeFile(path, new Uint8Array(values.buffer), { flag: 'a' });
      found.names.push(`${before}rows ${rows.places[start]}–${rows.places[start + settings.window - 1]}`);
    }
    found.count += starts.length;
  }
  if (found.count > 0) return found;
  throw new GradloomError('DATA_FORMAT', `${files.join(', ')} gives no window of ${settings.window} rows.`, {
    hint: 'Give at least as many rows in a row as a window has, without missing values.',
  });
}

/** Cells that hold no numbers stop whoever wants all rows, or count as missing and are told. */
async function tellBadCells(
  store: TableStore,
  scales: readonly Scale[],
  columns: readonly SeriesColumn[],
  { on_bad }: SeriesSource,
  { notes }: FileSamples,
  signal?: AbortSignal,
): Promise<void> {
  const readings = columns.map((column, i) => {
    const { shift, scale, mean } = scales[i] as Scale;
    return { ...column, kind: 'number' as const, date: false, shift, scale, fill: mean, indicator: false };
  });
  const bad = await withDatabase(cacheDir(), (database) => findBadRows(database, store, readings, []), signal);
  if (bad.length === 0) return;
  const named = bad.slice(0, mostNamed).map(({ place, reason }) => `row ${place}: ${reason}`);
  const what = `${plural(bad.length, 'row')} of ${store.path}`;
  if (on_bad === 'skip') {
    const message = `${what} ${bad.length === 1 ? 'holds' : 'hold'} values that are no numbers; they count as missing`;
    notes.push({ message, names: named, count: bad.length });
    return;
  }
  throw new GradloomError('DATA_FORMAT', `${what} cannot be read:\n${named.map((each) => `  ${each}`).join('\n')}`, {
    hint: 'Mend or remove them.',
    path: store.path,
  });
}

/** Windows of files that a run has never seen: all that fit, the one that ends with each series' last row included. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GradloomError } from '../../contract/errors.ts';
import type { SeriesSource } from '../../contract/sources/series.ts';
import type { FileSamples, FilesRequest } from '../predict/files.ts';
import { loadSeries, openSeriesTable } from './load.ts';
import { fillMissing, type Scale, windowAt } from './source.ts';
import { windowStarts } from './windows.ts';

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
  for (const file of files) {
    // What is to be predicted need not be in the file.
    const own = {
      ...settings,
      path: file,
      inputs: inputs.map(({ name }) => name),
      predicts: 'next' as const,
      target: null,
    };
    const table = await openSeriesTable(own, '/');
    const rows = await loadSeries(table, own, signal);
    found.notes.push(...table.notes, ...fillMissing(rows, inputs, settings.fill));
    const unusable = (row: number) => rows.inputs.some((values) => Number.isNaN(values[row]));
    const { starts } = windowStarts(rows.series, { ...settings, horizon: 0 }, unusable, () => false);
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

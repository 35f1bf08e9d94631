/** Rows of tables that a run has never seen, encoded as its own were. */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GradloomError } from '../../contract/errors.ts';
import { plural } from '../../contract/format.ts';
import type { TableSource } from '../../contract/sources/table.ts';
import { cacheDir } from '../../workspace.ts';
import type { FileSamples, FilesRequest } from '../predict/files.ts';
import { withDatabase } from './duckdb.ts';
import { countUnseen, encodedInputs } from './encoded.ts';
import type { TableEncoding } from './encoding.ts';
import { refuseRagged } from './files.ts';
import { unseenMessage } from './fit.ts';
import { placesOf, rowName } from './places.ts';
import { openStore } from './store.ts';
import { findBadRows } from './values.ts';

const mostNamed = 20;

/** @throws GradloomError DATA_*, NOT_READABLE, CANCELLED */
export async function tableSamples({ source, encoding, files, folder, signal }: FilesRequest): Promise<FileSamples> {
  const settings = source as TableSource;
  const { inputs, names: columns } = encoding as unknown as TableEncoding;
  const path = join(folder, 'files.input.bin');
  const found: FileSamples = {
    count: 0,
    input: { path, dtype: 'float32', shape: [columns.length], scaled: false },
    names: [],
    notes: [],
  };
  const options = { cacheDir: cacheDir(), signal };
  for (const file of files) {
    const store = await openStore(file, settings, options);
    if (store.raggedCount > 0) refuseRagged(store, settings.on_bad, found.notes);
    const places = (await placesOf([store])).get(store);
    await withDatabase(
      options.cacheDir,
      async (database) => {
        const bad = await findBadRows(database, store, inputs, []);
        if (bad.length > 0) {
          const rows = bad.slice(0, mostNamed).map(({ place, reason }) => `  row ${place}: ${reason}`);
          throw new GradloomError(
            'DATA_FORMAT',
            `${plural(bad.length, 'row')} of ${file} cannot be read:\n${rows.join('\n')}`,
            {
              hint: 'Mend or remove them.',
              path: file,
            },
          );
        }
        for (const { name, values, count } of await countUnseen(database, store, inputs)) {
          found.notes.push({ message: unseenMessage(name, file), names: values, count });
        }
        const pieces = Readable.from(encodedInputs(database, store, inputs, new Set(), 0), { objectMode: true });
        await pipeline(pieces, createWriteStream(path, { flags: 'a' }), signal ? { signal } : {});
      },
      signal,
    );
    found.count += store.rows;
    const before = files.length > 1 ? `${file} ` : '';
    for (let index = 0; index < store.rows; index++) found.names.push(`${before}${rowName(places, index)}`);
  }
  return found;
}

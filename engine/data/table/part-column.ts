/** A column that says of each row which part it belongs to, found by its name and all of its values. */
import type { Guess } from '../../contract/data/inspect.ts';
import { partOf } from '../part-names.ts';
import { withDatabase } from './duckdb.ts';
import { type StoreOptions, storeParameters, storeRows, type TableStore } from './store.ts';

const columnNames = /^(data[ _-]?)?(split|part|set|fold|subset|partition)s?$/i;
/** More different words than there are for parts. */
const mostWords = 12;

/** null: there is none. */
export async function guessPartColumn(store: TableStore, key: string, options: StoreOptions): Promise<Guess | null> {
  const named = store.names.flatMap((name, at) => (columnNames.test(name.trim()) ? [{ name, at }] : []));
  if (named.length === 0) return null;
  return withDatabase(
    options.cacheDir,
    async (database) => {
      for (const { name, at } of named) {
        const found = await database.rows(
          `SELECT DISTINCT c${at} FROM ${storeRows} ORDER BY 1 LIMIT ${mostWords}`,
          storeParameters(store),
        );
        const values = found.map(([value]) => String(value));
        const parts = new Set(values.map(partOf));
        if (values.length === mostWords || parts.has(null) || !parts.has('train') || parts.size < 2) continue;
        const words = values.map((value) => JSON.stringify(value)).join(', ');
        return { key, value: name, reason: `all of its values name parts: ${words}` };
      }
      return null;
    },
    options.signal,
  );
}

/** How rows of a table are called: by their number in the file, from 1. */
import { cacheDir } from '../../workspace.ts';
import { withDatabase } from './duckdb.ts';
import { placeSql, storeParameters, storeRows, type TableStore } from './store.ts';

/** `places`: of a part whose rows do not lie in the file as they do here. */
export function rowName(places: Uint32Array | undefined, index: number): string {
  return `row ${places?.[index] ?? index + 1}`;
}

/** Of parts whose rows do not lie in the file as they do here: the number of each, from 1. */
export async function placesOf(stores: readonly TableStore[]): Promise<Map<TableStore, Uint32Array>> {
  const places = new Map<TableStore, Uint32Array>();
  const placed = stores.filter((store) => store.placed);
  if (placed.length === 0) return places;
  await withDatabase(cacheDir(), async (database) => {
    for (const store of placed) {
      const own = new Uint32Array(store.rows);
      let at = 0;
      for await (const chunk of database.chunks(
        `SELECT ${placeSql(store)} FROM ${storeRows}`,
        storeParameters(store),
      )) {
        const column = chunk.getColumnVector(0);
        for (let row = 0; row < chunk.rowCount; row++) own[at++] = Number(column.getItem(row));
      }
      places.set(store, own);
    }
  });
  return places;
}

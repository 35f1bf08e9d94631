/** `data.json` of a run: what it was told of its data, so that the run predicts new files where the old ones are gone. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '../contract/report.ts';
import type { DataFacts } from '../contract/tensors.ts';
import { replaceJson } from './durable.ts';

export const dataName = 'data.json';

export interface KeptData {
  version: 1;
  facts: DataFacts;
  /** How a table's rows became numbers; null: nothing was fitted. */
  encoding: JsonObject | null;
}

export function keepData(folder: string, { facts, encoding }: Omit<KeptData, 'version'>): void {
  replaceJson(path.join(folder, dataName), { version: 1, facts, encoding } satisfies KeptData);
}

/** null: the run is older, or it was never begun. */
export function readKeptData(folder: string): KeptData | null {
  try {
    const kept = JSON.parse(readFileSync(path.join(folder, dataName), 'utf8')) as KeptData;
    return kept.version === 1 ? kept : null;
  } catch {
    return null;
  }
}

/** `data.json` of a run: what it was told of its data, so that the run predicts new files where the old ones are gone. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { NativePart } from '../contract/native.ts';
import type { JsonObject } from '../contract/report.ts';
import type { DataFacts } from '../contract/tensors.ts';
import type { StoredAs } from '../data/predict/files.ts';
import { replaceJson } from './durable.ts';
import type { PreparedData } from './prepare.ts';

export const dataName = 'data.json';

export interface KeptData {
  version: 1;
  facts: DataFacts;
  /** How a table's rows became numbers; null: nothing was fitted. */
  encoding: JsonObject | null;
  /** How the inputs are stored; absent: the run is older. */
  input?: StoredAs;
}

export function keepData(
  folder: string,
  { facts, encoding, parts }: Pick<PreparedData, 'facts' | 'encoding' | 'parts'>,
): void {
  const { dtype, scaled } = (parts.train as NativePart).input;
  replaceJson(path.join(folder, dataName), {
    version: 1,
    facts,
    encoding,
    input: { dtype, scaled },
  } satisfies KeptData);
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

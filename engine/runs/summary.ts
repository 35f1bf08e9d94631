/** `summary.json`: how a run stands, rewritten after each epoch and at each change of state; feeds run lists. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type RunSummary, summarySchema } from '../contract/summary.ts';

export type { RunSummary };

export const summaryName = 'summary.json';

/** null while there is none, and for one that is damaged: the journal tells all of it again. */
export function readSummary(folder: string): RunSummary | null {
  try {
    return summarySchema.parse(JSON.parse(readFileSync(path.join(folder, summaryName), 'utf8')));
  } catch {
    return null;
  }
}

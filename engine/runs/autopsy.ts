/** `autopsy.json` of a run's folder, read. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Autopsy, autopsySchema } from '../contract/autopsy.ts';

export const autopsyName = 'autopsy.json';

/** The autopsy of a run's folder; null where it has none. */
export function readAutopsy(folder: string): Autopsy | null {
  try {
    return autopsySchema.parse(JSON.parse(readFileSync(path.join(folder, autopsyName), 'utf8')));
  } catch {
    return null;
  }
}

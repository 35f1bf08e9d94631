/** The Data Doctor's findings on the open project's data, and what mends them. */
import type { DataFix, DoctorReport } from '../../engine/contract/data/doctor.ts';
import { plural } from '../../engine/contract/format.ts';
import { engine } from '../client/client.ts';
import { changeMarks } from './data-marks.ts';
import { type DataKey, dataKeyNow, useDataKey } from './data-place.ts';
import { longWork } from './long-work.ts';
import { edit, readDataAgain, useProjectState } from './project.ts';

const checking = longWork<{ file: string; text: string }, DoctorReport>(
  (input, signal) => engine.data.doctor(input, { signal }),
  // Whoever mends one finding goes on to the next meanwhile.
  (before, key) => fileOfKey(before) === fileOfKey(key),
);

export const useChecking = checking.use;
export const cancelCheck = checking.cancel;

/** Why a report may no longer hold. */
export type Outdated = 'source' | 'split' | null;

export interface Checked {
  report: DoctorReport | null;
  outdated: Outdated;
}

/** The last report on this project's data; of another source there is none. */
export function useChecked(): Checked {
  const { source, split } = useDataKey();
  const key = checking.use((work) => work.resultKey);
  const report = checking.use((work) => work.result);
  if (key === null || report === null) return { report: null, outdated: null };
  const [ofSource, ofSplit] = partsOf(key);
  if (fileOf(ofSource) !== fileOf(source)) return { report: null, outdated: null };
  return { report, outdated: ofSource !== source ? 'source' : ofSplit !== split ? 'split' : null };
}

const fileOf = (source: string) => (JSON.parse(source) as unknown[])[0];

const partsOf = (key: string) => JSON.parse(key) as [source: string, split: string];

const fileOfKey = (key: string) => fileOf(partsOf(key)[0]);

const keyOf = ({ source, split }: DataKey) => JSON.stringify([source, split]);

export function useCheckKey(): string {
  return keyOf(useDataKey());
}

/** The project's data as they are now: a fix may just have changed them. */
export async function checkData(): Promise<void> {
  const { file, text } = useProjectState.getState();
  if (file === null) return;
  const report = await checking.start(keyOf(dataKeyNow()), { file, text });
  // It imports what it reads: what that has found counts from then on.
  if (report && useProjectState.getState().file === file) readDataAgain();
}

/** Answers whether it was done. */
export async function applyFix({ edits, marks, label }: DataFix): Promise<boolean> {
  if (edits && edits.length > 0 && !edit(edits)) return false;
  if (!marks || marks.length === 0) return true;
  // The button says what to do, the message what was done.
  const allOut = marks.every(({ mark }) => mark?.exclude);
  return changeMarks(
    marks,
    allOut ? `${plural(marks.length, 'sample is', 'samples are')} left out of training` : label,
  );
}

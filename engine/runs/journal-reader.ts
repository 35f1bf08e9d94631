/** Reads a journal: whole, effective, or as it grows. */
import { GradloomError } from '../contract/errors.ts';
import type { RunEvent } from '../contract/events.ts';

/** All whole lines of the run's journal, as written. A cut last line is left out. */
export async function readJournal(_run: string): Promise<RunEvent[]> {
  throw new GradloomError('INTERNAL', 'readJournal is being written');
}

/** Calls `onEvent` for what is there and what comes; resolves when the run is no longer live, or when `signal` aborts. */
export async function followJournal(
  _run: string,
  _onEvent: (event: RunEvent) => void,
  _signal?: AbortSignal,
): Promise<void> {
  throw new GradloomError('INTERNAL', 'followJournal is being written');
}

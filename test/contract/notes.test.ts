/** What of a run's history is told at once. */
import { expect, test } from 'vitest';
import type { RunNote } from '../../engine/contract/api.ts';
import { keptNotes } from '../../engine/contract/notes.ts';

test('the newest, and all that somebody did however long ago', () => {
  const note = (kind: RunNote['kind'], step: number): RunNote => ({ time: '', kind, message: '', step });
  const checkpoints = Array.from({ length: 800 }, (_, step) => note('checkpoint', step));
  const notes = [note('start', 0), note('change', 1), note('resume', 2), note('snapshot', 2), ...checkpoints];
  const kept = keptNotes(notes);
  expect(kept.slice(0, 3).map(({ kind }) => kind)).toEqual(['change', 'resume', 'snapshot']);
  expect(kept.slice(3)).toEqual(notes.slice(-500));
  expect(keptNotes(notes.slice(0, 10))).toEqual(notes.slice(0, 10));
});

/** How much of what happened in a run is told at once. */
import type { RunNote } from './api.ts';

const most = 500;

/** The newest, and of the older ones those that say how the run was changed: what is drawn needs them all. */
export function keptNotes(notes: readonly RunNote[]): RunNote[] {
  const cut = notes.length - most;
  return notes.filter(({ kind }, index) => index >= cut || kind === 'change' || kind === 'resume');
}

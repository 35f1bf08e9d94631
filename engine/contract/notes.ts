/** How much of what happened in a run is told at once. */
import type { RunNote } from './api.ts';

const most = 500;

/** What somebody did to a run stays in sight however many checkpoints follow. */
export function isSteering({ kind }: RunNote): boolean {
  return kind === 'change' || kind === 'resume' || kind === 'snapshot';
}

/** The newest, and of the older ones those that say what somebody did: what is drawn needs them all. */
export function keptNotes(notes: readonly RunNote[]): RunNote[] {
  const cut = notes.length - most;
  return notes.filter((note, index) => index >= cut || isSteering(note));
}

/** Which runs are shown: by words of their name, project, device and notes, and by state. Pure. */
import type { RunRow } from '../../engine/contract/api.ts';
import type { RunState } from '../../engine/contract/events.ts';
import { isLive } from '../state/runs.ts';

export type States = 'all' | 'live' | RunState;

export interface Filter {
  text: string;
  states: States;
}

/** Every word must be found somewhere. */
export function filterRuns(runs: readonly RunRow[], { text, states }: Filter): RunRow[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return runs.filter((run) => {
    if (states === 'live' ? !isLive(run.status) : states !== 'all' && run.status !== states) return false;
    const { name, notes, status, summary } = run;
    const all = [name, summary?.name, summary?.device, status, notes].join(' ').toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

/** Which runs are shown: by words of their name, project, device and notes, and by state. */
import type { RunRow } from '../../engine/contract/api.ts';
import type { RunState } from '../../engine/contract/events.ts';
import { isLive } from '../state/runs.ts';
import { Choice } from '../ui/index.ts';

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

const options: { value: States; label: string }[] = [
  { value: 'all', label: 'All states' },
  { value: 'live', label: 'Live' },
  { value: 'completed', label: 'Completed' },
  { value: 'stopped', label: 'Stopped' },
  { value: 'parked', label: 'Parked' },
  { value: 'interrupted', label: 'Interrupted' },
  { value: 'failed', label: 'Failed' },
];

export function StateFilter({ value, onChange }: { value: States; onChange: (states: States) => void }) {
  return (
    <Choice
      label="States shown"
      value={value}
      options={options}
      width={124}
      onChange={(states) => onChange(states as States)}
    />
  );
}

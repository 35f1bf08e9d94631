/** The choice of states that the table of runs shows. */
import { Choice } from '../ui/index.ts';
import type { States } from './run-filter.ts';

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

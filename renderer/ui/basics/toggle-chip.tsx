/** One of a row of small round buttons, each on or off: a filter, a choice of several. */
import type { ReactNode } from 'react';
import classes from './toggle-chip.module.css';

export interface ToggleChipProps {
  on: boolean;
  children: ReactNode;
  onToggle: () => void;
  /** Accessible name, where the words on it are too short. */
  label?: string;
  title?: string | undefined;
}

export function ToggleChip({ on, children, onToggle, label, title }: ToggleChipProps) {
  return (
    <button
      type="button"
      className={classes.chip}
      aria-pressed={on}
      aria-label={label}
      title={title}
      onClick={onToggle}
    >
      {children}
    </button>
  );
}

/** One of several named things, each with a few quieter words beside it. */
import { Select } from '@mantine/core';
import classes from './choice.module.css';

export interface ChoiceOption {
  value: string;
  label: string;
  /** At the right, quieter. */
  hint?: string | undefined;
  disabled?: boolean;
}

export interface ChoiceProps {
  id?: string;
  /** Accessible name; the label that is seen is the row's. */
  label: string;
  value: string | null;
  options: readonly ChoiceOption[];
  onChange: (value: string) => void;
  placeholder?: string;
  width?: number | string;
  invalid?: boolean;
}

export function Choice({ id, label, value, options, onChange, placeholder = 'Choose…', width, invalid }: ChoiceProps) {
  const hints = new Map(options.map((option) => [option.value, option.hint]));
  return (
    <Select
      {...(id === undefined ? {} : { id })}
      aria-label={label}
      className={classes.choice as string}
      data={options.map(({ value: key, label: text, disabled = false }) => ({ value: key, label: text, disabled }))}
      value={value}
      placeholder={placeholder}
      error={invalid ?? false}
      {...(width === undefined ? {} : { w: width, flex: 'none' })}
      renderOption={({ option }) => (
        <span className={classes.option}>
          <span>{option.label}</span>
          {hints.get(option.value) !== undefined && <span className={classes.hint}>{hints.get(option.value)}</span>}
        </span>
      )}
      onChange={(next) => next !== null && onChange(next)}
    />
  );
}

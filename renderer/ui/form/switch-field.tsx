/** A switch whose label is its row's, and the place of what belongs to something that is on. */
import { Switch } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './form.module.css';

export interface SwitchFieldProps {
  id: string;
  /** Accessible name. */
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  /** For assistive technology. */
  describe?: string | undefined;
  disabled?: boolean | undefined;
}

export function SwitchField({ id, label, checked, onChange, describe, disabled = false }: SwitchFieldProps) {
  return (
    <>
      <Switch
        id={id}
        size="xs"
        aria-label={label}
        checked={checked}
        disabled={disabled}
        aria-describedby={describe === undefined ? undefined : `${id}-help`}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      {describe !== undefined && (
        <span className="visually-hidden" id={`${id}-help`}>
          {describe}
        </span>
      )}
    </>
  );
}

/** Parameters of a setting that is on, set in below it. */
export function Nested({ children }: { children: ReactNode }) {
  return <div className={classes.nested}>{children}</div>;
}

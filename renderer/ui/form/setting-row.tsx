/** A form's row for a control that no schema describes by itself: label with help, control, the way back to the default, problems. */
import { Tooltip } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Edit } from '../../../engine/contract/problems.ts';
import { IconButton } from '../basics/buttons.tsx';
import { FieldProblems } from './field-problems.tsx';
import classes from './form.module.css';
import type { FormProblem } from './types.ts';

export interface SettingRowProps {
  /** Of the control that the label belongs to. */
  id: string;
  label: string;
  help: string;
  children: ReactNode;
  problems?: readonly FormProblem[];
  onFix?: ((fix: { label: string; edits: Edit[] }) => void) | undefined;
  /** Only where there is something to take back. */
  onReset?: (() => void) | undefined;
  /** What holds then, as text. */
  standard?: string | undefined;
  stacked?: boolean;
}

export function SettingRow(props: SettingRowProps) {
  const { id, label, help, children, problems = [], onFix, onReset, standard, stacked = false } = props;
  return (
    <div className={classes.form} data-stacked={stacked || undefined}>
      <div className={classes.field}>
        <Tooltip label={help} position="left" openDelay={250}>
          <label className={classes.label} htmlFor={id} id={`${id}-label`}>
            {label}
          </label>
        </Tooltip>
        <div className={classes.control}>{children}</div>
        {onReset && (
          <span className={classes.reset}>
            <IconButton
              label={`Reset ${label.toLowerCase()} to the default${standard === undefined ? '' : `, ${standard}`}`}
              icon={IconArrowBackUp}
              size={20}
              onClick={onReset}
            />
          </span>
        )}
        {problems.length > 0 && <FieldProblems problems={problems} onFix={onFix} />}
      </div>
    </div>
  );
}

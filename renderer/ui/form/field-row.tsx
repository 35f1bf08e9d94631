/** One field of a form: label with help, control, the way back to the default, and what is wrong with buttons that fix it. */
import { Tooltip } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useId, useState } from 'react';
import type { z } from 'zod';
import { fieldInfo } from '../../../engine/contract/fields.ts';
import type { Edit } from '../../../engine/contract/problems.ts';
import { Button, IconButton } from '../basics/buttons.tsx';
import { controlFor } from './controls.tsx';
import classes from './form.module.css';
import { showValue } from './parse.ts';
import type { FormProblem } from './types.ts';

export interface FieldRowProps {
  name: string;
  schema: z.ZodType;
  value: unknown;
  problems: readonly FormProblem[];
  onChange: (value: unknown) => void;
  onFix?: ((fix: { label: string; edits: Edit[] }) => void) | undefined;
  onBrowse?: (() => Promise<string | null>) | undefined;
  disabled: boolean;
  placeholder?: string | undefined;
  unit?: string | undefined;
}

export function FieldRow(props: FieldRowProps) {
  const { name, schema, value, problems, onChange, onFix, onBrowse, disabled, placeholder, unit } = props;
  const id = useId();
  const info = fieldInfo(schema);
  const [typing, setTyping] = useState<string | null>(null);
  const Control = controlFor(info.control);
  const changed = value !== undefined && 'default' in info;
  const standard = placeholder ?? (info.default === null ? 'none' : showValue(info.default));
  const bad = typing !== null || problems.some(({ severity }) => severity !== 'warning');
  return (
    <div className={classes.field} data-field={name} data-bad={bad || undefined}>
      <Tooltip label={`${info.help} (${name})`} position="left" openDelay={250}>
        <label className={classes.label} htmlFor={id} id={`${id}-label`}>
          {info.label}
        </label>
      </Tooltip>
      <div className={classes.control}>
        <Control
          id={id}
          labelId={`${id}-label`}
          describedBy={`${id}-help${bad || problems.length > 0 ? ` ${id}-problems` : ''}`}
          schema={schema}
          info={info}
          value={value}
          invalid={bad}
          disabled={disabled}
          onChange={onChange}
          onProblem={setTyping}
          onBrowse={onBrowse}
          placeholder={placeholder}
        />
        {unit !== undefined && <span className={classes.unit}>{unit}</span>}
      </div>
      {changed && !disabled && (
        <span className={classes.reset}>
          <IconButton
            label={`Reset ${info.label.toLowerCase()} to the default, ${standard}`}
            icon={IconArrowBackUp}
            size={20}
            onClick={() => onChange(undefined)}
          />
        </span>
      )}
      <span className="visually-hidden" id={`${id}-help`}>
        {info.help}
      </span>
      {(typing !== null || problems.length > 0) && (
        <div className={classes.problems} id={`${id}-problems`}>
          {typing !== null ? (
            // What the field has kept is still the last value that could be read: its own problems would mislead.
            <p className={classes.problem}>{typing}</p>
          ) : (
            problems.map((problem) => (
              <div key={problem.path + problem.message} className={classes.problem} data-severity={problem.severity}>
                <p>{problem.message}</p>
                {onFix && problem.fixes.length > 0 && (
                  <div className={classes.fixes}>
                    {problem.fixes.map((fix) => (
                      <Button key={fix.label} size="xs" onClick={() => onFix(fix)} disabled={disabled}>
                        {fix.label}
                      </Button>
                    ))}
                  </div>
                )}
              </div>
            ))
          )}
        </div>
      )}
    </div>
  );
}

/** One field of a form: label with help, control, the way back to the default, and what is wrong with buttons that fix it. */
import { IconArrowBackUp } from '@tabler/icons-react';
import { useId, useState } from 'react';
import type { z } from 'zod';
import { type FieldInfo, fieldInfo } from '../../../engine/contract/fields.ts';
import type { Edit } from '../../../engine/contract/problems.ts';
import { IconButton } from '../basics/buttons.tsx';
import { Tip } from '../basics/tip.tsx';
import { capital } from '../format.ts';
import { controlFor } from './controls.tsx';
import { FieldProblems } from './field-problems.tsx';
import classes from './form.module.css';
import { showDefault } from './parse.ts';
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
  /** What arrives, for choices that hang on it; null while unknown. */
  input: readonly number[] | null;
  /** Why the field means nothing now: what it has can only be taken back. */
  idle: string | null;
}

export function FieldRow(props: FieldRowProps) {
  const { name, schema, value, problems, onChange, onFix, onBrowse, placeholder, unit, input, idle } = props;
  const id = useId();
  const described = fieldInfo(schema);
  const info = described.offered ? { ...described, choices: described.offered(input) } : described;
  const disabled = props.disabled || idle !== null;
  const [typing, setTyping] = useState<string | null>(null);
  const Control = controlFor(info.control);
  const changed = value !== undefined && 'default' in info;
  const standard = placeholder ?? showDefault(info);
  const shownDefault = info.default === true ? 'on' : info.default === false ? 'off' : standard;
  const bad = typing !== null || problems.some(({ severity }) => severity !== 'warning');
  return (
    <div className={classes.field} data-field={name} data-bad={bad || undefined}>
      <Tip label={<Help name={name} info={info} standard={shownDefault} />} side="left" delay={250}>
        <label className={classes.label} htmlFor={id} id={`${id}-label`}>
          {info.label}
        </label>
      </Tip>
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
      {changed && !props.disabled && (
        <span className={classes.reset}>
          <IconButton
            label={`Reset ${info.label.toLowerCase()} to the default, ${shownDefault}`}
            icon={IconArrowBackUp}
            size={20}
            onClick={() => onChange(undefined)}
          />
        </span>
      )}
      <span className="visually-hidden" id={`${id}-help`}>
        <Help name={name} info={info} standard={shownDefault} />
      </span>
      {idle !== null && <p className={classes.idle}>It has no effect. {idle}</p>}
      {typing !== null ? (
        // What the field has kept is still the last value that could be read: its own problems would mislead.
        <div className={classes.problems} id={`${id}-problems`}>
          <p className={classes.problem}>{typing}</p>
        </div>
      ) : (
        problems.length > 0 && (
          <FieldProblems id={`${id}-problems`} problems={problems} onFix={props.disabled ? undefined : onFix} />
        )
      )}
    </div>
  );
}

/** What a field is, for the label's tooltip and for who listens: help, name in PyTorch, bounds, default. */
function Help({ name, info, standard }: { name: string; info: FieldInfo; standard: string }) {
  const bounds =
    info.control === 'switch' || info.control === 'choice'
      ? ''
      : `${capital(info.expected.replace(/\bnull\b/, 'none'))}. `;
  return (
    <>
      {info.help} <br />
      {bounds}
      {'default' in info && standard !== '' ? `Default: ${standard}. ` : ''}
      {`In code: ${name}.`}
    </>
  );
}

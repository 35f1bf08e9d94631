/** The controls of a form's fields, one a kind of field. */
import { Select, Switch } from '@mantine/core';
import { IconFolderOpen } from '@tabler/icons-react';
import type { ComponentType, KeyboardEvent } from 'react';
import type { FieldControl } from '../../../engine/contract/fields.ts';
import { IconButton, Segmented } from '../basics/buttons.tsx';
import { takeBack, useDraft } from './draft.ts';
import { selectOnFirstClick } from './first-click.ts';
import classes from './form.module.css';
import { nullMatters, parseText, showDefault, showValue, stepText } from './parse.ts';
import { PaddingControl, SpanControl } from './span-control.tsx';
import { useTold } from './told.ts';
import type { ControlProps } from './types.ts';

function TextControl(props: ControlProps) {
  const { id, describedBy, schema, info, value, invalid, disabled, onChange, onProblem, onBrowse } = props;
  const draft = useDraft(value, showValue, (text) => parseText(schema, text), onChange);
  useTold(draft.problem, onProblem);
  const numeric = info.control === 'integer' || info.control === 'number';
  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    if (takeBack(event, draft)) return;
    if (!numeric || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') || event.altKey || event.ctrlKey) return;
    const from = draft.text.trim() === '' ? showDefault(info) : draft.text;
    const next = stepText(from, event.key === 'ArrowUp', event.shiftKey, info.control === 'integer');
    if (next === null) return;
    event.preventDefault();
    if (!('problem' in parseText(schema, next))) draft.type(next);
  };
  return (
    <>
      <input
        id={id}
        className={classes.input}
        data-mono={info.control === 'path' || undefined}
        data-number={numeric || info.control === 'numbers' || undefined}
        data-undo="project"
        aria-invalid={invalid || undefined}
        aria-describedby={describedBy}
        aria-required={!('default' in info) || undefined}
        inputMode={numeric ? 'decimal' : 'text'}
        placeholder={props.placeholder ?? showDefault(info)}
        value={draft.text}
        disabled={disabled}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => draft.type(event.currentTarget.value)}
        onKeyDown={press}
        {...(numeric || info.control === 'numbers' ? selectOnFirstClick : {})}
      />
      {nullMatters(schema) && (
        <button
          type="button"
          className={classes.none}
          aria-pressed={value === null}
          disabled={disabled}
          onClick={() => onChange(value === null ? undefined : null)}
        >
          none
        </button>
      )}
      {info.control === 'path' && onBrowse && (
        <IconButton
          label={`Browse for ${info.label.toLowerCase()}`}
          icon={IconFolderOpen}
          disabled={disabled}
          onClick={() => {
            void onBrowse().then((chosen) => {
              if (chosen !== null) onChange(chosen);
            });
          }}
        />
      )}
    </>
  );
}

function SwitchControl({ id, describedBy, info, value, disabled, onChange, invalid }: ControlProps) {
  const on = typeof value === 'boolean' ? value : info.default === true;
  return (
    <Switch
      id={id}
      size="xs"
      checked={on}
      disabled={disabled}
      aria-describedby={describedBy}
      aria-invalid={invalid || undefined}
      data-default={value === undefined || undefined}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}

function ChoiceControl({ id, labelId, describedBy, schema, info, value, disabled, invalid, onChange }: ControlProps) {
  const offered = info.choices ?? ([true, false].every((one) => schema.safeParse(one).success) ? [true, false] : []);
  const choices = offered.map(String);
  const words = info.words ?? (info.choices ? {} : truthWords);
  const options = choices.map((choice) => ({ value: choice, label: words[choice] ?? choice }));
  const shown = value === undefined ? info.default : value;
  const known = (typeof shown === 'string' || typeof shown === 'boolean') && choices.includes(String(shown));
  const tell = (next: string) => onChange(offered.find((choice) => String(choice) === next));
  const letters = options.map(({ label }) => label).join('').length;
  if (choices.length <= 3 && letters <= (info.words ? 26 : 18) && (known || shown === undefined)) {
    return (
      <Segmented
        label={info.label}
        value={known ? String(shown) : ''}
        options={options}
        onChange={tell}
        disabled={disabled}
      />
    );
  }
  return (
    <Select
      id={id}
      aria-labelledby={labelId}
      aria-describedby={describedBy}
      className={classes.select as string}
      data={options}
      value={known ? String(shown) : null}
      placeholder={shown === undefined ? 'Choose…' : shown === null ? showDefault(info) : showValue(shown)}
      error={invalid}
      disabled={disabled}
      onChange={(next) => next !== null && tell(next)}
    />
  );
}

const truthWords: { readonly [choice: string]: string } = { true: 'yes', false: 'no' };

const controls: Partial<Record<FieldControl, ComponentType<ControlProps>>> = {
  switch: SwitchControl,
  choice: ChoiceControl,
  pair: SpanControl,
  padding: PaddingControl,
};

export function controlFor(control: FieldControl): ComponentType<ControlProps> {
  return controls[control] ?? TextControl;
}

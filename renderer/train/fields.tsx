/** Fields of the project that a page of groups needs: some keys of an object, a key whose choices are known only here. */
import { type ReactNode, useId } from 'react';
import type { Plan } from '../../engine/contract/plan.ts';
import type { Shape } from '../../engine/contract/report.ts';
import { change, type FormPlace, useFormAt } from '../state/form.ts';
import { problemsAt } from '../state/problems.ts';
import { edit } from '../state/project.ts';
import { Choice, type ChoiceOption, SchemaForm, SettingRow } from '../ui/index.ts';
import { monitorOptions } from './monitor-options.ts';

/** A form of some keys of an object of the project. */
export function Fields({
  place,
  shape,
  only,
  placeholders,
  onBrowse,
}: {
  place: FormPlace;
  shape: Shape;
  only?: readonly string[];
  placeholders?: Readonly<Record<string, string>>;
  onBrowse?: (key: string) => Promise<string | null>;
}) {
  const { value, problems, onChange } = useFormAt(place);
  return (
    <SchemaForm
      shape={shape}
      only={only}
      value={value}
      onChange={onChange}
      problems={problems}
      place={place.join('.')}
      onFix={(fix) => edit(fix.edits)}
      onBrowse={onBrowse}
      placeholders={placeholders}
    />
  );
}

export interface ChosenFieldProps {
  place: FormPlace;
  name: string;
  label: string;
  help: string;
  /** What holds, written or not. */
  value: string;
  options: readonly ChoiceOption[];
  standard: string;
  children?: ReactNode;
}

/** A key whose choices are known only here. */
export function ChosenField({ place, name, label, help, value, options, standard, children }: ChosenFieldProps) {
  const id = useId();
  const { value: written, problems } = useFormAt(place);
  const at = [...place, name];
  const own = problemsAt(problems, at.join('.'));
  return (
    <SettingRow
      id={id}
      label={label}
      help={help}
      problems={own}
      onFix={(fix) => edit(fix.edits)}
      onReset={written[name] === undefined ? undefined : () => change(at, undefined)}
      standard={standard}
    >
      <Choice
        id={id}
        label={label}
        value={value}
        options={options}
        invalid={own.some(({ severity }) => severity === 'error')}
        onChange={(next) => change(at, next)}
      />
      {children}
    </SettingRow>
  );
}

export interface MonitorFieldProps {
  plan: Plan;
  place: FormPlace;
  label: string;
  help: string;
  /** What holds where the project names none. */
  standard: string;
}

/** Which value of the epochs decides. */
export function MonitorField({ plan, place, label, help, standard }: MonitorFieldProps) {
  const { value } = useFormAt(place);
  const written = typeof value.monitor === 'string' ? value.monitor : standard;
  return (
    <ChosenField
      place={place}
      name="monitor"
      label={label}
      help={help}
      value={written}
      options={monitorOptions(plan, written)}
      standard={standard}
    />
  );
}

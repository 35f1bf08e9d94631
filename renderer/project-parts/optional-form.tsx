/** A setting that is off until it is wanted, and then has parameters of its own: averaging of weights, early stopping, mixup. */
import { useId } from 'react';
import { isObject, type Shape } from '../../engine/contract/report.ts';
import { change, type FormPlace, useFormAt } from '../state/form.ts';
import { problemsAt } from '../state/problems.ts';
import { edit } from '../state/project.ts';
import { Nested, SchemaForm, SettingRow, SwitchField } from '../ui/index.ts';

export interface OptionalFormProps {
  /** Of the object that the setting is in. */
  place: FormPlace;
  name: string;
  label: string;
  help: string;
  shape: Shape;
  /** What is written when it is switched on. */
  begin?: Record<string, unknown>;
  /** Drawn below the parameters while it is on. */
  children?: React.ReactNode;
  custom?: Parameters<typeof SchemaForm>[0]['custom'];
  only?: readonly string[];
}

export function OptionalForm(props: OptionalFormProps) {
  const { place, name, label, help, shape, begin = {}, children, custom, only } = props;
  const id = useId();
  const at = [...place, name];
  const dotted = at.join('.');
  const { value: outer } = useFormAt(place);
  const { value, problems, onChange } = useFormAt(at);
  const written = outer[name];
  const on = isObject(written);
  // What no field below has.
  const known = Object.keys(shape).map((key) => `${dotted}.${key}`);
  const own = problemsAt(problems, dotted).filter(({ path }) => !known.includes(path));
  return (
    <div>
      <SettingRow
        id={id}
        label={label}
        help={help}
        problems={own}
        onFix={(fix) => edit(fix.edits)}
        onReset={written === undefined ? undefined : () => change(at, undefined)}
        standard="off"
      >
        <SwitchField
          id={id}
          label={label}
          checked={on}
          onChange={(next) => change(at, next ? begin : undefined)}
          describe={help}
        />
      </SettingRow>
      {on && (
        <Nested>
          <SchemaForm
            shape={shape}
            only={only}
            value={value}
            onChange={onChange}
            problems={problems}
            place={dotted}
            onFix={(fix) => edit(fix.edits)}
            custom={custom}
          />
          {children}
        </Nested>
      )}
    </div>
  );
}

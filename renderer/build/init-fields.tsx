/** With which values a layer's weight and bias begin: torch.nn.init's functions with their arguments. */
import { useId } from 'react';
import { biasInits, type InitKind, inits } from '../../engine/contract/inits.ts';
import { Choice, type ChoiceOption, type FormProblem, Nested, SchemaForm, SettingRow } from '../ui/index.ts';
import { type InitPart, type InitRole, initOf, initParts } from './init-edits.ts';

export interface InitFieldsProps {
  value: unknown;
  /** Several layers say different things. */
  differs: boolean;
  /** `model.layers.3.train.init` */
  place: string;
  problems: readonly FormProblem[];
  /** Dimensions of the weights that are filled. */
  dims: readonly number[];
  onChange: (value: unknown) => void;
  onFix: Parameters<typeof SchemaForm>[0]['onFix'];
}

const words = {
  weight: { label: 'Initial weights', help: 'Values that the weights begin with.' },
  bias: { label: 'Initial bias', help: 'Values that the bias begins with.' },
};

export function InitFields({ value, onChange, ...shared }: InitFieldsProps) {
  const parts = initParts(value);
  return (
    <>
      <Part
        {...shared}
        of="weight"
        part={parts.weight}
        table={inits}
        onChange={(weight) => onChange(initOf({ ...parts, weight }))}
      />
      <Part
        {...shared}
        of="bias"
        part={parts.bias}
        table={biasInits}
        onChange={(bias) => onChange(initOf({ ...parts, bias }))}
      />
    </>
  );
}

interface PartProps extends Omit<InitFieldsProps, 'value' | 'onChange'> {
  of: InitRole;
  part: InitPart;
  table: ReadonlyMap<string, InitKind>;
  onChange: (part: InitPart) => void;
}

function Part({ of: role, part: { kind, args }, table, differs, place, problems, dims, onChange, onFix }: PartProps) {
  const id = useId();
  const at = role === 'bias' ? `${place}.bias` : place;
  const row = kind === null ? undefined : table.get(kind);
  const fields = Object.keys(row?.params ?? {}).map((key) => `${at}.${key}`);
  const own = problems.filter(
    ({ path }) => (path === at || path === `${at}.kind` || path.startsWith(`${at}.`)) && !fields.includes(path),
  );
  // The bias's are told at the bias.
  const told = role === 'weight' ? own.filter(({ path }) => !path.startsWith(`${place}.bias`)) : own;
  const { label, help } = words[role];
  return (
    <>
      <SettingRow
        id={id}
        label={label}
        help={help}
        problems={told}
        onFix={onFix}
        onReset={kind === null ? undefined : () => onChange({ kind: null, args: {} })}
        standard="PyTorch's own"
      >
        <Choice
          id={id}
          label={label}
          value={kind}
          placeholder={differs ? 'they differ' : "PyTorch's own"}
          options={optionsOf(table, role === 'weight' ? dims : [])}
          onChange={(next) => onChange({ kind: next, args: {} })}
        />
      </SettingRow>
      {row && fields.length > 0 && (
        <Nested>
          <SchemaForm
            shape={row.params}
            value={args}
            place={at}
            problems={problems}
            onFix={onFix}
            onChange={(key, next) => {
              const { [key]: _gone, ...rest } = args;
              onChange({ kind, args: next === undefined ? rest : { ...rest, [key]: next } });
            }}
          />
        </Nested>
      )}
    </>
  );
}

function optionsOf(table: ReadonlyMap<string, InitKind>, dims: readonly number[]): ChoiceOption[] {
  const options = [...table.values()].map(({ kind, label, help, dims: { least, most } }): ChoiceOption => {
    const unfit = dims.some((count) => count < least || count > most);
    const wanted = least === most ? `${least} dimensions` : `${least} dimensions or more`;
    return {
      value: kind,
      label,
      hint: kind,
      help: unfit ? `For weights of ${wanted}` : help,
      disabled: unfit,
    };
  });
  return [...options.filter(({ disabled }) => !disabled), ...options.filter(({ disabled }) => disabled)];
}

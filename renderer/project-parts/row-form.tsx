/** A row of a table chosen in the project: its kind, what that is, and the form of its parameters. */
import { useId } from 'react';
import type { FieldInfo } from '../../engine/contract/fields.ts';
import type { Problem } from '../../engine/contract/problems.ts';
import { setEdit } from '../../engine/contract/report.ts';
import type { Row } from '../../engine/contract/table.ts';
import { change, type FormPlace, useFormAt } from '../state/form.ts';
import { edit, editWhile } from '../state/project.ts';
import { Choice, type ChoiceOption, SchemaForm, SettingRow } from '../ui/index.ts';
import classes from './project-parts.module.css';
import { withKind } from './row-kind.ts';

export interface RowFormProps<R extends Row> {
  place: FormPlace;
  table: ReadonlyMap<string, R>;
  /** Of the choice of kind: "Optimizer". */
  label: string;
  /** What a person knows the rows by: PyTorch's names, or words. */
  named?: 'kind' | 'label';
  /** The row that holds where the project names none. */
  standard?: string;
  /** Given to a parameter that must be given when the kind is first chosen. */
  begin?: (row: R) => Record<string, unknown>;
  onBrowse?: ((key: string) => Promise<string | null>) | undefined;
  /** A problem that is told elsewhere on the page. */
  toldElsewhere?: (problem: Problem) => boolean;
  /** Parameters that are not worth a field. */
  without?: readonly string[];
  /** Why a row cannot be chosen here; null: it can. Those that can come first. */
  unfit?: (row: R) => string | null;
  /** A choice besides the rows, which takes the object away: no schedule. */
  none?: { label: string; help: string };
  stacked?: boolean;
  /** The unit told behind a field, where it depends on more than the field. */
  unitOf?: (key: string, info: FieldInfo) => string | undefined;
  /** What holds where a parameter is not given and has no default of its own. */
  placeholders?: Readonly<Record<string, string>>;
  custom?: (key: string, info: FieldInfo) => React.ReactNode | undefined;
}

const never = () => false;
const fitsAll = () => null;
const noKind = '';
/** So many rows are told apart by a line each. */
const helpFrom = 3;

export function RowForm<R extends Row>(props: RowFormProps<R>) {
  const {
    place,
    table,
    label,
    named = 'kind',
    standard,
    begin,
    onBrowse,
    without = [],
    toldElsewhere = never,
    unfit = fitsAll,
    none,
    stacked = false,
    unitOf,
    placeholders,
    custom,
  } = props;
  const id = useId();
  const { value, problems: all, onChange } = useFormAt(place);
  const problems = all.filter((problem) => !toldElsewhere(problem));
  const written = typeof value.kind === 'string' ? value.kind : undefined;
  const kind = written ?? (none ? undefined : standard);
  const row = kind === undefined ? undefined : table.get(kind);
  const choose = (next: string) => {
    const chosen = table.get(next);
    if (next === noKind) change(place, undefined);
    else if (chosen) change(place, { ...begin?.(chosen), ...withKind(value, chosen) });
  };
  const dotted = place.join('.');
  const own = problems.filter(({ path }) => path === dotted || path === `${dotted}.kind`);
  const known = row && new Set([dotted, `${dotted}.kind`, ...Object.keys(row.params).map((key) => `${dotted}.${key}`)]);
  const others = problems.filter(
    ({ path }) => known && ![...known].some((at) => path === at || path.startsWith(`${at}.`)),
  );
  // What has no value yet needs its key, and the key its kind; typing on is the same step of undo.
  const tell = (key: string, next: unknown) => {
    if (written !== undefined || kind === undefined || next === undefined) return onChange(key, next);
    editWhile(`${dotted}.${key}`, [setEdit(place, { kind, [key]: next })]);
  };
  return (
    <div>
      <SettingRow
        id={id}
        label={label}
        stacked={stacked}
        help={`Which ${label.toLowerCase()} is used.`}
        problems={[...own, ...others]}
        onFix={(fix) => edit(fix.edits)}
        onReset={written !== undefined && (standard ?? none) !== undefined ? () => change(place, undefined) : undefined}
        standard={standard ?? none?.label.toLowerCase()}
      >
        <Choice
          id={id}
          label={label}
          value={row ? row.kind : none && written === undefined ? noKind : null}
          placeholder={written ?? 'Choose…'}
          options={[
            ...(none ? [{ value: noKind, label: none.label, help: none.help }] : []),
            ...optionsOf([...table.values()], named, unfit),
          ]}
          onChange={choose}
        />
      </SettingRow>
      {row && <p className={classes.help}>{row.help}</p>}
      {row && (
        <SchemaForm
          key={row.kind}
          shape={row.params}
          only={Object.keys(row.params).filter((key) => !without.includes(key))}
          value={value}
          onChange={tell}
          problems={problems}
          place={dotted}
          onFix={(fix) => edit(fix.edits)}
          onBrowse={onBrowse}
          stacked={stacked}
          unitOf={unitOf}
          placeholders={placeholders}
          custom={custom}
        />
      )}
    </div>
  );
}

/** Those that fit first; of the others each with the reason. */
function optionsOf<R extends Row>(
  rows: readonly R[],
  named: 'kind' | 'label',
  unfit: (row: R) => string | null,
): ChoiceOption[] {
  const options = rows.map((row): ChoiceOption => {
    const reason = unfit(row);
    return {
      value: row.kind,
      label: row[named],
      hint: named === 'kind' && row.label !== row.kind ? row.label : undefined,
      help: reason ?? (rows.length >= helpFrom ? row.help : undefined),
      disabled: reason !== null,
    };
  });
  return [...options.filter(({ disabled }) => !disabled), ...options.filter(({ disabled }) => disabled)];
}

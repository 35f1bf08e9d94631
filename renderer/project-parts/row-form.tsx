/** A row of a table chosen in the project: its kind, what that is, and the form of its parameters. */
import { useId } from 'react';
import type { FieldInfo } from '../../engine/contract/fields.ts';
import type { Problem } from '../../engine/contract/problems.ts';
import { setEdit } from '../../engine/contract/report.ts';
import type { Row } from '../../engine/contract/table.ts';
import { change, type FormPlace, useFormAt } from '../state/form.ts';
import { edit, editWhile } from '../state/project.ts';
import { Choice, SchemaForm, SettingRow } from '../ui/index.ts';
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
  stacked?: boolean;
  custom?: (key: string, info: FieldInfo) => React.ReactNode | undefined;
}

const never = () => false;

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
    stacked = false,
    custom,
  } = props;
  const id = useId();
  const { value, problems: all, onChange } = useFormAt(place);
  const problems = all.filter((problem) => !toldElsewhere(problem));
  const written = typeof value.kind === 'string' ? value.kind : undefined;
  const kind = written ?? standard;
  const row = kind === undefined ? undefined : table.get(kind);
  const choose = (next: string) => {
    const chosen = table.get(next);
    if (chosen) change(place, { ...begin?.(chosen), ...withKind(value, chosen) });
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
        onReset={written !== undefined && standard !== undefined ? () => change(place, undefined) : undefined}
        standard={standard}
      >
        <Choice
          id={id}
          label={label}
          value={row ? row.kind : null}
          placeholder={written ?? 'Choose…'}
          options={[...table.values()].map((each) => ({
            value: each.kind,
            label: each[named],
            hint: named === 'kind' && each.label !== each.kind ? each.label : undefined,
          }))}
          onChange={choose}
        />
      </SettingRow>
      {row && <p className={classes.help}>{row.help}</p>}
      {row && (
        <SchemaForm
          shape={row.params}
          only={Object.keys(row.params).filter((key) => !without.includes(key))}
          value={value}
          onChange={tell}
          problems={problems}
          place={dotted}
          onFix={(fix) => edit(fix.edits)}
          onBrowse={onBrowse}
          stacked={stacked}
          custom={custom}
        />
      )}
    </div>
  );
}

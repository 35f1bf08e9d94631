/** A form made from the schemas of a table's row: one field a key, as fields.ts describes them. */
import { type ReactNode, useState } from 'react';
import { type FieldInfo, fieldInfo } from '../../../engine/contract/fields.ts';
import type { Edit } from '../../../engine/contract/problems.ts';
import type { Shape } from '../../../engine/contract/report.ts';
import { FieldRow } from './field-row.tsx';
import classes from './form.module.css';
import type { FormProblem } from './types.ts';

export interface SchemaFormProps {
  shape: Shape;
  /** What the project has; absent keys show their default. */
  value: Readonly<Record<string, unknown>>;
  /** `undefined` removes the key: the default holds. */
  onChange: (key: string, value: unknown) => void;
  problems?: readonly FormProblem[] | undefined;
  /** Where the object is in the project (`model.layers.3`): a problem belongs to the key that follows in its path. */
  place?: string;
  onFix?: ((fix: { label: string; edits: Edit[] }) => void) | undefined;
  /** Asks for a file or folder; answers null where none was chosen. */
  onBrowse?: ((key: string) => Promise<string | null>) | undefined;
  disabled?: boolean;
  /** Only these keys, in this order. */
  only?: readonly string[] | undefined;
  /** Draws a field in another way; undefined: as usual. */
  custom?: ((key: string, info: FieldInfo) => ReactNode | undefined) | undefined;
  /** The unit told behind a field; without, the field's own. */
  unitOf?: ((key: string, info: FieldInfo) => string | undefined) | undefined;
  /** What holds where a key is absent and that is not the field's default, as text. */
  placeholders?: Readonly<Record<string, string>> | undefined;
  /** Dims of what arrives at the layer that the object is of, for choices that hang on them. */
  input?: readonly number[] | null | undefined;
  /** Labels above their fields, for narrow places. */
  stacked?: boolean;
}

/** Lists of layers are built in the stack, and columns chosen in their table, not typed: the form has no field for them. */
const elsewhere = new Set(['layers', 'branches', 'shortcut', 'columns']);

export function hasField(shape: Shape, key: string): boolean {
  const schema = shape[key];
  return schema !== undefined && !elsewhere.has(fieldInfo(schema).control);
}

function withDefaults(shape: Shape, value: SchemaFormProps['value']): { [key: string]: unknown } {
  const all = Object.entries(shape).map(([key, schema]) => [
    key,
    Object.hasOwn(value, key) ? value[key] : fieldInfo(schema).default,
  ]);
  return Object.fromEntries(all);
}

function problemsOf(key: string, place: string, problems: readonly FormProblem[]): readonly FormProblem[] {
  const at = place === '' ? key : `${place}.${key}`;
  return problems.filter(({ path }) => path === at || path.startsWith(`${at}.`));
}

export function SchemaForm({
  shape,
  value,
  onChange,
  problems = [],
  place = '',
  onFix,
  onBrowse,
  disabled = false,
  only,
  custom,
  unitOf,
  placeholders,
  input = null,
  stacked = false,
}: SchemaFormProps) {
  const keys = only ?? Object.keys(shape);
  const all = withDefaults(shape, value);
  const draw = (key: string) => {
    const schema = shape[key];
    if (!schema) return null;
    const info = fieldInfo(schema);
    const drawn = custom?.(key, info);
    if (drawn !== undefined) return <div key={key}>{drawn}</div>;
    if (elsewhere.has(info.control)) return null;
    const given = Object.hasOwn(value, key) ? value[key] : undefined;
    const wrong = problemsOf(key, place, problems);
    const idle = info.idle?.(all) ?? null;
    // What has no effect is in the way, unless somebody gave it.
    if (idle !== null && given === undefined && wrong.length === 0) return null;
    return (
      <FieldRow
        key={key}
        name={key}
        schema={schema}
        value={given}
        problems={wrong}
        onChange={(next) => onChange(key, next)}
        onFix={onFix}
        onBrowse={onBrowse && (() => onBrowse(key))}
        disabled={disabled}
        placeholder={placeholders?.[key]}
        input={input}
        idle={idle}
        unit={unitOf ? unitOf(key, info) : info.unit}
      />
    );
  };
  // Where a field was folded away when the form came it stays there: nothing jumps while it is typed into.
  const [folded] = useState(() => rareKeys(shape, value, problems, place));
  const rare = keys.filter((key) => folded.has(key)).map(draw);
  return (
    <div className={classes.form} data-stacked={stacked || undefined}>
      {keys.filter((key) => !folded.has(key)).map(draw)}
      {rare.some((row) => row !== null) && (
        <details className={classes.rare}>
          <summary>More settings</summary>
          {rare}
        </details>
      )}
    </div>
  );
}

function rareKeys(
  shape: Shape,
  value: SchemaFormProps['value'],
  problems: readonly FormProblem[],
  place: string,
): ReadonlySet<string> {
  const keys = Object.keys(shape).filter((key) => {
    const schema = shape[key];
    const told = Object.hasOwn(value, key) || problemsOf(key, place, problems).length > 0;
    return schema !== undefined && fieldInfo(schema).rare === true && !told;
  });
  return new Set(keys);
}

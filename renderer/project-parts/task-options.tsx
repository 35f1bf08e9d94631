/** Options of finders and checks that are no part of the project. */
import { useState } from 'react';
import { showNumber, TextField } from '../ui/index.ts';

export interface NumberOptionProps {
  label: string;
  value: number | null;
  /** null: what is typed is no such number. */
  onChange: (value: number | null) => void;
  disabled: boolean;
  from?: number;
  to?: number;
  /** Excluded. */
  above?: number;
  whole?: boolean;
  hint?: string;
  width?: number;
}

export function NumberOption(props: NumberOptionProps) {
  const { label, value, onChange, disabled, from = -Infinity, to = Infinity, above = -Infinity, whole = false } = props;
  const [text, setText] = useState(value === null ? '' : showNumber(value));
  const read = (typed: string): number | null => {
    const number = typed.trim() === '' ? Number.NaN : Number(typed);
    const fits = Number.isFinite(number) && number >= from && number <= to && number > above;
    return fits && (!whole || Number.isInteger(number)) ? number : null;
  };
  return (
    <TextField
      label={label}
      value={text}
      disabled={disabled}
      width={props.width ?? 120}
      hint={props.hint}
      error={read(text) === null ? expectation(props) : null}
      onChange={(next) => {
        setText(next);
        onChange(read(next));
      }}
    />
  );
}

function expectation({ from, to, above, whole = false }: NumberOptionProps): string {
  const what = whole ? 'A whole number' : 'A number';
  if (above !== undefined) return `${what} above ${above}`;
  if (from !== undefined && to !== undefined) return `${what} from ${from} to ${to.toLocaleString('en-US')}`;
  return from === undefined ? what : `${what} from ${from} on`;
}

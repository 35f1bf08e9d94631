/** A field for a line of text, with its label. */
import { TextInput } from '@mantine/core';
import type { KeyboardEvent, Ref } from 'react';

export interface TextFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** For a label that stands elsewhere. */
  id?: string;
  /** The label is said, not shown. */
  hiddenLabel?: boolean;
  placeholder?: string;
  error?: string | null | undefined;
  hint?: string | undefined;
  autoFocus?: boolean;
  /** Whoever comes to the field writes over what is there. */
  selectOnFocus?: boolean;
  disabled?: boolean;
  mono?: boolean;
  width?: number | string;
  onKeyDown?: (event: KeyboardEvent<HTMLInputElement>) => void;
  onBlur?: () => void;
  ref?: Ref<HTMLInputElement> | undefined;
}

export function TextField({
  id,
  label,
  value,
  onChange,
  hiddenLabel = false,
  placeholder = '',
  error,
  hint,
  autoFocus = false,
  selectOnFocus = false,
  disabled = false,
  mono = false,
  width = '100%',
  onKeyDown,
  onBlur,
  ref,
}: TextFieldProps) {
  return (
    <TextInput
      ref={ref ?? null}
      {...(id === undefined ? {} : { id })}
      {...(hiddenLabel ? { 'aria-label': label } : { label })}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      placeholder={placeholder}
      error={error ?? null}
      description={hint}
      autoFocus={autoFocus}
      data-autofocus={autoFocus || undefined}
      disabled={disabled}
      onFocus={(event) => selectOnFocus && event.currentTarget.select()}
      w={width}
      spellCheck={false}
      autoComplete="off"
      {...(mono ? { styles: { input: { fontFamily: 'var(--font-mono)' } } } : {})}
      onKeyDown={(event) => onKeyDown?.(event)}
      onBlur={() => onBlur?.()}
    />
  );
}

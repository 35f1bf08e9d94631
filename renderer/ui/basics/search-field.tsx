/** A field that searches: cleared by Escape and by its button. */
import { TextInput } from '@mantine/core';
import { IconSearch, IconX } from '@tabler/icons-react';
import type { KeyboardEvent, Ref } from 'react';
import { IconButton } from './buttons.tsx';

export interface SearchFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  placeholder?: string;
  width?: number | string;
  autoFocus?: boolean;
  /** Arrow keys and Enter, for a list below. */
  onKeyDown?: (event: KeyboardEvent<HTMLInputElement>) => void;
  ref?: Ref<HTMLInputElement> | undefined;
}

export function SearchField({
  label,
  value,
  onChange,
  placeholder = 'Search',
  width = 220,
  autoFocus = false,
  onKeyDown,
  ref,
}: SearchFieldProps) {
  return (
    <TextInput
      ref={ref ?? null}
      type="text"
      role="searchbox"
      aria-label={label}
      placeholder={placeholder}
      value={value}
      w={width}
      data-autofocus={autoFocus || undefined}
      spellCheck={false}
      autoComplete="off"
      leftSection={<IconSearch size={14} aria-hidden />}
      rightSection={
        value === '' ? null : (
          <IconButton label="Clear" icon={<IconX size={12} />} size={20} onClick={() => onChange('')} />
        )
      }
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && value !== '') {
          event.stopPropagation();
          onChange('');
          return;
        }
        onKeyDown?.(event);
      }}
    />
  );
}

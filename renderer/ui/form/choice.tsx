/** One of several named things, each with a few quieter words beside or below it; long lists are searched. */
import { type ComboboxItem, type ComboboxParsedItem, Select } from '@mantine/core';
import { useRef, useState } from 'react';
import { search as searched } from '../basics/fuzzy.ts';
import classes from './choice.module.css';

export interface ChoiceOption {
  value: string;
  label: string;
  /** At the right, quieter. */
  hint?: string | undefined;
  /** A line below: what it is, or why it cannot be chosen. */
  help?: string | undefined;
  /** Options of one group stand together below its name. */
  group?: string | undefined;
  disabled?: boolean;
}

export interface ChoiceProps {
  id?: string;
  /** Accessible name; the label that is seen is the row's. */
  label: string;
  value: string | null;
  options: readonly ChoiceOption[];
  onChange: (value: string) => void;
  placeholder?: string;
  width?: number | string;
  invalid?: boolean;
  disabled?: boolean;
}

/** From this many on, typing searches. */
const searchedFrom = 6;
/** A line of help wants more room than most fields have. */
const helpWidth = 420;

export function Choice(props: ChoiceProps) {
  const { id, label, value, options, onChange, placeholder = 'Choose…', width, invalid, disabled = false } = props;
  const known = new Map(options.map((option) => [option.value, option]));
  const searchable = options.length >= searchedFrom;
  const input = useRef<HTMLInputElement>(null);
  const chosen = value === null ? '' : (known.get(value)?.label ?? '');
  const [text, setText] = useState(chosen);
  const filter = ({ options: items, search }: { options: ComboboxParsedItem[]; search: string }) =>
    filtered(items, search, known);
  return (
    <Select
      {...(id === undefined ? {} : { id })}
      aria-label={label}
      className={classes.choice as string}
      data={grouped(options)}
      value={value}
      placeholder={placeholder}
      error={invalid ?? false}
      disabled={disabled}
      searchable={searchable}
      ref={input}
      {...(searchable
        ? {
            filter,
            nothingFoundMessage: 'None is called so',
            selectFirstOptionOnChange: true,
            searchValue: text,
            onSearchChange: setText,
            // What is typed takes the place of the name that stands there; given up, the name is there again.
            onFocus: () => input.current?.select(),
            onDropdownOpen: () => input.current?.select(),
            onDropdownClose: () => setText(chosen),
          }
        : {})}
      {...(options.some(({ help }) => help !== undefined)
        ? { comboboxProps: { width: helpWidth, position: 'bottom-start', shadow: 'md' } }
        : {})}
      // The list itself scrolls: around it, assistive technology would meet a region that no key reaches.
      withScrollArea={false}
      classNames={{ options: classes.options as string }}
      {...(width === undefined ? {} : { w: width, flex: 'none' })}
      renderOption={({ option }) => <Option {...(known.get(option.value) ?? option)} />}
      onChange={(next) => next !== null && onChange(next)}
    />
  );
}

function Option({ label, hint, help }: ChoiceOption) {
  return (
    <span className={classes.option}>
      <span className={classes.line}>
        <span className={classes.name}>{label}</span>
        {hint !== undefined && <span className={classes.hint}>{hint}</span>}
      </span>
      {help !== undefined && <span className={classes.help}>{help}</span>}
    </span>
  );
}

function grouped(options: readonly ChoiceOption[]) {
  const item = ({ value, label, disabled = false }: ChoiceOption): ComboboxItem => ({ value, label, disabled });
  const groups = new Set(options.map(({ group }) => group));
  if (groups.size < 2) return options.map(item);
  return [...groups].map((group) => ({
    group: group ?? '',
    items: options.filter((option) => option.group === group).map(item),
  }));
}

/** Best first within each group; a kind is found by its words as well. */
function filtered(
  items: readonly ComboboxParsedItem[],
  text: string,
  known: ReadonlyMap<string, ChoiceOption>,
): ComboboxParsedItem[] {
  if (text.trim() === '') return [...items];
  const find = (list: readonly ComboboxItem[]) =>
    searched(text, list, ({ value, label }) => [label, known.get(value)?.hint ?? '']);
  const plain = items.filter((item): item is ComboboxItem => !('group' in item));
  const groups = items.flatMap((item) => ('group' in item ? [{ ...item, items: find(item.items) }] : []));
  return [...find(plain), ...groups.filter(({ items: kept }) => kept.length > 0)];
}

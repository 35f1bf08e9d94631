/** The command palette: everything that can be done, found by a few letters. */
import { Modal } from '@mantine/core';
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { fuzzy, search } from './fuzzy.ts';
import { drawIcon, type IconProp } from './icon.tsx';
import { KeyHint } from './keys.tsx';
import classes from './palette.module.css';

export interface PaletteItem {
  id: string;
  label: string;
  run: () => void;
  icon?: IconProp;
  hint?: string | undefined;
  /** Key combination shown at the right. */
  keys?: string | undefined;
  /** Other words by which it is found. */
  keywords?: readonly string[] | undefined;
  /** Heading under which it stands while nothing is typed. */
  group?: string | undefined;
}

export interface PaletteProps {
  /** Without it the palette is open for as long as it is drawn. */
  opened?: boolean;
  onClose: () => void;
  items: readonly PaletteItem[];
  placeholder?: string;
  label?: string;
}

/** More are not drawn: who wants them types another letter. */
const mostShown = 60;

function Marked({ text, query }: { text: string; query: string }) {
  const at = new Set(query === '' ? [] : fuzzy(query, text)?.at);
  if (at.size === 0) return text;
  // biome-ignore lint/suspicious/noArrayIndexKey: letters have nothing but their place
  return [...text].map((letter, index) => (at.has(index) ? <mark key={index}>{letter}</mark> : letter));
}

function PaletteBody({ items, placeholder, label, onClose }: Required<Omit<PaletteProps, 'opened'>>) {
  const id = useId();
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  // At once: what is typed right after the key that opened it must not go where the focus was.
  const [before] = useState(() => document.activeElement);
  useLayoutEffect(() => {
    const own = field.current;
    own?.focus();
    return () => {
      const focused = document.activeElement;
      const nowhere = focused === null || focused === document.body || focused === own;
      if (nowhere && before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, [before]);
  const found = useMemo(
    () => search(query, items, (item) => [item.label, ...(item.keywords ?? [])]).slice(0, mostShown),
    [query, items],
  );
  const active = Math.min(at, found.length - 1);

  useEffect(() => {
    list.current?.querySelector(`[data-index="${active}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [active]);

  const run = (item: PaletteItem | undefined) => {
    if (!item) return;
    onClose();
    item.run();
  };
  const press = (event: KeyboardEvent) => {
    const last = found.length - 1;
    const to: Record<string, number> = {
      ArrowDown: active >= last ? 0 : active + 1,
      ArrowUp: active <= 0 ? last : active - 1,
      PageDown: Math.min(last, active + 8),
      PageUp: Math.max(0, active - 8),
    };
    const next = to[event.key];
    if (next !== undefined) {
      event.preventDefault();
      setAt(Math.max(0, next));
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault();
      run(found[active]);
    }
  };

  return (
    <>
      <input
        ref={field}
        className={classes.input}
        role="combobox"
        aria-label={label}
        aria-expanded
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length > 0 ? `${id}-${active}` : undefined}
        aria-autocomplete="list"
        placeholder={placeholder}
        value={query}
        spellCheck={false}
        autoComplete="off"
        data-autofocus
        onChange={(event) => {
          setQuery(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <div className={classes.list} id={`${id}-list`} role="listbox" aria-label={label} ref={list}>
        {found.map((item, index) => {
          const heads = query === '' && item.group !== undefined && item.group !== found[index - 1]?.group;
          return (
            <div key={item.id} role="presentation">
              {heads && (
                <div className={classes.group} role="presentation">
                  {item.group}
                </div>
              )}
              {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard stays in the search field, which moves the active option */}
              {/* biome-ignore lint/a11y/useFocusableInteractive: options are active by aria-activedescendant */}
              <div
                id={`${id}-${index}`}
                className={classes.item}
                role="option"
                aria-selected={index === active}
                data-index={index}
                data-active={index === active || undefined}
                onPointerMove={() => setAt(index)}
                onClick={() => run(item)}
              >
                <span className={classes.icon} aria-hidden>
                  {drawIcon(item.icon)}
                </span>
                <span className={classes.label}>
                  <Marked text={item.label} query={query} />
                </span>
                {item.hint !== undefined && <span className={classes.hint}>{item.hint}</span>}
                {item.keys !== undefined && <KeyHint keys={item.keys} />}
              </div>
            </div>
          );
        })}
      </div>
      <p className={found.length === 0 ? classes.none : 'visually-hidden'} role="status">
        {found.length === 0 ? `Nothing is called “${query}”. Try fewer letters.` : `${found.length} found`}
      </p>
    </>
  );
}

export function Palette({
  opened = true,
  onClose,
  items,
  placeholder = 'Search commands…',
  label = 'Commands',
}: PaletteProps) {
  return (
    <Modal.Root opened={opened} onClose={onClose} size={560} padding={0} yOffset="12vh" centered={false}>
      <Modal.Overlay backgroundOpacity={0.35} />
      <Modal.Content aria-label={label}>
        {opened && <PaletteBody items={items} placeholder={placeholder} label={label} onClose={onClose} />}
      </Modal.Content>
    </Modal.Root>
  );
}

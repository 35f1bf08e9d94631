/** The palette: every kind of layer, found by a few letters, added by Enter, a click or a drag. */
import { IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, memo, type Ref, useEffect, useId, useMemo, useRef, useState } from 'react';
import { useProject } from '../state/project.ts';
import { blockNames } from '../state/stack.ts';
import { addLayer, focusStack } from '../state/stack-store.ts';
import { fuzzy, Kbd, Tip, useDragSource } from '../ui/index.ts';
import {
  addRecent,
  type Entry,
  type EntryGroup,
  entriesWith,
  findEntries,
  groupEntries,
  readRecent,
} from './entries.ts';
import { LayerIcon } from './layer-icons.tsx';
import styles from './palette.module.css';

/** Where a drag of an entry begins. */
const newPrefix = 'new:';

export function LayerPalette({ field }: { field: Ref<HTMLInputElement> }) {
  const id = useId();
  const { project } = useProject();
  const blocks = blockNames(project).join('\n');
  const entries = useMemo(() => entriesWith(blocks === '' ? [] : blocks.split('\n')), [blocks]);
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const [recent, setRecent] = useState(readRecent);
  const list = useRef<HTMLDivElement>(null);
  const groups = useMemo<EntryGroup[]>(
    () =>
      query.trim() === ''
        ? groupEntries(entries, recent)
        : [{ label: '', category: null, entries: findEntries(query, entries) }],
    [query, entries, recent],
  );
  const shown = groups.flatMap((group) => group.entries);
  const active = Math.min(at, shown.length - 1);

  useEffect(() => {
    list.current?.querySelector(`[data-index="${active}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [active]);

  const add = (entry: Entry | undefined, stay = false) => {
    if (!entry) return;
    addLayer(entry.kind, entry.block);
    setRecent((was) => addRecent(was, entry.id));
    setQuery('');
    setAt(0);
    if (!stay) focusStack();
  };
  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    const end = shown.length - 1;
    const to: Record<string, number> = {
      ArrowDown: active >= end ? 0 : active + 1,
      ArrowUp: active <= 0 ? end : active - 1,
      PageDown: Math.min(end, active + 8),
      PageUp: Math.max(0, active - 8),
    };
    const next = to[event.key];
    if (next !== undefined) {
      event.preventDefault();
      setAt(Math.max(0, next));
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      add(shown[active], event.shiftKey);
      if (event.shiftKey) event.currentTarget.focus();
    } else if (event.key === 'Escape') {
      event.preventDefault();
      setQuery('');
      setAt(0);
      focusStack();
    }
  };

  let index = -1;
  return (
    <section className={styles.palette} aria-label="Layer palette">
      <div className={styles.searchBox}>
        <IconSearch size={14} className={styles.searchIcon} aria-hidden />
        <input
          ref={field}
          className={styles.search}
          role="combobox"
          aria-label="Add a layer"
          aria-expanded
          aria-controls={`${id}-list`}
          aria-activedescendant={shown.length > 0 ? `${id}-${active}` : undefined}
          aria-autocomplete="list"
          placeholder="Add a layer"
          value={query}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => {
            setQuery(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={press}
        />
        {query === '' && (
          <span className={styles.searchKey} aria-hidden>
            <Kbd keys="/" />
          </span>
        )}
      </div>
      <div className={styles.list} id={`${id}-list`} role="listbox" aria-label="Layers" ref={list}>
        {groups.map((group) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options has no element of its own
          <div key={group.label} role="group" aria-label={group.label || 'Found'} className={styles.group}>
            {group.label !== '' && (
              <div className={styles.heading} role="presentation">
                {group.category !== null && (
                  <span className={styles.dot} style={{ background: `var(--cat-${group.category})` }} />
                )}
                {group.label}
              </div>
            )}
            {group.entries.map((entry) => {
              index += 1;
              return (
                <PaletteEntry
                  key={entry.id}
                  id={`${id}-${index}`}
                  entry={entry}
                  index={index}
                  query={query}
                  active={index === active}
                  lately={group.label === 'Recently used'}
                  onAdd={add}
                />
              );
            })}
          </div>
        ))}
      </div>
      <p className={shown.length === 0 ? styles.none : 'visually-hidden'} role="status">
        {shown.length === 0 ? `No layer is called “${query}”.` : query === '' ? '' : `${shown.length} found`}
      </p>
    </section>
  );
}

interface EntryProps {
  id: string;
  entry: Entry;
  index: number;
  query: string;
  active: boolean;
  lately: boolean;
  onAdd: (entry: Entry) => void;
}

const PaletteEntry = memo(
  function PaletteEntry({ id, entry, index, query, active, lately, onAdd }: EntryProps) {
    const { node, listeners } = useDragSource(`${newPrefix}${lately ? 'recent:' : ''}${entry.id}`);
    const { kind, block, label, category, help } = entry;
    return (
      <Tip label={help} side="right" delay={500}>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard stays in the search field, which moves the active option */}
        {/* biome-ignore lint/a11y/useFocusableInteractive: options are active by aria-activedescendant */}
        <div
          ref={node}
          onPointerDown={listeners.onPointerDown}
          id={id}
          className={styles.entry}
          role="option"
          aria-selected={active}
          aria-label={block ?? (label === kind ? kind : `${kind} ${label}`)}
          data-index={index}
          data-active={(active && query !== '') || undefined}
          onClick={() => onAdd(entry)}
        >
          <span className={styles.icon} style={{ color: `var(--cat-${category})` }}>
            <LayerIcon kind={kind} />
          </span>
          <span className={styles.label}>
            <Marked text={block ?? kind} query={query} />
          </span>{' '}
          {block === null && label !== kind && <span className={styles.quiet}>{label}</span>}
        </div>
      </Tip>
    );
  },
  (a, b) =>
    a.id === b.id && a.entry === b.entry && a.query === b.query && a.active === b.active && a.lately === b.lately,
);

function Marked({ text, query }: { text: string; query: string }) {
  const at = new Set(query.trim() === '' ? [] : fuzzy(query, text)?.at);
  if (at.size === 0) return text;
  // biome-ignore lint/suspicious/noArrayIndexKey: letters have nothing but their place
  return [...text].map((letter, index) => (at.has(index) ? <mark key={index}>{letter}</mark> : letter));
}

/** What a drag from the palette carries; null for a drag of a layer. */
export function entryOf(dragged: string): { kind: string; block: string | null; id: string } | null {
  if (!dragged.startsWith(newPrefix)) return null;
  const id = dragged.slice(newPrefix.length).replace(/^recent:/, '');
  const block = id.startsWith('Block:') ? id.slice('Block:'.length) : null;
  return { kind: block === null ? id : 'Block', block, id };
}

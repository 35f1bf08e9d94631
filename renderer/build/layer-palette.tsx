/** The palette: every kind of layer, found by a few letters, added by Enter, a click or a drag. */
import { IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, type Ref, useCallback, useEffect, useId, useMemo, useRef, useState } from 'react';
import { useProject } from '../state/project.ts';
import { blockNames } from '../state/stack.ts';
import { addLayer, focusStack, useInputHere } from '../state/stack-store.ts';
import { Kbd } from '../ui/index.ts';
import { countKinds, type Entry, entriesWith, fits, type Here } from './entries.ts';
import styles from './palette.module.css';
import { type HelpAt, PaletteHelp } from './palette-help.tsx';
import { addRecent, readGroups, readRecent, setGroup } from './palette-memory.ts';
import { type Choice, firstEntry, type GroupRows, paletteModel } from './palette-model.ts';
import { FamilyLine, Heading, MoreLine, optionId } from './palette-rows.tsx';

const helpMs = 450;
const page = 8;

/** What comes in where a layer would be added: the same object while it says the same. */
function useHere(): Here | null {
  const input = useInputHere();
  const rank = input?.dims.length;
  const dtype = input?.dtype;
  return useMemo(() => (rank === undefined || dtype === undefined ? null : { rank, dtype }), [rank, dtype]);
}

/** The help of an entry that the pointer has come to rest on; from one to the next without waiting. A list that moves beneath it opens none. */
function useHelp() {
  const [help, setHelp] = useState<HelpAt | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const over = useRef<HTMLElement>(null);
  useEffect(() => () => clearTimeout(timer.current), []);
  const point = useCallback((entry: Entry | null, element: HTMLElement | null) => {
    if (entry && over.current === element) return;
    clearTimeout(timer.current);
    over.current = element;
    if (!entry || !element) {
      timer.current = setTimeout(() => setHelp(null), 80);
      return;
    }
    setHelp((shown) => {
      if (shown) return { entry, element };
      timer.current = setTimeout(() => setHelp({ entry, element }), helpMs);
      return null;
    });
  }, []);
  const hide = useCallback(() => {
    clearTimeout(timer.current);
    setHelp(null);
  }, []);
  return { help, point, hide };
}

/** What a drag has added is kept as well; a browser that keeps nothing has what is here. */
function keptElse(here: string[]): string[] {
  const kept = readRecent();
  return kept.length > 0 ? kept : here;
}

const same = (a: readonly string[], b: readonly string[]) => a.join('\n') === b.join('\n');

/** The kinds used lately. What is added joins them once the pointer has left the palette: nothing moves beneath it. */
function useRecent() {
  const [recent, setRecent] = useState(readRecent);
  const latest = useRef(recent);
  const inside = useRef(false);
  const add = useCallback((id: string) => {
    latest.current = addRecent(keptElse(latest.current), id);
    if (!inside.current) setRecent(latest.current);
  }, []);
  const pointer = useMemo(
    () => ({
      onPointerEnter: () => {
        inside.current = true;
      },
      onPointerLeave: () => {
        inside.current = false;
        latest.current = keptElse(latest.current);
        setRecent((was) => (same(was, latest.current) ? was : latest.current));
      },
    }),
    [],
  );
  return { recent, add, pointer };
}

export function LayerPalette({ field }: { field: Ref<HTMLInputElement> }) {
  const id = useId();
  const { project } = useProject();
  const blocks = blockNames(project).join('\n');
  const entries = useMemo(() => entriesWith(blocks === '' ? [] : blocks.split('\n')), [blocks]);
  const here = useHere();
  const [query, setQuery] = useState('');
  const [at, setAt] = useState<number | null>(null);
  const { recent, add: remember, pointer } = useRecent();
  const [states, setStates] = useState(readGroups);
  const list = useRef<HTMLDivElement>(null);
  const { help, point, hide } = useHelp();
  const model = useMemo(
    () => paletteModel(query, entries, recent, states, here),
    [query, entries, recent, states, here],
  );
  const { choices } = model;
  const active = Math.min(at ?? firstEntry(model), choices.length - 1);

  useEffect(() => {
    list.current?.querySelector(`[data-place="${active}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [active]);

  const settle = useCallback(() => {
    setQuery('');
    setAt(null);
    hide();
  }, [hide]);
  const add = useCallback(
    (entry: Entry, stay = false) => {
      addLayer(entry.kind, entry.block);
      remember(entry.id);
      settle();
      if (!stay) focusStack();
    },
    [settle, remember],
  );
  const addOne = useCallback((entry: Entry) => add(entry), [add]);
  const choose = (choice: Choice | undefined, stay = false) => {
    if (!choice) return;
    if ('entry' in choice) return add(choice.entry, stay);
    setStates(setGroup(states, choice.group, choice.to));
  };
  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    const end = choices.length - 1;
    const to: Record<string, number> = {
      ArrowDown: active >= end ? 0 : active + 1,
      ArrowUp: active <= 0 ? end : active - 1,
      PageDown: Math.min(end, active + page),
      PageUp: Math.max(0, active - page),
    };
    const next = to[event.key];
    if (next !== undefined) {
      event.preventDefault();
      setAt(Math.max(0, next));
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      choose(choices[active], event.shiftKey);
      if (event.shiftKey) event.currentTarget.focus();
    } else if (event.key === 'Escape') {
      event.preventDefault();
      settle();
      focusStack();
    }
  };
  const toggle = (place: number) => {
    setAt(null);
    choose(choices[place]);
  };

  return (
    <section className={styles.palette} aria-label="Layer palette" {...pointer}>
      <div className={styles.searchBox}>
        <IconSearch size={14} className={styles.searchIcon} aria-hidden />
        <input
          ref={field}
          className={styles.search}
          role="combobox"
          aria-label="Add a layer"
          aria-expanded
          aria-controls={`${id}-list`}
          aria-activedescendant={choices.length > 0 ? optionId(id, active) : undefined}
          aria-autocomplete="list"
          placeholder="Add a layer"
          value={query}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => {
            setQuery(event.currentTarget.value);
            setAt(null);
            hide();
          }}
          onKeyDown={press}
        />
        {query === '' && (
          <span className={styles.searchKey} aria-hidden>
            <Kbd keys="/" />
          </span>
        )}
      </div>
      <div
        className={styles.list}
        id={`${id}-list`}
        role="listbox"
        aria-label="Layers"
        ref={list}
        data-found={query.trim() !== '' || undefined}
        onScroll={hide}
      >
        {model.groups.map((group) => (
          <Group
            key={group.group.label}
            {...group}
            listId={id}
            query={query}
            here={here}
            active={active}
            onAdd={addOne}
            onPoint={point}
            onToggle={toggle}
          />
        ))}
      </div>
      <p className={choices.length === 0 ? styles.none : 'visually-hidden'} role="status">
        {choices.length === 0 ? `No layer is called “${query}”.` : query === '' ? '' : `${choices.length} found`}
      </p>
      {help && <PaletteHelp {...help} unfit={fits(help.entry.kind, here) === false} />}
    </section>
  );
}

interface GroupProps extends GroupRows {
  listId: string;
  query: string;
  here: Here | null;
  active: number;
  onAdd: (entry: Entry) => void;
  onPoint: (entry: Entry | null, element: HTMLElement | null) => void;
  onToggle: (place: number) => void;
}

function Group(props: GroupProps) {
  const { group, state, heading, rows, more, listId, query, here, active, onAdd, onPoint, onToggle } = props;
  const { label, category, families } = group;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of options has no element of its own
    <div role="group" aria-label={label || 'Found'} className={styles.group}>
      {heading !== null && category !== null ? (
        <Heading
          listId={listId}
          place={heading}
          active={active === heading}
          label={label}
          category={category}
          open={state !== 'closed'}
          kinds={countKinds(families) + countKinds(group.more)}
          onToggle={() => onToggle(heading)}
        />
      ) : (
        label !== '' && (
          <div className={styles.heading} role="presentation">
            {label}
          </div>
        )
      )}
      {rows.map((row) => {
        const inside = row.plain === active || row.sized.includes(active);
        return (
          <FamilyLine
            key={row.family.id}
            row={row}
            listId={listId}
            query={query}
            here={here}
            active={inside ? active : null}
            onAdd={onAdd}
            onPoint={onPoint}
          />
        );
      })}
      {more !== null && (
        <MoreLine
          listId={listId}
          place={more}
          active={active === more}
          label={label}
          whole={state === 'whole'}
          kinds={countKinds(group.more)}
          onToggle={() => onToggle(more)}
        />
      )}
    </div>
  );
}

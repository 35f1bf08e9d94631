/** The palette's lines: a kind, or a family with one in each number of dimensions; what opens and closes a group. */
import { IconChevronRight } from '@tabler/icons-react';
import { memo, type PointerEvent } from 'react';
import { fuzzy, useDragSource } from '../ui/index.ts';
import { type Entry, fits, type Here, memberFor } from './entries.ts';
import { LayerIcon } from './layer-icons.tsx';
import styles from './palette.module.css';
import type { FamilyRow } from './palette-model.ts';

/** How the drag of an entry is called: each of its places in the palette has a name of its own, the entry's id follows. */
const dragged = { chip: 'new:', line: 'new line:', recent: 'new recent:' };

export interface RowHandlers {
  onAdd: (entry: Entry) => void;
  /** The pointer moves over an entry, presses its element (no entry), or leaves it (neither). */
  onPoint: (entry: Entry | null, element: HTMLElement | null) => void;
}

interface FamilyLineProps extends RowHandlers {
  row: FamilyRow;
  listId: string;
  query: string;
  here: Here | null;
  /** The place that the keyboard is at; null: in another line. */
  active: number | null;
}

export const FamilyLine = memo(function FamilyLine(props: FamilyLineProps) {
  const { row, listId, query, here, active, onAdd, onPoint } = props;
  const { family, plain, sized } = row;
  const main = memberFor(family, here);
  const { node, listeners } = useDragSource(
    (family.id.startsWith('recent:') ? dragged.recent : dragged.line) + main.id,
  );
  const label = main.block === null && family.label !== family.name ? family.label : null;
  return (
    <div
      className={styles.line}
      role="presentation"
      data-active={plain !== null && active === plain ? true : undefined}
    >
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard stays in the search field, which moves the active option */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: without a plain kind this is another way to the options beside it */}
      <div
        ref={node}
        className={styles.entry}
        {...(plain === null
          ? { 'aria-hidden': true }
          : { role: 'option', ...optionAt(listId, plain, active === plain, main) })}
        data-active={(plain !== null && active === plain && query !== '') || undefined}
        data-unfit={fits(main.kind, here) === false || undefined}
        onPointerDown={(event) => press(event, listeners.onPointerDown, onPoint)}
        onPointerMove={(event) => pointAt(event, main, onPoint)}
        onPointerLeave={() => onPoint(null, null)}
        onClick={() => onAdd(main)}
      >
        <span className={styles.icon} style={{ color: `var(--cat-${family.category})` }}>
          <LayerIcon kind={main.kind} />
        </span>
        <span className={styles.label}>
          <Marked text={family.name} query={query} />
        </span>
        {label !== null && sized.length === 0 && <span className={styles.quiet}> {label}</span>}
      </div>
      {sized.length > 0 && (
        <span className={styles.sizes} role="presentation">
          {family.sized.map(({ rank, entry }, index) => (
            <SizedChip
              key={entry.id}
              entry={entry}
              rank={rank}
              place={sized[index] as number}
              listId={listId}
              active={active === sized[index]}
              fitting={fits(entry.kind, here) ?? rank === 2}
              onAdd={onAdd}
              onPoint={onPoint}
            />
          ))}
        </span>
      )}
    </div>
  );
});

interface ChipProps extends RowHandlers {
  entry: Entry;
  rank: number;
  place: number;
  listId: string;
  active: boolean;
  fitting: boolean;
}

function SizedChip({ entry, rank, place, listId, active, fitting, onAdd, onPoint }: ChipProps) {
  const { node, listeners } = useDragSource(dragged.chip + entry.id);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard stays in the search field, which moves the active option
    // biome-ignore lint/a11y/useFocusableInteractive: options are active by aria-activedescendant
    <span
      ref={node}
      role="option"
      {...optionAt(listId, place, active, entry)}
      className={styles.chip}
      data-fitting={fitting || undefined}
      onPointerDown={(event) => press(event, listeners.onPointerDown, onPoint)}
      onPointerMove={(event) => pointAt(event, entry, onPoint)}
      onPointerLeave={() => onPoint(null, null)}
      onClick={() => onAdd(entry)}
    >
      {rank}d
    </span>
  );
}

/** What is dragged needs no words beside it. */
function press(
  event: PointerEvent,
  drag: ((event: PointerEvent) => void) | undefined,
  onPoint: RowHandlers['onPoint'],
): void {
  onPoint(null, event.currentTarget as HTMLElement);
  drag?.(event);
}

/** Some browsers tell of a move also where only the page has moved: then the pointer is where it was on the screen. */
let spot = '';

function pointAt(event: PointerEvent<HTMLElement>, entry: Entry, onPoint: RowHandlers['onPoint']): void {
  const now = `${event.screenX} ${event.screenY}`;
  if (now === spot) return;
  spot = now;
  onPoint(entry, event.currentTarget);
}

export const optionId = (listId: string, place: number) => `${listId}-${place}`;

function optionAt(listId: string, place: number, active: boolean, { kind, block, label, help }: Entry) {
  return {
    id: optionId(listId, place),
    'aria-selected': active,
    'aria-label': block ?? (label === kind ? kind : `${kind} ${label}`),
    'aria-description': help,
    'data-place': place,
  } as const;
}

interface TogglerProps {
  listId: string;
  place: number;
  active: boolean;
  onToggle: () => void;
}

/** A group's heading. */
export function Heading({
  label,
  category,
  open,
  kinds,
  ...toggler
}: TogglerProps & { label: string; category: string; open: boolean; kinds: number }) {
  return (
    <Toggler
      {...toggler}
      className={styles.heading ?? ''}
      name={open ? `Close ${label}` : `Open ${label} ${kinds} kinds`}
    >
      <IconChevronRight size={12} className={styles.chevron} data-open={open || undefined} aria-hidden />
      <span className={styles.dot} style={{ background: `var(--cat-${category})` }} />
      {label}
      {!open && <span className={styles.kinds}> {kinds}</span>}
    </Toggler>
  );
}

export function MoreLine({
  label,
  whole,
  kinds,
  ...toggler
}: TogglerProps & { label: string; whole: boolean; kinds: number }) {
  return (
    <Toggler
      {...toggler}
      className={styles.more ?? ''}
      name={whole ? `Fewer of ${label}` : `${kinds} more of ${label}`}
    >
      {whole ? 'Fewer' : `${kinds} more…`}
    </Toggler>
  );
}

function Toggler({
  listId,
  place,
  active,
  onToggle,
  className,
  name,
  children,
}: TogglerProps & { className: string; name: string; children: React.ReactNode }) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard stays in the search field, which moves the active option
    // biome-ignore lint/a11y/useFocusableInteractive: options are active by aria-activedescendant
    <div
      id={optionId(listId, place)}
      role="option"
      aria-selected={active}
      aria-label={name}
      data-place={place}
      className={className}
      onClick={onToggle}
    >
      {children}
    </div>
  );
}

function Marked({ text, query }: { text: string; query: string }) {
  const at = new Set(query.trim() === '' ? [] : fuzzy(query, text)?.at);
  if (at.size === 0) return text;
  // biome-ignore lint/suspicious/noArrayIndexKey: letters have nothing but their place
  return [...text].map((letter, index) => (at.has(index) ? <mark key={index}>{letter}</mark> : letter));
}

/** What a drag from the palette carries; null for a drag of a layer. */
export function entryOf(name: string): { kind: string; block: string | null; id: string } | null {
  const prefix = Object.values(dragged).find((each) => name.startsWith(each));
  if (prefix === undefined) return null;
  const id = name.slice(prefix.length);
  const block = id.startsWith('Block:') ? id.slice('Block:'.length) : null;
  return { kind: block === null ? id : 'Block', block, id };
}

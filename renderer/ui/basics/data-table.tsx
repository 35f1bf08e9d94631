/** A table of many rows: sorted by its headers, selected by mouse and keyboard as files are, only the rows in sight drawn. */
// biome-ignore-all lint/a11y/useSemanticElements: rows are laid out by grid and drawn in part, which a <table> cannot be
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import classes from './data-table.module.css';
import { compare, type Gesture, type Selection, type SortValue, select } from './selection.ts';

export interface Column<T> {
  key: string;
  title: ReactNode;
  render: (row: T) => ReactNode;
  /** What the column is sorted by; a column without cannot be sorted. */
  sort?: ((row: T) => SortValue) | undefined;
  /** A track of the grid: pixels, or such as `minmax(120px, 2fr)`. */
  width?: number | string;
  align?: 'left' | 'right';
  /** Sorts from high to low at the first click. */
  descendingFirst?: boolean;
}

export interface Sorting {
  key: string;
  descending: boolean;
}

export interface DataTableProps<T> {
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  rowKey: (row: T) => string;
  selected?: ReadonlySet<string> | undefined;
  onSelect?: ((keys: ReadonlySet<string>) => void) | undefined;
  /** At most one row. */
  single?: boolean;
  /** Enter or a double click. */
  onOpen?: ((row: T) => void) | undefined;
  /** Delete or Backspace, with the selected rows. */
  onDelete?: ((keys: ReadonlySet<string>) => void) | undefined;
  sort?: Sorting | null | undefined;
  defaultSort?: Sorting | null;
  onSort?: ((sort: Sorting) => void) | undefined;
  empty?: ReactNode;
  /** Fixed height; without, the table takes its parent's height and scrolls inside it. */
  height?: number | string;
  rowHeight?: number;
}

/** From this many on only the rows in sight are drawn. */
const virtualFrom = 200;
const overscan = 8;

export function DataTable<T>(props: DataTableProps<T>) {
  const { label, columns, rows, rowKey, selected, onSelect, single = false, onOpen, onDelete } = props;
  const { empty, height = '100%', rowHeight = 32 } = props;
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const [ownSort, setOwnSort] = useState<Sorting | null>(props.defaultSort ?? null);
  const sort = props.sort === undefined ? ownSort : props.sort;
  const [cursor, setCursor] = useState<{ at: string | null; anchor: string | null }>({ at: null, anchor: null });
  const [view, setView] = useState({ top: 0, height: 600 });

  const sorted = useMemo(() => {
    const by = columns.find((column) => column.key === sort?.key)?.sort;
    if (!by || !sort) return rows;
    return rows
      .map((row) => ({ row, value: by(row) }))
      .sort((a, b) => compare(a.value, b.value, sort.descending))
      .map(({ row }) => row);
  }, [rows, columns, sort]);
  const positions = useMemo(() => new Map(sorted.map((row, index) => [rowKey(row), index])), [sorted, rowKey]);
  const placed = cursor.at === null ? undefined : positions.get(cursor.at);
  // In rows that are new, a person goes on from what is selected.
  const at = placed ?? (selected?.size ? sorted.findIndex((row) => selected.has(rowKey(row))) : -1);
  const anchor = cursor.anchor === null ? -1 : (positions.get(cursor.anchor) ?? -1);

  const virtual = sorted.length > virtualFrom;
  const first = virtual ? Math.max(0, Math.floor(view.top / rowHeight) - overscan) : 0;
  const last = virtual
    ? Math.min(sorted.length, Math.ceil((view.top + view.height) / rowHeight) + overscan)
    : sorted.length;

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const measure = () => {
      setView({ top: element.scrollTop, height: element.clientHeight });
      markMore(element);
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    for (const child of element.children) observer.observe(child);
    measure();
    return () => observer.disconnect();
  }, []);

  const show = (row: number) => {
    const element = scroller.current;
    if (!element) return;
    // The header stays on top of what scrolls.
    const space = element.clientHeight - rowHeight;
    if (row * rowHeight < element.scrollTop) element.scrollTop = row * rowHeight;
    else if ((row + 1) * rowHeight > element.scrollTop + space) element.scrollTop = (row + 1) * rowHeight - space;
  };
  const keyAt = (row: number) => rowKey(sorted[row] as T);
  const go = (gesture: Gesture) => {
    const was: Selection = { keys: selected ?? new Set(), at, anchor: anchor < 0 ? Math.max(0, at) : anchor };
    const { range = false, toggle = false, ...rest } = gesture;
    const next = select(was, { ...rest, range: range && !single, toggle: toggle && !single }, keyAt);
    setCursor({ at: keyAt(next.at), anchor: keyAt(next.anchor) });
    if (next.keys !== was.keys) onSelect?.(next.keys);
    show(next.at);
  };
  const press = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || sorted.length === 0) return;
    const end = sorted.length - 1;
    const page = Math.max(1, Math.floor(view.height / rowHeight) - 2);
    const to: Record<string, number> = {
      ArrowDown: Math.min(end, at + 1),
      ArrowUp: Math.max(0, at - 1),
      PageDown: Math.min(end, at + page),
      PageUp: Math.max(0, at - page),
      Home: 0,
      End: end,
    };
    const command = event.ctrlKey || event.metaKey;
    const next = to[event.key];
    if (next !== undefined) go({ to: next, range: event.shiftKey, move: command && !event.shiftKey });
    else if (event.key === ' ' && at >= 0) go({ to: at, toggle: command || (selected?.has(keyAt(at)) ?? false) });
    else if (event.key.toLowerCase() === 'a' && command && !single) onSelect?.(new Set(sorted.map(rowKey)));
    else if (event.key === 'Escape' && selected && selected.size > 0) onSelect?.(new Set());
    else if (event.key === 'Enter' && at >= 0) onOpen?.(sorted[at] as T);
    else if ((event.key === 'Delete' || event.key === 'Backspace') && onDelete && selected && selected.size > 0)
      onDelete(selected);
    else return;
    event.preventDefault();
  };
  const click = (row: number, event: MouseEvent) => {
    if ((event.target as Element).closest('button, a, input')) return;
    go({ to: row, range: event.shiftKey, toggle: event.ctrlKey || event.metaKey });
  };
  const sortBy = (column: Column<T>) => {
    const again = sort?.key === column.key;
    const next = { key: column.key, descending: again ? !sort.descending : (column.descendingFirst ?? false) };
    setOwnSort(next);
    props.onSort?.(next);
  };
  const tracks = columns
    .map(({ width = 'minmax(80px, 1fr)' }) => (typeof width === 'number' ? `${width}px` : width))
    .join(' ');

  return (
    <div
      ref={scroller}
      className={classes.table}
      style={{ height, '--tracks': tracks, '--row-height': `${rowHeight}px` } as React.CSSProperties}
      role="grid"
      aria-label={label}
      aria-rowcount={sorted.length + 1}
      aria-multiselectable={onSelect ? !single : undefined}
      aria-activedescendant={at >= first && at < last ? `${id}-${at}` : undefined}
      tabIndex={0}
      onScroll={(event) => {
        markMore(event.currentTarget);
        if (virtual) setView({ top: event.currentTarget.scrollTop, height: event.currentTarget.clientHeight });
      }}
      onFocus={(event) => {
        if (event.target === event.currentTarget && at < 0 && sorted.length > 0) {
          const chosen = sorted.find((row) => selected?.has(rowKey(row))) ?? (sorted[0] as T);
          setCursor({ at: rowKey(chosen), anchor: rowKey(chosen) });
        }
      }}
      onKeyDown={press}
    >
      <Head columns={columns} sort={sort} onSort={sortBy} />
      <div className={classes.body} role="rowgroup" style={{ height: virtual ? sorted.length * rowHeight : undefined }}>
        <div
          className={classes.window}
          style={{ transform: virtual ? `translateY(${first * rowHeight}px)` : undefined }}
        >
          {sorted.slice(first, last).map((row, offset) => {
            const index = first + offset;
            const key = rowKey(row);
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the grid has the keyboard and moves the active row
              // biome-ignore lint/a11y/useFocusableInteractive: rows are active by aria-activedescendant
              <div
                key={key}
                id={`${id}-${index}`}
                className={classes.row}
                role="row"
                aria-rowindex={index + 2}
                aria-selected={onSelect ? (selected?.has(key) ?? false) : undefined}
                data-at={index === at || undefined}
                onClick={(event) => click(index, event)}
                onDoubleClick={() => onOpen?.(row)}
              >
                {columns.map((column) => (
                  // biome-ignore lint/a11y/useFocusableInteractive: the row is what is active
                  <div key={column.key} className={classes.cell} role="gridcell" data-align={column.align}>
                    {column.render(row)}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
      {sorted.length === 0 && (
        // biome-ignore lint/a11y/useFocusableInteractive: there is no row to act on
        <div className={classes.empty} role="row">
          {/* biome-ignore lint/a11y/useFocusableInteractive: there is no row to act on */}
          <div role="gridcell">{empty}</div>
        </div>
      )}
    </div>
  );
}

function Head<T>({
  columns,
  sort,
  onSort,
}: {
  columns: readonly Column<T>[];
  sort: Sorting | null;
  onSort: (column: Column<T>) => void;
}) {
  return (
    <div className={classes.head} role="rowgroup">
      {/* biome-ignore lint/a11y/useFocusableInteractive: headers hold buttons */}
      <div className={classes.headRow} role="row" aria-rowindex={1}>
        {columns.map((column) => {
          const sorted = sort?.key === column.key ? (sort.descending ? 'descending' : 'ascending') : 'none';
          return (
            // biome-ignore lint/a11y/useFocusableInteractive: the button inside is what takes the keyboard
            <div
              key={column.key}
              className={classes.headCell}
              role="columnheader"
              aria-sort={column.sort ? sorted : undefined}
              data-align={column.align}
            >
              {column.sort ? (
                <button type="button" className={classes.sorter} onClick={() => onSort(column)}>
                  {column.title}
                  {sorted === 'ascending' && <IconArrowUp size={12} aria-hidden />}
                  {sorted === 'descending' && <IconArrowDown size={12} aria-hidden />}
                </button>
              ) : (
                column.title
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** Shows at which side there is more than fits; no state: nothing else is drawn anew for it. */
function markMore(element: HTMLElement): void {
  const { scrollLeft, scrollWidth, clientWidth } = element;
  element.toggleAttribute('data-more', scrollWidth - clientWidth - scrollLeft > 1);
}

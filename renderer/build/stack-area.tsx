/** The stack: input, layers with the tensors between them, output; everything that a pointer or a key does to it. */
import { IconStack2 } from '@tabler/icons-react';
import {
  type CSSProperties,
  type KeyboardEvent,
  memo,
  type MouseEvent as ReactMouseEvent,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { useProject } from '../state/project.ts';
import { layersAt, mainList, samePath } from '../state/stack-paths.ts';
import type { StackRow, StackView } from '../state/stack-rows.ts';
import { gapAfter } from '../state/stack-select.ts';
import {
  applyFix,
  clearSelection,
  currentStack,
  gapHere,
  select,
  useStack,
  useStackState,
} from '../state/stack-store.ts';
import { Button, EmptyState, Kbd, useDropArea } from '../ui/index.ts';
import { BlockEnd, EmptyPlace, LaneHead, UnusedBlock } from './block-rows.tsx';
import { type MenuSubject, StackMenu } from './card-menu.tsx';
import { useClipboard } from './clipboard.ts';
import { StackDensity, useDensity } from './density.ts';
import { InputCard, OutputCard } from './ends.tsx';
import { LayerCard, rowElementId } from './layer-card.tsx';
import { Overview } from './overview.tsx';
import styles from './stack.module.css';
import type { StackElements } from './stack-drag.tsx';
import { StackHead } from './stack-head.tsx';
import { pressInStack } from './stack-keys.ts';
import { StackScale, useScale } from './stack-scale.ts';

export interface StackAreaProps {
  elements: StackElements;
  search: () => void;
}

export function StackArea({ elements, search }: StackAreaProps) {
  const view = useStack();
  const { project } = useProject();
  const { rows } = view;
  const scale = useScale(view);
  const [density, setDensity] = useDensity(rows.reduce((sum, { type }) => sum + (type === 'layer' ? 1 : 0), 0));
  const deepest = rows.reduce((most, { depth }) => Math.max(most, depth), 1);
  const said = useStackState((state) => state.said);
  const anyActive = useStackState((state) => state.active !== null);
  const [menu, setMenu] = useState<{ subject: MenuSubject; at: { x: number; y: number } } | null>(null);
  const tree = useRef<HTMLDivElement>(null);
  const drop = useDropArea('stack');
  const empty = layersAt(project, mainList).length === 0;

  useFocus(tree, rows);
  const isHere = useCallback(() => {
    const focused = document.activeElement;
    return focused === null || focused === document.body || tree.current?.contains(focused) === true;
  }, []);
  useClipboard(isHere);

  const openMenu = useCallback((id: string, at: { x: number; y: number }) => setMenu({ subject: { id }, at }), []);
  const openPlaceMenu = (event: ReactMouseEvent) => {
    if (event.defaultPrevented || (event.target as HTMLElement).closest('button, input')) return;
    event.preventDefault();
    setMenu({ subject: placeAt(event, rows), at: { x: event.clientX, y: event.clientY } });
  };
  const press = useCallback(
    (event: globalThis.KeyboardEvent | KeyboardEvent): boolean => {
      const target = event.target as HTMLElement;
      if (event.defaultPrevented || elements.dragging.current) return false;
      // A button in a card takes the keys that press it.
      if (target.closest?.('button') && (event.key === 'Enter' || event.key === ' ')) return false;
      const done = pressInStack(event, () => {
        const { active } = useStackState.getState();
        const element = document.getElementById(rowElementId(active ?? '')) ?? tree.current;
        const row = currentStack().rows.find(({ key }) => key === active);
        if (!element) return;
        const box = element.getBoundingClientRect();
        const subject: MenuSubject = row?.type === 'layer' ? { id: row.key } : { gap: gapHere(), row };
        // Once the key's event is over: a menu that is open takes keys outside of it as the wish to close it.
        setTimeout(() => setMenu({ subject, at: { x: box.left + 24, y: box.top + 36 } }));
      });
      if (done) event.preventDefault();
      return done;
    },
    [elements],
  );
  // With the focus nowhere the keys are the stack's as well.
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (event.target === document.body) press(event);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [press]);

  const end = rows.findIndex((row) => row.type === 'output');
  const draw = (row: StackRow) => (
    <Row key={row.key} row={row} problems={row.type === 'output' && !empty ? view.problems : none} onMenu={openMenu} />
  );

  return (
    <section className={styles.area} aria-label="Layer stack">
      <StackHead view={view} density={density} onDensity={setDensity} />
      <div className={styles.body}>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape takes the selection back as well */}
        {/* biome-ignore lint/a11y/noStaticElementInteractions: a click beside the cards selects none */}
        <div ref={elements.scroller} className={styles.scroller} onClick={clearSelection} onContextMenu={openPlaceMenu}>
          <div
            ref={drop}
            className={styles.content}
            data-density={density}
            style={{ '--deepest': deepest } as CSSProperties}
          >
            <StackDensity value={density}>
              <StackScale value={scale}>
                <InputCard />
                {/* biome-ignore lint/a11y/noStaticElementInteractions: its trees take the keys together */}
                <div ref={tree} tabIndex={-1} className={styles.tree} onKeyDown={press}>
                  {empty && <NoLayers view={view} search={search} />}
                  {end > 0 && (
                    <div
                      role="tree"
                      aria-label="Layers"
                      aria-multiselectable
                      tabIndex={anyActive ? -1 : 0}
                      className={styles.list}
                      onFocus={(event) => {
                        const first = rows.find((row) => row.type === 'layer');
                        if (event.target === event.currentTarget && first) select(first.key);
                      }}
                    >
                      {rows.slice(0, end).map(draw)}
                    </div>
                  )}
                  {rows.slice(end, end + 1).map(draw)}
                  {rows.length > end + 1 && (
                    <div role="tree" aria-label="Blocks that are not used" className={styles.list}>
                      {rows.slice(end + 1).map(draw)}
                    </div>
                  )}
                  <div ref={elements.line} className={styles.line} hidden aria-hidden />
                  <InsertionLine rows={rows} tree={tree} />
                </div>
              </StackScale>
            </StackDensity>
          </div>
        </div>
        <Overview view={view} scroller={elements.scroller} />
      </div>
      <p className="visually-hidden" role="status" aria-live="polite">
        {said}
      </p>
      {menu && (
        <StackMenu
          key={'id' in menu.subject ? menu.subject.id : 'place'}
          {...menu}
          onClose={() => {
            setMenu(null);
            // A command may have led the keyboard elsewhere.
            setTimeout(() => {
              const focused = document.activeElement;
              if (focused !== null && focused !== document.body) return;
              document.getElementById(rowElementId(useStackState.getState().active ?? ''))?.focus();
            });
          }}
        />
      )}
    </section>
  );
}

/** The place between layers that the pointer is at: on a ribbon below the row, on a branch's head first in it, on a row above it, elsewhere at the end. */
function placeAt({ target, clientY }: ReactMouseEvent, rows: readonly StackRow[]): MenuSubject {
  const area = (target as HTMLElement).closest<HTMLElement>('section');
  const elements = [...(area?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
  const index = elements.findIndex((element) => element.contains(target as HTMLElement));
  const row = rows[index];
  const below = (target as HTMLElement).closest('[data-ribbon]') ? rows[index + 1] : undefined;
  if (row?.type === 'lane') return { gap: { list: row.list, index: 0 }, row };
  if (row) return { gap: (below ?? row).above, row: below ?? row };
  const first = elements[0]?.getBoundingClientRect().top ?? Number.NEGATIVE_INFINITY;
  const end = rows.find(({ type }) => type === 'output');
  return { gap: clientY < first ? { list: mainList, index: 0 } : gapAfter(rows, null), row: end };
}

/** Where the next layer goes, once a person has pointed at a place. */
function InsertionLine({ rows, tree }: { rows: readonly StackRow[]; tree: React.RefObject<HTMLDivElement | null> }) {
  const insertion = useStackState((state) => state.insertion);
  const line = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!line.current || !insertion) return;
    const at = rows.findLastIndex(
      ({ above }) => above.index === insertion.index && samePath(above.list, insertion.list),
    );
    const row = rows[at];
    const element = tree.current?.querySelectorAll<HTMLElement>('[data-row]')[at];
    line.current.hidden = !row || !element;
    if (!row || !element) return;
    line.current.style.setProperty('--depth', String(row.type === 'end' ? row.depth + 1 : row.depth));
    line.current.style.top = `${element.offsetTop}px`;
    element.scrollIntoView({ block: 'nearest' });
  }, [insertion, rows, tree]);
  return insertion && <div ref={line} className={styles.line} data-insertion aria-hidden />;
}

const none: StackView['problems'] = [];

interface RowProps {
  row: StackRow;
  problems: StackView['problems'];
  onMenu: (id: string, at: { x: number; y: number }) => void;
}

const Row = memo(function Row({ row, problems, onMenu }: RowProps) {
  switch (row.type) {
    case 'layer':
      return <LayerCard row={row} onMenu={onMenu} />;
    case 'lane':
      return <LaneHead row={row} />;
    case 'empty':
      return <EmptyPlace row={row} level={row.depth + 1} />;
    case 'end':
      return <BlockEnd row={row} />;
    case 'block':
      return <UnusedBlock row={row} />;
    case 'output':
      return <OutputCard row={row} problems={problems} />;
  }
});

/** Takes the keyboard to the active row when asked, and back to it when the row that it was at is gone. */
function useFocus(tree: React.RefObject<HTMLDivElement | null>, rows: readonly StackRow[]): void {
  const focus = useStackState((state) => state.focus);
  const asked = useRef(focus);
  const had = useRef(false);

  useEffect(() => {
    const onFocus = (event: FocusEvent) => {
      had.current = tree.current?.contains(event.target as Node) === true;
    };
    const onPointer = (event: PointerEvent) => {
      if (!tree.current?.contains(event.target as Node)) had.current = false;
    };
    document.addEventListener('focusin', onFocus);
    document.addEventListener('pointerdown', onPointer);
    return () => {
      document.removeEventListener('focusin', onFocus);
      document.removeEventListener('pointerdown', onPointer);
    };
  }, [tree]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: rows that come and go may take the focus with them
  useLayoutEffect(() => {
    const { active } = useStackState.getState();
    const element = active === null ? null : document.getElementById(rowElementId(active));
    const focused = document.activeElement;
    const lost = had.current && (focused === document.body || focused === null);
    // An undo selects what it brings back: the keyboard goes there from any other row.
    const behind = element !== null && focused !== element && focused?.getAttribute('role') === 'treeitem';
    if (asked.current === focus && !lost && !behind) return;
    asked.current = focus;
    const target = element ?? tree.current;
    target?.focus({ preventScroll: true });
    element?.scrollIntoView({ block: 'nearest' });
  }, [focus, rows, tree]);
}

/** A network without layers: how to begin. */
function NoLayers({ view, search }: { view: StackView; search: () => void }) {
  const fixes = view.problems.flatMap((problem) => problem.fixes);
  return (
    <div className={styles.none} data-begin>
      <EmptyState
        icon={<IconStack2 size={28} stroke={1.5} />}
        title="Stack your first layer"
        action={
          <>
            {fixes.map(({ label, edits }, index) => (
              <Button key={label} primary={index === 0} onClick={() => applyFix(edits, label)}>
                {label}
              </Button>
            ))}
            <Button onClick={search}>Search layers</Button>
          </>
        }
      >
        Press <Kbd keys="/" />, type a few letters, then <Kbd keys="Enter" />. Or drag a layer from the palette to here.
      </EmptyState>
    </div>
  );
}

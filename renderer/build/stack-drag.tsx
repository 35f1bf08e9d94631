/** Dragging in the stack: finds the gap that is meant, shows it by a line, and drops there. Nothing else moves until then. */
import { type ReactNode, type RefObject, useMemo, useRef } from 'react';
import { valueAt } from '../state/places.ts';
import { currentProject } from '../state/project.ts';
import { holdsItself, standsAt } from '../state/stack.ts';
import { kindOf, type Path, startsWith, topmost } from '../state/stack-paths.ts';
import type { StackRow } from '../state/stack-rows.ts';
import { selectedPaths } from '../state/stack-select.ts';
import { addLayer, currentStack, fold, moveTo, select, useStackState } from '../state/stack-store.ts';
import { DragArea, type DragHandlers, type Point } from '../ui/index.ts';
import card from './card.module.css';
import { categoryOf, categoryStyle } from './categories.ts';
import { LayerIcon } from './layer-icons.tsx';
import { addRecent, readRecent } from './palette-memory.ts';
import { entryOf } from './palette-rows.tsx';
import { labelOf, nameOf } from './words.ts';

const unfoldMs = 600;

/** The row above which a gap is; rows.length - 1 at most: the last row is the network's output or an unused block's foot. */
interface Place {
  row: number;
  allowed: boolean;
}

interface Running {
  /** Paths of the layers that are dragged; none while a new one is. */
  paths: Path[];
  place: Place | null;
  hovered: string | null;
  timer: ReturnType<typeof setTimeout> | undefined;
}

export interface StackElements {
  scroller: RefObject<HTMLDivElement | null>;
  line: RefObject<HTMLDivElement | null>;
  /** While something is dragged the keys are the drag's. */
  dragging: { current: boolean };
}

export function StackDrag({ elements, children }: { elements: StackElements; children: ReactNode }) {
  const running = useRef<Running>({ paths: [], place: null, hovered: null, timer: undefined });
  const handlers = useMemo<DragHandlers>(() => makeHandlers(elements, running), [elements]);
  return (
    <DragArea handlers={handlers} name={nameOfDragged} ghost={(id) => <Ghost id={id} />}>
      {children}
    </DragArea>
  );
}

function rowElements(scroller: HTMLElement): HTMLElement[] {
  return [...scroller.querySelectorAll<HTMLElement>('[data-row]')];
}

/** A dragged layer goes anywhere but into itself; a place where it stands already is none. */
function isAllowed(paths: readonly Path[], row: StackRow): boolean {
  if (paths.length === 0) return true;
  const { project } = currentProject().view;
  const layers = paths.map((path) => valueAt(project, path));
  return (
    !paths.some((path) => startsWith(row.above.list, path)) &&
    !standsAt(paths, row.above) &&
    !holdsItself(project, row.above.list, layers)
  );
}

function makeHandlers(
  { scroller, line, dragging }: StackElements,
  { current: now }: { current: Running },
): DragHandlers {
  const show = (row: number | null): Point | null => {
    const area = scroller.current;
    const mark = line.current;
    const { rows } = currentStack();
    const above = row === null ? undefined : rows[row];
    const elements = area ? rowElements(area) : [];
    const element = row === null ? undefined : elements[row];
    if (!mark || !area || row === null || !above || !element) {
      now.place = null;
      if (mark) mark.hidden = true;
      return null;
    }
    const allowed = isAllowed(now.paths, above);
    now.place = { row, allowed };
    // Above a block's foot is inside the block.
    const depth = above.type === 'end' ? above.depth + 1 : above.depth;
    mark.hidden = !allowed;
    mark.style.setProperty('--depth', String(depth));
    mark.style.top = `${element.offsetTop}px`;
    const box = element.getBoundingClientRect();
    return { x: box.left, y: box.top };
  };
  const hover = (key: string | null) => {
    if (key === now.hovered) return;
    clearTimeout(now.timer);
    now.hovered = key;
    if (key !== null) now.timer = setTimeout(() => fold(key, false), unfoldMs);
  };
  const reset = () => {
    hover(null);
    show(null);
  };
  return {
    start: (id, by) => {
      dragging.current = true;
      if (scroller.current) scroller.current.dataset.dragging = entryOf(id) ? 'new' : 'layers';
      now.paths = [];
      if (entryOf(id) === null) {
        if (!useStackState.getState().selected.has(id)) select(id);
        now.paths = topmost(selectedPaths(currentStack().rows, useStackState.getState().selected));
      }
      if (by === 'keyboard') show(currentStack().rows.findIndex((row) => row.key === id));
    },
    point: ({ x, y }) => {
      const area = scroller.current;
      if (!area) return;
      const box = area.getBoundingClientRect();
      if (x < box.left || x > box.right || y < box.top || y > box.bottom) return reset();
      const elements = rowElements(area);
      const { rows } = currentStack();
      let row = elements.findIndex((element) => {
        const each = element.getBoundingClientRect();
        return y < each.top + Math.min(each.height, 40) / 2;
      });
      if (row < 0) row = rows.findIndex(({ type }) => type === 'output');
      const under = elements.findIndex((element) => {
        const each = element.getBoundingClientRect();
        return y >= each.top && y < each.bottom;
      });
      const over = rows[under];
      const inSelf = now.paths.some((path) => over?.type === 'layer' && startsWith(over.path, path));
      hover(over?.type === 'layer' && over.folded === true && !inSelf ? over.key : null);
      show(row);
    },
    step: (by) => {
      const { rows } = currentStack();
      for (let row = (now.place?.row ?? 0) + by; row >= 0 && row < rows.length; row += by) {
        if (!isAllowed(now.paths, rows[row] as StackRow) && !standsAt(now.paths, (rows[row] as StackRow).above))
          continue;
        scroller.current && rowElements(scroller.current)[row]?.scrollIntoView({ block: 'nearest' });
        return show(row);
      }
      return null;
    },
    end: (id, drop) => {
      dragging.current = false;
      if (scroller.current) delete scroller.current.dataset.dragging;
      const { place } = now;
      const target = place?.allowed ? currentStack().rows[place.row] : undefined;
      const entry = entryOf(id);
      const { paths } = now;
      reset();
      if (!drop || !target) return;
      if (entry) {
        addLayer(entry.kind, entry.block, target.above);
        addRecent(readRecent(), entry.id);
      } else moveTo(paths, target.above);
    },
    place: () => {
      const row = now.place?.allowed ? currentStack().rows[now.place.row] : undefined;
      if (!row) return 'Where it was.';
      const layer = valueAt(currentProject().view.project, [...row.above.list, row.above.index]);
      const where = row.above.list.length > 2 ? 'in a block' : 'in the network';
      return `Position ${row.above.index + 1} ${where}${layer === undefined ? ', at the end' : `, before ${kindOf(layer)}`}.`;
    },
  };
}

function nameOfDragged(id: string): string {
  const entry = entryOf(id);
  if (entry) return entry.block ?? entry.kind;
  const row = currentStack().rows.find(({ key }) => key === id);
  return row?.type === 'layer' ? nameOf(row.layer) || row.kind : 'Layer';
}

function Ghost({ id }: { id: string }) {
  const count = useStackState((state) => (state.selected.has(id) ? state.selected.size : 1));
  const entry = entryOf(id);
  const row = currentStack().rows.find(({ key }) => key === id);
  const kind = entry?.kind ?? (row?.type === 'layer' ? row.kind : '');
  const name = entry?.block ?? (row?.type === 'layer' ? nameOf(row.layer) : '');
  return (
    <div className={card.ghost} style={categoryStyle(categoryOf(kind))}>
      <span className={card.icon}>
        <LayerIcon kind={kind} />
      </span>
      <span className={card.label}>{name || labelOf(kind)}</span>
      {count > 1 && <span className={card.count}>{count}</span>}
    </div>
  );
}

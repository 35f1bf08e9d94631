/** The stack of the open project with what is selected and folded in it, and what a person does to it. */
import { create } from 'zustand';
import type { Plan } from '../../engine/contract/plan.ts';
import { wantedAnswer } from '../../engine/contract/plan-answer.ts';
import type { Edit } from '../../engine/contract/problems.ts';
import { isObject, setEdit } from '../../engine/contract/report.ts';
import { sources } from '../../engine/contract/sources.ts';
import type { DataFacts } from '../../engine/contract/tensors.ts';
import { valueAt } from './places.ts';
import { currentProject, edit, editWhile, usePlan, useProject, useProjectState } from './project.ts';
import { tell } from './session.ts';
import { idOf } from './sharing.ts';
import {
  allLayers,
  blockRef,
  type Change,
  duplicateLayers,
  freeBlockName,
  holdsItself,
  insertLayers,
  moveLayers,
  removeLayers,
  toggleDisabled,
} from './stack.ts';
import { newLayer } from './stack-new.ts';
import { type Gap, kindOf, lanesOf, type Path, samePath, topmost } from './stack-paths.ts';
import { type LayerRow, type StackView, stackView, type Tensor } from './stack-rows.ts';
import {
  gapAfter,
  gapBeside,
  neighbour,
  nothingSelected,
  rowOf,
  type Selection,
  selectAll,
  selectedPaths,
  selectOnly,
  selectTo,
  settle,
  shownInstead,
  step,
  tensorAt,
  withoutGone,
} from './stack-select.ts';
import { setFreeze, setTrain } from './stack-train.ts';

interface StackState extends Selection {
  folded: ReadonlySet<string>;
  /** What was done, for who listens rather than looks. */
  said: string;
  /** Counts the times that the keyboard shall go to the active row. */
  focus: number;
  /** Where the next layer goes, if a person has pointed at a place; null: after the active row. */
  insertion: Gap | null;
  /** What the keyboard shall go to beside the stack, and how many times that was asked for. */
  asked: { what: Asked; times: number };
}

/** The inspector's first field, those of the name and the note; the palette's search. */
export type Asked = 'first' | 'name' | 'note' | 'search';

export const useStackState = create<StackState>(() => ({
  ...nothingSelected,
  folded: new Set(),
  said: '',
  focus: 0,
  insertion: null,
  asked: { what: 'first', times: 0 },
}));

export function askFor(what: Asked): void {
  useStackState.setState(({ asked }) => ({ asked: { what, times: asked.times + 1 } }));
}

/** The next layer goes there. */
export function insertAt(insertion: Gap): void {
  useStackState.setState({ insertion });
  askFor('search');
}

let last: { project: unknown; plan: Plan | null; folded: ReadonlySet<string>; view: StackView } | null = null;

/** The stack as it is drawn now; what has not changed since the last time are the same objects. */
export function currentStack(): StackView {
  const { view, plan } = currentProject();
  const { folded } = useStackState.getState();
  if (!last || last.project !== view.project || last.plan !== plan || last.folded !== folded) {
    const type = factsKnown(plan, useProjectState.getState().facts)?.input.dtype;
    last = {
      project: view.project,
      plan,
      folded,
      view: stackView(view.project, plan, view.textProblems, folded, last?.view ?? null, type),
    };
  }
  return last.view;
}

export function useStack(): StackView {
  useProject();
  usePlan();
  useStackState((state) => state.folded);
  return currentStack();
}

/** What the data says of itself, read or told by its parameters alone. */
export function factsKnown(plan: Plan | null, facts: DataFacts | null): DataFacts | null {
  const source = plan?.project.data.source;
  return facts ?? (source ? (sources.get(source.kind)?.facts?.(source) ?? null) : null);
}

/** What comes in where a layer would be added now: behind the active row, or at the end; null while unknown. */
export function useInputHere(): Tensor | null {
  const { rows } = useStack();
  const active = useStackState((state) => state.active);
  const insertion = useStackState((state) => state.insertion);
  return tensorAt(rows, insertion ?? gapAfter(rows, active));
}

/** Where what is added goes now. */
export function gapHere(): Gap {
  const { active, insertion } = useStackState.getState();
  return insertion ?? gapAfter(currentStack().rows, active);
}

let ownEdit = false;

export function make(edits: readonly Edit[]): boolean {
  const before = currentStack().rows;
  ownEdit = true;
  const done = edit(edits);
  ownEdit = false;
  const after = currentStack().rows;
  useStackState.setState((state) => withoutGone(before, after, state));
  return done;
}

/** Makes a change and selects what it made; `said` tells it. */
export function apply({ edits, selected }: Change, said: string): boolean {
  if (!make(edits)) return false;
  const { project } = currentProject().view;
  const ids = selected.flatMap((path) => {
    const layer = valueAt(project, path);
    return isObject(layer) ? [idOf(layer)] : [];
  });
  unfoldTo(ids);
  const anchor = ids[0] ?? null;
  useStackState.setState((state) => ({ ...selectOnly(ids), anchor, said, focus: state.focus + 1, insertion: null }));
  return true;
}

/** Opens the blocks that hide layers. */
export function unfoldTo(ids: readonly string[]): void {
  const { folded } = useStackState.getState();
  if (folded.size === 0) return;
  const { project } = currentProject().view;
  const open = stackView(project, null, [], new Set()).rows;
  const shown = new Set(folded);
  for (const row of open) {
    if (row.type !== 'layer' || !ids.includes(row.key)) continue;
    const at = open.indexOf(row);
    let { depth } = row;
    for (let index = at; index >= 0; index--) {
      const above = open[index];
      if (above?.type !== 'layer' || above.depth >= depth) continue;
      depth = above.depth;
      shown.delete(above.key);
    }
  }
  if (shown.size !== folded.size) useStackState.setState({ folded: shown });
}

// Undo, redo, fixes, another window's change: the selection goes with what is still there.
useProjectState.subscribe((now, before) => {
  if (now.text !== before.text) useStackState.setState({ insertion: null });
  if (now.file !== before.file) return useStackState.setState({ ...nothingSelected, folded: new Set(), said: '' });
  if (now.text === before.text || ownEdit) return;
  const old = last?.view.rows ?? [];
  const state = useStackState.getState();
  const settled = settle(old, currentStack().rows, state);
  if (settled !== state) useStackState.setState(settled);
});

export function select(key: string, how: { range?: boolean; toggle?: boolean } = {}): void {
  useStackState.setState((state) => ({ ...selectTo(currentStack().rows, state, key, how), insertion: null }));
}

/** To a row, and the keyboard with it. */
export function goTo(key: string | null, how: { range?: boolean } = {}): void {
  if (key === null) return;
  select(key, how);
  useStackState.setState((state) => ({ focus: state.focus + 1 }));
}

export function goBy(by: number, range: boolean): void {
  const { active } = useStackState.getState();
  goTo(step(currentStack().rows, active, by), { range });
}

/** The keyboard goes on, and what is selected stays so: for choosing several that do not stand together. */
export function passBy(by: number): void {
  const { rows } = currentStack();
  useStackState.setState((state) => ({ active: step(rows, state.active, by), focus: state.focus + 1 }));
}

export function focusStack(): void {
  useStackState.setState({ insertion: null });
  const { active } = useStackState.getState();
  const { rows } = currentStack();
  if (rowOf(rows, active)) useStackState.setState((state) => ({ focus: state.focus + 1 }));
  else goBy(1, false);
}

export function selectEverything(): void {
  useStackState.setState((state) => selectAll(currentStack().rows, state));
}

export function clearSelection(): void {
  useStackState.setState((state) => ({
    ...nothingSelected,
    active: state.active,
    anchor: state.active,
    insertion: null,
  }));
}

export function fold(key: string, folded: boolean): void {
  const next = new Set(useStackState.getState().folded);
  if (folded) next.add(key);
  else next.delete(key);
  foldThese(next);
}

export function foldAll(folded: boolean): void {
  // Also those that no row shows now: a block's second use is its first once the other is folded away.
  const blocks = allLayers(currentProject().view.project).flatMap(({ layer }) =>
    isObject(layer) && (lanesOf(layer).length > 0 || blockRef(layer) !== null) ? [idOf(layer)] : [],
  );
  foldThese(new Set(folded ? blocks : []));
}

/** What a fold hides is not selected any more: the block is in its place. */
function foldThese(folded: ReadonlySet<string>): void {
  const before = currentStack().rows;
  useStackState.setState({ folded, insertion: null });
  const after = currentStack().rows;
  useStackState.setState((state) => shownInstead(before, after, state));
}

/** The layer's row by its id; undefined where it is inside a folded block. */
export function layerRow(id: string | null): LayerRow | undefined {
  const row = rowOf(currentStack().rows, id);
  return row?.type === 'layer' ? row : undefined;
}

/** What an action is about: the selected layers, or the given one where it is not among them. */
export function pathsFor(id?: string): Path[] {
  const { selected } = useStackState.getState();
  const { rows } = currentStack();
  return selectedPaths(rows, id === undefined || selected.has(id) ? selected : new Set([id]));
}

export function words(paths: readonly Path[]): string {
  const tops = topmost(paths);
  if (tops.length !== 1) return `${tops.length} layers`;
  const layer = valueAt(currentProject().view.project, tops[0] as Path);
  const name = isObject(layer) && typeof layer.name === 'string' ? layer.name : '';
  return name || kindOf(layer) || 'Layer';
}

/** Adds a layer of a kind, or a use of a named block; after the active row unless a gap is given. */
export function addLayer(kind: string, block: string | null = null, gap?: Gap): void {
  const { view, plan } = currentProject();
  const { rows } = currentStack();
  const there = gap ?? gapHere();
  const facts = factsKnown(plan, useProjectState.getState().facts);
  const end = gapAfter(rows, null);
  const isLast = samePath(there.list, end.list) && there.index === end.index;
  const { target } = facts ?? {};
  const wanted = isLast && target && plan ? (wantedAnswer(plan.project, target) ?? null) : null;
  const tokens = facts?.input.tokens ?? (target?.kind === 'next_token' ? target.tokens : null);
  const input = tensorAt(rows, there);
  const keep = kindOf(valueAt(view.project, there.list.slice(0, -1))) === 'Residual';
  const layer = newLayer(kind, { input, keep, wanted, tokens });
  const edits: Edit[] = [];
  if (kind === 'Block') {
    layer.ref = block ?? freeBlockName(view.project, 'block');
    if (block === null) edits.push(setEdit(['model', 'blocks', layer.ref as string], { layers: [] }));
  }
  if (holdsItself(view.project, there.list, [layer])) {
    tellHoldsItself();
    return;
  }
  const change = insertLayers(view.project, there, [layer]);
  if (!apply({ ...change, edits: [...edits, ...change.edits] }, `${kind} added`)) return;
  // What is added next goes into a block that has just been made.
  const added = useStackState.getState().active;
  const empty = currentStack().rows.find((row) => row.type === 'empty' && row.owner === added);
  if (empty && lanesOf(layer).length + (kind === 'Block' ? 1 : 0) > 0) select(empty.key);
}

export function tellHoldsItself(): void {
  tell({
    tone: 'info',
    message: 'A block cannot hold itself',
    hint: 'Choose a place outside of it, or make an independent copy of the block first.',
  });
}

export function removeSelected(id?: string, done: 'deleted' | 'cut' = 'deleted'): void {
  const paths = pathsFor(id);
  if (paths.length === 0) return;
  const before = currentStack().rows;
  const { active } = useStackState.getState();
  const said = `${words(paths)} ${done}`;
  const change = removeLayers(currentProject().view.project, paths);
  if (!make(change.edits)) return;
  const after = currentStack().rows;
  const gone = rowOf(after, active) ? active : nearestGone(before, paths, active);
  const next = rowOf(after, gone) ? (gone as string) : neighbour(before, after, gone)[0];
  if (next === undefined) useStackState.setState((state) => ({ ...nothingSelected, said, focus: state.focus + 1 }));
  else {
    useStackState.setState((state) => ({ ...selectTo(after, state, next), said, focus: state.focus + 1 }));
  }
}

function nearestGone(before: StackView['rows'], paths: readonly Path[], active: string | null): string | null {
  if (before.some((row) => row.key === active)) return active;
  const first = paths[0] as Path;
  return before.find((row) => row.type === 'layer' && samePath(row.path, first))?.key ?? null;
}

export function duplicateSelected(id?: string): void {
  const paths = pathsFor(id);
  if (paths.length > 0) apply(duplicateLayers(currentProject().view.project, paths), `${words(paths)} duplicated`);
}

export function moveTo(paths: readonly Path[], gap: Gap): void {
  const change = moveLayers(currentProject().view.project, paths, gap);
  if (!change) return;
  const said = `${words(paths)} moved to position ${gap.index + 1}`;
  apply(change, said);
}

/** A step up or down, also into and out of blocks. */
export function moveSelected(by: -1 | 1): void {
  const paths = topmost(pathsFor());
  const { project } = currentProject().view;
  const layers = paths.map((path) => valueAt(project, path));
  const gap = gapBeside(currentStack().rows, paths, by, ({ list }) => !holdsItself(project, list, layers));
  if (gap) moveTo(paths, gap);
  else useStackState.setState({ said: by < 0 ? 'At the top' : 'At the end' });
}

export function toggleSelected(id?: string): void {
  const paths = pathsFor(id);
  if (paths.length === 0) return;
  const edits = toggleDisabled(currentProject().view.project, paths);
  const enabled = edits.every(({ op }) => op === 'remove');
  if (make(edits)) useStackState.setState({ said: `${words(paths)} ${enabled ? 'enabled' : 'disabled'}` });
}

/** Edits of one layer's keys; those of one `topic` that follow one another quickly are one step of undo. */
export function change(id: string, key: string, make: (project: unknown, path: Path) => Edit[]): void {
  const row = layerRow(id);
  if (!row) return;
  const edits = make(currentProject().view.project, row.path);
  if (edits.length > 0) editWhile(`${id} ${key}`, edits);
}

function pathsOf(ids: readonly string[]): Path[] {
  return ids.flatMap((id) => {
    const row = layerRow(id);
    return row ? [row.path] : [];
  });
}

/** Says something of the training of layers, all of them in one step of undo. */
export function changeTrain(ids: readonly string[], key: string, value: unknown): void {
  const edits = setTrain(currentProject().view.project, pathsOf(ids), key, value);
  if (edits.length > 0) editWhile(`${ids.join(' ')} train ${key}`, edits);
}

export function freezeLayers(ids: readonly string[], freeze: boolean): void {
  const edits = setFreeze(currentProject().view.project, pathsOf(ids), freeze);
  if (make(edits)) useStackState.setState({ said: freeze ? 'Frozen' : 'Trains' });
}

export function applyFix(edits: readonly Edit[], label: string): void {
  if (edit(edits)) useStackState.setState((state) => ({ said: label, focus: state.focus + 1 }));
}

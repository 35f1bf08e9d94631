/** What a person does to the layers of a project, as edits of its text. Pure: the project as it is in, edits and what to select out. */
import { fieldInfo } from '../../engine/contract/fields.ts';
import { layerTable } from '../../engine/contract/layers/index.ts';
import type { Edit } from '../../engine/contract/problems.ts';
import { insertEdit, isObject, type JsonObject, removeEdit, setEdit } from '../../engine/contract/report.ts';
import { valueAt } from './places.ts';
import {
  blockList,
  follow,
  type Gap,
  indexOf,
  kindOf,
  lanesOf,
  layersAt,
  listOf,
  mainList,
  type Path,
  samePath,
  startsWith,
  topmost,
} from './stack-paths.ts';

/** Edits made one after the other, and the paths, after all of them, of what was made or moved. */
export interface Change {
  edits: Edit[];
  selected: Path[];
}

/** Collects edits while later ones still speak of the project as it was. */
class Draft {
  readonly edits: Edit[] = [];
  readonly #project: unknown;
  /** What was made, with how many edits had been made by then. */
  readonly #made: { path: Path; since: number }[] = [];
  readonly #lists = new Map<string, number>();

  constructor(project: unknown) {
    this.#project = project;
  }

  /** Where something of the project as it was is now; null when an edit took it away. */
  now(path: Path, since = 0): Path | null {
    let at: Path | null = path;
    for (const edit of this.edits.slice(since)) at = at && follow(at, edit);
    return at;
  }

  remove(path: Path): void {
    const at = this.now(path);
    if (at) this.edits.push(removeEdit(at));
  }

  set(path: Path, value: unknown): void {
    const at = this.now(path);
    if (at) this.edits.push(setEdit(at, value));
  }

  /** Into a list as it is now. */
  insert({ list, index }: Gap, values: readonly unknown[]): void {
    if (values.length === 0) return;
    const known = Array.isArray(valueAt(this.#project, this.#before(list)));
    if (!known && !this.#lists.has(list.join('\n'))) {
      this.edits.push(setEdit(list, [...values]));
      this.#lists.set(list.join('\n'), values.length);
      for (const at of values.keys()) this.#made.push({ path: [...list, at], since: this.edits.length });
      return;
    }
    for (const [offset, value] of values.entries()) {
      const path = [...list, index + offset];
      this.edits.push(insertEdit(path, value));
      this.#made.push({ path, since: this.edits.length });
    }
  }

  /** A path of now as one of the project as it was. */
  #before(path: Path): Path {
    return [...this.edits].reverse().reduce<Path>((at, edit) => undo(at, edit), path);
  }

  done(): Change {
    const selected = this.#made.flatMap(({ path, since }) => {
      const at = this.now(path, since);
      return at ? [at] : [];
    });
    return { edits: this.edits, selected };
  }
}

function undo(path: Path, edit: Edit): Path {
  if (edit.op === 'set' || edit.op === 'rename') return path;
  const opposite: Edit = edit.op === 'insert' ? { op: 'remove', path: edit.path } : { op: 'insert', path: edit.path };
  return follow(path, opposite) ?? path;
}

export function insertLayers(project: unknown, gap: Gap, layers: readonly unknown[]): Change {
  const draft = new Draft(project);
  draft.insert(gap, layers);
  return draft.done();
}

export function removeLayers(project: unknown, paths: readonly Path[]): Change {
  const draft = new Draft(project);
  for (const path of topmost(paths).reverse()) draft.remove(path);
  return draft.done();
}

/** Whether the layers stand, one after the other, where they would be moved to. */
export function standsAt(paths: readonly Path[], { list, index }: Gap): boolean {
  const tops = topmost(paths);
  const first = tops[0];
  if (!first || !tops.every((path) => samePath(listOf(path), list))) return false;
  const start = indexOf(first);
  const together = tops.every((path, offset) => indexOf(path) === start + offset);
  return together && index >= start && index <= start + tops.length;
}

/** Names of the blocks that layers use, also by way of other blocks. */
export function blocksIn(project: unknown, layers: readonly unknown[], found = new Set<string>()): Set<string> {
  for (const layer of layers) {
    const ref = blockRef(layer);
    if (ref !== null && !found.has(ref)) {
      found.add(ref);
      blocksIn(project, layersAt(project, blockList(ref)), found);
    }
    for (const { key } of lanesOf(layer)) blocksIn(project, layersAt(layer, key), found);
  }
  return found;
}

/** Whether a block would hold itself with these layers in this list. */
export function holdsItself(project: unknown, list: Path, layers: readonly unknown[]): boolean {
  const [, blocks, name] = list;
  return blocks === 'blocks' && typeof name === 'string' && blocksIn(project, layers).has(name);
}

/** Takes layers to a gap, in order. null: the gap is inside one of them. */
export function moveLayers(project: unknown, paths: readonly Path[], gap: Gap): Change | null {
  const tops = topmost(paths);
  if (tops.some((path) => startsWith(gap.list, path))) return null;
  if (standsAt(tops, gap)) return { edits: [], selected: tops };
  const values = tops.map((path) => valueAt(project, path));
  if (holdsItself(project, gap.list, values)) return null;
  const draft = new Draft(project);
  for (const path of [...tops].reverse()) draft.remove(path);
  const list = draft.now(gap.list) as Path;
  const before = tops.filter((path) => samePath(listOf(path), gap.list) && indexOf(path) < gap.index).length;
  draft.insert({ list, index: gap.index - before }, values);
  return draft.done();
}

/** Copies, each list's after the last of it that was chosen. */
export function duplicateLayers(project: unknown, paths: readonly Path[]): Change {
  const draft = new Draft(project);
  for (const group of byList(topmost(paths)).reverse()) {
    const last = group.at(-1) as Path;
    const at = draft.now(last) as Path;
    draft.insert(
      { list: listOf(at), index: indexOf(at) + 1 },
      group.map((path) => valueAt(project, path)),
    );
  }
  return draft.done();
}

function byList(paths: readonly Path[]): Path[][] {
  const groups = new Map<string, Path[]>();
  for (const path of paths) {
    const key = listOf(path).join('\n');
    groups.set(key, [...(groups.get(key) ?? []), path]);
  }
  return [...groups.values()];
}

export type Wrapper = 'Residual' | 'Repeat' | 'Parallel';

function wrapperOf(kind: Wrapper, layers: unknown[]): JsonObject {
  switch (kind) {
    case 'Residual':
      return { kind, layers };
    case 'Repeat':
      return { kind, times: 2, layers };
    case 'Parallel':
      return { kind, branches: [layers, []] };
  }
}

/** Puts layers into a new block, where the first of them stands. */
export function wrapLayers(project: unknown, paths: readonly Path[], kind: Wrapper): Change {
  return replaceBy(project, paths, (layers) => wrapperOf(kind, layers));
}

function replaceBy(project: unknown, paths: readonly Path[], make: (layers: unknown[]) => unknown): Change {
  const tops = topmost(paths);
  const draft = new Draft(project);
  const first = tops[0];
  if (!first) return draft.done();
  const values = tops.map((path) => valueAt(project, path));
  // From behind, so that the first one's place stays what it is.
  for (const path of [...tops].reverse()) draft.remove(path);
  draft.insert({ list: listOf(first), index: indexOf(first) }, [make(values)]);
  return draft.done();
}

/** Layers become a named block of the project, and one use of it takes their place. */
export function makeBlock(project: unknown, paths: readonly Path[], name: string): Change {
  const { edits, selected } = replaceBy(project, paths, () => ({ kind: 'Block', ref: name }));
  const layers = topmost(paths).map((path) => valueAt(project, path));
  return { edits: [...edits, setEdit(['model', 'blocks', name], { layers })], selected };
}

/** Gives back what is inside a block, in order. A named block's layers are copied; its definition goes with its last use. */
export function unwrapLayer(project: unknown, path: Path): Change | null {
  const layer = valueAt(project, path);
  const draft = new Draft(project);
  const ref = blockRef(layer);
  const inside =
    ref === null
      ? lanesOf(layer)
          .filter(({ lane }) => lane !== 'shortcut')
          .flatMap(({ key }) => layersAt(layer, key))
      : layersAt(project, blockList(ref));
  if (ref === null && lanesOf(layer).length === 0) return null;
  draft.remove(path);
  draft.insert({ list: listOf(path), index: indexOf(path) }, inside);
  if (ref !== null && !startsWith(path, ['model', 'blocks', ref]) && usesOf(project, ref).length === 1) {
    draft.remove(['model', 'blocks', ref]);
  }
  return draft.done();
}

/** The name of the block that a layer uses; null for any other layer. */
export function blockRef(layer: unknown): string | null {
  return isObject(layer) && layer.kind === 'Block' && typeof layer.ref === 'string' ? layer.ref : null;
}

export function blockNames(project: unknown): string[] {
  const blocks = valueAt(project, ['model', 'blocks']);
  return isObject(blocks) ? Object.keys(blocks) : [];
}

/** Every layer of the project, in the network and in the blocks. */
export function allLayers(project: unknown): { path: Path; layer: unknown }[] {
  const found: { path: Path; layer: unknown }[] = [];
  const walk = (list: Path) => {
    for (const [index, layer] of layersAt(project, list).entries()) {
      const path = [...list, index];
      found.push({ path, layer });
      for (const { key } of lanesOf(layer)) walk([...path, ...key]);
    }
  };
  walk(mainList);
  for (const name of blockNames(project)) walk(blockList(name));
  return found;
}

export function usesOf(project: unknown, name: string): Path[] {
  return allLayers(project).flatMap(({ path, layer }) => (blockRef(layer) === name ? [path] : []));
}

/** `stem`, or `stem 2` where that is taken. */
export function freeBlockName(project: unknown, wanted: string): string {
  const names = new Set(blockNames(project));
  for (let number = 1; ; number++) {
    const name = number === 1 ? wanted : `${wanted} ${number}`;
    if (!names.has(name)) return name;
  }
}

/** Gives a block of the project another name, in all its uses. null: the name is taken or empty. */
export function renameBlock(project: unknown, name: string, to: string): Edit[] | null {
  if (to === '' || (to !== name && blockNames(project).includes(to))) return null;
  const block = valueAt(project, ['model', 'blocks', name]);
  if (to === name || block === undefined) return [];
  return [
    ...usesOf(project, name).map((use) => setEdit([...use, 'ref'], to)),
    { op: 'rename', path: ['model', 'blocks', name], value: to },
  ];
}

/** A definition of its own for one use of a block that has several: what is changed in it changes no other. null: it has one. */
export function makeIndependent(project: unknown, path: Path): { edits: Edit[]; name: string } | null {
  const ref = blockRef(valueAt(project, path));
  const block = ref === null ? undefined : valueAt(project, ['model', 'blocks', ref]);
  if (ref === null || block === undefined || usesOf(project, ref).length < 2) return null;
  const name = freeBlockName(project, ref);
  return { edits: [setEdit(['model', 'blocks', name], block), setEdit([...path, 'ref'], name)], name };
}

/** One key of a layer. What PyTorch takes anyway is not written. */
export function setParam(project: unknown, path: Path, key: string, value: unknown): Edit[] {
  const layer = valueAt(project, path);
  if (!isObject(layer)) return [];
  const schema = layerTable.get(kindOf(layer))?.params[key];
  const info = schema && fieldInfo(schema);
  const standard = info !== undefined && 'default' in info && JSON.stringify(info.default) === JSON.stringify(value);
  const at = [...path, key];
  if (value !== undefined && !(standard && !Object.hasOwn(layer, key))) {
    return JSON.stringify(layer[key]) === JSON.stringify(value) ? [] : [setEdit(at, value)];
  }
  return Object.hasOwn(layer, key) ? [removeEdit(at)] : [];
}

/** Disables the layers, or enables them where all are disabled. */
export function toggleDisabled(project: unknown, paths: readonly Path[]): Edit[] {
  const disabled = (path: Path) => valueAt(project, [...path, 'disabled']) === true;
  const enable = paths.every(disabled);
  return paths
    .filter((path) => disabled(path) === enable)
    .map((path) => (enable ? removeEdit([...path, 'disabled']) : setEdit([...path, 'disabled'], true)));
}

export function addBranch(project: unknown, path: Path): Edit[] {
  const branches = valueAt(project, [...path, 'branches']);
  return Array.isArray(branches)
    ? [insertEdit([...path, 'branches', branches.length], [])]
    : [setEdit([...path, 'branches'], [[]])];
}

/** A Parallel keeps one branch at least. */
export function removeBranch(project: unknown, branch: Path): Edit[] {
  const branches = valueAt(project, listOf(branch));
  return Array.isArray(branches) && branches.length > 1 ? [removeEdit(branch)] : [];
}

/** What a Residual adds: the input itself, a projection that is found, or layers of its own. */
export function setShortcut(project: unknown, path: Path, shortcut: 'input' | 'auto' | 'layers'): Edit[] {
  return setParam(project, path, 'shortcut', { input: undefined, auto: 'auto', layers: [] }[shortcut]);
}

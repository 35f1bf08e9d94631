/** What a person does with several layers as one: wraps and named blocks, and their way over the clipboard. */
import { currentProject } from './project.ts';
import { tell } from './session.ts';
import {
  addBranch,
  blockRef,
  freeBlockName,
  holdsItself,
  makeBlock,
  makeIndependent,
  removeBranch,
  unwrapLayer,
  type Wrapper,
  wrapLayers,
} from './stack.ts';
import { copyText, pasteClip, readClip } from './stack-clipboard.ts';
import type { Gap, Path } from './stack-paths.ts';
import { layerPlace } from './stack-places.ts';
import { stackView } from './stack-rows.ts';
import {
  apply,
  askFor,
  currentStack,
  fold,
  gapHere,
  goTo,
  layerRow,
  make,
  pathsFor,
  tellHoldsItself,
  unfoldTo,
  useStackState,
} from './stack-store.ts';

export function wrapSelected(kind: Wrapper, id?: string): void {
  const paths = pathsFor(id);
  if (paths.length > 0) apply(wrapLayers(currentProject().view.project, paths, kind), `Wrapped in ${kind}`);
}

export function makeBlockOfSelected(id?: string): void {
  const paths = pathsFor(id);
  if (paths.length === 0) return;
  const { project } = currentProject().view;
  const name = freeBlockName(project, 'block');
  // What it is called is asked for at once: a name is what makes it one.
  if (apply(makeBlock(project, paths, name), `Made the named block “${name}”`)) askFor('name');
}

export function unwrap(id: string): void {
  const row = layerRow(id);
  const change = row && unwrapLayer(currentProject().view.project, row.path);
  if (change) apply(change, `${row.kind} unwrapped`);
}

/** The one use of a named block gets a definition of its own. */
export function separate(id: string): void {
  const row = layerRow(id);
  const made = row && makeIndependent(currentProject().view.project, row.path);
  if (made && make(made.edits)) useStackState.setState({ said: `Uses “${made.name}” of its own` });
}

/** To the use of a named block that shows its layers. */
export function goToDefinition(id: string): void {
  const ref = blockRef(layerRow(id)?.layer);
  const shown = currentStack().rows.find(
    (row) => row.type === 'layer' && blockRef(row.layer) === ref && row.folded !== null,
  );
  if (ref === null || !shown) return;
  fold(shown.key, false);
  goTo(shown.key);
}

/** To the layer at a place of the project, also where a block hides it. Answers whether there is one. */
export function showLayerAt(path: string): boolean {
  const { project } = currentProject().view;
  const place = layerPlace(project, path);
  const { rows } = stackView(project, null, [], new Set());
  const id = rows.find((row) => row.type === 'layer' && row.path.join('.') === place)?.key;
  if (id === undefined) return false;
  unfoldTo([id]);
  goTo(id);
  return true;
}

/** The layer that messages and weights files call so, also where a block hides it. */
export function layerNumbered(number: string): { path: Path; kind: string; name: string } | null {
  const { view, plan } = currentProject();
  const { rows } = stackView(view.project, plan, [], new Set());
  const row = rows.find((each) => each.type === 'layer' && each.number === number);
  if (row?.type !== 'layer') return null;
  const { name } = row.layer;
  return { path: row.path, kind: row.kind, name: typeof name === 'string' ? name : '' };
}

export function addBranchTo(id: string): void {
  const row = layerRow(id);
  if (row) make(addBranch(currentProject().view.project, row.path));
}

export function removeLane(list: Path): void {
  const { project } = currentProject().view;
  make(list.at(-1) === 'shortcut' ? [{ op: 'remove', path: [...list] }] : removeBranch(project, list));
}

export function copySelected(): string | null {
  const paths = pathsFor();
  return paths.length === 0 ? null : copyText(currentProject().view.project, paths);
}

/** Text of the clipboard, to where a layer would be added now unless a gap is given. Answers whether it held layers. */
export function pasteText(text: string, gap: Gap = gapHere()): boolean {
  const clip = readClip(text);
  if (!clip) {
    tell({ tone: 'info', message: 'The clipboard holds no layers', hint: 'Copy layers here, or their JSON text.' });
    return false;
  }
  const { renamed, ...change } = pasteClip(currentProject().view.project, gap, clip);
  const { project } = currentProject().view;
  if (
    holdsItself(
      project,
      gap.list,
      clip.layers.filter((layer) => !renamed.has(blockRef(layer) ?? '')),
    )
  ) {
    tellHoldsItself();
    return false;
  }
  if (!apply(change, clip.layers.length === 1 ? 'Layer pasted' : `${clip.layers.length} layers pasted`)) return false;
  for (const [name, here] of renamed) {
    tell({
      tone: 'info',
      message: `The block “${name}” was pasted as “${here}”`,
      hint: 'This project has another one of that name.',
    });
  }
  return true;
}

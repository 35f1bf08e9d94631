/** Places of layers in the project: which lists a layer holds, and what stands where. */
import { startsWith } from '../../engine/contract/edits.ts';
import { isObject } from '../../engine/contract/report.ts';
import { valueAt } from './places.ts';

export { follow, startsWith } from '../../engine/contract/edits.ts';

export type Step = string | number;
/** Of a layer: its list's path, then its position. Of a list: `model.layers`, `….branches.1`, `model.blocks.stem.layers`. */
export type Path = readonly Step[];

/** Between two layers of a list: `index` is the position that what comes there shall have. */
export interface Gap {
  list: Path;
  index: number;
}

/** What a list is to the layer that holds it. */
export type Lane = 'layers' | 'shortcut' | 'branch';

export const mainList: Path = ['model', 'layers'];

export function blockList(name: string): Path {
  return ['model', 'blocks', name, 'layers'];
}

/** The layers of a list; none where the project has no list there. */
export function layersAt(project: unknown, list: Path): readonly unknown[] {
  const found = valueAt(project, list);
  return Array.isArray(found) ? found : [];
}

export function listOf(layer: Path): Path {
  return layer.slice(0, -1);
}

export function indexOf(layer: Path): number {
  return layer.at(-1) as number;
}

export function kindOf(layer: unknown): string {
  return isObject(layer) && typeof layer.kind === 'string' ? layer.kind : '';
}

/** The lists inside a layer, in order, by their keys. A list that the file leaves out is one that can be added to. */
export function lanesOf(layer: unknown): { lane: Lane; key: Path }[] {
  if (!isObject(layer)) return [];
  switch (layer.kind) {
    case 'Residual':
      return [
        { lane: 'layers', key: ['layers'] },
        ...(Array.isArray(layer.shortcut) ? [{ lane: 'shortcut' as const, key: ['shortcut'] }] : []),
      ];
    case 'Repeat':
      return [{ lane: 'layers', key: ['layers'] }];
    case 'Parallel':
      return Array.isArray(layer.branches)
        ? layer.branches.map((_, index) => ({ lane: 'branch' as const, key: ['branches', index] }))
        : [];
    default:
      return [];
  }
}

/** What messages call the layers of a list: counted as they run, whether or not their shapes are known. null: it does not run. */
export function numbersOf(layers: readonly unknown[], prefix: string | null): (string | null)[] {
  let count = 0;
  return layers.map((layer) =>
    prefix === null || (isObject(layer) && layer.disabled === true) ? null : `${prefix}${count++}`,
  );
}

/** What the numbers of the layers in a list of a layer begin with. */
export function numberPrefix(number: string | null, kind: string, lane: Lane, index: number): string | null {
  if (number === null) return null;
  // The layers of a repetition are shown as those of the first.
  const name = lane === 'branch' ? `branches.${index}` : kind === 'Repeat' ? '0' : lane;
  return `${number}.${name}.`;
}

export function samePath(a: Path, b: Path): boolean {
  return a.length === b.length && startsWith(a, b);
}

/** In the order in which a reader meets them; what holds another comes first. */
function comparePaths(a: Path, b: Path): number {
  for (let depth = 0; depth < Math.min(a.length, b.length); depth++) {
    const [left, right] = [a[depth] as Step, b[depth] as Step];
    if (left === right) continue;
    if (typeof left === 'number' && typeof right === 'number') return left - right;
    return rank(left) - rank(right) || (String(left) < String(right) ? -1 : 1);
  }
  return a.length - b.length;
}

/** `layers` before `shortcut`, the network before its blocks. */
function rank(step: Step): number {
  return step === 'layers' ? 0 : 1;
}

/** Those that are in none of the others, in order, each once. */
export function topmost(paths: readonly Path[]): Path[] {
  const sorted = [...paths].sort(comparePaths);
  const tops: Path[] = [];
  for (const path of sorted) {
    if (!tops.some((top) => startsWith(path, top))) tops.push(path);
  }
  return tops;
}

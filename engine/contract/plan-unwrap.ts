/** A layer that holds others, taken apart: how many layers go with it, and the fix that leaves them where it stood. */
import { layerTable } from './layers/index.ts';
import type { Refused } from './plan-bridges.ts';
import type { Model } from './plan-trials.ts';
import type { Fix } from './problems.ts';
import { insertEdit, isObject, type JsonObject, removeEdit } from './report.ts';

/** Layers that go when this one is removed, at any depth; those of a named block stay with its definition. */
export function heldBy(layer: unknown): number {
  const inside = listsIn(layer).flat();
  // Walked as it grows: a file may nest more deeply than calls may.
  for (const each of inside) for (const inner of listsIn(each).flat()) inside.push(inner);
  return inside.length;
}

/** Its layers stay, one after the other; a shortcut goes with the sum that it was for. null: it holds none. */
export function unwrapFix({ place, layer }: Refused, { layers, blocks }: Model): Fix | null {
  const ref = layer.kind === 'Block' ? String(layer.ref) : null;
  const definition = ref !== null && Object.hasOwn(blocks, ref) ? blocks[ref] : null;
  const lists = ref === null ? listsIn({ ...layer, shortcut: null }) : listsIn(definition);
  const inside = lists.flat();
  if (inside.length === 0) return null;
  const edits = [removeEdit(place), ...[...inside].reverse().map((each) => insertEdit(place, each))];
  // A definition that nothing uses any more would stay behind as a block of its own.
  const last = ref !== null && usesIn([layers, blocks], ref) === 1 && place[2] !== ref;
  if (last) edits.push(removeEdit(['model', 'blocks', ref]));
  return { label: `Unwrap this ${layer.kind}`, edits };
}

/** The lists inside a layer or a block's definition, as the file has them. */
function listsIn(layer: unknown): unknown[][] {
  if (!isObject(layer) || (layer.kind !== undefined && !holdsLists(layer))) return [];
  const branches = Array.isArray(layer.branches) ? layer.branches : [];
  return [layer.layers, layer.shortcut, ...branches].filter(Array.isArray);
}

function holdsLists({ kind }: JsonObject): boolean {
  return layerTable.get(String(kind))?.stacks !== undefined;
}

function usesIn(lists: readonly unknown[], ref: string): number {
  const all: unknown[] = [...lists];
  let count = 0;
  for (const each of all) {
    if (isObject(each) && each.kind === 'Block' && each.ref === ref) count++;
    if (typeof each === 'object' && each !== null) for (const inner of Object.values(each)) all.push(inner);
  }
  return count;
}

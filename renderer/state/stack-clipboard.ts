/** Layers as text, for the clipboard: JSON that a person can read, paste into a file or into another project. */
import { isObject, type JsonObject, setEdit } from '../../engine/contract/report.ts';
import { valueAt } from './places.ts';
import { blockNames, blockRef, type Change, insertLayers } from './stack.ts';
import { blockList, type Gap, lanesOf, layersAt, type Path, topmost } from './stack-paths.ts';

export interface Clip {
  layers: JsonObject[];
  /** Definitions of the named blocks that the layers use. */
  blocks: JsonObject;
}

/** One layer as an object, several as a list, with the definitions of blocks beside them where they use some. */
export function copyText(project: unknown, paths: readonly Path[]): string {
  const layers = topmost(paths).map((path) => valueAt(project, path));
  const blocks: JsonObject = {};
  const collect = (list: readonly unknown[]) => {
    for (const layer of list) {
      const ref = blockRef(layer);
      if (ref !== null && !Object.hasOwn(blocks, ref)) {
        const block = valueAt(project, ['model', 'blocks', ref]);
        if (block !== undefined) {
          blocks[ref] = block;
          collect(layersAt(project, blockList(ref)));
        }
      }
      for (const { key } of lanesOf(layer)) collect(layersAt(layer, key));
    }
  };
  collect(layers);
  if (Object.keys(blocks).length > 0) return JSON.stringify({ layers, blocks }, null, 2);
  return JSON.stringify(layers.length === 1 ? layers[0] : layers, null, 2);
}

/** The layers of a text: what `copyText` wrote, a list, one layer, or a whole project. null: the text holds none. */
export function readClip(text: string): Clip | null {
  let value: unknown;
  try {
    value = JSON.parse(text.trim().replace(/,$/, ''));
  } catch {
    return null;
  }
  if (isObject(value) && isObject(value.model)) value = value.model;
  const layers = Array.isArray(value)
    ? value
    : isObject(value) && Array.isArray(value.layers) && !('kind' in value)
      ? value.layers
      : [value];
  const isLayer = (layer: unknown): layer is JsonObject => isObject(layer) && typeof layer.kind === 'string';
  if (layers.length === 0 || !layers.every(isLayer)) return null;
  return { layers, blocks: isObject(value) && isObject(value.blocks) ? value.blocks : {} };
}

/** Layers of a text, into a gap. `renamed`: blocks that mean something else here, by the names that they have here from now on. */
export function pasteClip(project: unknown, gap: Gap, clip: Clip): Change & { renamed: Map<string, string> } {
  const taken = new Set([...blockNames(project), ...Object.keys(clip.blocks)]);
  const renamed = new Map<string, string>();
  const differs = (name: string) =>
    JSON.stringify(renameRefs(clip.blocks[name], renamed)) !==
    JSON.stringify(valueAt(project, ['model', 'blocks', name]));
  // One that uses a block that means something else here means something else as well.
  for (let more = true; more; ) {
    more = false;
    for (const name of Object.keys(clip.blocks)) {
      if (renamed.has(name) || !blockNames(project).includes(name) || !differs(name)) continue;
      const free = freeName(name, taken);
      taken.add(free);
      renamed.set(name, free);
      more = true;
    }
  }
  const known = new Set(blockNames(project));
  const blocks = Object.entries(clip.blocks)
    .map(([name, block]) => [renamed.get(name) ?? name, renameRefs(block, renamed)] as const)
    .filter(([name]) => !known.has(name));
  const change = insertLayers(
    project,
    gap,
    clip.layers.map((layer) => renameRefs(layer, renamed)),
  );
  const edits = [...blocks.map(([name, block]) => setEdit(['model', 'blocks', name], block)), ...change.edits];
  return { ...change, edits, renamed };
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  for (let number = 2; ; number++) if (!taken.has(`${name} ${number}`)) return `${name} ${number}`;
}

/** A layer or a block's definition, in which uses of blocks go by their new names. */
function renameRefs(value: unknown, renamed: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => renameRefs(item, renamed));
  if (!isObject(value)) return value;
  const to = renamed.get(blockRef(value) ?? '');
  const entries = Object.entries(value).map(([key, inner]) => [key, renameRefs(inner, renamed)] as const);
  return Object.fromEntries(entries.map(([key, inner]) => [key, key === 'ref' && to !== undefined ? to : inner]));
}

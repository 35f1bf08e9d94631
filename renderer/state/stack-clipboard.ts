/** Layers as text, for the clipboard: JSON that a person can read, paste into a file or into another project. */
import { isObject, type JsonObject } from '../../engine/contract/report.ts';
import { valueAt } from './places.ts';
import { blockRef } from './stack.ts';
import { blockList, lanesOf, layersAt, type Path, topmost } from './stack-paths.ts';

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

/** How single layers are trained: what each says, what the blocks around it hand down, and edits of one or of several at once. Pure. */
import type { Edit } from '../../engine/contract/problems.ts';
import { isObject, type JsonObject, removeEdit, setEdit } from '../../engine/contract/report.ts';
import { valueAt } from './places.ts';
import { blockRef, usesOf } from './stack.ts';
import type { Path } from './stack-paths.ts';

const nothing: JsonObject = {};

/** What a layer says of its own training. */
export function trainOf(layer: unknown): JsonObject {
  return isObject(layer) && isObject(layer.train) ? layer.train : nothing;
}

/** The layers around a layer, the outermost first; those of a named block are around its first use. */
function around(project: unknown, path: Path): unknown[] {
  const [root, blocks, name] = path;
  const use =
    root === 'model' && blocks === 'blocks' && typeof name === 'string' ? usesOf(project, name)[0] : undefined;
  const outside = use ? [...around(project, use), valueAt(project, use)] : [];
  const inside = path.slice(0, -1).flatMap((_, index) => {
    const at = path.slice(0, index + 1);
    const value = typeof at.at(-1) === 'number' ? valueAt(project, at) : null;
    return isObject(value) && 'kind' in value ? [value] : [];
  });
  return [...outside, ...inside];
}

/** What blocks hand down to a layer that says nothing itself. */
export function inheritedTrain(project: unknown, path: Path): JsonObject {
  const handed: JsonObject = {};
  for (const block of around(project, path)) {
    for (const [key, value] of Object.entries(trainOf(block))) if (value !== null) handed[key] = value;
  }
  return handed;
}

/** Whether layers inside take over what this one says. */
export function handsDown(layer: unknown): boolean {
  return (
    blockRef(layer) !== null || (isObject(layer) && (Array.isArray(layer.layers) || Array.isArray(layer.branches)))
  );
}

/** `undefined` takes the key away; the last one takes `train` with it. */
export function setTrain(project: unknown, paths: readonly Path[], key: string, value: unknown): Edit[] {
  return paths.flatMap((path) => {
    const train = trainOf(valueAt(project, path));
    if (value !== undefined) {
      return JSON.stringify(train[key]) === JSON.stringify(value) ? [] : [setEdit([...path, 'train', key], value)];
    }
    if (!Object.hasOwn(train, key)) return [];
    return [removeEdit(Object.keys(train).length === 1 ? [...path, 'train'] : [...path, 'train', key])];
  });
}

/** Writes no more than is needed: what a block hands down already is not said again. */
export function setFreeze(project: unknown, paths: readonly Path[], freeze: boolean): Edit[] {
  return paths.flatMap((path) => {
    const handed = inheritedTrain(project, path).freeze === true;
    return setTrain(project, [path], 'freeze', handed === freeze ? undefined : freeze);
  });
}

/** What several layers say together: the value that all have, or that they differ. */
export function commonTrain(layers: readonly unknown[], key: string): { value: unknown; differs: boolean } {
  const values = layers.map((layer) => trainOf(layer)[key]);
  const texts = new Set(values.map((value) => JSON.stringify(value) ?? ''));
  return texts.size === 1 ? { value: values[0], differs: false } : { value: undefined, differs: true };
}

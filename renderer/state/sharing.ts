/** Keeps the identity of what an edit did not touch, so that only what changed is drawn again, and gives each layer an id that outlives edits. */

type Json = unknown;

const ids = new WeakMap<object, string>();
let lastId = 0;

/** The id of a layer object of the current project: the same after edits of the layer, moves, undo of a move. Lives in memory only. */
export function idOf(layer: object): string {
  let id = ids.get(layer);
  if (id === undefined) {
    lastId += 1;
    id = `layer-${lastId}`;
    ids.set(layer, id);
  }
  return id;
}

function isObject(value: Json): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `next` with every part that equals one of `previous` replaced by that very part. */
export function share<T>(previous: Json, next: T): T {
  if (Array.isArray(previous) && Array.isArray(next)) return shareList(previous, next) as T;
  if (isObject(previous) && isObject(next)) return shareObject(previous, next) as T;
  return Object.is(previous, next) ? (previous as T) : next;
}

function shareObject(previous: Record<string, Json>, next: Record<string, Json>): Record<string, Json> {
  const keys = Object.keys(next);
  let same = keys.length === Object.keys(previous).length;
  const made: Record<string, Json> = {};
  for (const key of keys) {
    const had = Object.hasOwn(previous, key);
    const value = had ? share(previous[key], next[key]) : next[key];
    // Not by assignment: a key may be called __proto__.
    Object.defineProperty(made, key, { value, enumerable: true, writable: true, configurable: true });
    same &&= had && value === previous[key];
  }
  if (same && keys.every((key, index) => Object.keys(previous)[index] === key)) return previous;
  return made;
}

/**
 * What begins and ends alike is the same; of the items between, those that moved keep their identity, and the others, between the same
 * neighbours, are the same layers, edited. (Without the first rule an edit of one of many equal layers would pass for an edit of another.)
 */
function shareList(previous: Json[], next: Json[]): Json[] {
  const texts = [previous, next].map((list) => list.map((item) => JSON.stringify(item))) as [string[], string[]];
  const most = Math.min(previous.length, next.length);
  let head = 0;
  while (head < most && texts[0][head] === texts[1][head]) head++;
  let tail = 0;
  while (tail < most - head && texts[0].at(-1 - tail) === texts[1].at(-1 - tail)) tail++;
  if (head === previous.length && head === next.length) return previous;
  return [
    ...previous.slice(0, head),
    ...shareMiddle(previous.slice(head, previous.length - tail), next.slice(head, next.length - tail)),
    ...previous.slice(previous.length - tail),
  ];
}

function shareMiddle(previous: Json[], next: Json[]): Json[] {
  const free = new Map<string, Json[]>();
  for (const item of previous) {
    const text = JSON.stringify(item);
    free.set(text, [...(free.get(text) ?? []), item]);
  }
  const made = next.map((item) => free.get(JSON.stringify(item))?.shift());
  const left = previous.filter((item) => free.get(JSON.stringify(item))?.includes(item));
  return next.map((item, index) => {
    const found = made[index];
    if (found !== undefined) return found;
    if (Array.isArray(item)) {
      // A branch: the layers in it are found again in the one that stood there.
      const branch = left.find((candidate) => Array.isArray(candidate));
      if (branch === undefined) return item;
      left.splice(left.indexOf(branch), 1);
      return share(branch, item);
    }
    if (!isObject(item)) return item;
    const old = left.find((candidate) => isObject(candidate) && candidate.kind === item.kind) as object | undefined;
    const edited = old ?? (left.length === next.filter((_, at) => made[at] === undefined).length ? left[0] : undefined);
    if (!isObject(edited)) return item;
    left.splice(left.indexOf(edited), 1);
    const value = shareObject(edited, item);
    if (value !== edited) ids.set(value, idOf(edited));
    return value;
  });
}

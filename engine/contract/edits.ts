/** What edits do to values, and to places in them. */
import type { Edit } from './problems.ts';
import type { Place } from './report.ts';

export function startsWith(path: Place, start: Place): boolean {
  return path.length >= start.length && start.every((step, index) => step === path[index]);
}

/** The value after an edit; what the edit does not touch is shared with the value given. Throws where the edit has no place. */
export function applied(value: unknown, edit: Edit): unknown {
  const { op, path, value: given } = edit;
  const [key, ...rest] = path;
  if (key === undefined) throw new Error('An edit needs a path');
  if (Array.isArray(value)) {
    const last = op === 'insert' && rest.length === 0 ? value.length : value.length - 1;
    if (typeof key !== 'number' || key < 0 || key > last) throw new Error(`A list of ${value.length} has no ${key}`);
    const list = [...value];
    if (rest.length > 0) list[key] = applied(value[key], { ...edit, path: rest });
    else if (op === 'set') list[key] = given;
    else if (op === 'insert') list.splice(key, 0, given);
    else if (op === 'remove') list.splice(key, 1);
    else throw new Error(`${key} is a position in a list: it has no name`);
    return list;
  }
  if (typeof value !== 'object' || value === null) throw new Error(`There is no ${path.join('.')}`);
  const object = value as { [key: string]: unknown };
  if (rest.length > 0) {
    return { ...object, [key]: applied(Object.hasOwn(object, key) ? object[key] : {}, { ...edit, path: rest }) };
  }
  if (op === 'insert') throw new Error(`${key} is not a position in a list`);
  if (op === 'rename') {
    const to = String(given);
    if (to !== key && Object.hasOwn(object, to)) throw new Error(`There is ${to} already`);
    return Object.fromEntries(Object.entries(object).map(([name, each]) => [name === key ? to : name, each]));
  }
  const { [key]: _, ...others } = object;
  return op === 'remove' ? others : { ...object, [key]: given };
}

/** Where what was at a place is after an edit; null when the edit took it away. */
export function follow(path: Place, edit: Edit): Place | null {
  const at = edit.path;
  const position = at.at(-1);
  const list = at.slice(0, -1);
  if (edit.op === 'rename') {
    return startsWith(path, at) ? [...list, String(edit.value), ...path.slice(at.length)] : path;
  }
  if (typeof position !== 'number') {
    return startsWith(path, at) && (edit.op === 'remove' || (edit.op === 'set' && path.length > at.length))
      ? null
      : path;
  }
  const step = path[list.length];
  if (!startsWith(path, list) || typeof step !== 'number') return path;
  if (edit.op === 'insert' && step >= position) return moved(path, list.length, 1);
  if (edit.op === 'remove') {
    if (step === position) return null;
    if (step > position) return moved(path, list.length, -1);
  }
  return path;
}

function moved(path: Place, depth: number, by: number): Place {
  return path.map((step, index) => (index === depth ? (step as number) + by : step));
}

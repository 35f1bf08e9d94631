/** Edits of the list of transforms. Pure. */
import type { Edit } from '../../engine/contract/problems.ts';
import { insertEdit, removeEdit, setEdit } from '../../engine/contract/report.ts';

const place = ['data', 'transforms'];

/** `list`: what the project has there, whatever it is. */
export function addTransform(list: unknown, value: object): Edit[] {
  return Array.isArray(list) ? [insertEdit([...place, list.length], value)] : [setEdit(place, [value])];
}

export function removeTransform(index: number): Edit[] {
  return [removeEdit([...place, index])];
}

/** Before the one that stands at `to` now, or behind it where it moves down. */
export function moveTransform(list: readonly unknown[], index: number, to: number): Edit[] {
  if (to < 0 || to >= list.length || to === index) return [];
  return [removeEdit([...place, index]), insertEdit([...place, to], list[index])];
}

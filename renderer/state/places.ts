/** Places in the project file, read without the store. */
import { isObject } from '../../engine/contract/report.ts';

export type FormPlace = readonly (string | number)[];

/** What the project says there; undefined where it says nothing. */
export function valueAt(root: unknown, place: FormPlace): unknown {
  let now = root;
  for (const step of place) {
    if (Array.isArray(now) && typeof step === 'number') now = now[step];
    else if (isObject(now) && typeof step === 'string' && Object.hasOwn(now, step)) now = now[step];
    else return undefined;
  }
  return now;
}

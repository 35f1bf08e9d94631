/** Notes that name what they are about. */
import { type DataNote, mostNamed } from '../contract/data/inspect.ts';

/** None where there is nothing to name. */
export function namedNote(message: string, names: readonly string[]): DataNote[] {
  return names.length === 0 ? [] : [{ message, names: names.slice(0, mostNamed), count: names.length }];
}

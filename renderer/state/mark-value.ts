/** What is marked on a sample, and changes to it. Pure. */
import type { MarkChange } from '../../engine/contract/data/marks.ts';

export type MarkValue = NonNullable<MarkChange['mark']>;
export type MarkEdit = { [Key in keyof MarkValue]?: MarkValue[Key] | undefined };

/** With `change` made to what is marked already; a mark that says nothing is none. */
export function marked(before: MarkValue | null, change: MarkEdit): MarkValue | null {
  const said = Object.entries({ ...before, ...change }).filter(
    ([, value]) => value !== undefined && value !== false && value !== '',
  );
  return said.length === 0 ? null : (Object.fromEntries(said) as MarkValue);
}

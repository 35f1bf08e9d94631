/** Which of the numbers that a network receives came from which column of the table. */
import type { InputColumn } from '../open-source.ts';
import { type EncodedInput, widthOf } from './encoding.ts';
import type { ColumnProfile } from './profile.ts';

export function inputColumns(inputs: readonly EncodedInput[], profiles: readonly ColumnProfile[]): InputColumn[] {
  const missing = new Map(profiles.map((profile) => [profile.name, profile.missing]));
  let at = 0;
  return inputs.map((input): InputColumn => {
    const start = at;
    at += widthOf(input);
    const width = input.kind === 'number' ? 1 : at - start;
    const known = missing.get(input.name);
    return { name: input.name, at: start, width, kind: input.kind, ...(known === undefined ? {} : { missing: known }) };
  });
}

/** What sums, products and joins of tensors make of their numbers and of their masks of padding. */
import type { Flow, Resolved, Stack } from './kind.ts';

/** Floats where any is of floats, else integers as large as they may become. */
export function joinedNumbers(
  stacks: readonly Stack[],
  join: 'concat' | 'add' | 'multiply',
): Required<Pick<Resolved, 'dtype' | 'tokens'>> {
  const flows = stacks.map(({ flow }) => flow as Flow);
  if (flows.some(({ dtype }) => dtype !== 'int64')) return { dtype: 'float32', tokens: null };
  const largest = flows.map(({ tokens }) => (tokens === undefined ? Number.NaN : tokens - 1));
  const most = {
    concat: () => Math.max(...largest),
    add: () => largest.reduce((sum, each) => sum + each, 0),
    multiply: () => largest.reduce((product, each) => product * each, 1),
  }[join]();
  return { dtype: 'int64', tokens: Number.isSafeInteger(most) ? most + 1 : null };
}

export const masksOf = (branches: readonly Stack[]) => branches.map(({ flow }) => flow?.mask ?? null);

/** Path of the mask of padding that all branches share; undefined: they cannot keep one, yet there is one. `along`: positions are joined. */
export function jointMask(branches: readonly Stack[], along: boolean): string | null | undefined {
  const [first = null, ...others] = masksOf(branches);
  if (first === null && others.every((mask) => mask === null)) return null;
  return !along && others.every((mask) => mask === first) ? first : undefined;
}

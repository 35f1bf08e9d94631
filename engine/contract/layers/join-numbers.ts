/** Of which numbers a sum, a product or a join of tensors is: floats where any is of floats, else integers as large as they may become. */
import type { Flow, Resolved, Stack } from './kind.ts';

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

/** What sums, products and joins of tensors make of their shapes, of their numbers and of their masks of padding. */
import { elementBytes } from '../tensors.ts';
import { type Dims, type Flow, product, type Resolved, type Stack, sameDims } from './kind.ts';

/**
 * One sample's shape of a sum or product, as PyTorch broadcasts: a size of 1 is spread to the other's. With fewer dimensions the batch would lie
 * beside something else; null: they do not go together.
 */
export function broadcast([first = [], ...others]: readonly Dims[]): Dims | null {
  let shape = first;
  for (const dims of others) {
    const before = shape;
    if (dims.length !== before.length) return null;
    if (dims.some((size, at) => size !== before[at] && size !== 1 && before[at] !== 1)) return null;
    shape = dims.map((size, at) => (size === 1 ? (before[at] as number) : size));
  }
  return shape;
}

/**
 * Costs of a sum or product of several, one after the other. A sum hands its gradient on to branches of its own shape. A product keeps for a
 * gradient what the others are multiplied with: the branches, and each product but the last.
 */
export function foldCosts(
  stacks: readonly Stack[],
  join: 'add' | 'multiply',
): Pick<Resolved, 'flops' | 'keeps' | 'passesGradient' | 'workspace'> {
  const flows = stacks.map(({ flow }) => flow as Flow);
  const shapes = flows.map((_, index) => broadcast(flows.slice(0, index + 1).map(({ dims }) => dims)) as Dims);
  const output = shapes.at(-1) as Dims;
  const bytes = (index: number) => Math.max(...flows.slice(0, index + 1).map(({ dtype }) => elementBytes[dtype]));
  const sizes = shapes.map((dims, index) => bytes(index) * product(dims));
  const flops = shapes.slice(1).reduce((sum, dims) => sum + product(dims), 0);
  const own = flows.map(({ dims }) => sameDims(dims, output));
  // The last but one is there while the last is made.
  const before = flows.length > 2 ? (sizes.at(-2) as number) : 0;
  if (join === 'add' || flows.length < 2)
    return { flops, passesGradient: own, workspace: { forward: before, backward: 0 } };
  const grads = flows.map(({ storage }) => storage.grad);
  const earlier = (index: number) => grads.slice(0, index).includes(true);
  const keepsProduct = (index: number) => index > 0 && index < flows.length - 1 && grads[index + 1] === true;
  return {
    flops,
    keeps: {
      lists: grads.map((_, index) => (index === 0 ? grads[1] === true : earlier(index))),
      bytes: sizes.reduce((sum, size, index) => sum + (keepsProduct(index) ? size : 0), 0),
    },
    // A gradient is as large as the product before it is summed to its branch's size.
    workspace: {
      forward: keepsProduct(flows.length - 2) ? 0 : before,
      backward: own.includes(false) ? (sizes.at(-1) as number) : 0,
    },
  };
}

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

/**
 * Path of the mask of padding that all branches share; undefined: they cannot keep one, yet there is one. `along`: positions are joined. A single
 * position is never padding, and has no say where it is spread over all of them.
 */
export function jointMask(branches: readonly Stack[], along: boolean): string | null | undefined {
  const length = Math.max(...branches.map(({ flow }) => flow?.dims[0] ?? 0));
  const [first = null, ...others] = masksOf(along ? branches : branches.filter(({ flow }) => flow?.dims[0] === length));
  if (first === null && others.every((mask) => mask === null)) return null;
  return !along && others.every((mask) => mask === first) ? first : undefined;
}

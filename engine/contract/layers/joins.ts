/** What sums, products and joins of tensors make of their shapes, of their numbers and of their masks of padding. */
import { elementBytes } from '../tensors.ts';
import {
  type Dims,
  type Flow,
  type Fold,
  type LayerContext,
  product,
  type Resolved,
  type Stack,
  sameDims,
  sampleDim,
  showDims,
} from './kind.ts';

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

/** One sample's shape of what branches are joined to; null after reporting why they cannot be. */
export function joined(branches: Stack[], join: string, dim: number, context: LayerContext): Dims | null {
  const shapes = branches.map((branch) => branch.flow?.dims as Dims);
  const [first, ...rest] = shapes as [Dims, ...Dims[]];
  const mismatch = (one: Dims, other: Dims, need: string) =>
    context.refuse(
      'JOIN_MISMATCH',
      'branches',
      `Branch ${shapes.indexOf(one)} answers ${showDims(one)} and branch ${shapes.indexOf(other)} ${showDims(other)}: ${need}`,
      'Change the branches so that their shapes agree.',
    );
  if (join !== 'concat') {
    for (const [index, other] of shapes.entries()) {
      const against = shapes.slice(0, index).find((shape) => !broadcast([shape, other]));
      if (!against) continue;
      const need =
        against.length === other.length ? 'sizes must be equal, or 1 in one' : 'they must have as many dimensions';
      return mismatch(against, other, `to ${join} them ${need}`);
    }
    return broadcast(shapes);
  }
  const found = sampleDim(dim, first);
  if ('wrong' in found) {
    const message = `Branches of ${showDims(first)} cannot be joined along dim ${dim}: ${found.wrong}`;
    return context.refuse(
      'BAD_VALUE',
      'dim',
      message,
      'Use 1 for the first dimension of a sample.',
      first.length > 0 ? [context.set('Set dim to 1', { dim: 1 })] : [],
    );
  }
  const { at } = found;
  const other = rest.find(
    (shape) => shape.length !== first.length || shape.some((size, index) => index !== at && size !== first[index]),
  );
  if (other) return mismatch(first, other, `to join them along dim ${dim} all other dimensions must be equal`);
  return first.map((size, index) =>
    index === at ? shapes.reduce((sum, shape) => sum + (shape[at] as number), 0) : size,
  );
}

/** A term or factor, and what it is broadcast to. */
export function showSpread(dims: Dims, output: Dims): string {
  return sameDims(dims, output) ? showDims(dims) : `${showDims(dims)}, broadcast to ${showDims(output)}`;
}

/**
 * Costs of a sum or product of several, folded from the first: each step as soon as its branch has answered. A sum hands its gradient on to
 * terms of its own shape. A product keeps what it is multiplied with of either factor whose other has a gradient.
 */
export function foldCosts(
  stacks: readonly Stack[],
  join: 'add' | 'multiply',
): Pick<Resolved, 'flops' | 'keeps' | 'folds' | 'passesGradient'> {
  const [first, ...others] = stacks.map(({ flow }) => flow as Flow) as [Flow, ...Flow[]];
  if (others.length === 0) return { passesGradient: true };
  let { dims, dtype } = first;
  let { grad } = first.storage;
  const multiplies = join === 'multiply';
  const keptLists = [multiplies && others[0]?.storage.grad === true];
  let [flops, bytes] = [0, 0];
  const folds = others.map((other, index): Fold => {
    const [left, leftGrad, leftBytes] = [dims, grad, elementBytes[dtype] * product(dims)];
    dims = broadcast([left, other.dims]) as Dims;
    if (other.dtype === 'float32') dtype = 'float32';
    grad ||= other.storage.grad;
    flops += product(dims);
    const keeps = [multiplies && other.storage.grad, multiplies && leftGrad] as const;
    keptLists.push(keeps[1]);
    if (index > 0 && keeps[0]) bytes += leftBytes;
    const own = [sameDims(left, dims), sameDims(other.dims, dims)] as const;
    const size = elementBytes[dtype] * product(dims);
    return {
      bytes: size,
      keeps,
      passes: [!multiplies && own[0], !multiplies && own[1]],
      // A product's gradient is as large as the product before it is summed to its factor's size.
      backward: multiplies && !(own[0] && own[1]) ? size : 0,
      grad,
    };
  });
  return { flops, folds, keeps: { lists: keptLists, bytes } };
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
  // More than can be counted are more than any table has.
  return { dtype: 'int64', tokens: Number.isNaN(most) ? null : Math.min(most + 1, Number.MAX_SAFE_INTEGER) };
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

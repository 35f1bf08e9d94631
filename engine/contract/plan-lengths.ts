/** The shortest sequences that a network takes without being another one: looked for once a network, not at every edit of its project. */
import { StackPlanner } from './plan-stack.ts';
import type { PlannedTensor } from './plan-types.ts';
import type { ResolvedProject } from './project-types.ts';
import { Report } from './report.ts';
import type { TensorType } from './tensors.ts';

/** What has been planned for sequences of the data's own length. */
export interface WholeNetwork {
  output: readonly number[];
  tensors: readonly PlannedTensor[];
  native: unknown;
}

export type Shortest = number | { reason: string };

/** Whoever edits one project goes back and forth between few networks (undo, trials of settings). */
const mostKnown = 8;
const known = new Map<string, Shortest>();

/** The least length from which on the network is the same and answers the same dims, as far as tried; or why there is none. */
export function shortestLength({ model }: ResolvedProject, input: TensorType, whole: WholeNetwork): Shortest {
  const network = textOf([model.layers, model.blocks, input]);
  const found = (network !== null && known.get(network)) || search(model, input, whole);
  if (network === null) return found;
  known.delete(network); // the latest is the last to go
  known.set(network, found);
  for (const [oldest] of known) {
    if (known.size <= mostKnown) break;
    known.delete(oldest);
  }
  return found;
}

function textOf(value: unknown): string | null {
  try {
    return JSON.stringify(value);
  } catch {
    return null; // an unknown key, say, that is nested too deeply to be written
  }
}

/**
 * A network that takes one position less than there are wants no multiple of anything, so what it refuses beyond that is too short, and
 * halving finds from where on.
 */
function search(model: ResolvedProject['model'], input: TensorType, whole: WholeNetwork): Shortest {
  const length = input.dims[0] as number;
  const sizes = [1, 2, 3, 4, 5, 7, 8, 16, 31, 64, 128, 256, 512, 1024].filter((size) => size < length - 1);
  if (length < 2) return { reason: 'they have a single position' };
  const made = sameFor(whole.tensors, whole.native);
  const wrongAt = (size: number) => wrong(model, { ...input, dims: [size] }, whole.output, made);
  const reason = wrongAt(length - 1);
  if (reason !== null) return { reason };
  let shortest = length - 1;
  let refused = -1; // index of the longest size known to be too short
  let taken = sizes.length;
  // Most networks take a single position.
  for (let middle = 0; refused + 1 < taken; middle = (refused + taken) >> 1) {
    const size = sizes[middle] as number;
    if (wrongAt(size) === null) {
      taken = middle;
      shortest = size;
    } else refused = middle;
  }
  return shortest;
}

/** Why the network cannot take an input; null where it can. */
function wrong(
  { layers, blocks }: ResolvedProject['model'],
  input: TensorType,
  output: readonly number[],
  made: string,
): string | null {
  const report = new Report();
  const planner = new StackPlanner(report, blocks);
  const { flow, native } = planner.model(layers, input);
  const problem = report.problems.find(({ severity }) => severity === 'error');
  if (problem) return `of ${input.dims} tokens, at ${problem.path}: ${problem.message}`;
  const same = flow?.dims.join() === output.join() && sameFor(planner.tensors, native) === made;
  return same ? null : `of ${input.dims} tokens it would be another one, or answer other shapes`;
}

/** Tensors and arguments as text; the shapes between layers are left out, which may go with the length. */
function sameFor(tensors: readonly PlannedTensor[], native: unknown): string {
  const args = JSON.stringify(native, (key, value) => (key === 'output' ? undefined : value));
  return JSON.stringify(tensors.map(({ name, shape }) => [name, shape])) + args;
}

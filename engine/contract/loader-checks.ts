/** What the loader's settings ask of data and network: classes to draw samples by, sequences that may be cut to their batch's longest. */
import { plural } from './format.ts';
import type { Answer } from './plan-answer-fixes.ts';
import { StackPlanner } from './plan-stack.ts';
import type { PlannedLayer, PlannedTensor } from './plan-types.ts';
import type { Fix } from './problems.ts';
import type { ResolvedProject } from './project-types.ts';
import { Report, removeEdit, setEdit } from './report.ts';
import type { DataFacts } from './tensors.ts';

/** How training batches are cut: the token that fills sequences up, and to how many positions at most. */
export interface Cut {
  padding: number;
  shortest: number;
}

const at = (key: string) => ['data', 'loader', key];

export function checkSampler({ data: { loader } }: ResolvedProject, { target }: DataFacts, report: Report): void {
  const { sampler, class_weights: weights } = loader;
  if (sampler === 'shuffle') return;
  const shuffle = { label: 'Shuffle instead', edits: [removeEdit(at('sampler'))] };
  if (target.kind !== 'class') {
    report.error(
      'TARGET_MISMATCH',
      at('sampler'),
      `The sampler ${sampler} draws samples by their class, but the targets of this data are no single classes`,
      'Use the sampler shuffle.',
      [shuffle],
    );
    return;
  }
  if (sampler === 'balanced') return;
  const balanced = { label: 'Draw each class as often', edits: [setEdit(at('sampler'), 'balanced')] };
  const count = target.classes.length;
  const wrong = (message: string) =>
    report.error('BAD_VALUE', at('class_weights'), message, 'Give one weight a class, in the order of the classes.', [
      balanced,
      shuffle,
    ]);
  if (weights === null) {
    wrong('The sampler weighted needs the weights of the classes, and there are none');
  } else if (weights.length !== count) {
    wrong(`There are ${plural(weights.length, 'weight')} for ${plural(count, 'class', 'classes')}`);
  } else if (weights.every((weight, index) => weight === 0 || target.counts?.[index] === 0)) {
    wrong('No class that has samples has a weight above 0, so that none could be drawn');
  }
}

/** What has been planned for whole sequences. */
export interface Whole {
  layers: readonly PlannedLayer[];
  output: readonly number[];
  tensors: readonly PlannedTensor[];
  native: unknown;
  after: Answer['after'];
}

/** How the training batches may be cut; null where they are not to be, or cannot (which is a problem then). */
export function planCut(project: ResolvedProject, facts: DataFacts, whole: Whole, report: Report): Cut | null {
  if (!project.data.loader.bucket_by_length) return null;
  const place = at('bucket_by_length');
  const off = { label: 'Leave sequences whole', edits: [removeEdit(place)] };
  const refuse = (code: Parameters<Report['error']>[0], message: string, hint: string, fixes: Fix[] = []): null => {
    report.error(code, place, message, hint, [...fixes, off]);
    return null;
  };
  const { dims, dtype } = facts.input;
  const [length, ...more] = dims;
  if (dtype !== 'int64' || length === undefined || more.length > 0) {
    return refuse('WRONG_DTYPE', 'Only sequences of tokens have a length to be grouped by', 'Leave the samples whole.');
  }
  if (facts.target.kind !== 'class') {
    return refuse(
      'TARGET_MISMATCH',
      'Sequences can be cut where each has one class, but here the targets go with the positions',
      'Leave the sequences whole.',
    );
  }
  const reader = firstReader(whole.layers);
  if (!reader) return null; // a network without a beginning has problems of its own
  const padding = reader.args.padding_idx;
  const layer = reader.place.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  if (typeof padding !== 'number') {
    const edits = [setEdit([...layer, 'padding_idx'], 0)];
    return refuse(
      'MISSING_VALUE',
      `Where a sequence ends is not known: the ${reader.kind} at ${reader.place} has no padding_idx`,
      'Say which token is padding.',
      [{ label: 'Token 0 is padding', edits }],
    );
  }
  const found = shortestLength(project, facts, length, whole);
  if (typeof found !== 'number') {
    return refuse(
      'NOT_SUPPORTED',
      `The network cannot take shorter sequences: ${found.reason}`,
      'Leave them whole, or use layers that go with any length.',
    );
  }
  if (reader.kind === 'Embedding' && reader.mask === null) {
    const edits = [setEdit([...layer, 'mask_padding'], true)];
    report.warn(
      'WRONG_MASK',
      place,
      `Padding counts like any token for this network, so that its answers change a little with the length to which a batch is cut`,
      'Let the Embedding mask its padding; answers are the same then.',
      whole.after(edits) ? [{ label: 'Mask padding', edits }] : [],
    );
  }
  return { padding, shortest: found };
}

/** The layer that looks the data's tokens up. */
function firstReader([first]: readonly PlannedLayer[]): PlannedLayer | null {
  if (!first) return null;
  if (first.kind === 'Embedding' || first.kind === 'EmbeddingBag') return first;
  return firstReader(first.children?.[0]?.layers ?? []);
}

/** The least length from which on the network is the same and answers the same dims, as far as tried; or why there is none. */
function shortestLength(
  { model }: ResolvedProject,
  { input }: DataFacts,
  length: number,
  whole: Whole,
): number | { reason: string } {
  const tried = [1, 2, 3, 4, 5, 7, 8, 16, 31, 64, 128, 256, 512, 1024, length - 1].filter((size) => size < length);
  const made = sameFor(whole.tensors, whole.native);
  let shortest: number | null = null;
  let reason = 'they have a single position';
  for (const size of [...new Set(tried)].sort((a, b) => b - a)) {
    const report = new Report();
    const planner = new StackPlanner(report, model.blocks);
    const { flow, native } = planner.model(model.layers, { ...input, dims: [size] });
    const problem = report.problems.find(({ severity }) => severity === 'error');
    const same = flow?.dims.join() === whole.output.join() && sameFor(planner.tensors, native) === made;
    if (problem || !same) {
      reason = problem
        ? `of ${size} tokens, at ${problem.path}: ${problem.message}`
        : `of ${size} tokens it would be another one, or answer other shapes`;
      break;
    }
    shortest = size;
  }
  return shortest ?? { reason };
}

/** Tensors and arguments as text; the shapes between layers are left out, which may go with the length. */
function sameFor(tensors: readonly PlannedTensor[], native: unknown): string {
  const args = JSON.stringify(native, (key, value) => (key === 'output' ? undefined : value));
  return JSON.stringify(tensors.map(({ name, shape }) => [name, shape])) + args;
}

/** What the loader's settings ask of data and network: classes to draw samples by, sequences that may be cut to their batch's longest. */
import { plural } from './format.ts';
import type { Answer } from './plan-answer-fixes.ts';
import { shortestLength, type WholeNetwork } from './plan-lengths.ts';
import type { PlannedLayer } from './plan-types.ts';
import type { Fix } from './problems.ts';
import type { ResolvedProject } from './project-types.ts';
import { type Place, type Report, removeEdit, setEdit } from './report.ts';
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
export interface Whole extends WholeNetwork {
  layers: readonly PlannedLayer[];
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
  if (dtype !== 'int64' || dims.length !== 1) {
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
  const layer = placeOf(reader);
  if (typeof padding !== 'number') {
    const filler = facts.input.padding ?? 0;
    const edits = [setEdit([...layer, 'padding_idx'], filler)];
    return refuse(
      'MISSING_VALUE',
      `Where a sequence ends is not known: the ${reader.kind} at ${reader.place} has no padding_idx`,
      'Say which token is padding.',
      [{ label: `Token ${filler} is padding`, edits }],
    );
  }
  const found = shortestLength(project, facts.input, whole);
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

/** Where the data says which token fills sequences up, the layer that reads them must not take another one for padding. */
export function checkPadding({ input }: DataFacts, layers: readonly PlannedLayer[], report: Report): void {
  const reader = firstReader(layers);
  const taken = reader?.args.padding_idx;
  const { padding } = input;
  if (!reader || padding === undefined || typeof taken !== 'number' || taken === padding) return;
  const place = [...placeOf(reader), 'padding_idx'];
  report.warn(
    'WRONG_MASK',
    place,
    `The ${reader.kind} takes token ${taken} for padding, but the data fills sequences up with token ${padding}`,
    `Token ${taken} would be passed over wherever it is meant, and padding would count.`,
    [{ label: `Set padding_idx to ${padding}`, edits: [setEdit(place, padding)] }],
  );
}

function placeOf({ place }: PlannedLayer): Place {
  return place.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

/** The layer that looks the data's tokens up. */
function firstReader([first]: readonly PlannedLayer[]): PlannedLayer | null {
  if (!first) return null;
  if (first.kind === 'Embedding' || first.kind === 'EmbeddingBag') return first;
  return firstReader(first.children?.[0]?.layers ?? []);
}

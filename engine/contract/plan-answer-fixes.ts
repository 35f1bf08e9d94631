/** Ways to make a network answer what its loss wants; each is tried before it is offered. */
import { layerTable } from './layers/index.ts';
import { type Dims, product, sameDims, showDims } from './layers/kind.ts';
import type { LossEnd } from './losses.ts';
import { embeddingWidth, isSequence } from './plan-bridges.ts';
import { resizing } from './plan-joins.ts';
import type { PlannedLayer } from './plan-types.ts';
import type { Edit, Fix } from './problems.ts';
import type { ResolvedProject } from './project-types.ts';
import { insertEdit, type JsonObject, type Place, setEdit } from './report.ts';
import type { TensorType } from './tensors.ts';

/** At most so many ways are offered. */
const mostOffered = 4;
/** A Linear layer that answers more values than this is no way out. */
const mostValues = 2 ** 16;

/** Places of planned layers are dotted: positions back to numbers. */
export function toEdit(place: Place): (string | number)[] {
  return place.map((step) => (typeof step === 'string' && /^\d+$/.test(step) ? Number(step) : step));
}

function appended({ model }: ResolvedProject, layers: JsonObject[]): Edit[] {
  const end = model.layers.length;
  return layers.map((layer, index) => insertEdit(['model', 'layers', end + index], layer));
}

/** The layers of the table that give the wanted end. */
export function endFixes(project: ResolvedProject, end: LossEnd): Fix[] {
  const [kind] = end.layers.filter((name) => layerTable.has(name));
  return kind === undefined ? [] : [{ label: `Append ${kind}`, edits: appended(project, [{ kind }]) }];
}

/** What a network answers, and what it should. */
export interface Answer {
  project: ResolvedProject;
  /** Its layers, what enters the first of them and what leaves the last. */
  layers: readonly PlannedLayer[];
  input: Dims;
  output: Dims;
  wanted: Dims;
  /** Where the scores stand: after the positions (next tokens), or before them. */
  axis: 'first' | 'last';
  /** What it would answer after these edits; null: nothing. */
  after(edits: readonly Edit[]): Dims | null;
}

/** Ways that work, likely ones first; where another number of outputs is enough, that alone. */
export function outputFixes(answer: Answer): Fix[] {
  const { wanted, after } = answer;
  const found: Fix[] = [];
  const last = resized(answer);
  const within = wanted.length === 1 ? vectorFixes(answer, last) : positionFixes(answer, last);
  for (const fix of [...within, ...tailFixes(answer)]) {
    if (found.length === mostOffered) break;
    if (found.some(({ label }) => label === fix.label)) continue;
    const dims = after(fix.edits);
    if (!dims || !sameDims(dims, wanted)) continue;
    found.push(fix);
    if (fix.edits === last?.edits) break;
  }
  return found;
}

const positionOf = ({ place }: PlannedLayer) => toEdit(place.split('.'));
const linear = (out_features: number): JsonObject => ({ kind: 'Linear', out_features });

/** The layer that says how many the network's outputs are, with nothing behind it that changes shapes. */
function lastResizing(layers: readonly PlannedLayer[]): PlannedLayer | null {
  for (const layer of [...layers].reverse()) {
    if (resizing(layer)) return layer;
    const passesOn =
      ['Identity', 'StochasticDepth'].includes(layer.kind) ||
      layer.kind.includes('Dropout') ||
      layerTable.get(layer.kind)?.category === 'activation';
    if (!passesOn || !sameDims(layer.input, layer.output)) return null;
  }
  return null;
}

/** Edits that give that layer as many outputs as wanted, and the words for it. */
interface Resize {
  layer: PlannedLayer;
  edits: Edit[];
  words: string;
}

function resized({ layers, wanted }: Answer): Resize | null {
  const layer = lastResizing(layers);
  const key = layer && resizing(layer);
  if (!layer || !key) return null;
  const size = (key === 'out_features' ? wanted.at(-1) : wanted[0]) as number;
  const edits = layer.args[key] === size ? [] : [setEdit([...positionOf(layer), key], size)];
  return { layer, edits, words: `${key} of layer ${layer.path} to ${size}` };
}

/** Ways within the network to a vector. */
function vectorFixes({ project, layers, input, output, wanted }: Answer, last: Resize | null): Fix[] {
  const fixes: Fix[] = [];
  if (last && last.edits.length > 0) fixes.push({ label: `Set ${last.words}`, edits: last.edits });
  if (output.length < 2) return fixes;
  const edits = last?.edits ?? [];
  const andResize = edits.length > 0 ? `, and set ${last?.words}` : '';
  const reader = layers.findLast(({ args }) => args.output === 'sequence');
  if (reader) {
    const toLast = setEdit([...positionOf(reader), 'output'], 'last');
    const label = `Let layer ${reader.path} (${reader.kind}) answer its last position only`;
    fixes.push({ label: `${label}${andResize}`, edits: [...edits, toLast] });
    const added = appended(project, [linear(wanted[0] as number)]);
    if (!last) fixes.push({ label: `${label}, and append Linear`, edits: [toLast, ...added] });
  }
  const dense = last?.layer;
  if (dense?.kind === 'Linear') {
    for (const { label, layer } of sequenceEnds(layers)) {
      fixes.push({
        label: `Insert ${label} before layer ${dense.path}${andResize}`,
        edits: [...edits, insertEdit(positionOf(dense), layer)],
      });
    }
    const flat = layers.find(
      (layer, index) => layer.kind === 'Linear' && (layers[index - 1]?.output ?? input).length > 1,
    );
    // The later place is edited first, so that the insertion does not move it.
    if (flat) {
      fixes.push({
        label: `Insert Flatten before layer ${flat.path}${andResize}`,
        edits: [...edits, insertEdit(positionOf(flat), { kind: 'Flatten' })],
      });
    }
  }
  return fixes;
}

/** From a sequence to one vector: the class token where there is one, the mean of all positions, the last of them. */
function sequenceEnds(layers: readonly PlannedLayer[]): { label: string; layer: JsonObject }[] {
  if (layers.at(-1)?.output.length !== 2 || !layers.some(({ kind }) => isSequence(kind))) return [];
  const mean = { label: 'MeanOverSequence', layer: { kind: 'MeanOverSequence' } };
  const take = (position: number, of: string) => ({
    label: `TakePosition (${of})`,
    layer: { kind: 'TakePosition', position },
  });
  return layers.some(({ kind }) => kind === 'ClassToken')
    ? [take(0, 'the class token'), mean]
    : [mean, take(-1, 'the last position')];
}

/** Ways within the network to an answer at each position. */
function positionFixes({ layers, wanted }: Answer, last: Resize | null): Fix[] {
  const edits = last?.edits ?? [];
  const andResize = edits.length > 0 ? `, and set ${last?.words}` : '';
  const fixes: Fix[] = edits.length > 0 ? [{ label: `Set ${last?.words}`, edits }] : [];
  const reader = layers.findLast(({ args }) => args.output === 'last');
  if (reader) {
    const toAll = setEdit([...positionOf(reader), 'output'], 'sequence');
    const label = `Let layer ${reader.path} (${reader.kind}) answer every position${andResize}`;
    fixes.push({ label, edits: [...edits, toAll] });
  }
  const padded = layers.filter(({ kind, args }) => /^Conv[123]d$/.test(kind) && args.padding !== 'same');
  if (padded.length > 0) {
    const toSame = padded.map((layer) => setEdit([...positionOf(layer), 'padding'], 'same'));
    const which = padded.length === 1 ? `layer ${padded[0]?.path}` : 'all convolutions';
    fixes.push({ label: `Set padding "same" in ${which}${andResize}`, edits: [...edits, ...toSame] });
  }
  const enders = wanted.length === 2 ? ['TakePosition', 'MeanOverSequence', 'Flatten'] : [];
  for (const ending of layers.filter(({ kind }) => enders.includes(kind))) {
    const removal: Edit = { op: 'remove', path: positionOf(ending) };
    const label = `Remove layer ${ending.path} (${ending.kind})${andResize}`;
    fixes.push({ label, edits: [...edits, removal] });
  }
  return fixes;
}

/** Layers behind the last one. */
function tailFixes(answer: Answer): Fix[] {
  return tails(answer).map(({ label, layers }) => ({
    label: `Append ${label}`,
    edits: appended(answer.project, layers),
  }));
}

function tails({ layers, output, wanted, axis }: Answer): { label: string; layers: JsonObject[] }[] {
  const [size] = wanted as [number];
  const sides = wanted.length - 1;
  if (sides === 0) {
    if (output.length === 1) return [{ label: `a Linear layer with ${size} outputs`, layers: [linear(size)] }];
    const ends = sequenceEnds(layers).map(({ label, layer }) => ({
      label: `${label} and Linear`,
      layers: [layer, linear(size)],
    }));
    const flat = { label: 'Flatten and Linear', layers: [{ kind: 'Flatten' }, linear(size)] };
    if (output.length < 3) return [...ends, flat];
    const pool = { kind: 'GlobalAvgPool' };
    const pooled = output[0] === size ? [] : [linear(size)];
    return [
      flat,
      { label: pooled.length > 0 ? 'GlobalAvgPool and Linear' : 'GlobalAvgPool', layers: [pool, ...pooled] },
    ];
  }
  const last = wanted.at(-1) as number;
  const dense = { label: `a Linear layer with ${last} outputs`, layers: [linear(last)] };
  if (axis === 'last') return [dense];
  const kind = `Conv${sides}d`;
  const conv = { kind, out_channels: size, kernel_size: 1 };
  const found: { label: string; layers: JsonObject[] }[] = [];
  if (output.length === wanted.length) {
    const upsampled = { kind: 'Upsample', size: sides === 1 ? wanted[1] : wanted.slice(1) };
    if (sameDims(output.slice(0, -1), wanted.slice(0, -1))) found.push(dense);
    found.push({ label: `a ${kind} layer with ${size} channels`, layers: [conv] });
    found.push({ label: `Upsample to ${showDims(wanted.slice(1))}`, layers: [upsampled] });
    found.push({ label: `Upsample to ${showDims(wanted.slice(1))} and ${kind}`, layers: [upsampled, conv] });
  }
  const values = product(wanted);
  const unflattened = { kind: 'Unflatten', dim: 1, unflattened_size: [...wanted] };
  const shaped = `Unflatten to ${showDims(wanted)}`;
  const flattened = output.length > 1 ? [{ kind: 'Flatten' }] : [];
  const flatten = output.length > 1 ? 'Flatten, ' : '';
  if (product(output) === values) found.push({ label: `${flatten}${shaped}`, layers: [...flattened, unflattened] });
  else if (values <= mostValues && output.length !== wanted.length) {
    found.push({ label: `${flatten}Linear and ${shaped}`, layers: [...flattened, linear(values), unflattened] });
  }
  return found;
}

/** For a network without layers: what would answer so, from such an input, and learn. */
export function beginnings(answer: Answer, { dtype, tokens, padding, dims }: TensorType): Fix[] {
  const { wanted, after } = answer;
  const masked = padding === undefined ? {} : { padding_idx: padding, mask_padding: true };
  const reading =
    tokens === undefined
      ? null
      : { kind: 'Embedding', num_embeddings: tokens, embedding_dim: embeddingWidth, ...masked };
  const last = linear(wanted.at(-1) as number);
  const ways: { label: string; layers: JsonObject[] }[] =
    dtype === 'float32'
      ? tails({ ...answer, output: dims })
      : reading === null
        ? []
        : wanted.length === 1
          ? [{ label: 'Embedding, MeanOverSequence and Linear', layers: [reading, { kind: 'MeanOverSequence' }, last] }]
          : [
              {
                label: 'Embedding, LSTM and Linear',
                layers: [reading, { kind: 'LSTM', hidden_size: 2 * embeddingWidth }, last],
              },
            ];
  return ways
    .filter(({ layers }) => layers.some(({ kind }) => /^(Linear|Conv|Embedding)/.test(String(kind))))
    .map(({ label, layers }) => ({ label: `Add ${label}`, edits: [setEdit(['model', 'layers'], layers)] }))
    .filter(({ edits }) => {
      const given = after(edits);
      return given !== null && sameDims(given, wanted);
    })
    .slice(0, mostOffered);
}

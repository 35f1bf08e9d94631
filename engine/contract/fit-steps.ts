/** What of a network, its loss and its metrics follows from the data, read off the data at once: the first steps of a fit. */
import { dims, integer, plural } from './format.ts';
import { layerTable } from './layers/index.ts';
import { product, sameDims } from './layers/kind.ts';
import { losses, lossesFor } from './losses.ts';
import { metricLabel, metrics } from './metrics.ts';
import type { Edit } from './problems.ts';
import { resolveProject } from './project-resolve.ts';
import type { Project } from './project-types.ts';
import { isObject, type JsonObject, type Place, removeEdit, setEdit } from './report.ts';
import { choices, type DataFacts, type TargetType, targetDims, targetSentence, targetWords } from './tensors.ts';
import { transforms } from './transforms.ts';

/** One change, in words and as edits. */
export interface FitStep {
  words: string;
  edits: Edit[];
}

/** A layer as written, where it stands, and the name of the block that holds it. */
export interface Written {
  layer: JsonObject;
  place: Place;
}

type Model = { layers?: unknown; blocks?: unknown };

const modelOf = (project: Project): Model => (isObject(project.model) ? project.model : {});

/** The enabled layers in the order in which a sample meets them, uses of named blocks followed; each place once. */
export function writtenLayers(project: Project): Written[] {
  const { layers, blocks } = modelOf(project);
  const found: Written[] = [];
  const seen = new Set<string>();
  const walk = (list: unknown, place: Place): void => {
    if (!Array.isArray(list) || seen.has(place.join('.'))) return;
    seen.add(place.join('.'));
    for (const [index, layer] of list.entries()) {
      if (!isObject(layer) || layer.disabled === true) continue;
      const at = [...place, index];
      found.push({ layer, place: at });
      if (layer.kind === 'Block' && typeof layer.ref === 'string') {
        const block = isObject(blocks) ? blocks[layer.ref] : undefined;
        if (isObject(block)) walk(block.layers, ['model', 'blocks', layer.ref, 'layers']);
      }
      walk(layer.layers, [...at, 'layers']);
      if (Array.isArray(layer.branches)) {
        for (const [branch, inner] of layer.branches.entries()) walk(inner, [...at, 'branches', branch]);
      }
    }
  };
  walk(layers, ['model', 'layers']);
  return found;
}

/** What samples a network is made to read: known by the first layer that minds. */
export type Reader = 'image' | 'volume' | 'signal' | 'sequence' | 'tokens' | 'row';

const readerOf = ({ kind }: JsonObject): Reader | null => {
  const name = String(kind);
  if (name === 'PatchEmbedding' || /2d$/.test(name)) return 'image';
  if (/3d$/.test(name)) return 'volume';
  if (/1d$/.test(name) && ['conv', 'pool'].includes(layerTable.get(name)?.category ?? '')) return 'signal';
  if (/^Embedding/.test(name)) return 'tokens';
  if (name === 'Linear' || name === 'Bilinear') return 'row';
  return layerTable.get(name)?.category === 'sequence' ? 'sequence' : null;
};

/** null: nothing in the network minds. */
export function firstReader(project: Project): { kind: string; reads: Reader } | null {
  for (const { layer } of writtenLayers(project)) {
    const reads = readerOf(layer);
    if (reads) return { kind: String(layer.kind), reads };
  }
  return null;
}

/** Numbers of other data, one a channel, mean nothing here; tokens have no mean. */
function ofTransforms(project: Project, { input }: DataFacts): FitStep[] {
  const given = isObject(project.data) ? project.data.transforms : undefined;
  if (!Array.isArray(given)) return [];
  const channels = input.dims[0] ?? 1;
  const steps = given.flatMap((each, index) => {
    if (!isObject(each)) return [];
    const kind = String(each.kind);
    const row = transforms.get(kind);
    const edits = [removeEdit(['data', 'transforms', index])];
    if (input.dtype !== 'float32') return [{ words: `${kind} is removed: the data are tokens`, edits }];
    const misfit = row?.perChannel.some((key) => {
      const value = each[key];
      return Array.isArray(value) && value.length !== 1 && value.length !== channels;
    });
    const words = `${kind} is removed: its numbers belong to other data (the page Data calculates new ones)`;
    return misfit ? [{ words, edits }] : [];
  });
  // From the end, so that the places before stay what they are.
  return steps.reverse();
}

/** Layers at the very beginning that only bring the old samples into the shape that the network reads. */
function ofInput(project: Project, { input }: DataFacts): FitStep[] {
  const { layers } = modelOf(project);
  const first = Array.isArray(layers) ? layers[0] : null;
  if (!isObject(first) || first.disabled === true) return [];
  const edits = [removeEdit(['model', 'layers', 0])];
  const called = typeof first.name === 'string' ? `${first.kind} “${first.name}”` : String(first.kind);
  const branches: unknown[] = Array.isArray(first.branches) ? first.branches : [];
  const [channels] = input.dims;
  const copies = first.kind === 'Parallel' && branches.length > 1 && branches.every(isEmpty);
  if (copies && channels === branches.length && input.dims.length === 3) {
    return [{ words: `${called} is removed: the images have ${plural(channels, 'channel')}`, edits }];
  }
  const reads = firstReader(project)?.reads;
  if (first.kind === 'Flatten' && first.end_dim === 2 && (reads === 'sequence' || reads === 'signal')) {
    const words = `${called} is removed: a sample ${dims(input.dims)} has no rows to join`;
    return input.dims.length === 3 ? [] : [{ words, edits }];
  }
  return [];
}

const isEmpty = (list: unknown) => Array.isArray(list) && list.length === 0;

/** A row of the table for each token, no more and no less. */
function ofTokens(project: Project, { input, target }: DataFacts): FitStep[] {
  const tokens = input.tokens ?? (target.kind === 'next_token' ? target.tokens : undefined);
  if (input.dtype !== 'int64' || tokens === undefined) return [];
  const table = writtenLayers(project).find(({ layer }) => /^Embedding/.test(String(layer.kind)));
  const rows = table?.layer.num_embeddings;
  if (!table || rows === tokens) return [];
  const words = `${table.layer.kind}: ${changed(rows, tokens)} tokens`;
  return [{ words, edits: [setEdit([...table.place, 'num_embeddings'], tokens)] }];
}

const changed = (from: unknown, to: number) =>
  typeof from === 'number' ? `${integer(from)} → ${integer(to)}` : integer(to);

function ofLoss(project: Project, target: TargetType): FitStep[] {
  const { loss } = resolveProject(project).training;
  if (losses.get(loss.kind)?.targets.includes(target.kind)) return [];
  const kind = lossesFor(target.kind)[0]?.kind as string;
  const words = `Loss: ${loss.kind} → ${kind}, since the targets are ${targetWords[target.kind]}`;
  return [{ words, edits: [setEdit(['training', 'loss'], { kind })] }];
}

/** Those that know such targets stay; where none does, the usual one of such targets. */
function ofMetrics(project: Project, target: TargetType): FitStep[] {
  const chosen = resolveProject(project).training.metrics;
  const misfits = chosen.filter(({ kind, args }) => !knows(kind, args.top_k, target));
  if (misfits.length === 0) return [];
  const listed = isObject(project.training) ? project.training.metrics : undefined;
  // What is not listed follows the data by itself.
  if (!Array.isArray(listed)) return [];
  const kept = listed.filter((entry) => {
    const { kind, top_k } = isObject(entry) ? entry : { kind: entry, top_k: undefined };
    return knows(String(kind), top_k, target);
  });
  const usual = { vector: 'mean_absolute_error', next_token: 'perplexity' } as const;
  const instead = target.kind === 'vector' || target.kind === 'next_token' ? usual[target.kind] : 'accuracy';
  const next = kept.length > 0 ? kept : [instead];
  const to = kept.length > 0 ? '' : ` for ${metricLabel(instead)?.toLowerCase()}`;
  const gone = misfits.map(({ key }) => metricLabel(key)?.toLowerCase() ?? key).join(', ');
  const words = `Metrics: ${gone} removed${to}, since the targets are ${targetSentence(target, dims)}`;
  return [{ words, edits: [setEdit(['training', 'metrics'], next)] }];
}

function knows(kind: string, top_k: unknown, target: TargetType): boolean {
  const most = target.kind === 'multi_label' ? 1 : (choices(target) ?? 1);
  return metrics.get(kind)?.targets.includes(target.kind) !== false && !(typeof top_k === 'number' && top_k > most);
}

/** A network that ends by giving its numbers a shape gives them that of the targets: an autoencoder that of its images. */
function ofShape(project: Project, { target }: DataFacts): FitStep[] {
  const wanted = targetDims(target);
  if (target.kind !== 'vector' || wanted.length < 2) return [];
  const all = writtenLayers(project);
  const last = all.at(-1);
  const size = last?.layer.unflattened_size;
  if (last?.layer.kind !== 'Unflatten' || !isSizes(size) || sameDims(size, wanted)) return [];
  const before = all.findLast(({ layer }) => layer.kind === 'Linear' && layer.out_features === product(size));
  const edits = [setEdit([...last.place, 'unflattened_size'], wanted)];
  if (before) edits.unshift(setEdit([...before.place, 'out_features'], product(wanted)));
  return [{ words: `Answer: ${dims(size)} → ${dims(wanted)}, the shape of the targets`, edits }];
}

const isSizes = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'number');

/** Everything that the data decide, in the order in which a person would do it. */
export const decidedByData: readonly ((project: Project, facts: DataFacts) => FitStep[])[] = [
  ofTransforms,
  ofInput,
  ofTokens,
  (project, { target }) => ofLoss(project, target),
  (project, { target }) => ofMetrics(project, target),
  ofShape,
];

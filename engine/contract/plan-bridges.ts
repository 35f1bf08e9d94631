/** What could stand between two layers that do not fit: candidates for fixes, likely ones first; plan-mend.ts tries each. */
import { startsWith } from './edits.ts';
import { largestSize } from './fields.ts';
import { layerTable } from './layers/index.ts';
import { type Dims, type Flow, product, showDims } from './layers/kind.ts';
import { joinFixes, type Run } from './plan-joins.ts';
import type { Fix, ProblemCode } from './problems.ts';
import { insertEdit, type JsonObject, type Place, removeEdit, setEdit } from './report.ts';
import type { TensorType } from './tensors.ts';

/** A layer that could not be planned, and what it was given. */
export interface Refused {
  place: Place;
  /** Prefix of its tensors' names: it tells repetitions apart. */
  path: string;
  layer: JsonObject;
  input: Flow;
  /** The enabled layer just before it in the same list. */
  before: { kind: string; place: Place } | null;
}

/** What the planner knows of the data. */
export interface Surroundings {
  /** One input sample. */
  input: TensorType;
  /** The enabled layers before a place in its list, the nearest first. */
  before(place: Place): { place: Place; layer: JsonObject }[];
  /** Those behind it. */
  behind(place: Place): { place: Place; layer: JsonObject }[];
  run: Run;
}

/** Width of an embedding that a fix inserts; a person sets another. */
export const embeddingWidth = 32;

interface Bridge {
  label: string;
  layers: JsonObject[];
}

/** Candidates for a problem of such a layer. */
export function bridgesFor(code: ProblemCode, refused: Refused, around: Surroundings): Fix[] {
  switch (code) {
    case 'WRONG_RANK':
      return [
        ...movedFlatten(refused, around),
        ...withoutBefore(refused),
        ...otherRank(refused),
        ...inserted(refused, rankBridges(refused.layer, refused.input.dims, around)),
      ];
    case 'WRONG_DTYPE':
      return refused.input.dtype === 'float32' ? withoutTable(refused) : inserted(refused, embeddings(refused, around));
    case 'WRONG_MASK':
      return withoutPadding(refused);
    case 'NOT_DIVISIBLE':
      return widened(refused, around);
    case 'JOIN_MISMATCH':
      return joinFixes(refused, around.run);
    case 'EMPTY_OUTPUT':
      return sidesOf(refused.layer) === 1 && isSequence(refused.before?.kind) ? inserted(refused, [swapped()]) : [];
    default:
      return [];
  }
}

const widths = ['embedding_dim', 'out_features', 'out_channels'];
const divisors = ['num_heads', 'nhead', 'num_groups', 'groups'];

/** What divides evenly is often decided further up: by the last layer that says how wide the tensor is. */
function widened({ place, layer, input: { dims } }: Refused, { before }: Surroundings): Fix[] {
  for (const source of before(place)) {
    const key = widths.find((name) => name in (layerTable.get(String(source.layer.kind))?.params ?? {}));
    if (key === undefined) continue;
    const width = key === 'out_channels' ? dims[0] : dims.at(-1);
    // PixelShuffle makes a square of each so many channels.
    const square = typeof layer.upscale_factor === 'number' ? [layer.upscale_factor ** 2] : [];
    const steps = [...divisors.map((name) => layer[name]), ...square];
    return steps.flatMap((step) => {
      if (typeof step !== 'number' || !(step > 1) || width === undefined) return [];
      const wider = Math.ceil(width / step) * step;
      if (wider === width || wider > largestSize) return [];
      const label = `Set ${key} of the ${source.layer.kind} before it to ${wider}`;
      return [{ label, edits: [setEdit([...source.place, key], wider)] }];
    });
  }
  return [];
}

function inserted({ place }: Refused, bridges: Bridge[]): Fix[] {
  return bridges.map(({ label, layers }) => ({
    label: `Insert ${label} before it`,
    edits: [...layers].reverse().map((layer) => insertEdit(place, layer)),
  }));
}

/** What worked the first times may not go on for ever: a picture that is halved again and again. */
export function fewerRepetitions(refused: Refused, all: readonly Refused[]): Fix[] {
  const within = (outer: Refused) =>
    startsWith(refused.place, outer.place) && refused.path.startsWith(`${outer.path}.`);
  return all
    .filter((outer) => outer.layer.kind === 'Repeat' && within(outer))
    .flatMap((outer) => {
      const times = Number(refused.path.slice(outer.path.length + 1).split('.')[0]);
      if (!(times >= 1)) return [];
      const label = times === 1 ? 'Repeat it once only' : `Repeat it ${times} times only`;
      return [{ label, edits: [setEdit([...outer.place, 'times'], times)] }];
    });
}

/** A layer that reshapes may be what is in the way. */
function withoutBefore({ before }: Refused): Fix[] {
  return before && ['Flatten', 'Unflatten', 'Permute'].includes(before.kind)
    ? [{ label: `Remove the ${before.kind} before it`, edits: [removeEdit(before.place)] }]
    : [];
}

/** A Flatten that stands too early comes just before the first layer that reads rows of numbers, else last. */
function movedFlatten({ place, path }: Refused, { before, behind }: Surroundings): Fix[] {
  const early = before(place);
  const flatten = early.find(({ layer }) => layer.kind === 'Flatten');
  const later = behind(place);
  const reader = later.findIndex(({ layer }) => layer.kind === 'Linear' || layer.kind === 'Flatten');
  if (!flatten || later[reader]?.layer.kind === 'Flatten') return [];
  const passed = reader < 0 ? later.length : reader;
  const last = (later[passed - 1]?.place ?? place).at(-1) as number;
  // Messages count the layers that run.
  const steps = path.split('.');
  const number = [...steps.slice(0, -1), Number(steps.at(-1)) + passed].join('.');
  const edits = [removeEdit(flatten.place), insertEdit([...place.slice(0, -1), last], flatten.layer)];
  return [{ label: `Move Flatten behind layer ${number}`, edits }];
}

/** How many sides a kind's name says that it works on: `Conv1d` 1; null where it says nothing. */
function sidesOf({ kind }: JsonObject): number | null {
  const found = /([123])d$/.exec(String(kind));
  return found ? Number(found[1]) : null;
}

/** The same for as many sides as the input has: Conv1d for Conv2d. */
function otherRank({ place, layer, input: { dims } }: Refused): Fix[] {
  if (sidesOf(layer) === null || dims.length < 2) return [];
  const kind = String(layer.kind).replace(/[123]d$/, `${dims.length - 1}d`);
  if (kind === layer.kind || !layerTable.has(kind)) return [];
  return [{ label: `Use ${kind}`, edits: [setEdit([...place, 'kind'], kind)] }];
}

const flattened = (params: JsonObject = {}): JsonObject => ({ kind: 'Flatten', ...params });
/** Divides the first dimension: `rest` are the others. */
const unflattened = (to: number[], rest: Dims = []): Bridge => ({
  label: `Unflatten to ${showDims([...to, ...rest])}`,
  layers: [{ kind: 'Unflatten', dim: 1, unflattened_size: to }],
});
const swap: JsonObject = { kind: 'Permute', dims: [0, 2, 1] };
const swapped = (): Bridge => ({ label: 'Permute (dimensions 1 and 2 exchanged)', layers: [swap] });

export function isSequence(kind: string | undefined): boolean {
  return kind !== undefined && layerTable.get(kind)?.category === 'sequence';
}

/** Layers that bring a tensor to another number of dimensions. */
function rankBridges(layer: JsonObject, dims: Dims, { input }: Surroundings): Bridge[] {
  const sides = sidesOf(layer);
  const sequence = isSequence(String(layer.kind));
  const wanted = sequence ? [2, 3] : sides === null ? [1, 3, 2] : [sides + 1];
  return wanted.flatMap((rank) => {
    if (rank === dims.length) return [];
    if (rank > dims.length) return raised(dims, rank, sequence, input.dims);
    return lowered(dims, rank, sequence);
  });
}

/** `[784]` as `[1, 28, 28]`: as the data came, if so many values, else the squarest shape with the fewest channels. */
function raised(dims: Dims, rank: number, sequence: boolean, input: Dims): Bridge[] {
  const [size] = dims;
  if (size === undefined) return [];
  if (dims.length > 1) {
    const ones = Array.from({ length: rank - dims.length }, () => 1);
    return [unflattened([...ones, size], dims.slice(1))];
  }
  if (rank === 2) return [unflattened(sequence ? [size, 1] : [1, size])];
  const asData = input.length === rank && product(input) === size ? [[...input]] : [];
  return [...asData, ...cubes(size, rank - 1)].map((to) => unflattened(to));
}

/** The shape with equal sides that holds `size` values in the fewest channels. */
function cubes(size: number, sides: number): number[][] {
  for (let side = Math.floor(size ** (1 / sides) + 1e-9); side > 1; side--) {
    if (size % side ** sides === 0) return [[size / side ** sides, ...Array.from({ length: sides }, () => side)]];
  }
  return [[size, ...Array.from({ length: sides }, () => 1)]];
}

function lowered(dims: Dims, rank: number, sequence: boolean): Bridge[] {
  if (rank === 1) return [{ label: 'Flatten', layers: [flattened()] }];
  const joined = dims.length - rank + 1;
  const leading = {
    label: `Flatten to ${showDims([product(dims.slice(0, joined)), ...dims.slice(joined)])}`,
    layers: [flattened({ end_dim: joined })],
  };
  const trailing = {
    label: `Flatten to ${showDims([...dims.slice(0, rank - 1), product(dims.slice(rank - 1))])}`,
    layers: [flattened({ start_dim: rank })],
  };
  if (!sequence) return rank === 2 ? [trailing, leading] : [leading, trailing];
  // Positions come first in a sequence: the rows of a picture, or its points with all their channels.
  const rows = { label: 'Flatten (rows as a sequence)', layers: [flattened({ start_dim: 1, end_dim: -2 })] };
  const points = { label: 'Flatten and Permute (points as a sequence)', layers: [flattened({ start_dim: 2 }), swap] };
  return dims[0] === 1 ? [rows, points] : [points, rows];
}

/** Numbers for tokens, then the order of dimensions that the layer wants. */
function embeddings(refused: Refused, around: Surroundings): Bridge[] {
  const { tokens, padding } = around.input;
  if (tokens === undefined) return [];
  const embedding = { kind: 'Embedding', num_embeddings: tokens, embedding_dim: embeddingWidth };
  if (padding !== undefined) {
    // What comes behind leaves padding out of account where it can; where it cannot, the mask is refused.
    const filled = { ...embedding, padding_idx: padding };
    return [{ ...filled, mask_padding: true }, filled].flatMap((table) => tables(table, refused, around));
  }
  return tables(embedding, refused, around);
}

function tables(embedding: JsonObject, { layer, input }: Refused, around: Surroundings): Bridge[] {
  const label = `Embedding of ${embedding.num_embeddings} tokens${embedding.mask_padding === true ? ' that masks padding' : ''}`;
  const behind = (bridge: Bridge): Bridge => ({
    label: `${label} and ${bridge.label}`,
    layers: [embedding, ...bridge.layers],
  });
  const plain = { label, layers: [embedding] };
  const dims = [...input.dims, embeddingWidth];
  const sides = sidesOf(layer);
  if (sides === 1 && dims.length === 2) return [behind(swapped()), plain];
  return sides === null ? [plain] : [plain, ...rankBridges(layer, dims, around).map(behind)];
}

/** Numbers need no table: a Linear layer makes as many features of them. */
function withoutTable({ place, layer }: Refused): Fix[] {
  const size = layer.embedding_dim;
  const dense = { kind: 'Linear', out_features: size };
  return [
    ...(typeof size === 'number' ? [{ label: `Use Linear with ${size} outputs`, edits: [setEdit(place, dense)] }] : []),
    { label: `Remove this ${layer.kind}`, edits: [removeEdit(place)] },
  ];
}

/** What mixes positions comes behind the end of the sequence. */
function withoutPadding(refused: Refused): Fix[] {
  const mean = { kind: 'MeanOverSequence' };
  return refused.layer.kind === 'Flatten'
    ? [{ label: 'Use MeanOverSequence', edits: [setEdit(refused.place, mean)] }]
    : inserted(refused, [{ label: 'MeanOverSequence', layers: [mean] }]);
}

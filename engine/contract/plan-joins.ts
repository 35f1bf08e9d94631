/** Ways to make branches and shortcuts fit each other: candidates for fixes, likely ones first; plan-mend.ts tries each. */
import { layerTable } from './layers/index.ts';
import { broadcast } from './layers/joins.ts';
import { type Dims, type Flow, product, sameDims, sampleDim, showDims } from './layers/kind.ts';
import { projection } from './layers/projection.ts';
import type { Refused } from './plan-bridges.ts';
import type { Edit, Fix } from './problems.ts';
import { insertEdit, isObject, type JsonObject, type Place, setEdit } from './report.ts';

/** Dims of what layers answer to an input; null where they cannot be planned. */
export type Run = (layers: readonly unknown[], input: Flow) => Dims | null;

/** A list of layers of a block, and what it answers. */
interface Branch {
  name: string;
  place: Place;
  layers: readonly unknown[];
  dims: Dims;
}

export function joinFixes({ layer, place, input }: Refused, run: Run): Fix[] {
  const branch = (name: string, key: Place, layers: unknown): Branch | null => {
    const dims = Array.isArray(layers) ? run(layers, input) : null;
    return dims && { name, place: [...place, ...key], layers: layers as unknown[], dims };
  };
  if (layer.kind === 'Parallel' && Array.isArray(layer.branches)) {
    const branches = layer.branches.map((each, index) => branch(`branch ${index}`, ['branches', index], each));
    return branches.includes(null) ? [] : parallelFixes(layer, place, branches as Branch[]);
  }
  const main = branch('the layers', ['layers'], layer.layers);
  return layer.kind === 'Residual' && main ? residualFixes(layer, place, input.dims, main) : [];
}

function parallelFixes(layer: JsonObject, place: Place, branches: Branch[]): Fix[] {
  const shapes = branches.map(({ dims }) => dims);
  const [first] = shapes as [Dims];
  if (layer.join === 'add' || layer.join === 'multiply') {
    const target = mostCommon(shapes);
    return [
      ...unflattened(branches),
      ...unpadded(branches, () => target),
      ...brought(branches, () => target),
      { label: 'Join them by concat', edits: [setEdit([...place, 'join'], 'concat')] },
    ];
  }
  const found = sampleDim(typeof layer.dim === 'number' ? layer.dim : 1, first);
  const at = 'at' in found ? found.at : 0;
  const target = mostCommon(shapes.map((dims) => dims.filter((_, index) => index !== at)));
  const wanted = (dims: Dims) =>
    dims.length === target.length + 1 ? [...target.slice(0, at), dims[at] as number, ...target.slice(at)] : dims;
  const others = first.flatMap((_, index) =>
    index === at ? [] : [{ label: `Join along dim ${index + 1}`, edits: [setEdit([...place, 'dim'], index + 1)] }],
  );
  const flat = branches.filter(({ dims }) => dims.length > 1);
  const flattened = flat.map((each) => added(each, [{ kind: 'Flatten' }]));
  return [
    ...unpadded(branches, wanted),
    ...brought(branches, wanted),
    ...others,
    { label: 'Flatten all branches', edits: flattened.flat() },
  ];
}

function residualFixes(layer: JsonObject, place: Place, input: Dims, main: Branch): Fix[] {
  const fixes = unpadded([main], () => input);
  const last = main.layers.at(-1);
  const key = isObject(last) && resizing(last);
  if (key && !Array.isArray(layer.shortcut)) {
    const size = (key === 'out_features' ? input.at(-1) : input[0]) as number;
    const at = [...main.place, main.layers.length - 1, key];
    fixes.push({ label: `Set ${key} of its last layer to ${size}`, edits: [setEdit(at, size)] });
  }
  const way = wayTo(input, main.dims);
  if (way && !projection(input, main.dims, [])) {
    const label = `Let the shortcut bring the input to ${showDims(main.dims)}`;
    fixes.push({ label, edits: [setEdit([...place, 'shortcut'], way)] });
  }
  return fixes;
}

/** The key that says how many outputs a layer has. */
export function resizing({ kind }: { kind?: unknown }): 'out_features' | 'out_channels' | null {
  const params = layerTable.get(String(kind))?.params ?? {};
  return 'out_features' in params ? 'out_features' : 'out_channels' in params ? 'out_channels' : null;
}

function mostCommon(shapes: readonly Dims[]): Dims {
  const count = (dims: Dims) => shapes.filter((other) => sameDims(other, dims)).length;
  return shapes.reduce((best, dims) => (count(dims) > count(best) ? dims : best));
}

function added({ place, layers }: Branch, more: readonly JsonObject[]): Edit[] {
  return more.map((layer, index) => insertEdit([...place, layers.length + index], layer));
}

/** Single numbers for each channel, or for each feature of a sequence, are given the dimensions along which they are broadcast. */
function unflattened(branches: Branch[]): Fix[] {
  const [target] = branches.map(({ dims }) => dims).sort((a, b) => b.length - a.length) as [Dims];
  const flat = branches.filter(({ dims }) => dims.length === 1);
  const ones = target.slice(1).map(() => 1);
  const ways = [(size: number) => [size, ...ones], (size: number) => [...ones, size]];
  if (target.length === 1 || flat.length === 0) return [];
  return ways.flatMap((way) => {
    const brought = flat.map((branch) => ({ branch, to: way(branch.dims[0] as number) }));
    if (brought.some(({ to }) => !broadcast([to, target]))) return [];
    const label = `Unflatten ${brought.map(({ branch, to }) => `${branch.name} to ${showDims(to)}`).join(' and ')}`;
    const layer = (to: number[]) => ({ kind: 'Unflatten', dim: 1, unflattened_size: to });
    return [{ label, edits: brought.flatMap(({ branch, to }) => added(branch, [layer(to)])) }];
  });
}

/** Convolutions that shrink what they see because nothing is added around it. */
function unpadded(branches: Branch[], wanted: (dims: Dims) => Dims): Fix[] {
  const short = branches.filter(({ dims }) => !sameDims(dims, wanted(dims)));
  const edits = short.flatMap(({ place, layers }) =>
    layers.flatMap((layer, index) =>
      isObject(layer) && /^Conv[123]d$/.test(String(layer.kind)) && (layer.stride ?? 1) === 1
        ? [setEdit([...place, index, 'padding'], 'same')]
        : [],
    ),
  );
  return edits.length > 0
    ? [{ label: `Set padding "same" in ${short.map(({ name }) => name).join(' and ')}`, edits }]
    : [];
}

/** Layers at the end of each branch that answers another shape than it should. */
function brought(branches: Branch[], wanted: (dims: Dims) => Dims): Fix[] {
  const ways = branches.flatMap((branch) => {
    const to = wanted(branch.dims);
    return sameDims(branch.dims, to) ? [] : [{ branch, to, way: wayTo(branch.dims, to) }];
  });
  if (ways.length === 0 || ways.some(({ way }) => way === null)) return [];
  const label = `Bring ${ways.map(({ branch, to }) => `${branch.name} to ${showDims(to)}`).join(' and ')}`;
  return [{ label, edits: ways.flatMap(({ branch, way }) => added(branch, way as JsonObject[])) }];
}

/** Layers from one shape to another; null where there is no plain way. */
function wayTo(from: Dims, to: Dims): JsonObject[] | null {
  const sides = to.length - 1;
  if (from.length !== to.length) {
    if (sides !== 0) return null;
    const [size] = to as [number];
    const flatten = { kind: 'Flatten' };
    return product(from) === size ? [flatten] : [flatten, { kind: 'Linear', out_features: size }];
  }
  const shrinks = from.slice(1).every((size, side) => size >= (to[side + 1] as number));
  const projected = from[0] === to[0] && shrinks ? null : projection(from, to, []);
  if (projected) return [projected];
  if (sides < 1 || sides > 3) return null;
  const sizes = to.slice(1);
  const resized = shrinks
    ? { kind: `AdaptiveAvgPool${sides}d`, output_size: sides === 1 ? sizes[0] : sizes }
    : { kind: 'Upsample', size: sides === 1 ? sizes[0] : sizes };
  return from[0] === to[0] ? [resized] : [resized, { kind: `Conv${sides}d`, out_channels: to[0], kernel_size: 1 }];
}

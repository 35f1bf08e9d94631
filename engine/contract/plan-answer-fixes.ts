/** Ways to make a network answer what its loss wants. */
import { layerTable } from './layers/index.ts';
import { product } from './layers/kind.ts';
import type { LossEnd } from './losses.ts';
import type { PlannedLayer } from './plan-types.ts';
import type { Fix } from './problems.ts';
import type { ResolvedProject } from './project-types.ts';
import { insertEdit, type Place, setEdit } from './report.ts';
import type { DataFacts } from './tensors.ts';

/** Places of planned layers are dotted: positions back to numbers. */
export function toEdit(place: Place): (string | number)[] {
  return place.map((step) => (typeof step === 'string' && /^\d+$/.test(step) ? Number(step) : step));
}

function appendLayer(project: ResolvedProject, label: string, added: object[]): Fix {
  const end = project.model.layers.length;
  return { label, edits: added.map((layer, index) => insertEdit(['model', 'layers', end + index], layer)) };
}

/** The layers of the table that give the wanted end. */
export function endFixes(project: ResolvedProject, end: LossEnd): Fix[] {
  const [kind] = end.layers.filter((name) => layerTable.has(name));
  return kind === undefined ? [] : [appendLayer(project, `Append ${kind}`, [{ kind }])];
}

/** Ways to make the network answer `wanted`. */
export function outputFixes(
  project: ResolvedProject,
  facts: DataFacts,
  layers: readonly PlannedLayer[],
  output: readonly number[],
  wanted: readonly number[],
): Fix[] {
  const [size] = wanted as [number];
  return wanted.length === 1
    ? flatFixes(project, facts, layers, output, size)
    : positionFixes(project, facts, layers, output, wanted);
}

/** Ways to make the network answer a vector of `size`. */
function flatFixes(
  project: ResolvedProject,
  facts: DataFacts,
  layers: readonly PlannedLayer[],
  output: readonly number[],
  size: number,
): Fix[] {
  const fixes: Fix[] = [];
  const linear = lastOf(layers, ['Linear']);
  const resize =
    linear && linear.output.at(-1) !== size
      ? [setEdit([...toEdit(linear.place.split('.')), 'out_features'], size)]
      : [];
  const resized = resize.length > 0 ? ` and set its out_features to ${size}` : '';
  if (output.length > 1) {
    const flat = layers.find(
      (layer, index) => layer.kind === 'Linear' && (layers[index - 1]?.output ?? facts.input.dims).length > 1,
    );
    if (flat && linear) {
      const at = toEdit(flat.place.split('.'));
      // The later place is edited first, so that the insertion does not move it.
      fixes.push({
        label: `Insert Flatten before layer ${flat.path}${resized && `, and set out_features of layer ${linear.path} to ${size}`}`,
        edits: [...resize, insertEdit(at, { kind: 'Flatten' })],
      });
    }
    const added = [{ kind: 'Flatten' }, { kind: 'Linear', out_features: size }];
    fixes.push(appendLayer(project, 'Append Flatten and Linear', added));
  } else if (linear && resize.length > 0) {
    fixes.push({ label: `Set out_features of layer ${linear.path} to ${size}`, edits: resize });
  } else if (output.length === 1 && product(output) > 0) {
    const added = [{ kind: 'Linear', out_features: size }];
    fixes.push(appendLayer(project, `Append a Linear layer with ${size} outputs`, added));
  }
  return fixes;
}

/** Ways to make it answer a score for each of several things at each position, where the positions are right already. */
function positionFixes(
  project: ResolvedProject,
  facts: DataFacts,
  layers: readonly PlannedLayer[],
  output: readonly number[],
  wanted: readonly number[],
): Fix[] {
  const last = facts.target.kind === 'next_token' || facts.target.kind === 'vector' ? lastOf(layers, ['Linear']) : null;
  const axis = last ? wanted.length - 1 : 0;
  const size = wanted[axis] as number;
  const samePositions = output.length === wanted.length && output.every((dim, at) => at === axis || dim === wanted[at]);
  if (!samePositions) return [];
  const layer = last ?? lastOf(layers, ['Conv1d', 'Conv2d', 'Conv3d']);
  if (layer) {
    const key = last ? 'out_features' : 'out_channels';
    const edits = [setEdit([...toEdit(layer.place.split('.')), key], size)];
    return [{ label: `Set ${key} of layer ${layer.path} to ${size}`, edits }];
  }
  const kind = `Conv${wanted.length - 1}d`;
  if (!layerTable.has(kind)) return [];
  const added = [{ kind, out_channels: size, kernel_size: 1 }];
  return [appendLayer(project, `Append a ${kind} layer with ${size} channels`, added)];
}

/** The layer of these kinds whose outputs are the network's, with nothing behind it that changes shapes. */
function lastOf(layers: readonly PlannedLayer[], kinds: readonly string[]): PlannedLayer | null {
  for (const layer of [...layers].reverse()) {
    if (kinds.includes(layer.kind)) return layer;
    const keepsShape =
      layer.kind === 'Identity' || layer.kind === 'Dropout' || layerTable.get(layer.kind)?.category === 'activation';
    if (!keepsShape) return null;
  }
  return null;
}

/** How each layer's output is meant, which its dims alone do not tell: a matrix may be channels along a length, or positions with features. */
import { layerTable } from '../contract/layers/index.ts';
import type { LookForm } from '../contract/look.ts';
import type { PlannedLayer } from '../contract/plan.ts';
import type { ElementType } from '../contract/tensors.ts';

type Rows = 'channels' | 'positions';

/** By path, of every layer and what is in it. */
export function formsOf(
  layers: readonly PlannedLayer[],
  input: readonly number[],
  dtype: ElementType,
): { input: LookForm; of: Map<string, LookForm> } {
  const of = new Map<string, LookForm>();
  const first: Rows = dtype === 'int64' ? 'positions' : 'channels';
  const walk = (list: readonly PlannedLayer[], from: Rows): Rows => {
    let rows = from;
    for (const layer of list) {
      const inside = (layer.children ?? []).map((child) => walk(child.layers, rows));
      rows = inside[0] ?? after(layer, rows);
      of.set(layer.path, formOf(layer.output, rows));
    }
    return rows;
  };
  walk(layers, first);
  return { input: formOf(input, first), of };
}

function formOf(dims: readonly number[], rows: Rows): LookForm {
  if (dims.length <= 1) return 'vector';
  return dims.length === 2 ? rows : 'maps';
}

function after({ kind, input, output }: PlannedLayer, rows: Rows): Rows {
  if (output.length !== 2) return kind === 'Permute' ? swapped(rows) : rows;
  if (kind === 'Permute') return input.length === 2 ? swapped(rows) : rows;
  if (kind === 'Flatten' && input.length > 2) return 'channels'; // along what was height and width
  if (/1d$/.test(kind)) return 'channels';
  const category = layerTable.get(kind)?.category;
  if (category === 'sequence' || kind === 'Linear' || kind === 'LayerNorm') return 'positions';
  return rows;
}

const swapped = (rows: Rows): Rows => (rows === 'channels' ? 'positions' : 'channels');

/** What a card says of its layer: the parameters that were set, as one line. Pure. */
import { fieldInfo } from '../../engine/contract/fields.ts';
import { layerTable } from '../../engine/contract/layers/index.ts';
import { isObject, type JsonObject } from '../../engine/contract/report.ts';
import { trainOf } from '../state/stack-train.ts';
import { number, plural } from '../ui/index.ts';
import { stemOf } from './kind-words.ts';

/** Short words for what most cards show. */
const short: { [key: string]: (value: unknown, rank: number) => string } = {
  out_features: (value) => `${show(value)} outputs`,
  out_channels: (value) => `${show(value)} channels`,
  kernel_size: (value, rank) => (rank === 1 ? `window ${show(value)}` : sides(value, rank)),
  output_size: (value, rank) => `to ${sides(value, rank)}`,
  patch_size: (value, rank) => `patches of ${sides(value, rank)}`,
  num_embeddings: (value) => `${show(value)} tokens`,
  embedding_dim: (value) => `${show(value)} features`,
  embed_dim: (value) => `${show(value)} features`,
  hidden_size: (value) => `state of ${show(value)}`,
  num_layers: (value) => (value === 1 ? '1 layer' : `${show(value)} layers`),
  num_heads: (value) => `${show(value)} heads`,
  nhead: (value) => `${show(value)} heads`,
  num_groups: (value) => `${show(value)} groups`,
  p: (value) => (typeof value === 'number' ? `${Number((value * 100).toPrecision(4))} %` : show(value)),
  times: (value) => `${show(value)} times`,
};

/** Told by the block itself. */
const quiet = new Set(['layers', 'branches', 'shortcut', 'ref']);

/** A window's sides: one number stands for each. */
function sides(value: unknown, rank: number): string {
  return typeof value === 'number' ? new Array(rank).fill(value).join('×') : show(value, '×');
}

function show(value: unknown, between = ', '): string {
  if (Array.isArray(value)) return value.map((each) => show(each)).join(between);
  if (typeof value === 'string') return value;
  return JSON.stringify(value) ?? '';
}

/** "32 channels · 3×3 · padding 1": what must be given, then what differs from PyTorch's defaults. */
export function summaryOf(layer: JsonObject): string {
  const row = layerTable.get(String(layer.kind));
  if (!row) return 'unknown kind';
  const parts = Object.entries(row.params).flatMap(([key, schema]) => {
    if (quiet.has(key) || !Object.hasOwn(layer, key)) return [];
    const value = layer[key];
    const info = fieldInfo(schema);
    const always = key === 'p' || !('default' in info);
    if (!always && JSON.stringify(value) === JSON.stringify(info.default)) return [];
    const words = short[key];
    if (words) return [words(value, info.rank ?? stemOf(row.kind).rank ?? 2)];
    const label = info.label.toLowerCase();
    if (value === true) return [label];
    const sized = info.control === 'pair' || info.control === 'padding';
    return [value === false ? `no ${label}` : `${label} ${show(value, sized ? '×' : ', ')}`];
  });
  if (row.kind === 'Parallel') {
    const branches = Array.isArray(layer.branches) ? layer.branches.length : 0;
    parts.unshift(plural(branches, 'branch', 'branches'));
  }
  if (row.kind === 'Residual') parts.push(shortcutWords(layer));
  const { lr } = trainOf(layer);
  if (typeof lr === 'number') parts.push(`lr ${number(lr)}`);
  if (row.kind === 'Block') parts.push(typeof layer.ref === 'string' ? `“${layer.ref}”` : 'no block chosen');
  return parts.join(' · ');
}

/** A Residual that holds nothing, and whose shortcut is its input. */
function isEmpty({ layers, shortcut }: JsonObject): boolean {
  return (!Array.isArray(layers) || layers.length === 0) && !Array.isArray(shortcut);
}

function shortcutWords(layer: JsonObject): string {
  if (isEmpty(layer)) return 'adds its input to itself';
  if (layer.shortcut === 'auto') return 'shortcut projected where needed';
  return Array.isArray(layer.shortcut) ? 'own shortcut' : 'adds its input';
}

/** What an open block's foot says. */
export function endWords(layer: JsonObject): string {
  switch (layer.kind) {
    case 'Residual':
      if (isEmpty(layer)) return 'nothing inside yet: adds the input to itself';
      return layer.shortcut === 'auto'
        ? 'add the input, projected where needed'
        : Array.isArray(layer.shortcut)
          ? 'add the shortcut'
          : 'add the input';
    case 'Parallel': {
      const join = typeof layer.join === 'string' ? layer.join : 'concat';
      return join === 'concat' ? `concat along dim ${show(layer.dim ?? 1)}` : join;
    }
    case 'Repeat':
      return `repeat ${show(layer.times)}×, each with its own weights`;
    default:
      return `end of ${typeof layer.ref === 'string' ? `“${layer.ref}”` : 'block'}`;
  }
}

export function nameOf(layer: unknown): string {
  return isObject(layer) && typeof layer.name === 'string' ? layer.name : '';
}

export function noteOf(layer: unknown): string {
  return isObject(layer) && typeof layer.note === 'string' ? layer.note : '';
}

export function labelOf(kind: string): string {
  return layerTable.get(kind)?.label ?? (kind === '' ? 'Layer without a kind' : kind);
}

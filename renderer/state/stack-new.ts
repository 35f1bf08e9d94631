/** What a layer is when it is added: complete, with numbers that fit what comes before, so that adding one never makes a problem by itself. */
import { type FieldInfo, fieldInfo } from '../../engine/contract/fields.ts';
import { layerTable } from '../../engine/contract/layers/index.ts';
import type { JsonObject } from '../../engine/contract/report.ts';

export interface Around {
  /** Dims of the tensor that comes in; null while unknown. */
  input: readonly number[] | null;
  /** How many values the loss wants, where the layer will be the network's last and they are one dimension; else null. */
  wanted: number | null;
  /** It comes into a Residual, which adds what comes in to what goes out: they are best alike. */
  keep?: boolean;
}

const usual: { [key: string]: (around: Around) => unknown } = {
  out_features: ({ wanted, input, keep }) => {
    const size = input?.at(-1) ?? 128;
    return wanted ?? (keep ? size : Math.min(128, Math.max(16, size)));
  },
  out_channels: ({ input, keep }) => {
    const channels = input?.length === 3 ? (input[0] as number) : 16;
    return keep ? channels : Math.min(512, Math.max(16, 2 * channels));
  },
  output_size: () => 1,
  times: () => 2,
  layers: () => [],
  branches: () => [[], []],
};

/** Beside what is required: a convolution that keeps the image's size is what most people want. */
const besides: { [kind: string]: JsonObject } = { Conv2d: { padding: 1 } };

const windows: { [category: string]: number } = { conv: 3, pool: 2 };

export function newLayer(kind: string, around: Around): JsonObject {
  const row = layerTable.get(kind);
  const layer: JsonObject = { kind };
  if (!row) return layer;
  const example = row.examples[0]?.params ?? {};
  for (const [key, schema] of Object.entries(row.params)) {
    const info = fieldInfo(schema);
    if ('default' in info) continue;
    layer[key] =
      key === 'kernel_size'
        ? (windows[row.category] ?? 3)
        : (usual[key]?.(around) ?? (Object.hasOwn(example, key) ? example[key] : least(info)));
  }
  return { ...layer, ...besides[kind] };
}

function least({ min, choices, control }: FieldInfo): unknown {
  if (choices) return choices[0];
  if (control === 'switch') return false;
  if (control === 'numbers') return [1];
  return control === 'text' || control === 'path' ? '' : (min ?? 1);
}

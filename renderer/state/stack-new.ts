/** What a layer is when it is added: complete, with numbers that fit what comes before, so that adding one never makes a problem by itself. */
import { type FieldInfo, fieldInfo } from '../../engine/contract/fields.ts';
import { layerTable } from '../../engine/contract/layers/index.ts';
import { StackPlanner } from '../../engine/contract/plan-stack.ts';
import type { Edit } from '../../engine/contract/problems.ts';
import { type JsonObject, Report } from '../../engine/contract/report.ts';
import type { ElementType } from '../../engine/contract/tensors.ts';

export interface Around {
  /** What comes in; null while unknown. */
  input: { dims: readonly number[]; dtype: ElementType } | null;
  /** Dims that the loss wants, where the layer will be the network's last; else null. */
  wanted: readonly number[] | null;
  /** Words of the vocabulary that the data's tokens come from, where it says so. */
  tokens?: number | null;
  /** It comes into a Residual, which adds what comes in to what goes out: they are best alike. */
  keep?: boolean;
}

function roundSize(size: number): number {
  return Math.min(128, Math.max(16, size));
}

const usual: { [key: string]: (around: Around) => unknown } = {
  out_features: ({ wanted, input, keep }) => {
    const size = input?.dims.at(-1) ?? 128;
    const fits = wanted !== null && wanted.length > 0 && (input === null || wanted.length === input.dims.length);
    return fits ? wanted.at(-1) : keep ? size : roundSize(size);
  },
  out_channels: ({ input, keep }) => {
    const channels = input && input.dims.length > 1 ? (input.dims[0] as number) : 8;
    return keep ? channels : Math.min(512, Math.max(16, 2 * channels));
  },
  hidden_size: ({ input }) => roundSize(input?.dims.at(-1) ?? 128),
  num_embeddings: ({ tokens }) => tokens ?? 256,
  embedding_dim: () => 64,
  output_size: () => 1,
  times: () => 2,
  layers: () => [],
  branches: () => [[], []],
};

/** Beside what is required: a convolution that keeps the size is what most people want. */
const besides: { [kind: string]: JsonObject } = {
  Conv1d: { padding: 1 },
  Conv2d: { padding: 1 },
  Conv3d: { padding: 1 },
};

const windows: { [category: string]: number } = { conv: 3, pool: 2 };

/** Fixes that may follow one another until a new layer fits. */
const mostFixes = 3;

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
  Object.assign(layer, besides[kind]);
  if (row.stacks || kind === 'Block' || !around.input) return layer;
  return fitting(layer, around.input);
}

/** Where the layer does not take what comes in, with what the problems' own fixes set in it. */
function fitting(layer: JsonObject, input: NonNullable<Around['input']>): JsonObject {
  let now = layer;
  for (let tries = 0; tries <= mostFixes; tries++) {
    const report = new Report();
    new StackPlanner(report, {}).model([now], { dims: [...input.dims], dtype: input.dtype });
    const problem = report.problems.find(({ severity }) => severity === 'error');
    if (!problem) return now;
    const changed = problem.fixes.map(({ edits }) => withKeys(now, edits)).find((next) => next !== null);
    if (!changed) return layer;
    now = changed;
  }
  return layer;
}

/** After edits of the layer's own keys; null where they go beyond it, or make it another kind than the one that was asked for. */
function withKeys(layer: JsonObject, edits: readonly Edit[]): JsonObject | null {
  const next = { ...layer };
  for (const { op, path, value } of edits) {
    const key = path[3];
    if (path.length !== 4 || typeof key !== 'string' || key === 'kind' || op === 'insert') return null;
    if (op === 'remove') delete next[key];
    else next[key] = value;
  }
  return next;
}

function least({ min, choices, control }: FieldInfo): unknown {
  if (choices) return choices[0];
  if (control === 'switch') return false;
  if (control === 'numbers') return [1];
  return control === 'text' || control === 'path' ? '' : (min ?? 1);
}

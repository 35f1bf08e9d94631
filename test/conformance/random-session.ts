/** Small networks on random data in the addon, without a run around them. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { nativeInits } from '../../engine/contract/inits.ts';
import { layerKinds } from '../../engine/contract/layers/index.ts';
import { lossKinds } from '../../engine/contract/losses.ts';
import { metricKinds } from '../../engine/contract/metric-kinds.ts';
import { type GroupSchedule, type NativePlan, type NativeSession, neutral } from '../../engine/contract/native.ts';
import { type Plan, planProject } from '../../engine/contract/plan.ts';
import { resolveProject } from '../../engine/contract/project.ts';
import { randomTarget } from '../../engine/contract/sources.ts';
import type { TargetKind } from '../../engine/contract/tensors.ts';
import { randomColumns, randomRequest } from '../../engine/data/random-source.ts';
import { loadAddon } from '../../engine/native/load.ts';

/** A network to try. `classes` null: targets are vectors of the output's shape. `tokens`: inputs are that many different integers. */
export interface Case {
  name: string;
  input: number[];
  tokens?: number;
  output: number[];
  layers: unknown[];
  blocks?: object;
  training?: object;
  classes?: number | null;
  target?: TargetKind;
  targetShape?: number[];
}

export const samples = 12;

/**
 * Every example of every layer kind, behind a Linear that keeps the shape: so all have something to learn and a gradient passes through.
 * Tables of tokens come first themselves.
 */
export const examples: Case[] = layerKinds.flatMap(({ kind, takes, examples }) =>
  examples.map(({ params, input, output }, index): Case => {
    const layer = { kind, ...params };
    const tokens = takes === 'integers' ? { tokens: params.num_embeddings as number } : null;
    const layers = tokens ? [layer] : [{ kind: 'Linear', out_features: input.at(-1) }, layer];
    return { name: `${kind} ${index}`, input, output, layers, ...tokens };
  }),
);

const padded = { kind: 'Embedding', num_embeddings: 3, embedding_dim: 4, padding_idx: 0, mask_padding: true };

/** Sequences with padding: every kind that leaves it out of account, and those that hand the mask on. */
export const maskCases: Case[] = Object.entries<{ output: number[]; layers: object[]; blocks?: object }>({
  'to the last position': { output: [4], layers: [{ kind: 'TakePosition', position: -1 }] },
  'to the mean': { output: [4], layers: [{ kind: 'MeanOverSequence' }] },
  'through position-wise layers': {
    output: [6, 3],
    layers: [
      { kind: 'PositionalEmbedding' },
      { kind: 'Residual', layers: [{ kind: 'LayerNorm' }, { kind: 'Linear', out_features: 4 }, { kind: 'GELU' }] },
      { kind: 'Dropout', p: 0.2 },
      { kind: 'LSTM', hidden_size: 3, dropout: 0.3, num_layers: 2 },
    ],
  },
  'recurrent, both directions': {
    output: [6],
    layers: [
      { kind: 'GRU', hidden_size: 2, bidirectional: true },
      { kind: 'LSTM', hidden_size: 5, proj_size: 3, bidirectional: true, num_layers: 2, output: 'last' },
    ],
  },
  'attention, causal and not': {
    output: [4],
    layers: [
      { kind: 'MultiheadAttention', num_heads: 2 },
      { kind: 'MultiheadAttention', num_heads: 2, causal: true, add_bias_kv: true, add_zero_attn: true },
      { kind: 'RNN', hidden_size: 4 },
      { kind: 'MeanOverSequence' },
    ],
  },
  'transformers behind a class token': {
    output: [4],
    layers: [
      { kind: 'ClassToken' },
      { kind: 'SinusoidalEncoding' },
      { kind: 'TransformerEncoderLayer', nhead: 2, dim_feedforward: 8, causal: true },
      { kind: 'TransformerEncoder', num_layers: 2, nhead: 1, dim_feedforward: 8, norm_first: true, norm: true },
      { kind: 'TakePosition' },
    ],
  },
  'in a shortcut’s block': {
    output: [4],
    layers: [
      {
        kind: 'Residual',
        layers: [
          { kind: 'LSTM', hidden_size: 4 },
          { kind: 'MultiheadAttention', num_heads: 2 },
        ],
      },
      { kind: 'MeanOverSequence' },
    ],
  },
  'in repetitions': {
    output: [3],
    layers: [
      {
        kind: 'Repeat',
        times: 2,
        layers: [
          { kind: 'GRU', hidden_size: 2, bidirectional: true },
          { kind: 'MultiheadAttention', num_heads: 2, causal: true },
        ],
      },
      { kind: 'LSTM', hidden_size: 3, output: 'last' },
    ],
  },
  'in branches, one of them broadcast': {
    output: [4],
    layers: [
      {
        kind: 'Parallel',
        dim: 2,
        branches: [[{ kind: 'LSTM', hidden_size: 3 }], [{ kind: 'MultiheadAttention', num_heads: 1 }], []],
      },
      { kind: 'Linear', out_features: 4 },
      {
        kind: 'Parallel',
        join: 'multiply',
        branches: [
          [],
          [
            { kind: 'MeanOverSequence' },
            { kind: 'Linear', out_features: 4 },
            { kind: 'Sigmoid' },
            { kind: 'Unflatten', dim: 1, unflattened_size: [1, 4] },
          ],
        ],
      },
      { kind: 'MeanOverSequence' },
    ],
  },
  'in named blocks': {
    output: [8],
    layers: [
      { kind: 'Block', ref: 'mixing' },
      { kind: 'Residual', layers: [{ kind: 'Block', ref: 'mixing' }] },
      { kind: 'ClassToken' },
      { kind: 'RNN', hidden_size: 4, bidirectional: true },
      { kind: 'TakePosition', position: -1 },
    ],
    blocks: {
      mixing: {
        layers: [{ kind: 'TransformerEncoderLayer', nhead: 2, dim_feedforward: 8, dropout: 0 }, { kind: 'Tanh' }],
      },
    },
  },
}).map(([name, { output, layers, blocks = {} }]) => ({
  name: `padding ${name}`,
  blocks,
  input: [6],
  tokens: 3,
  output,
  layers: [padded, ...layers],
}));

/** One layer of weights and biases. */
export const small = { input: [4], output: [3], layers: [{ kind: 'Linear', out_features: 3 }] };

/** Options of losses, and ends that they want. */
const lossVariants: { [kind: string]: { args?: object; end?: unknown; answers?: number }[] } = {
  CrossEntropyLoss: [{}, { args: { weight: [1, 0.5, 2], ignore_index: 1, label_smoothing: 0.1 } }],
  NLLLoss: [{ args: { weight: [1, 0.5, 2], ignore_index: 1 }, end: { kind: 'LogSoftmax', dim: 1 } }],
  MultiMarginLoss: [{}, { args: { p: 2, margin: 0.5, weight: [1, 0.5, 2] } }],
  BCEWithLogitsLoss: [{}, { args: { weight: [1, 0.5, 2], pos_weight: [3] } }],
  BCELoss: [{ args: { weight: [1, 0.5, 2] }, end: { kind: 'Sigmoid' } }],
  SmoothL1Loss: [{}, { args: { beta: 0.5 } }],
  HuberLoss: [{}, { args: { delta: 0.5 } }],
  KLDivLoss: [{ args: { log_target: true, reduction: 'batchmean' }, end: { kind: 'LogSoftmax', dim: 1 } }],
  PoissonNLLLoss: [{}, { args: { full: true } }],
  GaussianNLLLoss: [{ args: { full: true }, answers: 6 }],
};

/** Every loss with its options. */
export const lossCases: Case[] = lossKinds.flatMap(({ kind, targets }) =>
  (lossVariants[kind] ?? [{}]).map(({ args = {}, end, answers = 3 }, index): Case => {
    const target = targets[0] as TargetKind;
    return {
      ...small,
      name: `${kind} ${index}`,
      output: [answers],
      layers: [{ kind: 'Linear', out_features: answers }, ...(end ? [end] : [])],
      classes: target === 'vector' ? null : 3,
      target,
      targetShape: [3],
      training: { loss: { kind, ...args } },
    };
  }),
);

const usualLoss: Record<TargetKind, string> = {
  class: 'CrossEntropyLoss',
  mask: 'CrossEntropyLoss',
  next_token: 'CrossEntropyLoss',
  multi_label: 'BCEWithLogitsLoss',
  vector: 'MSELoss',
};

/** Every metric as it is, and with each of its options, on targets that it fits. */
export const metricCases: Case[] = metricKinds.flatMap(({ kind, params, targets }) =>
  targets.map((target): Case => {
    const options: object[] = [{}, ...('average' in params ? [{ average: 'weighted' }, { average: 'macro' }] : [])];
    if ('top_k' in params && target !== 'multi_label') options.push({ top_k: 2 });
    const metrics = options.map((args) => ({ kind, ...args }));
    return {
      ...smallFor(target),
      name: `${kind} of ${target}`,
      classes: target === 'vector' ? null : 3,
      target,
      training: { loss: { kind: usualLoss[target] }, metrics: withoutDoubles(metrics) },
    };
  }),
);

/** A small network that answers three scores for such targets. */
function smallFor(target: TargetKind): Pick<Case, 'input' | 'output' | 'layers'> {
  if (target === 'mask') {
    return { input: [2, 3, 4], output: [3, 3, 4], layers: [{ kind: 'Conv2d', out_channels: 3, kernel_size: 1 }] };
  }
  if (target !== 'next_token') return small;
  const layers = [
    { kind: 'Embedding', num_embeddings: 3, embedding_dim: 4 },
    { kind: 'Linear', out_features: 3 },
  ];
  return { input: [5], output: [5, 3], layers };
}

/** Options that are the default fill the same column. */
function withoutDoubles(chosen: { kind: string }[]): object[] {
  const { metrics } = resolveProject({ training: { metrics: chosen } }).training;
  return metrics.map(({ kind, args }) => ({ kind, ...args }));
}

export function planOf(one: Case, loader: object): Plan {
  const { input, output, layers, blocks = {}, training, classes = null, target = null, targetShape = output } = one;
  const tokens = one.tokens ?? null;
  const source = { kind: 'random', shape: input, classes, tokens, target, target_shape: targetShape, samples };
  return planProject(
    {
      gradloom: 1,
      data: { source, split: { val: 0 }, loader: { num_workers: 0, ...loader } },
      model: { layers, blocks },
      training: { loss: { kind: 'MSELoss' }, ...training },
    },
    null,
  );
}

/** Each group's own learning rate for so many steps. */
export function constantGroups({ groups }: Pick<Plan, 'groups'>, steps: number): GroupSchedule[] {
  return groups.map(({ lr }) => ({ lr: new Array<number>(steps).fill(lr) }));
}

/** Writes the plan's random data into the folder (`input`, `target`) and opens a session on it; `change` may alter the files before, `keys` replace keys of the plan. */
export async function openSession(
  plan: Plan,
  folder: string,
  change: (columns: { input: string; target: string }) => void = () => {},
  keys: Partial<NativePlan> = {},
): Promise<NativeSession> {
  const addon = loadAddon();
  const source = plan.project.data.source;
  if (source?.kind !== 'random') throw new Error('The cases use random data');
  mkdirSync(folder, { recursive: true });
  const columns = { input: path.join(folder, 'input'), target: path.join(folder, 'target') };
  await addon.writeRandom({ ...randomRequest(source), ...columns });
  change(columns);
  const { input, target } = randomColumns(source);
  const request: NativePlan = {
    seed: 1,
    deterministic: false,
    device: 'cpu',
    threads: 1,
    input: plan.input,
    model: plan.model ?? [],
    loss: plan.loss,
    optimizer: plan.optimizer,
    groups: plan.groups,
    frozen: plan.frozen,
    inits: nativeInits(plan.tensors),
    target: randomTarget(source),
    metrics: plan.metrics,
    ...neutral,
    transforms: plan.transforms,
    data: {
      parts: {
        train: {
          count: samples,
          input: { path: columns.input, ...input },
          target: { path: columns.target, ...target },
        },
      },
      splits: { train: { part: 'train', count: samples } },
    },
    loader: plan.project.data.loader,
    ...keys,
  };
  return addon.createSession(JSON.stringify(request));
}

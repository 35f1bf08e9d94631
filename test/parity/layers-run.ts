/** Networks planned, built and stepped once in the addon, with everything that real PyTorch needs to do the same. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { nativeInits } from '../../engine/contract/inits.ts';
import { layerKinds, layerTable } from '../../engine/contract/layers/index.ts';
import { product } from '../../engine/contract/layers/kind.ts';
import { type NativePlan, neutral } from '../../engine/contract/native.ts';
import { type Plan, type PlannedLayer, planProject } from '../../engine/contract/plan.ts';
import { loadAddon } from '../../engine/native/load.ts';
import type { GridInput } from './grids/grid.ts';
import type { Layer, RandomStack } from './plan-stacks.ts';
import { generator } from './random.ts';

export interface Network {
  input: GridInput;
  layers: Layer[];
  blocks: RandomStack['blocks'];
}

/** No dimension of a random stack has this size, so that a tensor without its batch is never taken for one with it. */
export const batch = 13;

const seed = 1;

/**
 * So large that an SGD step drowns the weights: before − after is the gradient times it, to fp32's precision. A power of two, which rounds
 * nothing itself.
 */
const lr = 2 ** 20;

export function dimsOf(input: GridInput): number[] {
  return [...('dims' in input ? input.dims : input)];
}

function tokensOf(input: GridInput): number | null {
  return 'dims' in input ? input.tokens : null;
}

/** `output`: dims of the targets, where the network is to be trained. */
export function planNetwork({ input, layers, blocks }: Network, output: number[] = [1]): Plan {
  return planProject(
    {
      gradloom: 1,
      data: { source: { kind: 'idx', path: 'data' } },
      model: { layers, blocks },
      training: { loss: { kind: 'MSELoss' }, optimizer: { kind: 'SGD', lr }, metrics: [] },
    },
    {
      input: {
        dims: dimsOf(input),
        ...('tokens' in input ? { dtype: 'int64', tokens: input.tokens } : { dtype: 'float32' }),
      },
      target: { kind: 'vector', dims: output },
      parts: { train: 1000 },
    },
  );
}

/** Errors of the network's own shapes; what the data wants of its answer is no concern of PyTorch's modules. */
export function shapeErrors({ problems }: Plan) {
  return problems.filter(
    ({ severity, code, path }) =>
      severity === 'error' &&
      code !== 'OUTPUT_MISMATCH' &&
      code !== 'EMPTY_MODEL' &&
      !path.startsWith('training') &&
      !path.startsWith('data'),
  );
}

export function everyLayer(layers: readonly PlannedLayer[]): PlannedLayer[] {
  return layers.flatMap((layer) => [layer, ...(layer.children ?? []).flatMap((child) => everyLayer(child.layers))]);
}

/** Python sources of the classes that the lines name and torch.nn does not have; a class may use an earlier one. */
export function definitionsFor(plan: Plan): string[] {
  const used = new Set(everyLayer(plan.layers).map(({ kind }) => kind));
  return layerKinds.flatMap(({ kind, definition }) => (definition && used.has(kind) ? [definition] : []));
}

/** Whether a convolution or a pooling is among the layers: their sums may be ordered otherwise. */
export function hasWindows(plan: Plan): boolean {
  return everyLayer(plan.layers).some(
    ({ kind, python }) =>
      ['conv', 'pool'].includes(layerTable.get(kind)?.category ?? '') || /conv|pool|squeeze|patch/i.test(python),
  );
}

/** What PyTorch is asked about a network. */
export interface Question {
  input: number[];
  tokens: number | null;
  layers: Layer[];
  blocks: RandomStack['blocks'];
  /** The plan's lines and the classes that they name; null where it has a problem. */
  python: string[] | null;
  definitions: string[];
  /** Places of layers that the plan refuses since they would mix padding into their answers. */
  masked: string[];
  /** What came of it in the addon; null where it was not run there. */
  ran: Ran | null;
}

export interface Ran {
  /** Holds the data (`input`, `target`), the answers before the step, and the states `before` and `after`. */
  folder: string;
  output: number[];
  seed: number;
  lr: number;
  /** null where the step was not finite. */
  loss: number | null;
  /** How far numbers may be off. */
  most: Allowed;
}

/** By the largest of PyTorch's. */
export type Allowed = Record<'answers' | 'loss' | 'buffers' | 'gradients', number>;

/** What PyTorch makes of it. */
export type Answer =
  | { ok: false; error: string; rule: string | null }
  | {
      ok: true;
      shapes: number[][];
      tensors: [string, number[], boolean][];
      parameters: number;
      /** Of matrix products and convolutions, a multiply-add as 2, of one sample. */
      matrix_flops: number;
      lines_differ: string | null;
      /** Whether padding gets into the answer of each of `masked`. */
      mixed: boolean[];
      numbers: Numbers | null;
    };

/** How far the addon's values are from PyTorch's, by the largest of PyTorch's. */
export interface Numbers {
  /** Whether the weights before the step are the same bits. */
  initial: boolean;
  answers: number;
  loss: number;
  gradients: number;
  buffers: number;
  /** The tensor whose gradient differs most. */
  worst: string;
  /** Whether the generator stands at the same place after the step. */
  generator: boolean;
  /** Tensors that were compared, and those of them that are farther off than allowed and count as equal, each with the reason. */
  compared: number;
  excused: string[];
}

export function questionOf(network: Network, plan: Plan, ran: Ran | null): Question {
  const { layers, blocks, input } = network;
  return {
    input: dimsOf(input),
    tokens: tokensOf(input),
    layers,
    blocks,
    python: shapeErrors(plan).length > 0 ? null : plan.layers.map(({ python }) => python),
    definitions: definitionsFor(plan),
    masked: plan.problems.flatMap(({ code, path: place }) => (code === 'WRONG_MASK' ? [place] : [])),
    ran,
  };
}

/** Normally distributed numbers, so wide that the ends of activations are met. */
function writeNumbers(file: string, count: number, random: () => number, scale: number): void {
  const values = Float32Array.from(
    { length: count },
    () => scale * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()),
  );
  writeFileSync(file, values);
}

/**
 * Predicts all samples, then takes one step over them. The network must be one without problems. `ragged`: sequences of tokens of every length,
 * with token 0 behind them and nowhere else.
 */
export async function runNetwork(network: Network, output: number[], folder: string, ragged = false): Promise<Ran> {
  const plan = planNetwork(network, output);
  if (!plan.model) throw new Error(`${JSON.stringify(network)}: ${JSON.stringify(plan.problems)}`);
  const dims = dimsOf(network.input);
  const tokens = tokensOf(network.input);
  mkdirSync(folder, { recursive: true });
  const file = (name: string) => path.join(folder, name);
  const random = generator(product(dims) + network.layers.length);
  if (tokens === null) writeNumbers(file('input'), batch * product(dims), random, 1.5);
  else {
    // The last token is certainly there: a table without it is too small.
    const drawn = Array.from({ length: batch * product(dims) }, (_, index) => {
      if (index === 0) return BigInt(tokens - 1);
      if (!ragged) return BigInt(Math.floor(random() * tokens));
      const [sample, position] = [Math.floor(index / product(dims)), index % product(dims)];
      return position > sample % product(dims) ? 0n : BigInt(1 + Math.floor(random() * (tokens - 1)));
    });
    writeFileSync(file('input'), BigInt64Array.from(drawn));
  }
  writeNumbers(file('target'), batch * product(output), random, 1);
  const request: NativePlan = {
    seed,
    deterministic: false,
    device: 'cpu',
    threads: 1,
    input: plan.input,
    model: plan.model,
    loss: plan.loss,
    optimizer: plan.optimizer,
    groups: plan.groups,
    frozen: plan.frozen,
    inits: nativeInits(plan.tensors),
    target: 'vector',
    metrics: [],
    ...neutral,
    transforms: [],
    data: {
      parts: {
        train: {
          count: batch,
          input: { path: file('input'), dtype: tokens === null ? 'float32' : 'int64', shape: dims, scaled: false },
          target: { path: file('target'), dtype: 'float32', shape: output, scaled: false },
        },
      },
      splits: { train: { part: 'train', count: batch } },
    },
    loader: {
      batch_size: batch,
      shuffle: false,
      drop_last: false,
      num_workers: 0,
      pin_memory: false,
      persistent_workers: false,
      prefetch_factor: 2,
    },
  };
  const session = await loadAddon().createSession(JSON.stringify(request));
  try {
    for (const name of ['before', 'after']) mkdirSync(file(name));
    await session.saveState(file('before'));
    const { logits } = await session.predict({ split: 'train', start: 0, count: batch });
    writeFileSync(file('answers'), logits);
    const { columns, non_finite } = await session.trainSteps({ epoch: 0, batch: 0, steps: 1, groups: [{ lr: [lr] }] });
    await session.saveState(file('after'));
    const loss = non_finite ? null : (columns.loss[0] as number);
    const most = { answers: 1e-5, loss: 1e-5, buffers: 1e-5, gradients: hasWindows(plan) ? 2e-3 : 1e-5 };
    return { folder, output, seed, lr, loss, most };
  } finally {
    await session.close();
  }
}

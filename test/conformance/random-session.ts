/** Small networks on random data in the addon, without a run around them. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { nativeInits } from '../../engine/contract/inits.ts';
import { layerKinds } from '../../engine/contract/layers/index.ts';
import { lossKinds } from '../../engine/contract/losses.ts';
import { metricKinds } from '../../engine/contract/metric-kinds.ts';
import type { GroupSchedule, NativePlan, NativeSession } from '../../engine/contract/native.ts';
import { type Plan, planProject } from '../../engine/contract/plan.ts';
import { resolveProject } from '../../engine/contract/project.ts';
import { randomTarget } from '../../engine/contract/sources.ts';
import type { TargetKind } from '../../engine/contract/tensors.ts';
import { randomColumns, randomRequest } from '../../engine/data/random-source.ts';
import { loadAddon } from '../../engine/native/load.ts';
import { neutral } from '../native/plans.ts';

/** A network to try. `classes` null: targets are vectors of the output's shape. */
export interface Case {
  name: string;
  input: number[];
  output: number[];
  layers: unknown[];
  blocks?: object;
  training?: object;
  classes?: number | null;
  target?: TargetKind;
  targetShape?: number[];
}

export const samples = 12;

/** Every example of every layer kind, behind a Linear that keeps the shape: so all have something to learn and a gradient passes through. */
export const examples: Case[] = layerKinds.flatMap(({ kind, examples }) =>
  examples.map(
    ({ params, input, output }, index): Case => ({
      name: `${kind} ${index}`,
      input,
      output,
      layers: [
        { kind: 'Linear', out_features: input.at(-1) },
        { kind, ...params },
      ],
    }),
  ),
);

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
  targets
    .filter((target) => target !== 'next_token') // its input is tokens, which no layer takes yet
    .map((target): Case => {
      const options: object[] = [{}, ...('average' in params ? [{ average: 'weighted' }, { average: 'macro' }] : [])];
      if ('top_k' in params && target !== 'multi_label') options.push({ top_k: 2 });
      const metrics = options.map((args) => ({ kind, ...args }));
      const mask = target === 'mask';
      return {
        name: `${kind} of ${target}`,
        input: mask ? [2, 3, 4] : [4],
        output: mask ? [3, 3, 4] : [3],
        layers: mask ? [{ kind: 'Conv2d', out_channels: 3, kernel_size: 1 }] : [{ kind: 'Linear', out_features: 3 }],
        classes: target === 'vector' ? null : 3,
        target,
        training: { loss: { kind: usualLoss[target] }, metrics: withoutDoubles(metrics) },
      };
    }),
);

/** Options that are the default fill the same column. */
function withoutDoubles(chosen: { kind: string }[]): object[] {
  const { metrics } = resolveProject({ training: { metrics: chosen } }).training;
  return metrics.map(({ kind, args }) => ({ kind, ...args }));
}

export function planOf(one: Case, loader: object): Plan {
  const { input, output, layers, blocks = {}, training, classes = null, target = null, targetShape = output } = one;
  const source = { kind: 'random', shape: input, classes, target, target_shape: targetShape, samples };
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

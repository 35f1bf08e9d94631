/** Small networks on random data in the addon, without a run around them. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { nativeInits } from '../../engine/contract/inits.ts';
import { layerKinds } from '../../engine/contract/layers/index.ts';
import { lossKinds } from '../../engine/contract/losses.ts';
import type { GroupSchedule, NativePlan, NativeSession } from '../../engine/contract/native.ts';
import { type Plan, planProject } from '../../engine/contract/plan.ts';
import { randomTarget } from '../../engine/contract/sources.ts';
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

/** Every loss with its options. */
export const lossCases: Case[] = lossKinds.flatMap(({ kind, targets }) => {
  const variants: object[] =
    kind === 'CrossEntropyLoss' ? [{}, { weight: [1, 0.5, 2], ignore_index: 1, label_smoothing: 0.1 }] : [{}];
  return variants.map(
    (more, index): Case => ({
      ...small,
      name: `${kind} ${index}`,
      classes: targets.includes('class') ? 3 : null,
      training: { loss: { kind, ...more } },
    }),
  );
});

export function planOf({ input, output, layers, blocks = {}, training, classes = null }: Case, loader: object): Plan {
  const source = { kind: 'random', shape: input, classes, target_shape: output, samples };
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
  await addon.writeRandom({ ...source, ...columns });
  change(columns);
  const classes = source.classes !== null;
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
          input: { path: columns.input, dtype: 'float32', shape: source.shape, scaled: false },
          target: {
            path: columns.target,
            dtype: classes ? 'int64' : 'float32',
            shape: classes ? [] : source.target_shape,
            scaled: false,
          },
        },
      },
      splits: { train: { part: 'train', count: samples } },
    },
    loader: plan.project.data.loader,
    ...keys,
  };
  return addon.createSession(JSON.stringify(request));
}

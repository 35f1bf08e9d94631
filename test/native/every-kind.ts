/** Small plans that together use every row of every table, for suites that run each once in a process of its own. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { initKinds } from '../../engine/contract/inits.ts';
import { layerKinds } from '../../engine/contract/layers/index.ts';
import { product } from '../../engine/contract/layers/kind.ts';
import { type NativePlan, neutral } from '../../engine/contract/native.ts';
import { optimizerKinds } from '../../engine/contract/optimizers.ts';
import { type Plan, planProject } from '../../engine/contract/plan.ts';
import { classes, targetOf, tinyPlan, writePack } from './plans.ts';

export interface Named {
  name: string;
  plan: NativePlan;
}

/** Plans every example of every layer kind behind a layer that keeps its input's shape (tables of tokens come first), on vector targets. */
function layerPlans(folder: string): Named[] {
  return layerKinds.flatMap(({ kind, takes, examples }) =>
    examples.map(({ params, input, output }, index) => {
      const tokens = takes === 'integers' ? (params.num_embeddings as number) : null;
      const layers = [
        ...(tokens === null ? [{ kind: 'Linear', out_features: input.at(-1) }] : []),
        { kind, ...params },
      ];
      const source = { kind: 'random', shape: input, classes: null, target_shape: output, samples: 12, tokens };
      const planned = planProject(
        {
          gradloom: 1,
          data: { source, split: { val: 0 }, loader: { batch_size: 5, num_workers: 1 } },
          model: { layers },
          training: { loss: { kind: 'MSELoss' }, metrics: [] },
        },
        null,
      );
      const place = path.join(folder, `${kind}-${index}`);
      const input_ = writePack(place, { samples: 12, shape: input, input: 'float32' });
      if (tokens !== null) {
        const count = 12 * product(input);
        writeFileSync(
          input_.input.path,
          BigInt64Array.from({ length: count }, (_, i) => BigInt((7 * i) % tokens)),
        );
      }
      const target = writePack(path.join(place, 'answers'), { samples: 12, shape: output, input: 'float32' });
      return {
        name: `${kind} ${index}`,
        plan: assemble(planned, {
          ...input_,
          input: tokens === null ? input_.input : { ...input_.input, dtype: 'int64' },
          target: target.input,
        }),
      };
    }),
  );
}

function assemble(planned: Plan, part: NativePlan['data']['parts'][string]): NativePlan {
  if (planned.model === null) throw new Error(JSON.stringify(planned.problems));
  return {
    seed: 1,
    deterministic: false,
    device: 'cpu',
    threads: 2,
    input: planned.input,
    model: planned.model,
    loss: planned.loss,
    optimizer: planned.optimizer,
    groups: planned.groups,
    frozen: planned.frozen,
    target: targetOf(planned),
    metrics: planned.metrics,
    ...neutral,
    transforms: planned.transforms,
    data: { parts: { train: part }, splits: { train: { part: 'train', count: part.count } } },
    loader: planned.project.data.loader,
  };
}

const moves = [
  { kind: 'RandomCrop', args: { size: [9, 10], padding: [3, 2, 1, 0], fill: 0.5, padding_mode: 'constant' } },
  { kind: 'Normalize', args: { mean: [0.5], std: [0.25] } },
  { kind: 'RandomHorizontalFlip', args: { p: 0.5 } },
  { kind: 'RandomVerticalFlip', args: { p: 0.5 } },
  { kind: 'RandomCrop', args: { size: [7, 9], padding: [0, 0, 0, 0], fill: 0, padding_mode: 'reflect' } },
];

/** Chains that together hold every other transform, each of which ends with images as they came. */
const chains: [name: string, ...transforms: object[]][] = [
  ['resized', { kind: 'Resize', size: 11, interpolation: 'bicubic' }, { kind: 'RandomResizedCrop', size: [8, 9] }],
  ['turned', { kind: 'RandomRotation', degrees: 30 }, { kind: 'RandomAffine', degrees: 9, translate: [0.1, 0.2], shear: 8 }],
  ['recoloured', { kind: 'ColorJitter', brightness: 0.3, contrast: 0.3, saturation: 0.3, hue: 0.2 }, { kind: 'RandomGrayscale', p: 0.5 }],
  ['greyed', { kind: 'Grayscale', num_output_channels: 3 }, { kind: 'GaussianNoise' }],
  ['erased', { kind: 'RandomErasing', p: 0.9, value: 'random' }, { kind: 'GaussianBlur', kernel_size: 3 }],
  ['by policy', { kind: 'RandAugment', num_ops: 8, magnitude: 20 }],
]; // biome-ignore format: a chain a line

function chained(transforms: readonly object[]): NativePlan['transforms'] {
  const all = [...transforms, { kind: 'CenterCrop', size: [7, 9] }];
  const source = { kind: 'random', shape: [3, 7, 9], classes: 5, samples: 40 };
  return planProject({ gradloom: 1, data: { source, transforms: all } }, null).transforms;
}

/** The ways to train that are no layer: optimizers, losses, accumulation, clipping, normalised bytes, a network of the digits' kind. */
function trainingPlans(folder: string): Named[] {
  const named = (name: string, ...[pack, change, layers, training]: TinyRest): Named => ({
    name,
    plan: tinyPlan(path.join(folder, name.replaceAll(' ', '-')), pack, change, layers, training),
  });
  const adam = { kind: 'Adam', amsgrad: true, weight_decay: 0.01 };
  return [
    named('SGD with momentum', {}, {}, undefined, {
      optimizer: { kind: 'SGD', lr: 0.1, momentum: 0.9, nesterov: true },
    }),
    ...optimizerKinds.map(({ kind }) => named(kind, {}, {}, undefined, { optimizer: { kind } })),
    named('Adam with more state', {}, {}, undefined, { optimizer: adam }),
    named('RMSprop with more state', {}, {}, undefined, {
      optimizer: { kind: 'RMSprop', centered: true, momentum: 0.9 },
    }),
    named('frozen and grouped', {}, {}, [
      { kind: 'Conv2d', out_channels: 3, kernel_size: 2, train: { freeze: true } },
      { kind: 'ReLU' },
      { kind: 'MaxPool2d', kernel_size: 2 },
      { kind: 'Flatten' },
      { kind: 'Linear', out_features: 9, train: { lr: 0.1 } },
      { kind: 'LayerNorm', train: { freeze: true } },
      { kind: 'Linear', out_features: classes },
    ]),
    named('CrossEntropyLoss', {}, {}, undefined, {
      loss: { kind: 'CrossEntropyLoss', label_smoothing: 0.1, weight: [1, 2, 3, 4, 5] },
    }),
    named('vectors', { target: 'vector' }),
    named('accumulated and clipped', {}, { accumulate: 2, clip_grad_norm: 0.5, deterministic: true }),
    named('mixed', { shape: [2, 7, 9] }, { mixup: { alpha: 0.3 }, cutmix: { alpha: 1 } }),
    named('moved', { shape: [2, 7, 9] }, { transforms: moves }),
    named('moved floats', { shape: [2, 7, 9], input: 'float32' }, { transforms: moves, accumulate: 2 }),
    ...chains.map(([name, ...transforms]) => named(name, { shape: [3, 7, 9] }, { transforms: chained(transforms) })),
    ...initKinds
      .filter(({ kind }) => kind !== 'default')
      .map(({ kind }) =>
        named(`initialised by ${kind}`, {}, {}, [
          { kind: 'Flatten' },
          { kind: 'Linear', out_features: 9, train: { init: { kind, val: 0.1, sparsity: 0.4 } } },
          { kind: 'Linear', out_features: 5, train: { init: { kind, val: 0.1, sparsity: 0.4, bias: 'zeros' } } },
        ]),
      ),
    named('normalised', {}, { transforms: [{ kind: 'Normalize', args: { mean: [0.5], std: [0.25] } }] }),
    named('bf16 and averaged', {}, { precision: 'bf16', ema: { decay: 0.9 } }),
    named(
      'fp16 that overflows',
      {},
      {
        precision: 'fp16',
        loss_scale: { init_scale: 2 ** 26, growth_factor: 2, backoff_factor: 0.5, growth_interval: 2 },
        clip_grad_value: 0.1,
        accumulate: 2,
      },
    ),
    named('checkpointed', { shape: [1, 6, 6] }, { activation_checkpointing: ['0', '3'] }, [
      { kind: 'Conv2d', out_channels: 2, kernel_size: 3 },
      { kind: 'BatchNorm2d' },
      { kind: 'Dropout', p: 0.2 },
      { kind: 'Conv2d', out_channels: 2, kernel_size: 3 },
      { kind: 'Flatten' },
      { kind: 'Linear', out_features: 5 },
    ]),
    named('convolutions', { shape: [2, 12, 12], target: 'uint8' }, {}, [
      { kind: 'Conv2d', out_channels: 8, kernel_size: 3, padding: 1 },
      { kind: 'ReLU' },
      { kind: 'MaxPool2d', kernel_size: 2 },
      { kind: 'BatchNorm2d' },
      { kind: 'Dropout', p: 0.3 },
      { kind: 'Flatten' },
      { kind: 'Linear', out_features: 5 },
    ]),
  ];
}
type TinyRest = Parameters<typeof tinyPlan> extends [string, ...infer Rest] ? Rest : never;

export const plansOfEveryKind = (folder: string): Named[] => [...layerPlans(folder), ...trainingPlans(folder)];

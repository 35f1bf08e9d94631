/** The two networks of the MNIST workflow, exactly; and what the other templates are known by. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { planProject } from '../../engine/contract/plan.ts';
import { readProject, resolveProject } from '../../engine/contract/project.ts';
import { digits } from './cases.ts';

const read = (name: string) => {
  const { project, problems, text } = readProject(readFileSync(`assets/templates/${name}.gradloom.json`, 'utf8'));
  expect(problems).toEqual([]);
  return { project: project as { [key: string]: unknown }, text };
};

const rows = [
  {
    name: 'digits-mlp',
    lines: [
      'nn.Flatten()',
      'nn.Linear(784, 256)',
      'nn.ReLU()',
      'nn.Linear(256, 128)',
      'nn.ReLU()',
      'nn.Linear(128, 10)',
    ],
    parameters: 235_146,
    flops: 2 * (784 * 256 + 256 * 128 + 128 * 10) + 256 + 128,
  },
  {
    name: 'digits-cnn',
    lines: [
      'nn.Conv2d(1, 32, kernel_size=3, padding=1)',
      'nn.ReLU()',
      'nn.MaxPool2d(2)',
      'nn.Conv2d(32, 64, kernel_size=3, padding=1)',
      'nn.ReLU()',
      'nn.MaxPool2d(2)',
      'nn.Flatten()',
      'nn.Linear(3136, 256)',
      'nn.ReLU()',
      'nn.Dropout(0.5)',
      'nn.Linear(256, 10)',
    ],
    parameters: 824_458,
    // Convolutions, ReLUs, poolings, linear layers, ReLU and dropout.
    flops:
      2 * (9 * 32 * 784 + 32 * 9 * 64 * 196) +
      (32 * 784 + 64 * 196) +
      4 * (32 * 196 + 64 * 49) +
      2 * (3136 * 256 + 256 * 10) +
      2 * 256,
  },
];

test.each(rows)('$name', ({ name, lines, parameters, flops }) => {
  const { project } = read(name);
  const plan = planProject(project, digits);
  expect({
    problems: plan.problems,
    input: plan.input,
    lines: plan.layers.map(({ python }) => python),
    output: plan.output,
    parameters: plan.parameters,
    flops: plan.flops,
    splits: plan.splits,
  }).toEqual({
    problems: [],
    input: [1, 28, 28],
    lines,
    output: [10],
    parameters,
    flops,
    splits: { train: 9000, val: 1000, test: 1000 },
  });
  expect(resolveProject(project)).toEqual({
    gradloom: 1,
    name,
    data: {
      source: { kind: 'idx', path: '../data/digits', target: null },
      split: { val: 'test', seed: 42, stratify: true },
      transforms: [{ kind: 'Normalize', args: { mean: [0.5], std: [0.5] } }],
      loader: {
        batch_size: 256,
        shuffle: true,
        drop_last: false,
        num_workers: 4,
        pin_memory: true,
        persistent_workers: true,
        prefetch_factor: 2,
        sampler: 'shuffle',
        class_weights: null,
        bucket_by_length: false,
      },
    },
    model: { layers: (project.model as { layers: unknown[] }).layers, blocks: {}, weights: null, weights_names: null },
    training: {
      epochs: 10,
      loss: { kind: 'CrossEntropyLoss', args: { weight: null, ignore_index: -100, label_smoothing: 0 } },
      optimizer: {
        kind: 'Adam',
        args: { lr: 0.001, betas: [0.9, 0.999], eps: 1e-8, weight_decay: 0, amsgrad: false, maximize: false },
      },
      metrics: [
        {
          key: 'accuracy',
          kind: 'accuracy',
          args: { threshold: 0.5, average: 'micro', top_k: 1, ignore_index: null },
        },
      ],
      device: 'auto',
      precision: 'fp32',
      seed: 42,
      deterministic: false,
      accumulate: 1,
      decay_norms_and_biases: true,
      clip_grad_norm: null,
      clip_grad_value: null,
      mixup: null,
      cutmix: null,
      activation_checkpointing: false,
      tf32: false,
      loss_scale: { init_scale: 65536, growth_factor: 2, backoff_factor: 0.5, growth_interval: 2000 },
      ema: null,
      schedule: null,
      early_stopping: null,
      checkpoint: { every_epochs: 1, every_steps: null, every_minutes: null, keep: 2, top_k: 1, monitor: 'val_loss' },
    },
  });
});

test('a project that says nothing has the defaults of the templates, apart from its data and layers', () => {
  const { project } = read('digits-mlp');
  const { training, data } = resolveProject(project);
  const bare = resolveProject({});
  expect(bare.training).toEqual(training);
  expect(bare.data.loader).toEqual(data.loader);
  expect(bare.data).toMatchObject({ source: null, split: { val: 0.1, seed: 42, stratify: true }, transforms: [] });
});

test('the memory estimate of the MLP', () => {
  const { memory } = planProject(read('digits-mlp').project, digits);
  const weights = 4 * 235_146;
  const batch = 256 * (4 * 784 + 8);
  expect(memory).toMatchObject({
    weights,
    gradients: weights,
    // Two running means of each value, and the step of each of the six tensors.
    optimizer: 2 * weights + 4 * 6,
    // Both ReLUs keep their output, which the Linear layers need too; the loss keeps its logarithms.
    activations: 256 * 4 * (256 + 128 + 10),
    // The one at work, and two for each of four workers.
    input: 9 * batch,
  });
});

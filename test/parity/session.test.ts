/**
 * How a session calculates against real PyTorch on the CPU: autocast, gradient scaling, clipping, accumulation, averaged weights. Activation
 * checkpointing equals a plain run bit for bit (test/native/session-numbers.test.ts); here it meets PyTorch's plain run.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunEvent } from '../../engine/contract/events.ts';
import { evaluateRun, predictRun, RunControl, trainRun } from '../../engine/runs/index.ts';
import { PythonServer } from './python.ts';

type Settings = Record<string, unknown>;

interface Answer {
  losses: number[];
  scale: number[];
  skipped: number[];
  grad_norm: number[];
  val_loss: number;
  logits: number[][];
}

const templates = path.resolve(import.meta.dirname, '../../assets/templates');
const threads = Math.max(1, Math.min(2, os.availableParallelism()));
const python = new PythonServer('session.py');
let top: string;
let counter = 0;

beforeAll(() => {
  top = mkdtempSync(path.join(os.tmpdir(), 'gradloom-parity-session-'));
});
afterAll(async () => {
  await python.close();
  rmSync(top, { recursive: true, force: true });
});

const mlp: Settings[] = [
  { kind: 'Flatten' },
  { kind: 'Linear', out_features: 96 },
  { kind: 'ReLU' },
  { kind: 'Linear', out_features: 48 },
  { kind: 'Tanh' },
  { kind: 'Linear', out_features: 10 },
];
const cnn: Settings[] = [
  { kind: 'Conv2d', out_channels: 8, kernel_size: 3, padding: 1 },
  { kind: 'ReLU' },
  { kind: 'MaxPool2d', kernel_size: 2 },
  { kind: 'Conv2d', out_channels: 16, kernel_size: 3, padding: 1, bias: false },
  { kind: 'BatchNorm2d' },
  { kind: 'ReLU' },
  { kind: 'Residual', layers: [{ kind: 'Conv2d', out_channels: 16, kernel_size: 3, padding: 1 }] },
  { kind: 'AdaptiveAvgPool2d', output_size: 4 },
  { kind: 'Flatten' },
  { kind: 'LayerNorm' },
  { kind: 'Linear', out_features: 10 },
];

function projectOf(layers: Settings[], training: Settings, batch_size = 128) {
  return {
    gradloom: 1,
    name: 'numbers',
    data: {
      source: { kind: 'idx', path: '../data/digits' },
      split: { val: 0.8, seed: 3, stratify: true },
      transforms: [{ kind: 'Normalize', mean: [0.5], std: [0.5] }],
      loader: { batch_size, num_workers: 1 },
    },
    model: { layers },
    training: {
      epochs: 2,
      loss: { kind: 'CrossEntropyLoss' },
      optimizer: { kind: 'AdamW', lr: 0.002, weight_decay: 0.01 },
      seed: 4,
      device: 'cpu',
      metrics: [],
      ...training,
    },
  };
}
type ProjectFile = ReturnType<typeof projectOf>;

async function here(project: ProjectFile) {
  const events: RunEvent[] = [];
  const run = path.join(top, String(++counter), 'run');
  mkdirSync(path.dirname(run));
  const request = { projectText: JSON.stringify(project), baseDir: templates, run, threads };
  const end = await trainRun(request, (event) => events.push(event), new RunControl());
  expect(end.status).toBe('completed');
  const last = events.filter((event) => event.type === 'checkpoint').at(-1);
  const folder = path.join(run, 'checkpoints', path.basename(last?.folder ?? ''));
  const column = (name: string) =>
    events.flatMap((event) =>
      event.type === 'steps' ? (((event as Settings)[name] as number[] | undefined) ?? []) : [],
    );
  const evaluation = await evaluateRun(run, { split: 'val', checkpoint: 'last' });
  const logits: number[][] = [];
  await predictRun(run, { split: 'val', start: 0, count: 8, checkpoint: 'last' }, (row) => {
    logits.push(row.logits as number[]);
  });
  return {
    folder,
    losses: column('train_loss'),
    scale: column('scale'),
    skipped: column('skipped'),
    grad_norm: column('grad_norm'),
    val_loss: evaluation.loss as number,
    logits,
  };
}

async function there(project: ProjectFile, options: Settings = {}) {
  const out = path.join(top, String(++counter));
  mkdirSync(out);
  const answer = await python.ask<Answer>({ do: 'train', project, base: templates, threads, out, ...options });
  return { out, ...answer };
}

/** The largest max|a − b| ÷ max|b| over the tensors of both sides' file of that name. */
async function distance(mine: { folder: string }, torch: { out: string }, name: 'model' | 'ema'): Promise<number> {
  const [a, b] = [mine.folder, torch.out].map((folder) => path.join(folder, `${name}.safetensors`));
  return Math.max(...Object.values(await python.ask<Record<string, number>>({ do: 'compare', a, b })));
}

/** The largest difference, relative to the largest value. */
function apart(a: number[], b: number[]): number {
  expect(a).toHaveLength(b.length);
  const largest = Math.max(...b.map(Math.abs));
  return Math.max(...a.map((value, i) => Math.abs(value - (b[i] as number)))) / largest;
}

const both = async (project: ProjectFile, options: Settings = {}) => ({
  mine: await here(project),
  torch: await there(project, options),
});

const overflowing = { init_scale: 2 ** 30, growth_factor: 2, backoff_factor: 0.5, growth_interval: 3 };

/** What the engine convolves in on a CPU. PyTorch in its default layout takes other kernels, which round otherwise. */
const sameLayout = { channels_last: true };

describe('bf16', () => {
  test.each([
    ['the MLP', mlp],
    ['the CNN', cnn],
  ] as const)('%s: losses, weights, averages and answers are bit for bit PyTorch’s', async (_name, layers) => {
    const { mine, torch } = await both(projectOf([...layers], { precision: 'bf16', ema: { decay: 0.9 } }), sameLayout);
    expect(mine.losses).toEqual(torch.losses);
    expect(await distance(mine, torch, 'model')).toBe(0);
    expect(await distance(mine, torch, 'ema')).toBe(0);
    expect(mine.logits).toEqual(torch.logits);
    expect(apart([mine.val_loss], [torch.val_loss])).toBeLessThan(1e-6); // summed batch by batch here, at once there
  });

  test('the CNN in PyTorch’s default layout: as close as PyTorch is to itself', async () => {
    const project = projectOf(cnn, { precision: 'bf16' });
    const { mine, torch } = await both(project);
    const last = await there(project, sameLayout);
    // bf16 keeps 8 bits: a rounding of 2⁻⁹ here and there, averaged over batch and channels.
    const itself = apart(last.losses, torch.losses);
    expect(itself).toBeLessThan(2 ** -9);
    expect(apart(mine.losses, torch.losses)).toBeLessThanOrEqual(2 * itself + 1e-6);
  });
});

describe('fp16', () => {
  test.each([
    ['the MLP', mlp, {}],
    [
      'the MLP, accumulated, clipped and averaged',
      mlp,
      { accumulate: 3, clip_grad_norm: 1, clip_grad_value: 0.05, ema: { decay: 0.9 } },
    ],
    ['the CNN', cnn, { epochs: 1 }],
  ] as const)('%s: the same steps are skipped at the same scales', async (_name, layers, more) => {
    const training = { precision: 'fp16', loss_scale: overflowing, ...more };
    const { mine, torch } = await both(projectOf([...layers], training, 64), sameLayout);
    expect(torch.skipped.filter((flag) => flag === 1).length).toBeGreaterThan(5);
    expect(torch.skipped.filter((flag) => flag === 0).length).toBeGreaterThan(3);
    expect(mine.skipped).toEqual(torch.skipped);
    expect(mine.scale).toEqual(torch.scale);
    expect(apart(mine.losses, torch.losses)).toBeLessThanOrEqual(1e-5);
    expect(await distance(mine, torch, 'model')).toBeLessThanOrEqual(1e-5);
    if ('ema' in more) expect(await distance(mine, torch, 'ema')).toBeLessThanOrEqual(1e-5);
  });
});

describe('fp32', () => {
  test('accumulated is the large batch, with class weights, an ignored class and a remainder', async () => {
    const loss = {
      kind: 'CrossEntropyLoss',
      weight: [1, 2, 0.5, 1, 3, 1, 1, 0.1, 1, 1],
      label_smoothing: 0.1,
      ignore_index: 3,
    };
    const training = { loss, epochs: 1, optimizer: { kind: 'SGD', lr: 0.1, momentum: 0.9 } };
    const mine = await here(projectOf(mlp, { ...training, accumulate: 3 }, 50));
    const torch = await there(projectOf(mlp, training, 150));
    expect(apart(mine.losses, torch.losses)).toBeLessThanOrEqual(1e-5);
    expect(await distance(mine, torch, 'model')).toBeLessThanOrEqual(1e-5);
  });

  test('clipped by norm, then by value', async () => {
    const { mine, torch } = await both(projectOf(mlp, { clip_grad_norm: 0.5, clip_grad_value: 0.01 }));
    expect(Math.max(...torch.grad_norm)).toBeGreaterThan(0.5);
    expect(apart(mine.grad_norm, torch.grad_norm)).toBeLessThanOrEqual(1e-5);
    expect(apart(mine.losses, torch.losses)).toBeLessThanOrEqual(1e-5);
    expect(await distance(mine, torch, 'model')).toBeLessThanOrEqual(1e-5);
  });

  test.each([
    ['the MLP', mlp],
    ['the CNN, with its running statistics', cnn],
  ] as const)('averaged weights of %s', async (_name, layers) => {
    const project = projectOf([...layers], { ema: { decay: 0.95 }, epochs: 1 }, 256);
    const { mine, torch } = await both(project, sameLayout);
    expect(await distance(mine, torch, 'ema')).toBeLessThanOrEqual(1e-5);
    expect(apart(mine.logits.flat(), torch.logits.flat())).toBeLessThanOrEqual(1e-5);
    expect(apart([mine.val_loss], [torch.val_loss])).toBeLessThanOrEqual(1e-5);
  });

  test('activation checkpointing with dropout is PyTorch’s plain run', async () => {
    const deep = [
      { kind: 'Flatten' },
      {
        kind: 'Repeat',
        times: 4,
        layers: [{ kind: 'Linear', out_features: 64 }, { kind: 'ReLU' }, { kind: 'Dropout', p: 0.1 }],
      },
      { kind: 'Linear', out_features: 10 },
    ];
    const { mine, torch } = await both(projectOf(deep, { activation_checkpointing: true, epochs: 1 }));
    expect(mine.losses).toEqual(torch.losses);
    expect(await distance(mine, torch, 'model')).toBe(0);
  });
});

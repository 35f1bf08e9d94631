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

async function there(project: ProjectFile) {
  const out = path.join(top, String(++counter));
  mkdirSync(out);
  const padded = {
    ...project,
    data: { ...project.data, loader: { shuffle: true, drop_last: false, ...project.data.loader } },
  };
  const answer = await python.ask<Answer>({ do: 'train', project: padded, base: templates, threads, out });
  return { out, ...answer };
}

async function both(project: ProjectFile) {
  return { mine: await here(project), torch: await there(project) };
}

/** The largest max|a − b| ÷ max|b| over the tensors of two files. */
async function distance(a: string, b: string): Promise<number> {
  const answer = await python.ask<Record<string, number>>({ do: 'compare', a, b });
  return Math.max(...Object.values(answer));
}

/** The largest difference, relative to the largest value. */
function apart(a: number[], b: number[]): number {
  expect(a).toHaveLength(b.length);
  const largest = Math.max(...b.map(Math.abs));
  return Math.max(...a.map((value, i) => Math.abs(value - (b[i] as number)))) / largest;
}

const model = (folder: string) => path.join(folder, 'model.safetensors');

describe.each([
  ['the MLP', mlp],
  ['the CNN', cnn],
] as const)('%s', (_name, layers) => {
  test('bf16', async () => {
    const { mine, torch } = await both(projectOf([...layers], { precision: 'bf16' }));
    console.log(
      'bf16',
      apart(mine.losses, torch.losses),
      mine.losses.findIndex((x, i) => x !== torch.losses[i]),
      await distance(model(mine.folder), model(torch.out)),
      apart(mine.logits.flat(), torch.logits.flat()),
      mine.val_loss,
      torch.val_loss,
    );
  });
  test('fp16 with overflows', async () => {
    const loss_scale = { init_scale: 2 ** 40, growth_factor: 2, backoff_factor: 0.5, growth_interval: 3 };
    const { mine, torch } = await both(projectOf([...layers], { precision: 'fp16', loss_scale, clip_grad_norm: 1 }));
    console.log(
      'fp16',
      mine.skipped.join(''),
      torch.skipped.join(''),
      apart(mine.losses, torch.losses),
      mine.scale.findIndex((x, i) => x !== torch.scale[i]),
      await distance(model(mine.folder), model(torch.out)),
      mine.val_loss,
      torch.val_loss,
    );
  });
});

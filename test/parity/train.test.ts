/**
 * Training against real PyTorch, from the project file to the last weight. The MLP agrees to 1e-4 everywhere; convolutions, where PyTorch
 * itself drifts between kernels and thread counts, agree in their first gradients and steps, and in what they learn.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunEvent } from '../../engine/contract/events.ts';
import { loadAddon } from '../../engine/native/load.ts';
import { evaluateRun, exportRun, predictRun, RunControl, trainRun } from '../../engine/runs/index.ts';
import { nativePlan, planRun, prepareData } from '../../engine/runs/prepare.ts';
import { PythonServer } from './python.ts';

type Settings = Record<string, unknown>;
interface ProjectFile {
  name: string;
  data: { source: Settings; split: Settings; transforms: Settings[]; loader: Settings };
  model: { layers: Settings[]; blocks?: Settings };
  training: Settings & { epochs: number };
}

interface Reference {
  losses: number[];
  epochs: { train_loss: number; val_loss?: number; train_accuracy?: number; val_accuracy?: number }[];
}

interface Answer {
  loss: number;
  accuracy: number;
  confusion: number[][];
  logits: number[][];
}

const templates = path.resolve(import.meta.dirname, '../../assets/templates');
const threads = Math.max(1, Math.min(2, os.availableParallelism()));
const python = new PythonServer('train.py');
let top: string;
let counter = 0;

beforeAll(() => {
  top = mkdtempSync(path.join(os.tmpdir(), 'gradloom-parity-'));
});
afterAll(async () => {
  await python.close();
  rmSync(top, { recursive: true, force: true });
});

function folder(): string {
  const made = path.join(top, String(++counter));
  mkdirSync(made);
  return made;
}

function template(name: string, change: (project: ProjectFile) => void = () => {}): ProjectFile {
  const project = JSON.parse(readFileSync(path.join(templates, `${name}.gradloom.json`), 'utf8')) as ProjectFile;
  project.training.epochs = 2;
  project.training.device = 'cpu';
  change(project);
  return project;
}

/** Trains with the engine; the run folder, each step's loss, the epochs' lines. */
async function trainHere(project: ProjectFile) {
  const events: RunEvent[] = [];
  const run = path.join(folder(), 'run');
  const request = { projectText: JSON.stringify(project), baseDir: templates, run };
  const end = await trainRun(request, (event) => events.push(event), new RunControl());
  expect(end.status).toBe('completed');
  const last = events.filter((event) => event.type === 'checkpoint').at(-1);
  return {
    run,
    weights: path.join(run, 'checkpoints', path.basename(last?.folder ?? ''), 'model.safetensors'),
    losses: events.flatMap((event) => (event.type === 'steps' ? (event.train_loss as number[]) : [])),
    epochs: events.filter((event) => event.type === 'epoch') as unknown as Reference['epochs'],
  };
}

async function trainThere(project: ProjectFile) {
  const out = folder();
  const answer = await python.ask<Reference>({ do: 'train', project, base: templates, threads, out });
  return { out, ...answer };
}

/** A session's state before its first step and after one step, whose difference with SGD and lr 1 is the gradient. */
async function firstStep(project: ProjectFile) {
  const changed: ProjectFile = structuredClone(project);
  changed.training.optimizer = { kind: 'SGD', lr: 1 };
  const place = folder();
  const { plan } = await planRun({ text: JSON.stringify(changed), baseDir: templates, label: 'project' });
  const addon = loadAddon();
  const data = await prepareData(plan, addon, place);
  const session = await addon.createSession(
    JSON.stringify(nativePlan(plan, data, { device: 'cpu', precision: 'fp32', threads })),
  );
  const [before, after] = [path.join(place, 'before'), path.join(place, 'after')];
  for (const made of [before, after]) mkdirSync(made);
  await session.saveState(before);
  await session.trainSteps({ epoch: 0, batch: 0, steps: 1, groups: [{ lr: [1] }] });
  await session.saveState(after);
  await session.close();
  return { before: path.join(before, 'model.safetensors'), after: path.join(after, 'model.safetensors') };
}

/** The largest max|a − b| ÷ max|b| over all tensors. */
async function distance(a: string, b: string, before?: string): Promise<number> {
  const answer = await python.ask<Record<string, number>>({ do: 'compare', a, b, before });
  return Math.max(...Object.values(answer));
}

function expectClose(a: number[], b: number[], tolerance: number): void {
  expect(a).toHaveLength(b.length);
  const largest = Math.max(...b.map(Math.abs));
  const worst = Math.max(...a.map((value, i) => Math.abs(value - (b[i] as number))));
  expect(worst).toBeLessThanOrEqual(tolerance * largest);
}

/** Every number of every epoch; accuracies may differ by the samples on the edge that `tolerance` allows. */
function expectEpochs(here: Reference['epochs'], there: Reference['epochs'], tolerance: number): void {
  expect(here).toHaveLength(there.length);
  for (const [i, line] of there.entries()) {
    for (const [key, value] of Object.entries(line)) {
      const mine = (here[i] as Record<string, number>)[key] as number;
      const allowed = key.endsWith('accuracy') ? Math.max(tolerance, 0.001) : tolerance * Math.max(1, Math.abs(value));
      expect(Math.abs(mine - value), `epoch ${i + 1} ${key}: ${mine} here, ${value} there`).toBeLessThanOrEqual(
        allowed,
      );
    }
  }
}

const vectors: Partial<ProjectFile['data']> = {
  source: { kind: 'random', shape: [12], classes: null, target_shape: [3], samples: 700, seed: 9 },
  split: { val: 0.2, seed: 5, stratify: false },
  transforms: [],
};

describe('the MLP', () => {
  const variants: [string, (project: ProjectFile) => void][] = [
    ['as the template has it (Adam)', () => {}],
    ['another seed, another order', (project) => Object.assign(project.training, { seed: 7 })],
    [
      'SGD with Nesterov momentum and weight decay',
      (project) => {
        project.training.optimizer = { kind: 'SGD', lr: 0.05, momentum: 0.9, nesterov: true, weight_decay: 0.001 };
      },
    ],
    [
      'AdamW, amsgrad',
      (project) => {
        project.training.optimizer = { kind: 'AdamW', lr: 0.002, weight_decay: 0.05, amsgrad: true };
      },
    ],
    [
      'one cycle, which gives plain SGD its momentum, after a warm-up',
      (project) => {
        project.training.optimizer = { kind: 'SGD', lr: 0.02 };
        project.training.schedule = { kind: 'OneCycleLR', max_lr: 0.1, warmup: { steps: 9, start_factor: 0.2 } };
      },
    ],
    [
      'a cosine by steps, the first beta as it is, and accumulation',
      (project) => {
        project.training.schedule = { kind: 'CosineAnnealingLR', unit: 'step', warmup: { steps: 5 } };
        project.training.accumulate = 2;
      },
    ],
    [
      'a plateau that each epoch is on',
      (project) => {
        project.training.schedule = { kind: 'ReduceLROnPlateau', patience: 0, threshold: 0.9, factor: 0.3 };
        project.training.epochs = 3;
      },
    ],
    [
      'accumulation with a remainder, and clipped gradients',
      (project) => {
        Object.assign(project.training, { accumulate: 3, clip_grad_norm: 0.5 });
        project.data.loader.batch_size = 96;
      },
    ],
    [
      'a stratified fraction for validation, label smoothing, the last batch dropped',
      (project) => {
        project.data.split = { val: 0.15, seed: 3, stratify: true };
        project.training.loss = { kind: 'CrossEntropyLoss', label_smoothing: 0.1 };
        project.data.loader.drop_last = true;
      },
    ],
    [
      'mean squared error on vectors, in file order',
      (project) => {
        Object.assign(project.data, vectors);
        project.data.loader = { ...project.data.loader, batch_size: 64, shuffle: false };
        project.model.layers = [
          { kind: 'Linear', out_features: 32 },
          { kind: 'Tanh' },
          { kind: 'LayerNorm' },
          { kind: 'Linear', out_features: 3 },
        ];
        Object.assign(project.training, { loss: { kind: 'MSELoss' }, metrics: [] });
      },
    ],
  ];

  test.each(variants)('%s: weights, steps and what is learned', async (_name, change) => {
    const project = template('digits-mlp', change);
    const there = await trainThere(project);
    const { before } = await firstStep(project);
    expect(await distance(before, path.join(there.out, 'initial.safetensors'))).toBe(0);
    const here = await trainHere(project);
    expectClose(here.losses, there.losses, 1e-4);
    expect(await distance(here.weights, path.join(there.out, 'final.safetensors'))).toBeLessThanOrEqual(1e-4);
    expectEpochs(here.epochs, there.epochs, 1e-4);
  });
});

describe('the CNN', () => {
  const variants: [string, (project: ProjectFile) => void][] = [
    [
      'without dropout',
      (project) => {
        for (const layer of project.model.layers) if (layer.kind === 'Dropout') layer.p = 0;
      },
    ],
    ['with dropout, by the seed rules', () => {}],
    [
      'with blocks, normalization and every other kind of layer',
      (project) => {
        project.training.epochs = 1;
        project.data.source = { kind: 'random', shape: [3, 12, 12], classes: 5, samples: 600, seed: 2 };
        project.data.split = { val: 0.1, seed: 1, stratify: true };
        project.data.transforms = [];
        project.data.loader.batch_size = 60;
        project.model.layers = [
          { kind: 'Conv2d', out_channels: 8, kernel_size: 3, padding: 1, bias: false },
          { kind: 'BatchNorm2d' },
          { kind: 'LeakyReLU', negative_slope: 0.1 },
          {
            kind: 'Residual',
            shortcut: 'auto',
            layers: [
              { kind: 'Conv2d', out_channels: 12, kernel_size: 3, padding: 1, stride: 2 },
              { kind: 'GELU' },
              { kind: 'Dropout', p: 0.2 },
            ],
          },
          {
            kind: 'Parallel',
            branches: [
              [{ kind: 'AvgPool2d', kernel_size: 2 }],
              [{ kind: 'MaxPool2d', kernel_size: 2 }, { kind: 'SiLU' }],
            ],
          },
          {
            kind: 'Repeat',
            times: 2,
            layers: [{ kind: 'Conv2d', out_channels: 10, kernel_size: 1 }, { kind: 'Tanh' }],
          },
          { kind: 'AdaptiveAvgPool2d', output_size: 2 },
          { kind: 'Flatten' },
          { kind: 'LayerNorm' },
          { kind: 'Linear', out_features: 16 },
          { kind: 'Sigmoid' },
          { kind: 'Identity' },
          { kind: 'Linear', out_features: 5 },
        ];
      },
    ],
  ];

  test.each(variants)('%s: first gradients, ten steps, epochs', async (_name, change) => {
    const project = template('digits-cnn', change);
    const there = await trainThere(project);
    const { before, after } = await firstStep(project);
    expect(await distance(before, path.join(there.out, 'initial.safetensors'))).toBe(0);
    expect(await distance(after, path.join(there.out, 'gradients.safetensors'), before)).toBeLessThanOrEqual(2e-3);
    const here = await trainHere(project);
    expectClose(here.losses.slice(0, 10), there.losses.slice(0, 10), 1e-4);
    expectEpochs(here.epochs, there.epochs, 5e-3);
  });
});

describe('saved weights', () => {
  test.each(['digits-mlp', 'digits-cnn'])('of %s say the same in PyTorch: as safetensors and as .pt', async (name) => {
    const project = template(name, ({ training }) => Object.assign(training, { epochs: 1 }));
    const { run } = await trainHere(project);
    const evaluation = await evaluateRun(run, { split: 'val', checkpoint: 'last' });
    const rows = 64;
    const logits: number[][] = [];
    await predictRun(run, { split: 'val', start: 0, count: rows, checkpoint: 'last' }, (row) => {
      logits.push(row.logits as number[]);
    });
    for (const format of ['safetensors', 'pt'] as const) {
      const out = path.join(folder(), `weights.${format}`);
      await exportRun(run, { format, out, checkpoint: 'last' });
      const request = { do: 'evaluate', project, base: templates, threads, weights: out, split: 'val', rows };
      const there = await python.ask<Answer>(request);
      expectClose(logits.flat(), there.logits.flat(), 1e-4);
      expect(Math.abs((evaluation.loss as number) - there.loss)).toBeLessThanOrEqual(1e-4 * there.loss);
      expect(evaluation.metrics.accuracy).toBeCloseTo(there.accuracy, 3);
      const moved = (evaluation.confusion ?? [])
        .flat()
        .map((count, i) => Math.abs(count - (there.confusion.flat()[i] ?? 0)));
      expect(moved.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(4);
    }
  });
});

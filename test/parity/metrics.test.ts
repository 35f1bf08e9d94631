/** Every metric with its options against torchmetrics: thousands of samples, ties, classes that do not occur, ignored ones, batches that are short. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { metricKinds } from '../../engine/contract/metric-kinds.ts';
import { resolveProject } from '../../engine/contract/project.ts';
import type { TargetType } from '../../engine/contract/tensors.ts';
import { numbers, type Setting, sessionOn, writeColumn, writeIdentity } from './made-data.ts';
import { PythonServer } from './python.ts';

const python = new PythonServer('metrics.py');
let top: string;
let counter = 0;

beforeAll(() => {
  top = mkdtempSync(path.join(os.tmpdir(), 'gradloom-metrics-'));
});
afterAll(async () => {
  await python.close();
  rmSync(top, { recursive: true, force: true });
});

const names = (length: number) => Array.from({ length }, (_, index) => String(index));
const product = (dims: number[]) => dims.reduce((a, b) => a * b, 1);

type Task = 'multiclass' | 'binary' | 'multilabel' | 'regression';
type Metric = { kind: string; [argument: string]: unknown };

interface Case {
  name: string;
  task: Task;
  target: TargetType;
  count: number;
  /** Dims of one sample's answer, which is its input too. */
  dims: number[];
  /** Of the target; the answer's positions unless said. */
  targetDims: number[];
  loss: object;
  metrics: Metric[];
  /** A target, of position `at` in all. */
  truth(next: () => number, at: number): number;
  /** Scores in steps of this, so that many are equal; 0: no two are. */
  step?: number;
  /** Added to each score of the true class, so that the network is better than chance. */
  lift?: number;
  ignored?: number | null;
}

const averages = ['micro', 'macro', 'weighted'];
const averaged = (kind: string, more: object[] = [{}]): Metric[] =>
  averages.flatMap((average) => more.map((one) => ({ kind, average, ...one })));
const decided: Metric[] = [
  { kind: 'accuracy' },
  ...['accuracy', 'precision', 'recall', 'f1_score', 'jaccard_index'].flatMap((kind) => averaged(kind)),
  ...['precision', 'recall', 'f1_score', 'jaccard_index'].flatMap((kind) => averaged(kind, [{ zero_division: 1 }])),
];
const topped: Metric[] = ['accuracy', 'precision', 'recall', 'f1_score'].flatMap((kind) =>
  averaged(kind, [{ top_k: 2 }, { top_k: 5 }]),
);
const ranked: Metric[] = ['auroc', 'average_precision'].flatMap((kind) =>
  ['macro', 'weighted'].map((average) => ({ kind, average })),
);
const thresholds: Metric[] = ['accuracy', 'precision', 'recall', 'f1_score', 'jaccard_index'].flatMap((kind) =>
  averaged(kind, [{ threshold: 0.3 }, { threshold: 0.8 }]),
);
const dice: Metric[] = [true, false].flatMap((include_background) =>
  ['samplewise', 'global'].flatMap((aggregation_level) =>
    averaged('dice_score', [{ include_background, aggregation_level }]),
  ),
);
const measured: Metric[] = [
  { kind: 'mean_absolute_error' },
  { kind: 'mean_squared_error' },
  { kind: 'mean_squared_error', squared: false },
  { kind: 'r2_score' },
  { kind: 'r2_score', multioutput: 'variance_weighted' },
  { kind: 'r2_score', adjusted: 3 },
];

const whole = (below: number) => (next: () => number) => Math.floor(next() * below);
const classTarget = (classes: number): TargetType => ({ kind: 'class', classes: names(classes) });
const maskTarget = (classes: number, dims: number[]): TargetType => ({ kind: 'mask', dims, classes: names(classes) });
const labels = (classes: number): TargetType => ({ kind: 'multi_label', classes: names(classes) });
const entropy = (ignore_index = -100) => ({ kind: 'CrossEntropyLoss', ignore_index });
const seven = { task: 'multiclass' as const, target: classTarget(7), dims: [7], targetDims: [] };

const cases: Case[] = [
  {
    ...seven,
    name: 'classes, ties, one that is never true and hardly answered',
    count: 4003,
    loss: entropy(),
    truth: (next) => Math.floor(next() * 6),
    step: 0.25,
    lift: 0.75,
    metrics: [...decided, ...topped, ...ranked],
  },
  {
    ...seven,
    name: 'classes of which one is ignored',
    count: 3001,
    loss: entropy(2),
    truth: whole(7),
    step: 0.5,
    lift: 1,
    ignored: 2,
    metrics: [...decided, ...ranked],
  },
  {
    ...seven,
    name: 'an ignored class that no score stands for',
    count: 2500,
    loss: entropy(-1),
    truth: (next) => Math.floor(next() * 8) - 1,
    lift: 0.5,
    ignored: -1,
    metrics: [...decided, ...ranked, { kind: 'accuracy', top_k: 3 }],
  },
  {
    ...seven,
    name: 'a metric that ignores another class than the loss',
    count: 500,
    loss: entropy(0),
    truth: whole(7),
    ignored: 0,
    metrics: [
      { kind: 'accuracy', ignore_index: 4 },
      { kind: 'f1_score', average: 'macro', ignore_index: 4 },
      { kind: 'jaccard_index', ignore_index: 4 },
      { kind: 'auroc', ignore_index: 4 },
    ],
  },
  {
    ...seven,
    name: 'one class alone, not the first',
    count: 700,
    loss: entropy(),
    truth: () => 3,
    step: 0.5,
    metrics: [...decided, ...topped, ...ranked],
  },
  {
    ...seven,
    name: 'the first class alone',
    count: 700,
    loss: entropy(),
    truth: () => 0,
    step: 0.5,
    metrics: [...decided, ...ranked],
  },
  {
    ...seven,
    name: 'all right',
    count: 300,
    loss: entropy(),
    truth: whole(7),
    lift: 100,
    metrics: [...decided, ...ranked],
  },
  {
    name: 'two classes by one score',
    task: 'binary',
    target: classTarget(2),
    count: 3001,
    dims: [1],
    targetDims: [],
    loss: { kind: 'BCEWithLogitsLoss' },
    truth: (next) => (next() < 0.2 ? 1 : 0),
    step: 0.125,
    lift: 0.5,
    metrics: [...decided, ...thresholds, { kind: 'auroc' }, { kind: 'average_precision' }],
  },
  {
    name: 'labels, one of them never there',
    task: 'multilabel',
    target: labels(5),
    count: 3001,
    dims: [5],
    targetDims: [5],
    loss: { kind: 'BCEWithLogitsLoss' },
    truth: (next, at) => (at % 5 !== 4 && next() < 0.1 * (1 + (at % 5)) ? 1 : 0),
    step: 0.25,
    lift: 0.75,
    metrics: [
      ...decided,
      ...thresholds,
      ...ranked,
      { kind: 'auroc', average: 'micro' },
      { kind: 'average_precision', average: 'micro' },
    ],
  },
  {
    name: 'labels that are all there',
    task: 'multilabel',
    target: labels(3),
    count: 400,
    dims: [3],
    targetDims: [3],
    loss: { kind: 'BCEWithLogitsLoss' },
    truth: () => 1,
    step: 0.5,
    metrics: [...decided, ...ranked],
  },
  {
    name: 'masks',
    task: 'multiclass',
    target: maskTarget(4, [5, 6]),
    count: 601,
    dims: [4, 5, 6],
    targetDims: [5, 6],
    loss: entropy(),
    // Whole regions of a class, some absent from a mask.
    truth: (next, at) => (Math.floor(at / 30) % 5 === 0 ? 0 : Math.floor(next() * 4)),
    step: 0.5,
    lift: 1,
    metrics: [...decided, ...dice, { kind: 'accuracy', top_k: 2 }],
  },
  {
    name: 'masks with ignored positions',
    task: 'multiclass',
    target: maskTarget(4, [5, 6]),
    count: 301,
    dims: [4, 5, 6],
    targetDims: [5, 6],
    loss: entropy(255),
    truth: (next) => (next() < 0.2 ? 255 : Math.floor(next() * 4)),
    lift: 0.5,
    ignored: 255,
    metrics: decided,
  },
  {
    name: 'masks of two classes by one score',
    task: 'binary',
    target: maskTarget(2, [5, 6]),
    count: 301,
    dims: [1, 5, 6],
    targetDims: [5, 6],
    loss: { kind: 'BCEWithLogitsLoss' },
    truth: (next) => (next() < 0.3 ? 1 : 0),
    lift: 0.5,
    metrics: [...decided, ...dice],
  },
  {
    name: 'next tokens',
    task: 'multiclass',
    target: { kind: 'next_token', dims: [9], tokens: 12 },
    count: 301,
    dims: [9, 12],
    targetDims: [9],
    loss: entropy(5),
    truth: whole(12),
    lift: 1,
    ignored: 5,
    metrics: [
      { kind: 'perplexity' },
      { kind: 'perplexity', ignore_index: 2 },
      { kind: 'accuracy' },
      { kind: 'f1_score', average: 'macro' },
      { kind: 'accuracy', top_k: 3 },
    ],
  },
  {
    name: 'numbers',
    task: 'regression',
    target: { kind: 'vector', dims: [4] },
    count: 3001,
    dims: [4],
    targetDims: [4],
    loss: { kind: 'MSELoss' },
    truth: (next, at) => next() * 3 + (at % 4),
    lift: 1,
    metrics: measured,
  },
  {
    name: 'numbers that vary little around a large mean',
    task: 'regression',
    target: { kind: 'vector', dims: [2] },
    count: 2001,
    dims: [2],
    targetDims: [2],
    loss: { kind: 'MSELoss' },
    truth: (next) => 5000 + next(),
    lift: 1,
    metrics: measured,
  },
  {
    name: 'a number that never changes',
    task: 'regression',
    target: { kind: 'vector', dims: [2] },
    count: 100,
    dims: [2],
    targetDims: [2],
    loss: { kind: 'MSELoss' },
    truth: (_, at) => (at % 2 === 0 ? 7 : at),
    lift: 1,
    metrics: measured,
  },
];

test('every metric is compared', () => {
  const compared = new Set(cases.flatMap(({ metrics }) => metrics.map(({ kind }) => kind)));
  expect(compared).toEqual(new Set(metricKinds.map(({ kind }) => kind)));
});

/** Scores that lean towards the truth; of numbers, the truth and some noise. */
function drawScores({ dims, step = 0, lift = 0, task, target }: Case, truths: number[], next: () => number): number[] {
  const positions = product(dims);
  const classAxis = target.kind === 'next_token' ? dims.length - 1 : 0;
  const classes = dims[classAxis] ?? 1;
  const inner = product(dims.slice(classAxis + 1));
  const perSample = task === 'multilabel' || task === 'regression' ? positions : positions / classes;
  return Array.from({ length: (truths.length / perSample) * positions }, (_, i) => {
    const sample = Math.floor(i / positions);
    const within = i % positions;
    const noise = (next() + next() + next() - 1.5) * 3;
    const rounded = step > 0 ? Math.round(noise / step) * step : noise;
    if (task === 'regression') return (truths[i] as number) + 0.3 * rounded;
    if (task === 'multilabel') return rounded + lift * (truths[i] as number);
    const mine = Math.floor(within / inner) % classes;
    const position = target.kind === 'next_token' ? Math.floor(within / classes) : within % inner;
    const truth = truths[sample * perSample + position] as number;
    return rounded + (task === 'binary' ? lift * truth : mine === truth ? lift : 0);
  });
}

test.each(cases)('$name', async (one) => {
  const { name, task, target, count, dims, targetDims, loss, metrics, truth, ignored = null } = one;
  const next = numbers(17 + cases.indexOf(one));
  const place = path.join(top, String(++counter));
  mkdirSync(place);
  const truths = Array.from({ length: count * product(targetDims) }, (_, at) => truth(next, at));
  const dtype = target.kind === 'vector' || target.kind === 'multi_label' ? 'float32' : 'int64';
  const made = {
    count,
    input: writeColumn(path.join(place, 'input'), 'float32', dims, drawScores(one, truths, next)),
    target: writeColumn(path.join(place, 'target'), dtype, targetDims, truths),
  };
  const last = target.kind === 'next_token';
  const size = (last ? dims.at(-1) : dims[0]) as number;
  const convolution = dims.length === 3;
  const layers = convolution
    ? [{ kind: 'Conv2d', out_channels: size, kernel_size: 1, bias: false }]
    : [{ kind: 'Linear', out_features: size, bias: false }];
  const written = metrics.map((metric) =>
    name.includes('two classes') && 'average' in metric && metric.kind !== 'dice_score'
      ? withoutAverage(metric)
      : metric,
  );
  // The same column twice is a fault of a project; here two ways to say the default are one.
  const { metrics: chosen } = resolveProject({ training: { metrics: written } }).training;
  const asked = chosen.map(({ kind, args }) => ({ kind, ...args }) as Metric);

  const setting: Setting = { made, target, layers, loss, metrics: asked, batch_size: 128 };
  const session = await sessionOn(setting);
  const weights = path.join(place, 'identity.safetensors');
  writeIdentity(weights, size, convolution);
  await session.loadWeights(weights);
  const here = await session.evaluate({ split: 'train', batch_size: 128, confusion: task !== 'regression' });
  await session.close();

  const toPython = asked.map(({ threshold, top_k, ...rest }) => ({
    ...rest,
    ...(task === 'multiclass' && top_k !== undefined ? { top_k } : {}),
    ...(task !== 'multiclass' && threshold !== undefined ? { threshold } : {}),
  }));
  const classes = task === 'multilabel' ? dims[0] : size;
  const request = { ...made, task, classes, ignored, last, metrics: toPython };
  const there = await python.ask<{ values: (number | null)[]; confusion: number[] | null }>(request);
  for (const [index, { key }] of chosen.entries()) {
    const mine = here.metrics[key] as number;
    const theirs = there.values[index] ?? Number.NaN;
    const label = `${key}: ${mine} here, ${theirs} there`;
    if (Number.isNaN(theirs)) expect(mine, label).toBeNaN();
    else expect(Math.abs(mine - theirs), label).toBeLessThanOrEqual(1e-5 * Math.abs(theirs));
  }
  if (there.confusion) expect([...(here.confusion ?? [])]).toEqual(there.confusion);
});

/** By one score there is nothing to average. */
function withoutAverage({ average: _, ...rest }: Metric): Metric {
  return rest as Metric;
}

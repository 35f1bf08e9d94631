/** Small plans on made-up data packs, for tests that talk to the addon or the plain executable directly. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { nativeInits } from '../../engine/contract/inits.ts';
import { type NativePlan, neutral, type StepsRequest } from '../../engine/contract/native.ts';
import { type Plan, planProject } from '../../engine/contract/plan.ts';
import { randomTarget } from '../../engine/contract/sources.ts';
import { nativeFiles } from '../../engine/native/load.ts';

/** A number that looks random and never changes: byte `i` of a made-up file. */
export const byteAt = (i: number) => (Math.imul(i ^ (i >>> 7), 2654435761) >>> 13) & 255;

/** The 16-bit number of a made-up file where the other has a byte. */
export const wide = (byte: number) => byte * 257 - (byte % 3) * 100 * Math.sign(byte);

export interface Pack {
  samples?: number;
  /** Dims of one sample. */
  shape?: number[];
  input?: 'uint8' | 'uint16' | 'float32';
  target?: 'class' | 'uint8' | 'uint16' | 'vector';
  /** The plan is for so many different tokens; the columns are to be replaced. */
  tokens?: number;
}

export const classes = 5;

/** Writes one part's two columns. */
export function writePack(
  folder: string,
  { samples = 40, shape = [1, 6, 5], input = 'uint8', target = 'class' }: Pack,
) {
  mkdirSync(folder, { recursive: true });
  const files = { input: path.join(folder, 'input'), target: path.join(folder, 'target') };
  const bytes = Uint8Array.from({ length: samples * shape.reduce((a, b) => a * b, 1) }, (_, i) => byteAt(i));
  const stored = {
    uint8: () => bytes,
    uint16: () => Uint16Array.from(bytes, wide),
    float32: () => Float32Array.from(bytes, (byte) => byte / 7 - 3),
  };
  writeFileSync(files.input, stored[input]());
  const labels = Uint8Array.from({ length: samples }, (_, i) => byteAt(i + 1000) % classes);
  const vectors = Float32Array.from({ length: samples * classes }, (_, i) => byteAt(i + 2000) / 64 - 2);
  writeFileSync(
    files.target,
    {
      class: () => BigInt64Array.from(labels, BigInt),
      uint8: () => labels,
      uint16: () => Uint16Array.from(labels),
      vector: () => vectors,
    }[target](),
  );
  return {
    count: samples,
    input: { path: files.input, dtype: input, shape, scaled: input !== 'float32' },
    target: {
      path: files.target,
      dtype: ({ class: 'int64', uint8: 'uint8', uint16: 'uint16', vector: 'float32' } as const)[target],
      shape: target === 'vector' ? [classes] : [],
      scaled: false,
    },
  } satisfies NativePlan['data']['parts'][string];
}

/** A multilayer perceptron, or the given layers, on a made-up pack; `change` replaces whole keys of the plan. */
export function tinyPlan(
  folder: string,
  pack: Pack = {},
  change: Partial<NativePlan> = {},
  layers?: unknown[],
  training: object = {},
): NativePlan {
  const part = writePack(folder, pack);
  const shape = part.input.shape;
  const vector = pack.target === 'vector';
  const planned = planProject(
    {
      gradloom: 1,
      data: {
        source: {
          kind: 'random',
          shape,
          classes: vector ? null : classes,
          ...(pack.tokens === undefined ? {} : { tokens: pack.tokens }),
          target_shape: [classes],
          samples: part.count,
        },
        split: { val: 0 },
        loader: { batch_size: 8, num_workers: 2 },
      },
      model: {
        layers: layers ?? [
          { kind: 'Flatten' },
          { kind: 'Linear', out_features: 16 },
          { kind: 'ReLU' },
          { kind: 'Linear', out_features: classes },
        ],
      },
      training: {
        loss: { kind: vector ? 'MSELoss' : 'CrossEntropyLoss' },
        metrics: vector ? [] : ['accuracy'],
        ...training,
      },
    },
    null,
  );
  if (planned.model === null) throw new Error(JSON.stringify(planned.problems));
  return {
    seed: 3,
    deterministic: false,
    device: 'cpu',
    threads: 1,
    input: planned.input,
    model: planned.model,
    loss: planned.loss,
    optimizer: planned.optimizer,
    groups: planned.groups,
    frozen: planned.frozen,
    inits: nativeInits(planned.tensors),
    target: targetOf(planned),
    metrics: planned.metrics,
    ...neutral,
    transforms: [],
    data: { parts: { train: part }, splits: { train: { part: 'train', count: part.count } } },
    loader: planned.project.data.loader,
    ...change,
  };
}

/** The kind of targets that a plan on random data was made for. */
export function targetOf({ project }: Plan): NativePlan['target'] {
  const { source } = project.data;
  if (source?.kind !== 'random') throw new Error('The plans are on random data');
  return randomTarget(source);
}

/** `steps` steps from the start of an epoch, at one learning rate. */
export const stepsRequest = (steps: number, epoch = 0, batch = 0): StepsRequest => ({
  epoch,
  batch,
  steps,
  groups: [{ lr: Array(steps).fill(0.01) }],
});

/** A plan whose one epoch takes many seconds: for what must happen in mid-chunk. */
export function longPlan(folder: string, shape = [64], layers?: unknown[]): NativePlan {
  const plan = tinyPlan(folder, { samples: shape.length > 1 ? 20_000 : 200_000, shape }, {}, layers);
  return { ...plan, loader: { ...plan.loader, batch_size: 4 } };
}
export const longSteps = 50_000;

/** Runs the plain executable on a plan; answers its lines. */
export function runPlain(plan: NativePlan, folder: string, words: string[], env: Record<string, string> = {}) {
  const file = path.join(folder, 'plan.json');
  writeFileSync(file, JSON.stringify(plan));
  const { status, signal, stdout } = spawnSync(nativeFiles().executable ?? '', [file, ...words], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  return {
    status,
    signal,
    lines: stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

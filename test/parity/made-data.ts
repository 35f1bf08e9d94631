/** Made-up samples with targets of any kind, and sessions on them: networks whose answers a test knows. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { NativeColumn, NativePlan, NativeSession } from '../../engine/contract/native.ts';
import { type Plan, planProject } from '../../engine/contract/plan.ts';
import type { DataFacts, TargetType } from '../../engine/contract/tensors.ts';
import { loadAddon } from '../../engine/native/load.ts';
import { nativePlan } from '../../engine/runs/prepare.ts';

/** A generator of numbers from 0 to below 1 that never changes. */
export function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (Math.imul(state ^ (state >>> 15), 2246822519) >>> 0) / 2 ** 32;
  };
}

/** A column as both sides read it. */
export interface MadeColumn {
  path: string;
  dtype: 'float32' | 'int64';
  shape: number[];
}

export interface Made {
  count: number;
  input: MadeColumn;
  target: MadeColumn;
}

/** Values of a column, sample after sample. */
export function writeColumn(file: string, dtype: MadeColumn['dtype'], shape: number[], values: number[]): MadeColumn {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, dtype === 'float32' ? Float32Array.from(values) : BigInt64Array.from(values, BigInt));
  return { path: file, dtype, shape };
}

export interface Setting {
  made: Made;
  target: TargetType;
  layers: unknown[];
  loss: object;
  metrics?: unknown[];
  batch_size: number;
  accumulate?: number;
}

export function planOf({ made, target, layers, loss, metrics = [], batch_size, accumulate = 1 }: Setting): Plan {
  const facts: DataFacts = {
    input: { dims: made.input.shape, dtype: 'float32' },
    target,
    parts: { train: made.count },
  };
  const loader = { batch_size, shuffle: false, num_workers: 0 };
  const data = { source: { kind: 'idx', path: '.' }, split: { val: 0 }, loader };
  const training = { loss, metrics, accumulate, optimizer: { kind: 'SGD', lr: 1 } };
  const plan = planProject({ gradloom: 1, data, model: { layers }, training }, facts);
  if (plan.model === null) throw new Error(JSON.stringify(plan.problems, null, 2));
  return plan;
}

export async function sessionOn(setting: Setting, change: Partial<NativePlan> = {}): Promise<NativeSession> {
  const { made, target } = setting;
  const plan = planOf(setting);
  const column = ({ path: file, dtype, shape }: MadeColumn): NativeColumn => ({
    path: file,
    dtype,
    shape,
    scaled: false,
  });
  const part = { count: made.count, input: column(made.input), target: column(made.target) };
  const data = {
    parts: { train: part },
    splits: { train: { part: 'train', count: made.count } },
    facts: { input: { dims: made.input.shape, dtype: 'float32' as const }, target, parts: { train: made.count } },
    data_hash: '',
    split_hash: '',
    encoding: null,
    fitted: [],
    notes: [],
  };
  return loadAddon().createSession(
    JSON.stringify({ ...nativePlan(plan, data, { device: 'cpu', precision: 'fp32', threads: 1 }), ...change }),
  );
}

/** Weights that make the network answer its input. */
export function writeIdentity(file: string, size: number, convolution: boolean): void {
  const name = '0.weight';
  const shape = convolution ? [size, size, 1, 1] : [size, size];
  const values = Float32Array.from({ length: size * size }, (_, i) => (i % (size + 1) === 0 ? 1 : 0));
  const header = JSON.stringify({ [name]: { dtype: 'F32', shape, data_offsets: [0, values.byteLength] } });
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  writeFileSync(file, Buffer.concat([length, Buffer.from(header), Buffer.from(values.buffer)]));
}

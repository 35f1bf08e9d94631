/** Small projects for the tests: one that is right, and ways to change it. */
import type { Json } from '../../engine/contract/native.ts';
import type { DataFacts } from '../../engine/contract/tensors.ts';

export type JsonProject = { [key: string]: Json };

/** Grey images of 28 × 28 in ten classes, with a test part. */
export const digits: DataFacts = {
  input: { dims: [1, 28, 28], dtype: 'float32' },
  target: { kind: 'class', classes: [...'0123456789'] },
  parts: { train: 9000, test: 1000 },
};

/** Vectors of three numbers as targets. */
export const vectors: DataFacts = {
  input: { dims: [8], dtype: 'float32' },
  target: { kind: 'vector', dims: [3] },
  parts: { train: 100 },
};

/** A project on the digits with these layers; `more` overrules its other sections. */
export function projectWith(layers: Json[], more: JsonProject = {}): JsonProject {
  return {
    gradloom: 1,
    name: 'case',
    data: { source: { kind: 'idx', path: 'digits' }, split: { val: 'test' } },
    model: { layers },
    ...more,
  };
}

export const flatten = { kind: 'Flatten' };
export const relu = { kind: 'ReLU' };
export const linear = (out_features: number) => ({ kind: 'Linear', out_features });
export const conv = (out_channels: number, more: JsonProject = {}) => ({
  kind: 'Conv2d',
  out_channels,
  kernel_size: 3,
  ...more,
});
export const head = [flatten, linear(10)];

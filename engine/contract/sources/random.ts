/** The `random` source: samples drawn from a seed, for trying things without data. */
import { z } from 'zod';
import { field, integer, sizes } from '../fields.ts';
import type { DataFacts, TargetKind, TargetType, TensorType } from '../tensors.ts';
import { targetKinds } from '../tensors.ts';
import type { SourceKind } from './kind.ts';

/** Samples drawn at random; `target` null: classes, or vectors of `target_shape` where `classes` is null. */
export interface RandomSource {
  kind: 'random';
  shape: number[];
  classes: number | null;
  target?: TargetKind | null;
  tokens?: number | null;
  target_shape: number[];
  samples: number;
  seed: number;
}

const standardClasses = 10;

/** What kind of targets a `random` source draws: as said, else classes, or vectors where there are none. */
export function randomTarget({ target, classes }: Pick<RandomSource, 'target' | 'classes'>): TargetKind {
  return target ?? (classes === null ? 'vector' : 'class');
}

/** How many tokens the inputs are drawn from; null: they are numbers. */
export function inputTokens(source: RandomSource): number | null {
  return randomTarget(source) === 'next_token' ? (source.classes ?? standardClasses) : (source.tokens ?? null);
}

export function randomFacts(source: RandomSource): DataFacts {
  const { shape, samples } = source;
  const tokens = inputTokens(source);
  const input: TensorType =
    tokens === null ? { dims: shape, dtype: 'float32' } : { dims: shape, dtype: 'int64', tokens };
  return { input, target: targetOf(source), parts: { train: samples } };
}

function targetOf(source: RandomSource): TargetType {
  const { shape, classes, target_shape } = source;
  const count = classes ?? standardClasses;
  const names = () => Array.from({ length: count }, (_, index) => String(index));
  switch (randomTarget(source)) {
    case 'class':
      return { kind: 'class', classes: names() };
    case 'multi_label':
      return { kind: 'multi_label', classes: names() };
    case 'vector':
      return { kind: 'vector', dims: target_shape };
    case 'mask':
      return { kind: 'mask', dims: maskDims(shape), classes: names() };
    case 'next_token':
      return { kind: 'next_token', dims: shape, tokens: count };
  }
}

/** The positions of a sample: its dims behind the channels. */
function maskDims(shape: readonly number[]): number[] {
  return shape.length > 1 ? shape.slice(1) : [...shape];
}

const randomParams = {
  shape: sizes({ label: 'Shape', help: 'Dimensions of one input sample, without the batch.' }),
  classes: field(z.number().int().min(1).max(1_000_000).nullable(), {
    label: 'Classes',
    help: 'Number of classes, labels or tokens of the targets; null: targets are vectors of target_shape.',
    control: 'integer',
    expected: 'an integer from 1 to 1000000, or null',
    default: standardClasses,
  }),
  target: field(z.enum(targetKinds).nullable(), {
    label: 'Targets',
    help: 'What is drawn for each sample: a class, several labels (multi_label), a vector, a class at each position (mask), or the next tokens of a sequence. null: a class, or a vector where classes is null.',
    control: 'choice',
    expected: `null or one of ${targetKinds.map((kind) => `"${kind}"`).join(', ')}`,
    choices: targetKinds,
    default: null,
    absent: 'by the classes',
  }),
  tokens: field(z.number().int().min(1).max(1_000_000).nullable(), {
    label: 'Tokens',
    help: 'Number of different tokens that inputs are drawn from, for networks that begin with an Embedding; null: inputs are numbers. With next tokens as targets, classes says it.',
    control: 'integer',
    expected: 'an integer from 1 to 1000000, or null',
    default: null,
    absent: 'numbers',
  }),
  target_shape: sizes({
    label: 'Target shape',
    help: 'Dimensions of a vector target; other targets do not use it.',
    default: [1],
  }),
  samples: integer({ label: 'Samples', help: 'How many to draw.', default: 1024 }),
  seed: integer({ label: 'Seed', help: 'Start of the generator.', min: 0, max: Number.MAX_SAFE_INTEGER, default: 0 }),
};

export const randomKinds: readonly SourceKind[] = [
  {
    kind: 'random',
    label: 'Random numbers',
    light: true,
    help: 'Normally distributed inputs and random targets, drawn from a seed: for trying things without data.',
    params: randomParams,
    begin: { shape: [1, 28, 28] },
    facts: (source) => randomFacts(source as RandomSource),
  },
];

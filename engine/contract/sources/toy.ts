/** The `toy` source: small problems of two numbers or one, drawn from a seed, on which a network can be seen to learn. */
import { z } from 'zod';
import { choice, field, integer } from '../fields.ts';
import type { DataFacts } from '../tensors.ts';
import type { SourceKind } from './kind.ts';

export const toyShapes = ['spirals', 'moons', 'circles', 'blobs', 'sine'] as const;
export type ToyShape = (typeof toyShapes)[number];

export interface ToySource {
  kind: 'toy';
  shape: ToyShape;
  samples: number;
  test_samples: number;
  noise: number | null;
  classes: number;
  seed: number;
}

/** Deviation of the noise where none is said. */
const usualNoise: { readonly [Shape in ToyShape]: number } = {
  spirals: 0.03,
  moons: 0.1,
  circles: 0.05,
  blobs: 1,
  sine: 0.1,
};

export function toyNoise({ shape, noise }: Pick<ToySource, 'shape' | 'noise'>): number {
  return noise ?? usualNoise[shape];
}

/** How many classes there are; null: the targets are numbers. */
export function toyClasses({ shape, classes }: Pick<ToySource, 'shape' | 'classes'>): number | null {
  if (shape === 'sine') return null;
  return shape === 'moons' || shape === 'circles' ? 2 : classes;
}

/** Samples of each class among so many: as equal as they can be, the last ones take what is left over. */
export function toyCounts(classes: number, samples: number): number[] {
  const least = Math.floor(samples / classes);
  const larger = samples - least * classes;
  return Array.from({ length: classes }, (_, index) => least + (index >= classes - larger ? 1 : 0));
}

export function toyFacts(source: ToySource): DataFacts {
  const { shape, samples, test_samples } = source;
  const classes = toyClasses(source);
  return {
    input: { dims: [shape === 'sine' ? 1 : 2], dtype: 'float32' },
    target:
      classes === null
        ? { kind: 'vector', dims: [1] }
        : {
            kind: 'class',
            classes: Array.from({ length: classes }, (_, index) => String(index)),
            counts: toyCounts(classes, samples),
          },
    parts: { train: samples, ...(test_samples > 0 ? { test: test_samples } : {}) },
  };
}

const most = 10_000_000;

const toyParams = {
  shape: choice(toyShapes, {
    label: 'Shape',
    help: 'spirals: arms wound around each other. moons and circles: two half moons, and a circle in a circle, as scikit-learn draws them. blobs: one cloud a class. sine: y = sin(x) with noise, a number to be predicted.',
  }),
  samples: integer({ label: 'Samples', help: 'How many to train on.', max: most, default: 1000 }),
  test_samples: integer({
    label: 'Test samples',
    help: 'How many more for a test part; 0: there is none.',
    min: 0,
    max: most,
    default: 200,
  }),
  noise: field(z.number().min(0).max(1000).nullable(), {
    label: 'Noise',
    help: 'Standard deviation of the normal noise: on each number of a point; of sine, on its target. null: 0.03 for spirals, 0.1 for moons and sine, 0.05 for circles, 1 for blobs.',
    control: 'number',
    expected: 'a number from 0 to 1000, or null',
    min: 0,
    max: 1000,
    default: null,
    absent: 'by the shape',
  }),
  classes: integer({
    label: 'Classes',
    help: 'Arms of the spirals, or blobs.',
    max: 1000,
    default: 3,
    idle: ({ shape }) => (shape === 'spirals' || shape === 'blobs' ? null : 'Only spirals and blobs have any number'),
  }),
  seed: integer({ label: 'Seed', help: 'Start of the generator.', min: 0, max: Number.MAX_SAFE_INTEGER, default: 0 }),
};

export const toyKinds: readonly SourceKind[] = [
  {
    kind: 'toy',
    label: 'Toy problems',
    light: true,
    help: 'Spirals, moons, circles, blobs or a sine, drawn from a seed: small enough to watch a network learn.',
    params: toyParams,
    pictured: 'shape' satisfies keyof typeof toyParams,
    facts: (source) => toyFacts(source as ToySource),
  },
];

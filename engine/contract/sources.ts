/** The table of data sources. */
import { z } from 'zod';
import { field, integer, sizes } from './fields.ts';
import type { ResolvedSource } from './project-types.ts';
import { type Row, tableOf } from './table.ts';
import type { DataFacts } from './tensors.ts';

export interface SourceKind extends Row {
  /** What is known of the data from the parameters alone; absent: its files must be read. */
  facts?(source: ResolvedSource): DataFacts;
}

type RandomSource = Extract<ResolvedSource, { kind: 'random' }>;

export function randomFacts({ shape, classes, target_shape, samples }: RandomSource): DataFacts {
  return {
    input: { dims: shape, dtype: 'float32' },
    target:
      classes === null
        ? { kind: 'vector', dims: target_shape }
        : { kind: 'class', classes: Array.from({ length: classes }, (_, index) => String(index)) },
    parts: { train: samples },
  };
}

const idxParams = {
  path: field(z.string().min(1), {
    label: 'Folder',
    help: 'A folder with the IDX files of images and labels (MNIST and kin), gzip or not.',
    control: 'path',
    expected: 'a path',
  }),
};

const randomParams = {
  shape: sizes({ label: 'Shape', help: 'Dimensions of one input sample, without the batch.' }),
  classes: field(z.number().int().min(1).max(1_000_000).nullable(), {
    label: 'Classes',
    help: 'Number of classes of the targets; null: targets are vectors of target_shape.',
    control: 'integer',
    expected: 'an integer from 1 to 1000000, or null',
    default: 10,
  }),
  target_shape: sizes({
    label: 'Target shape',
    help: 'Dimensions of a vector target; used where classes is null.',
    default: [1],
  }),
  samples: integer({ label: 'Samples', help: 'How many to draw.', default: 1024 }),
  seed: integer({ label: 'Seed', help: 'Start of the generator.', min: 0, max: Number.MAX_SAFE_INTEGER, default: 0 }),
};

export const sourceKinds: readonly SourceKind[] = [
  {
    kind: 'idx',
    label: 'IDX files',
    help: 'The format of MNIST: images and labels, in a training part and perhaps a test part.',
    params: idxParams,
  },
  {
    kind: 'random',
    label: 'Random numbers',
    help: 'Normally distributed inputs and random targets, drawn from a seed: for trying things without data.',
    params: randomParams,
    facts: (source) => randomFacts(source as RandomSource),
  },
];

export const sources = tableOf(sourceKinds);

/** What is known of the tensors between layers and of a data source before anything is loaded. */

export type ElementType = 'float32' | 'int64';

export const elementBytes: Readonly<Record<ElementType, number>> = { float32: 4, int64: 8 };

/** A tensor between layers, without the batch dimension. */
export interface TensorType {
  dims: number[];
  dtype: ElementType;
  /** Of integers: how many different ones there are, from 0; absent: not known. */
  tokens?: number;
  /** Of tokens: the one that only fills sequences up at their ends; absent: there is none. */
  padding?: number;
}

/** A label, and where it was first met (a sample's index in its file). */
export interface LabelSeen {
  label: number;
  sample: number;
  file: string;
}

/** What is known of class indices besides how many there are. */
interface Labels {
  /** One name a class, in the order of their indices. */
  classes: string[];
  /** Samples (for masks: positions) of the training part in each class. */
  counts?: number[];
  /** Where the highest label was first met, so that one beyond the network's answers can be named. */
  highest?: { sample: number; file: string };
  /** The highest label but that one: the highest may be the one that the loss ignores. */
  second?: LabelSeen;
}

/** What the network should answer for one sample. */
export type TargetType =
  /** One class index. */
  | ({ kind: 'class' } & Labels)
  /** Any number of labels at once: a float vector of zeros and ones, one a label. */
  | { kind: 'multi_label'; classes: string[] }
  /** Numbers. */
  | { kind: 'vector'; dims: number[] }
  /** A class index at each position: of an image's pixels, say. `ignored`: what stands where there is no class, beyond the classes. */
  | ({ kind: 'mask'; dims: number[]; ignored?: number } & Labels)
  /** The index of the following token at each position of a sequence of `dims: [length]`, of a vocabulary of `tokens`. */
  | { kind: 'next_token'; dims: number[]; tokens: number };

export type TargetKind = TargetType['kind'];
export const targetKinds = ['class', 'multi_label', 'vector', 'mask', 'next_token'] as const satisfies TargetKind[];

/** What targets of a kind are, in the plural. */
export const targetWords: { readonly [Kind in TargetKind]: string } = {
  class: 'classes',
  multi_label: 'several labels at once',
  vector: 'numbers',
  mask: 'masks',
  next_token: 'next tokens',
};

/** How many classes, labels or tokens the targets choose from; null where they are numbers. */
export function choices(target: TargetType): number | null {
  if (target.kind === 'vector') return null;
  return target.kind === 'next_token' ? target.tokens : target.classes.length;
}

/** Dims of one sample's target; [] for a class index. */
export function targetDims(target: TargetType): number[] {
  if (target.kind === 'class') return [];
  return target.kind === 'multi_label' ? [target.classes.length] : target.dims;
}

/** A target in words, its shape written by `dims`: `one of 10 classes`, `16 × 16 positions of 21 classes`. */
export function targetSentence(target: TargetType, dims: (sizes: number[]) => string): string {
  const count = (choices(target) ?? 0).toLocaleString('en');
  switch (target.kind) {
    case 'class':
      return `one of ${count} classes`;
    case 'multi_label':
      return `any of ${count} labels`;
    case 'vector':
      return target.dims.every((size) => size === 1) ? 'a number' : `${dims(target.dims)} numbers`;
    case 'mask':
      return `one of ${count} classes at ${dims(target.dims)} positions`;
    case 'next_token':
      return `the next of ${count} tokens at ${dims(target.dims)} positions`;
  }
}

/** Parts that a source itself may have; `val`: to validate with. */
export const partNames = ['train', 'val', 'test'] as const;
export type PartName = (typeof partNames)[number];

/** What a data source says of itself (read from headers and labels, never from the whole data). */
export interface DataFacts {
  input: TensorType;
  target: TargetType;
  /** Samples per part that can take part; absent: the source has no such part of its own. */
  parts: { train: number; val?: number; test?: number };
}

/** What the memory estimate is made from and what it answers: bytes of tensors, with the project's batch size, precision and optimizer. */
import type { PlannedLayer } from './plan-types.ts';

/** A layer's share, with that of the layers inside it. Blocks run theirs one after the other: of `workspace` the largest counts. */
export interface LayerMemory {
  /** Parameters and buffers. */
  weights: number;
  /** One value for each parameter that trains. */
  gradients: number;
  /** The state that the optimizer keeps of these. */
  optimizer: number;
  /** What the backward pass needs of the forward pass, each tensor counted at the first layer that keeps it. */
  activations: number;
  /** What comes and goes at the layer's highest moment: tensors on their way, their gradients, and what its own computation needs. */
  workspace: number;
}

export interface MemoryParts extends LayerMemory {
  /** Batches on the device: the one at work and those that the loader prepares ahead. */
  input: number;
}

export const memoryPhases = ['forward', 'backward', 'update', 'evaluation'] as const;
export type MemoryPhase = (typeof memoryPhases)[number];

/** Each part in full; not all of them are there at the same moment, so that `total` may be less than their sum. */
export interface MemoryEstimate extends MemoryParts {
  /** At the highest moment of a training. */
  total: number;
  /** At the highest moment of each phase; 0: there is none. */
  phases: Record<MemoryPhase, number>;
  /** Between the forward and the backward pass. */
  held: number;
  peak: {
    phase: MemoryPhase;
    /** The layer at work; null: the loss, or the optimizer. */
    path: string | null;
    /** What is there then; the sum is `total`. */
    parts: MemoryParts;
  };
}

/** A tensor's memory between layers. Layers that only reshape hand it on; what is told of it is by identity. */
export interface Storage {
  kept: boolean;
  grad: boolean;
}

/** `unkept`: a forward pass of which no backward pass needs anything. */
export type Pass = 'forward' | 'unkept' | 'backward';

/** A layer as it runs, in the order of the forward pass; a block comes after the layers inside it. Bytes are one sample's. */
export interface Operation {
  layer: PlannedLayer;
  /** What it computes from: its input, or what the lists inside it answer. */
  inputs: readonly Storage[];
  /** Stays until the block is done, besides. */
  held: Storage | null;
  output: Storage;
  outputBytes: number;
  keeps: { inputs: readonly Storage[]; output: boolean; bytes: number; integers: number };
  /** Of a batch of so many samples. */
  workspace(batch: number, pass: Pass): number;
  /** Of its own parameters that train. */
  gradients: number;
  /** Of its own parameters, where it calculates in half precision under autocast: those are copied. */
  cast: number;
  /** A gradient passes through it. */
  grad: boolean;
  /** The next layer may overwrite its output. */
  free: boolean;
  /** In fp32 whatever the precision. */
  fp32: boolean;
  /** Draws random numbers in training. */
  random: boolean;
  /** Outside of training it hands its input on. */
  trainingOnly: boolean;
  /** The output is the input, or may take its place. */
  reuses: 'view' | 'memory' | null;
  /** Of each input: its gradient is the output's, or a view of that. */
  passesGradient: readonly boolean[];
}

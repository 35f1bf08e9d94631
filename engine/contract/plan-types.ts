/** What `planProject` answers: the network with every shape, its costs, its problems, and what goes to C++. */
import type { LayerMemory, MemoryEstimate } from './estimate-types.ts';
import type { InitRule } from './inits.ts';
import type { Cut } from './loader-checks.ts';
import type { Json, NativeGroup, NativeLayer, NativeMetric } from './native.ts';
import type { Problem } from './problems.ts';
import type { Chosen, ResolvedProject } from './project-types.ts';
import type { ElementType } from './tensors.ts';

/** How a layer's parameters are trained; null: as the optimizer says. */
export interface TrainRule {
  freeze: boolean;
  lr: number | null;
  weight_decay: number | null;
  init: InitRule | null;
}

/** A tensor of the model's state, by its name in weights files. */
export interface PlannedTensor {
  name: string;
  shape: number[];
  /** Not trained: BatchNorm's running statistics. */
  buffer: boolean;
  dtype: 'float32' | 'int64';
  /** What its layer's `train` says, or that of a block around it; absent: nothing. */
  rule?: TrainRule;
  /** What it is filled with after PyTorch's own values were drawn; absent: these stay. */
  init?: Chosen;
}

export interface PlannedLayer {
  /** Prefix of its tensors' names: `3`, `3.layers.0`. */
  path: string;
  /** Its place in the project file: `model.layers.4`. */
  place: string;
  kind: string;
  /** The project's own name for it. */
  name?: string;
  /** Complete, by PyTorch's names, with the sizes that follow from the input. */
  args: Record<string, Json>;
  /** Dims of one sample's input and output. */
  input: number[];
  output: number[];
  /** The output's type of numbers, and the path of the layer that says which of its positions are padding; null: none are. */
  dtype: ElementType;
  mask: string | null;
  /** Values of its parameters, and how many of them train: less where layers are frozen. */
  parameters: number;
  trainable: number;
  /** Of one sample's forward pass; a multiply-add counts 2. */
  flops: number;
  /** Bytes that one sample's forward pass in training keeps for the backward pass and no earlier layer keeps already. */
  activation_bytes: number;
  /** Bytes in training; see estimate.ts. */
  memory: LayerMemory;
  /** The PyTorch line that builds it; block kinds nest. */
  python: string;
  children?: { name: string; layers: PlannedLayer[] }[];
}

/** Samples per split; `test` null where the source has no test part. */
export interface SplitCounts {
  train: number;
  val: number;
  test: number | null;
}

export interface Plan {
  /** Dims of one input sample; [] while unknown. */
  input: number[];
  /** Top-level layers in order, as far as their shapes are known. */
  layers: PlannedLayer[];
  /** Layers inside those that could not be planned themselves (branches that cannot be joined), as far as theirs are. */
  inside: PlannedLayer[];
  /** Dims of one sample's answer; [] while unknown. */
  output: number[];
  parameters: number;
  trainable: number;
  /** Of one sample's forward pass. */
  flops: number;
  memory: MemoryEstimate;
  problems: Problem[];
  /** For C++; null while a problem of severity error stands. Block references are expanded. */
  model: NativeLayer[] | null;
  /** The same as far as the shapes are known, whatever else is wrong: enough to look at, not to train. */
  network: NativeLayer[];
  loss: Chosen;
  optimizer: Chosen;
  /** Parameter groups for the optimizer, and the parameters that do not train; see training-groups.ts. */
  groups: NativeGroup[];
  frozen: string[];
  /** For C++; [] while the network's answer or the data is unknown. */
  metrics: NativeMetric[];
  /** How training batches of sequences are cut to their longest; null: they stay whole. */
  cut: Cut | null;
  transforms: Chosen[];
  /** Parameters and buffers in the order of the equivalent Sequential's state_dict. */
  tensors: PlannedTensor[];
  /** null while the data is unknown. */
  splits: SplitCounts | null;
  /** The project's settings, defaults filled in. */
  project: ResolvedProject;
}

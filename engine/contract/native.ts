/**
 * What crosses the border to C++: one complete, resolved plan, and the requests and answers of a session.
 * TypeScript has checked everything; C++ trusts it and asserts shapes on its first batch.
 */

import type { NativeLoader, NativePart, NativeSplit, ResizeRequest } from './native-data.ts';
import type { TargetKind } from './tensors.ts';

export type { NativeColumn, NativePart, NativeSplit, ResizeRequest } from './native-data.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A layer with every size resolved. `args` are PyTorch's keyword names, complete. */
export interface NativeLayer {
  /** Prefix of its tensors' names in weights files: `3`, `3.layers.0`, `4.branches.1.0`, `5.2.0` (repetition 2, layer 0). */
  path: string;
  kind: string;
  args: Record<string, Json>;
  /** Output dims without the batch, as planned. */
  output: number[];
  /**
   * Children, for block kinds only, in order. Residual: `layers`, `shortcut` (empty: identity). Parallel: one list per branch, named by
   * its index. Repeat: one list per repetition, named by its index.
   */
  children?: { name: string; layers: NativeLayer[] }[];
}

/** Parameters that are trained with the same values. */
export interface NativeGroup {
  /** Names of parameters; each that is not frozen is in exactly one group. */
  tensors: string[];
  /** Base learning rate; what a step takes is in its request. */
  lr: number;
  /** null: the optimizer has none. */
  weight_decay: number | null;
}

/** A metric: `key` names its column and its value in an evaluation. */
export interface NativeMetric {
  key: string;
  kind: string;
  args: Record<string, Json>;
}

export interface NativePlan {
  seed: number;
  deterministic: boolean;
  device: string;
  /** Threads for ATen; null: as many as there are physical cores. */
  threads: number | null;
  /** Dims of one input sample. */
  input: number[];
  model: NativeLayer[];
  loss: { kind: string; args: Record<string, Json> };
  optimizer: { kind: string; args: Record<string, Json> };
  /** Group 0 has the optimizer's own learning rate and weight decay, and may be empty. */
  groups: NativeGroup[];
  /** Names of the parameters that do not train. */
  frozen: string[];
  /** Nothing will be trained: a network without weights will do. Absent: false. */
  untrained?: boolean;
  /** What the target column holds, and so how losses and metrics read the network's answer. */
  target: TargetKind;
  metrics: NativeMetric[];
  /** Batches per optimizer step. */
  accumulate: number;
  clip_grad_norm: number | null;
  /** Each batch mixed as torchvision's MixUp or CutMix does, with both by one of them at random; absent: not. */
  mixup?: { alpha: number } | null;
  cutmix?: { alpha: number } | null;
  /** By tensor, in the order in which torch.nn.init is called once the whole model has drawn PyTorch's own values; absent: none. */
  inits?: { tensor: string; kind: string; args: Record<string, Json> }[];
  /** After clip_grad_norm. */
  clip_grad_value: number | null;
  /** Of what autocast casts in forward passes; parameters, gradients and optimizer stay fp32. */
  precision: 'fp32' | 'bf16' | 'fp16';
  tf32: boolean;
  /** torch.amp.GradScaler's arguments; null: the loss is not scaled. */
  loss_scale: { init_scale: number; growth_factor: number; backoff_factor: number; growth_interval: number } | null;
  /** Paths of the layers at which a segment begins whose activations are computed again in the backward pass; empty: all are kept. */
  activation_checkpointing: string[];
  /** The running mean of parameters and buffers after each real step; evaluating and predicting use it. */
  ema: { decay: number } | null;
  /** Applied in order, on the device, after scaling to floats. */
  transforms: { kind: string; args: Record<string, Json> }[];
  data: { parts: Record<string, NativePart>; splits: Record<string, NativeSplit> };
  loader: NativeLoader;
}

/** Values of one parameter group for the next real steps; a column may be absent where the optimizer has no such value. */
export interface GroupSchedule {
  lr: number[];
  momentum?: number[];
  weight_decay?: number[];
}

/**
 * Runs exactly `steps` optimizer steps (with loss scaling: attempts, skipped ones included), from batch `batch` of epoch `epoch` (both from 0); never past the epoch's end (the caller counts).
 * The position is in the request, so resuming needs no hidden state.
 */
export interface StepsRequest {
  epoch: number;
  batch: number;
  steps: number;
  /** One for each group of the plan. */
  groups: GroupSchedule[];
  /** Whether to measure `peaks`; the peak that `memory` tells starts anew at each phase then. */
  peaks?: boolean;
}

export interface StepsResult {
  /** Steps done (with loss scaling: attempts); less than asked when cancelled or non-finite. */
  steps: number;
  cancelled: boolean;
  /**
   * Set when a loss or gradient was not finite: everything stands as before that step. With loss scaling a gradient is a failure only where
   * no scale helps.
   */
  non_finite: boolean;
  /**
   * Per step: mean loss over its samples, samples, the mean of each metric that has one (by key). Clipping adds `grad_norm`; loss scaling adds
   * `scale` (what this step's loss was multiplied by) and `skipped` (0 or 1).
   */
  columns: { loss: Float64Array; samples: Float64Array; [metric: string]: Float64Array };
  /** Per step and metric: over how many samples or positions its mean is; 0 where all were ignored (the mean is NaN then). */
  counts: { [metric: string]: Float64Array };
  /** Wall seconds of the chunk by phase; they sum to `total`. */
  seconds: {
    data: number;
    copy: number;
    forward: number;
    backward: number;
    optimizer: number;
    other: number;
    total: number;
  };
  /** Where asked for: bytes of tensors at the highest moment of each phase, over all steps; `held`: between the last forward and its backward pass. */
  peaks?: { forward: number; backward: number; optimizer: number; held: number };
}

export interface EvaluateRequest {
  split: string;
  batch_size: number;
  /** Count predictions against targets (classes, masks and labels). */
  confusion: boolean;
}

export interface EvaluateResult {
  loss: number;
  samples: number;
  /** By key. */
  metrics: Record<string, number>;
  /** Row-major, rows are the true class; for multi-label one 2 × 2 a label, one after the other. Absent unless asked for. */
  confusion?: Float64Array;
  cancelled: boolean;
}

export interface PredictRequest {
  split: string;
  /** Positions within the split. */
  start: number;
  count: number;
}

export interface PredictResult {
  /** Row-major, `count` × `width`: each sample's answer in the network's own order. */
  logits: Float32Array;
  probabilities: Float32Array;
  width: number;
  /** Class index or NaN where the target is no class. */
  targets: Float64Array;
}

/** The step to look into: `batches` (default 1) from `batch` on, run in order, so that each draws what it drew in training. */
export interface DiagnoseRequest {
  epoch: number;
  batch: number;
  batches?: number;
  /** The step's own values: with them the update is tried too, and taken back. */
  groups?: GroupSchedule[];
}

/** What a tensor's values are; `min` and `max` of the finite ones, null without any. */
export interface ValueCounts {
  elements: number;
  nan: number;
  positive_infinity: number;
  negative_infinity: number;
  min: number | null;
  max: number | null;
}

/** One sample seen layer by layer, in eval mode and fp32. */
export interface LookRequest {
  split: string;
  /** Position within the split. */
  index: number;
  /** Of every layer, or only of those in `values`. */
  statistics: boolean;
  /** Layers by path (`input`: what enters the network) whose values are wanted: every `steps[d]`-th along dimension d. */
  values: { path: string; steps: number[] }[];
}

export interface ValueStatistics extends ValueCounts {
  /** Of the finite values, `std` that of the population; null without any. */
  mean: number | null;
  std: number | null;
  zeros: number;
  /** For each dimension how many of its slices are zero everywhere. */
  zero_slices: number[];
}

export interface LookResult {
  /** As they ran: a block after what is in it. */
  layers: {
    path: string;
    /** Of one sample. */
    shape: number[];
    statistics: ValueStatistics;
    /** Row-major, where asked for. */
    values?: Float32Array;
  }[];
  /** The sample's class; null where the target is no class. */
  target: number | null;
}

/** Where the first non-finite value of a step appears. */
export interface Diagnosis {
  /** `parameters`: before the step began, so an earlier update made them so, and the state before this step is no good one. */
  phase: 'parameters' | 'input' | 'forward' | 'loss' | 'backward' | 'update' | 'none';
  /** The layer's tensor path; null for input and loss, and for a gradient that the loss made. */
  layer: string | null;
  kind: string | null;
  /**
   * The parameter (`3.weight`; backward: its gradient), buffer or optimizer state (`3.weight.exp_avg_sq`) it was found in. null: the batch, the
   * layer's output, the loss; backward: the gradient that the layer hands to what comes before it.
   */
  tensor: string | null;
  /** The loader's batch it was found in; null where no single one is to blame. */
  batch: number | null;
  /** Of that tensor; null where nothing was found. */
  values: ValueCounts | null;
}

/** Bytes. `device_*` are null where the back end does not tell. */
export interface MemoryReport {
  allocated: number;
  reserved: number;
  peak: number;
  device_free: number | null;
  device_total: number | null;
}

export interface LoadReport {
  matched: string[];
  missing: string[];
  unexpected: string[];
  mismatched: { name: string; expected: number[]; found: number[] }[];
}

/** One training session. Methods answer in the order they are called; all but `cancel` run on the session's own thread. */
export interface NativeSession {
  trainSteps(request: StepsRequest): Promise<StepsResult>;
  evaluate(request: EvaluateRequest): Promise<EvaluateResult>;
  predict(request: PredictRequest): Promise<PredictResult>;
  /** Runs one step, changes nothing, and names where it stops being finite. */
  diagnose(request: DiagnoseRequest): Promise<Diagnosis>;
  /** What each layer makes of one sample; changes nothing. */
  look(request: LookRequest): Promise<LookResult>;
  /** Writes a training batch as it reaches the network, transformed and mixed: tensors `input` and `target` of a safetensors file. */
  saveBatch(request: { epoch: number; batch: number }, file: string): Promise<void>;
  /**
   * Writes model.safetensors, optimizer.safetensors and rng.safetensors into the existing folder, each fsynced; with loss scaling
   * scaler.safetensors; with EMA ema.safetensors (names as the model's), once there has been a step.
   */
  saveState(folder: string): Promise<void>;
  /**
   * Reads what `saveState` wrote; with `model_only` takes the weights to evaluate with (ema.safetensors where there is one) and
   * leaves optimizer and generators alone. Throws WEIGHTS_MISMATCH.
   */
  loadState(folder: string, options: { model_only: boolean }): Promise<void>;
  /** Copies tensors of equal name and shape from a safetensors file into the model. */
  loadWeights(file: string): Promise<LoadReport>;
  memory(options: { reset_peak: boolean }): Promise<MemoryReport>;
  /** Ends a running trainSteps, evaluate or predict at the next batch. Returns at once. */
  cancel(): void;
  /** Idempotent; cancels, frees everything on the session's thread, joins it. */
  close(): Promise<void>;
}

export interface NativeDevice {
  /** `cpu`, `cuda:0`, `mps`, `xpu:0`, or a plug-in's name with index. */
  name: string;
  label: string;
  memory_total: number | null;
  memory_free: number | null;
  capability: string | null;
  /** Half-width number formats that it calculates fast with: by instructions of its own. Others run too, slowly. */
  half: ('bf16' | 'fp16')[];
}

/** What the addon's tables hold, compared with the TypeScript tables at load. */
export interface NativeDescription {
  abi: number;
  libtorch: string;
  layers: Record<string, string[]>;
  optimizers: Record<string, string[]>;
  losses: Record<string, string[]>;
  metrics: Record<string, string[]>;
  transforms: Record<string, string[]>;
  inits: Record<string, string[]>;
  cpu: { capability: string; threads: number };
}

export interface Addon {
  describe(): NativeDescription;
  devices(): NativeDevice[];
  /** Builds the model on the session's thread; rejects with a typed error. */
  createSession(plan: string): Promise<NativeSession>;
  /** torch.randperm(n) of a generator seeded `seed`. */
  randperm(n: number, seed: number): Float64Array;
  /** Positions in the training split in the order in which the batches of epoch `epoch` (from 0) of a native plan hold them. */
  epochOrder(plan: string, epoch: number): Float64Array;
  /**
   * Writes the `random` source's columns: of one generator seeded `seed`, inputs torch.randn(samples, …shape), with tokens
   * torch.randint(tokens, (samples, …shape)) as int64, then targets:
   * - class: torch.randint(classes, (samples)) as int64
   * - multi_label: torch.randint(2, (samples, classes)) as float32
   * - vector: torch.randn(samples, …target_shape) as float32
   * - mask: torch.randint(classes, (samples, …target_shape)) as int64
   * - next_token: torch.randint(classes, (samples, …shape with one more in its last dim)) as int64, of which all but the last are the
   *   input and all but the first the target
   */
  writeRandom(request: {
    shape: number[];
    /** Absent: class, or vector where `classes` is null. */
    targets?: TargetKind;
    classes: number | null;
    /** Of the inputs; absent or null: they are floats. Not for next_token. */
    tokens?: number | null;
    target_shape: number[];
    samples: number;
    seed: number;
    input: string;
    target: string;
  }): Promise<void>;
  /** An image turned upright, resized, cut or padded: channels × height × width of the window, values as wide as those given. */
  resizeImage(request: ResizeRequest): Promise<Uint8Array>;
  /**
   * Mean and deviation (of the population) of each channel over the split `train` of a plan, as the samples arrive at each Normalize whose
   * `mean` is null: behind the transforms before it, as evaluation applies them.
   */
  fitTransforms(plan: string): Promise<{ index: number; mean: number[]; std: number[] }[]>;
  /**
   * Samples behind the transforms, by the code that trains. `request`: {transforms, shape (of a sample), indices (of each in its part),
   * epoch (null: as evaluation sees them), seed, mask_fill}. `masks`: class indices over each image.
   */
  transformSamples(request: {
    request: string;
    values: Float32Array;
    masks: Float32Array | null;
  }): Promise<{ dims: number[]; values: Float32Array; masks: Float32Array | null }>;
  /** Takes an OS lock on the file (created when absent) or throws RUN_LOCKED. Released by `release`, or by the process's end. */
  lock(file: string): { release(): void };
}

/** Settings of a plan that leave training as it is: for what does not train, and for whoever sets one of them apart. */
export const neutral = {
  accumulate: 1,
  clip_grad_norm: null,
  clip_grad_value: null,
  precision: 'fp32',
  tf32: false,
  loss_scale: null,
  activation_checkpointing: [],
  ema: null,
} satisfies Partial<NativePlan>;

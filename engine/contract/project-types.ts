/** The project as written, and as every reader of it sees it: typed, with each default filled in. */
import type { ChosenMetric } from './metrics.ts';
import type { ResolvedMixing } from './mixing.ts';
import type { Json, NativePlan } from './native.ts';
import type { NpySource } from './sources/arrays.ts';
import type { CifarSource } from './sources/cifar.ts';
import type { IdxSource } from './sources/idx.ts';
import type { ImageCsvSource, ImageFolderSource, ImageMaskSource } from './sources/images.ts';
import type { PackSource } from './sources/pack.ts';
import type { RandomSource } from './sources/random.ts';
import type { SeriesSource } from './sources/series.ts';
import type { TableSource } from './sources/table.ts';
import type { LabelledTextSource, TextSource } from './sources/text.ts';
import type { ToySource } from './sources/toy.ts';
import type { Precision, ResolvedEma, ResolvedLossScale } from './training-numbers.ts';
import type { WeightsNames } from './weights-names.ts';

/**
 * A project as written: any JSON object, unknown keys included, nothing checked. `planProject` says what is wrong with it;
 * `resolveProject` answers a complete, typed reading of it.
 */
export type Project = { [key: string]: unknown };

/** A row of a table chosen in the project, with every argument of that row filled in (PyTorch's names). */
export interface Chosen {
  kind: string;
  args: Record<string, Json>;
}

/** One type a kind of source, each beside its row. */
export type ResolvedSource =
  | CifarSource
  | ImageCsvSource
  | ImageFolderSource
  | ImageMaskSource
  | IdxSource
  | NpySource
  | PackSource
  | RandomSource
  | SeriesSource
  | TableSource
  | TextSource
  | LabelledTextSource
  | ToySource;

export interface ResolvedLoader extends Omit<NativePlan['loader'], 'padding' | 'shortest'> {
  sampler: 'shuffle' | 'balanced' | 'weighted';
  /** Of the sampler `weighted`, one a class. */
  class_weights: number[] | null;
  /** Training batches of sequences of like length, cut to their longest. */
  bucket_by_length: boolean;
}

export interface ResolvedSplit {
  /** A fraction of the training part in [0, 1), or the source's own validation or test part. 0: no validation. */
  val: number | 'val' | 'test';
  seed: number;
  /** Only meaningful for class targets. */
  stratify: boolean;
  /** `val` is what stands in for a project that says nothing of it: the source's own validation part goes before it. */
  unsaid?: true;
}

/** A division of the training part that is drawn. */
export type DrawnSplit = Omit<ResolvedSplit, 'val' | 'unsaid'> & { val: number };

/** See schedules.ts for the kinds and schedule-plan.ts for what the clocks count. */
export interface ResolvedSchedule extends Chosen {
  unit: 'epoch' | 'step';
  warmup: { steps: number; start_factor: number } | null;
}

export interface ResolvedEarlyStopping {
  /** The epoch event's value that decides. */
  monitor: string;
  mode: 'min' | 'max';
  patience: number;
  min_delta: number;
}

export interface ResolvedCheckpoint {
  every_epochs: number;
  every_steps: number | null;
  every_minutes: number | null;
  keep: number;
  top_k: number;
  /** The epoch event's value that decides which checkpoint is best; less is better for losses, more for metrics. */
  monitor: string;
}

/** Every setting with its default filled in. What the project says wrongly has its default here and a problem in the plan. */
export interface ResolvedProject {
  gradloom: number;
  name: string;
  data: {
    /** null: none chosen yet. */
    source: ResolvedSource | null;
    split: ResolvedSplit;
    transforms: Chosen[];
    loader: ResolvedLoader;
  };
  model: {
    /** As written; the plan resolves them. */
    layers: unknown[];
    blocks: { [name: string]: unknown };
    /** A `.safetensors` or `.pt` file to start from, relative to the project file. */
    weights: string | null;
    /** Under which names that file holds the network's tensors; null: under their own. */
    weights_names: WeightsNames | null;
  };
  training: {
    epochs: number;
    loss: Chosen;
    optimizer: Chosen;
    metrics: ChosenMetric[];
    device: string;
    precision: Precision | 'auto';
    tf32: boolean;
    /** Used with fp16 only. */
    loss_scale: ResolvedLossScale;
    seed: number;
    deterministic: boolean;
    accumulate: number;
    decay_norms_and_biases: boolean;
    clip_grad_norm: number | null;
    schedule: ResolvedSchedule | null;
    early_stopping: ResolvedEarlyStopping | null;
    clip_grad_value: number | null;
    activation_checkpointing: boolean;
    ema: ResolvedEma | null;
    mixup: ResolvedMixing | null;
    cutmix: ResolvedMixing | null;
    checkpoint: ResolvedCheckpoint;
  };
}

/** What is asked of the runs, and what they answer. */
import type { Num, RunEvent, RunState } from '../contract/events.ts';
import type { Edit } from '../contract/problems.ts';
import type { SplitName } from '../data/index.ts';
import type { RunSummary } from './summary.ts';

export interface TrainRequest {
  /** The project file; relative paths in it are relative to it. */
  projectFile?: string;
  /** The project's text, for a project that is not saved: then `baseDir` says what its paths are relative to. */
  projectText?: string;
  baseDir?: string;
  /** The run folder itself; absent: the next free `<project name>-001` in the workspace. */
  run?: string;
  device?: string;
  precision?: string;
  epochs?: number;
  /** Of the computations; absent: one a physical core. */
  threads?: number;
  /** To start from, in place of `model.weights`: a weights file, or a run by folder or name and one of its checkpoints (absent: best if it validated, else last). */
  weights?: string;
  checkpoint?: CheckpointName;
  /** Edits of the project: dotted key path and JSON value. */
  set?: [string, unknown][];
}

export interface ResumeRequest {
  /** A folder or a name. */
  run: string;
  /** The new total. */
  epochs?: number;
  device?: string;
  /** Changes to the run's project from here on: what an autopsy advises, say. */
  edits?: Edit[];
}

export type EventSink = (event: RunEvent) => void;
export type EndEvent = Extract<RunEvent, { type: 'end' }>;
export type EpochEvent = Extract<RunEvent, { type: 'epoch' }>;

export type { SplitName };
/** `best`, `last`, or the number of the step. */
export type CheckpointName = 'best' | 'last' | number;

export interface EvaluateOptions {
  split?: SplitName;
  checkpoint?: CheckpointName;
  device?: string;
  signal?: AbortSignal;
}

export interface Evaluation {
  split: SplitName;
  /** Which checkpoint was used: its role or step as asked for, and its folder's name. */
  checkpoint: string;
  folder: string;
  samples: number;
  loss: Num;
  metrics: Record<string, Num>;
  /** Rows are the true class; of masks every position counts. Ignored targets count nowhere. */
  confusion?: number[][];
  /** Multi-label targets: one 2 × 2 a label, its rows absent and present, its columns answered no and yes. */
  label_confusion?: number[][][];
  /** Names of the classes or labels. */
  classes?: string[];
}

export interface PredictOptions {
  split?: SplitName;
  /** First position within the split. */
  start?: number;
  /** How many; absent: all that follow. */
  count?: number;
  checkpoint?: CheckpointName;
  device?: string;
  signal?: AbortSignal;
}

export interface Prediction {
  /** Position within the split, or among the files' samples. */
  index: number;
  /** Of a file's sample: what a person calls it. */
  name?: string;
  /** The names of the class and of the true class. */
  label?: string;
  true_label?: string;
  /** Of masks: how many positions go to each class, by its name. */
  positions?: { [label: string]: number };
  /** The class with the largest logit; null where the target is no class. */
  class: number | null;
  /** The true class; null where the target is no class. */
  target: number | null;
  logits: Num[];
  probabilities: Num[];
}

export interface RunListing {
  /** The folder's name. */
  name: string;
  folder: string;
  /** A killed run, whose summary still says that it runs, is `interrupted`. */
  status: RunState;
  summary: RunSummary | null;
}

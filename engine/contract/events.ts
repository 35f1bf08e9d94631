/** The lines of a run's journal, of `--json` output and of the wire: one closed union, snake_case as written. */
import type { ErrorInfo } from './errors.ts';

export const runStates = [
  'queued',
  'preparing',
  'running',
  'paused',
  'parked',
  'completed',
  'stopped',
  'interrupted',
  'failed',
] as const;
export type RunState = (typeof runStates)[number];

/** Non-finite numbers travel as strings. */
export type Num = number | 'NaN' | 'Infinity' | '-Infinity';

export interface MemoryLine {
  allocated: number;
  reserved: number;
  peak: number;
  rss: number;
}

export type RunEvent =
  | {
      type: 'start';
      run: string;
      name: string;
      device: string;
      /** The precision used, and why when `auto` chose it. */
      precision: string;
      precision_reason?: string;
      seed: number;
      epochs: number;
      steps_per_epoch: number;
      train_samples: number;
      val_samples: number;
      parameters: number;
      versions: Record<string, string>;
      time: string;
    }
  /** Columns of equal length, one entry an optimizer step; `step` counts from 1. `lr` per step; metrics as `train_<metric>`. */
  | {
      type: 'steps';
      epoch: number;
      step: number[];
      train_loss: Num[];
      lr: number[];
      time: string;
      [column: string]: unknown;
    }
  | {
      type: 'epoch';
      epoch: number;
      step: number;
      train_loss: Num;
      val_loss?: Num;
      lr: number;
      seconds: number;
      samples_per_second: number;
      /** Wall seconds by phase over the epoch's training. */
      breakdown: Record<string, number>;
      memory: MemoryLine;
      time: string;
      /** `train_accuracy`, `val_accuracy`… */
      [metric: string]: unknown;
    }
  | { type: 'state'; status: RunState; time: string }
  /** While a run is prepared; told to listeners, never in a journal. `stage` is a phrase: "packing the data". */
  | { type: 'progress'; stage: string; done: number; total: number; time: string }
  | { type: 'resume'; from_step: number; time: string; note?: string }
  | { type: 'checkpoint'; step: number; epoch: number; folder: string; roles: string[]; time: string }
  | { type: 'advice'; code: string; message: string; hint?: string; time: string }
  | ({ type: 'error'; time: string } & ErrorInfo)
  | { type: 'end'; status: RunState; run: string; epoch: number; step: number; seconds: number; time: string };

export type RunEventType = RunEvent['type'];

/** What a person may ask of a live run. */
export const runActions = ['pause', 'park', 'continue', 'stop', 'discard'] as const;
export type RunAction = (typeof runActions)[number];

export function toNum(value: number): Num {
  if (Number.isFinite(value)) return value;
  return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
}

export function fromNum(value: Num): number {
  return typeof value === 'number' ? value : Number(value);
}

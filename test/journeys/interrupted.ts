/**
 * Runs in this process whose folder is copied while they train: a copy holds what a process killed at that moment leaves behind, and is resumed
 * as that would be. What must be equal bit for bit is answered for the uninterrupted run and for each that was broken off.
 */
import { cpSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { RunControl, resumeRun, trainRun } from '../../engine/runs/index.ts';
import type { Training, TrainingHooks } from '../../engine/runs/trainer.ts';
import type { EventSink } from '../../engine/runs/types.ts';
import { CutChunks } from '../../engine/verify/trace.ts';
import { outcome, temporaryFolder } from './command-line.ts';

export type Settings = Record<string, unknown>;

/** Asks something of the run after a step; what it asks holds from the next step on. */
export type Script = (step: number, control: RunControl, run: string) => void;

/** 72 training samples in 9 batches, four epochs. */
export function tinyProject(
  training: Settings,
  { data = {}, layers = tinyLayers }: { data?: Settings; layers?: unknown[] } = {},
) {
  return {
    gradloom: 1,
    name: 'tiny',
    data: {
      source: { kind: 'random', shape: [1, 4, 4], classes: 3, samples: 90, seed: 2 },
      split: { val: 0.2, stratify: false },
      loader: { batch_size: 8, num_workers: 0 },
      ...data,
    },
    model: { layers },
    training: { epochs: 4, checkpoint: { every_steps: 12 }, ...training },
  };
}

const tinyLayers = [
  { kind: 'Conv2d', out_channels: 2, kernel_size: 3 },
  { kind: 'BatchNorm2d' },
  { kind: 'ReLU' },
  { kind: 'Dropout', p: 0.2 },
  { kind: 'Flatten' },
  { kind: 'Linear', out_features: 3 },
];

/** `copies`: after which steps the folder is copied; their places are answered. */
function watched(copies: readonly number[], scripted: readonly number[], script: Script, most: number) {
  let step = 0;
  const made: string[] = [];
  const control = new RunControl();
  const hooks: TrainingHooks = {
    chunks: new CutChunks(most, [...copies, ...scripted], () => step),
    async afterChunk({ record, state }: Training) {
      step = state.step;
      if (copies.includes(step)) {
        const copy = path.join(temporaryFolder(), `killed-${step}`);
        cpSync(record.folder, copy, { recursive: true, filter: (from) => !from.endsWith('live.json') });
        made.push(copy);
      }
      script(step, control, record.folder);
    },
  };
  const listen: EventSink = (event) => {
    if (event.type === 'resume') step = event.from_step;
  };
  return { control, hooks, made, listen };
}

/** The run as it would be without an end, and copies of it as of being killed after each of these steps. */
export async function trainTiny(
  project: object,
  copies: number[] = [],
  scripted: number[] = [],
  script: Script = () => {},
) {
  const run = path.join(temporaryFolder(), 'straight');
  const { control, hooks, made, listen } = watched(copies, scripted, script, 4);
  const end = await trainRun({ projectText: JSON.stringify(project), run, threads: 1 }, listen, control, hooks);
  expect(end.status).toBe('completed');
  return { run, end, copies: made };
}

/** Goes on with a killed run, and kills it `copies` times more; the last life ends by itself. */
export async function resumeTiny(
  run: string,
  copies: number[] = [],
  scripted: number[] = [],
  script: Script = () => {},
): Promise<string> {
  const { control, hooks, made, listen } = watched(copies, scripted, script, 3);
  const end = await resumeRun({ run }, listen, control, hooks);
  expect(end.status).toBe('completed');
  const next = made[0];
  return next === undefined ? run : resumeTiny(next, [], scripted, script);
}

/** All that must be equal: tensors, effective journal, and what `state.json` knows. */
export function result(run: string) {
  const { last } = JSON.parse(readFileSync(path.join(run, 'checkpoints', 'index.json'), 'utf8'));
  const state = JSON.parse(readFileSync(path.join(run, 'checkpoints', last, 'state.json'), 'utf8'));
  const { seconds: _seconds, sums: _sums, files: _files, ...known } = state;
  return { ...outcome(run), state: known };
}

/** A fixed sequence, so that a failure can be repeated. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Kills a run at a random step and its resumed life at a later one; both must be the uninterrupted run, which is answered. */
export async function endures(project: object, seed: number, total = 36): Promise<ReturnType<typeof result>> {
  const random = randomFrom(seed);
  const first = 1 + Math.floor(random() * (total - 2));
  const second = first + Math.floor(random() * (total - 1 - first));
  const straight = await trainTiny(project, [first]);
  const resumed = await resumeTiny(straight.copies[0] as string, second > first ? [second] : []);
  const expected = result(straight.run);
  expect({ first, second, ...result(resumed) }).toEqual({ first, second, ...expected });
  return expected;
}

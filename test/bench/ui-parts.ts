/** What the window's bench takes from the sources: a deep stack and its plan, a journal of a million steps, an engine that replays a run fast. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openEngine } from '../../engine/api/engine.ts';
import { wire } from '../../engine/api/parts.ts';
import { type Plan, planProject } from '../../engine/contract/plan.ts';
import { editProject, readProject } from '../../engine/contract/project.ts';
import type { DataFacts } from '../../engine/contract/tensors.ts';
import { nodeProcesses } from '../../engine/processes.ts';
import { LiveRuns } from '../../engine/runs/live-runs.ts';
import { startShell } from '../../engine/serve.ts';
import { brokenProjects } from './broken-stacks.ts';
import { mixedProject } from './mixed-stack.ts';

const facts: DataFacts = {
  input: { dims: [64], dtype: 'float32' },
  target: { kind: 'class', classes: ['a', 'b', 'c'] },
  parts: { train: 400 },
};

/** A project of `layers` layers, linear ones and activations in turn. */
export function deepProject(layers: number): string {
  const pairs = Array.from({ length: layers / 2 - 1 }, (_, i) => [
    { kind: 'Linear', out_features: 32 + (i % 7) },
    { kind: 'ReLU' },
  ]);
  const project = {
    gradloom: 1,
    name: 'deep',
    data: {
      source: { kind: 'random', shape: [64], classes: 3, samples: 400, seed: 1 },
      loader: { batch_size: 50 },
    },
    model: { layers: [...pairs.flat(), { kind: 'Dropout', p: 0.1 }, { kind: 'Linear', out_features: 3 }] },
    training: { epochs: 1, device: 'cpu' },
  };
  return `${JSON.stringify(project, null, 2)}\n`;
}

/** Milliseconds from an edited text to the project and its plan, as at each key that is typed; one figure a repetition. */
export function timePlans(text: string, repetitions: number): number[] {
  return timed(repetitions, (i) => {
    const edited = editProject(text, [{ op: 'set', path: ['model', 'layers', 100, 'out_features'], value: 20 + i }]);
    return planProject(readProject(edited).project ?? {}, facts);
  });
}

/** Milliseconds of the plan alone, of layers of many kinds. */
export function timeMixedPlans(layers: number, repetitions: number): { times: number[]; kinds: number } {
  const { text, kinds } = mixedProject(layers);
  const { project } = readProject(text);
  return { times: timed(repetitions, () => planProject(project ?? {}, null)), kinds };
}

/** The same of networks with faults, by what is wrong with them. */
export function timeBrokenPlans(repetitions: number): { fault: string; times: number[] }[] {
  return Object.entries(brokenProjects()).map(([fault, text]) => ({
    fault,
    times: timed(repetitions, () => planProject(JSON.parse(text), null), true),
  }));
}

function timed(repetitions: number, make: (i: number) => Plan, faulty = false): number[] {
  const times: number[] = [];
  for (let i = 0; i < repetitions + 5; i++) {
    const began = performance.now();
    const { problems } = make(i);
    const took = performance.now() - began;
    if (problems.some(({ severity }) => severity === 'error') !== faulty) {
      throw new Error(faulty ? 'A broken project has no problems' : 'A deep project has problems');
    }
    // The first ones are compiled.
    if (i >= 5) times.push(took);
  }
  return times;
}

const memory = { allocated: 1 << 24, reserved: 1 << 25, peak: 1 << 25, rss: 1 << 28 };
const perEpoch = 500;

/** Events of steps `from` to `to`, as a worker writes them; an epoch's end every 500. */
function eventsOf(from: number, to: number): string {
  const step = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const noise = (at: number) => 0.1 * Math.sin(at * 12.9898) * Math.sin(at * 78.233);
  const loss = step.map((at) => 2.3 / (1 + at / 20_000) + noise(at));
  const epoch = Math.ceil(from / perEpoch);
  const time = new Date(Date.now()).toISOString();
  const lines: object[] = [
    {
      type: 'steps',
      epoch,
      step,
      train_loss: loss,
      train_accuracy: loss.map((value) => Math.max(0, 1 - value / 2.5)),
      lr: step.map(() => 0.001),
      seconds: step.length / 500,
      memory,
      time,
    },
  ];
  if (to % perEpoch === 0) {
    const last = loss.at(-1) ?? 0;
    lines.push({
      type: 'epoch',
      epoch,
      step: to,
      train_loss: last,
      train_accuracy: 0.5,
      val_loss: last + 0.05,
      val_accuracy: 0.5,
      lr: 0.001,
      seconds: 1,
      samples_per_second: 50_000,
      breakdown: { data: 0.1, copy: 0, forward: 0.4, backward: 0.4, optimizer: 0.1, other: 0 },
      memory,
      time,
    });
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

const journalOf = (run: string) => path.join(run, 'metrics.jsonl');

/** Puts a journal of `steps` steps into the folder of a run that has ended. */
export function writeLongRun(run: string, steps: number): void {
  const lines = readFileSync(journalOf(run), 'utf8').split('\n').filter(Boolean);
  const end = lines.at(-1) ?? '';
  writeFileSync(journalOf(run), `${startOf(lines, steps)}\n`);
  let text = '';
  for (let from = 1; from <= steps; from += 50) {
    text += eventsOf(from, from + 49);
    if (text.length > 1 << 22) {
      appendFileSync(journalOf(run), text);
      text = '';
    }
  }
  appendFileSync(journalOf(run), `${text}${end}\n`);
}

function startOf(lines: readonly string[], steps: number): string {
  const start = JSON.parse(lines[0] ?? '{}') as object;
  return JSON.stringify({ ...start, epochs: steps / perEpoch, steps_per_epoch: perEpoch });
}

export interface Replay {
  url: string;
  /** Frames that were asked for so far. */
  frames(): number;
  close(): Promise<void>;
}

/** An engine in whose only run 50 steps are taken whenever the window asks for its next frame, without the wait between frames. */
export async function serveReplay(run: string): Promise<Replay> {
  const lines = readFileSync(journalOf(run), 'utf8').split('\n').filter(Boolean);
  writeFileSync(journalOf(run), `${startOf(lines, 36_000 * 50)}\n`);
  let frames = 0;
  const liveRuns = new LiveRuns();
  const engine = openEngine({ processes: nodeProcesses, root: null, log: (text) => process.stderr.write(`${text}\n`) });
  const follow = wire.runs.follow.handler(({ input }) => {
    appendFileSync(journalOf(run), eventsOf(50 * frames + 1, 50 * frames + 50));
    frames += 1;
    return liveRuns.follow(run, input.points, input.cursor, { gap: 0, patience: 0 });
  });
  const router = { ...engine.router, runs: { ...engine.router.runs, follow } };
  const shell = await startShell({ engine: { ...engine, router }, log: () => {} });
  return {
    url: shell.url,
    frames: () => frames,
    close: async () => {
      await shell.close();
      await engine.close();
    },
  };
}

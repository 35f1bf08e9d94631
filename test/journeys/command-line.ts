/** Runs the built command line as people do, kills it as systems do, and compares what it leaves behind. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import type { RunEvent } from '../../engine/contract/events.ts';
import { parseJournal } from '../../engine/runs/journal-reader.ts';
import { sendAction } from '../../engine/runs/live.ts';
import { effectiveSeries } from '../engine/effective-series.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const cliFile = path.join(root, 'dist', 'cli.js');

export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gradloom-journey-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface Started {
  child: ChildProcess;
  /** Events so far. */
  events: RunEvent[];
  /** Resolves with the first event that fits; rejects when the process ends without. */
  until(fits: (event: RunEvent) => boolean): Promise<RunEvent>;
  exit: Promise<{ code: number | null; signal: string | null; stderr: string }>;
}

export function start(args: string[], home: string): Started {
  const child = spawn(process.execPath, [cliFile, ...args, '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, GRADLOOM_HOME: home },
  });
  const events: RunEvent[] = [];
  const waiting = new Set<() => void>();
  let stderr = '';
  let rest = '';
  let ended = false;
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    events.push(...lines.map((line) => JSON.parse(line) as RunEvent));
    for (const look of [...waiting]) look();
  });
  const exit = new Promise<{ code: number | null; signal: string | null; stderr: string }>((resolve) => {
    child.once('close', (code, signal) => {
      ended = true;
      for (const look of [...waiting]) look();
      resolve({ code, signal, stderr });
    });
  });
  return {
    child,
    events,
    exit,
    until: (fits) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = events.find(fits);
          if (!found && !ended) return;
          waiting.delete(look);
          if (found) resolve(found);
          else reject(new Error(`The process ended without that event; it said: ${stderr}`));
        };
        waiting.add(look);
        look();
      }),
  };
}

/** Waits for such an event and pauses the run there, so that it cannot end before the test has done with it. */
export async function holdAt(life: Started, folder: string, fits: (event: RunEvent) => boolean): Promise<void> {
  await life.until(fits);
  expect(await sendAction(folder, 'pause')).toBe('paused');
}

export async function run(args: string[], home: string) {
  const started = start(args, home);
  const { code, stderr } = await started.exit;
  return { code, stderr, events: started.events };
}

/**
 * A network with everything that has a state of its own: BatchNorm's statistics, dropout's generator, Adam's moments; accumulation and a last
 * small batch besides.
 */
export function statefulProject(folder: string, training: Record<string, unknown> = {}, samples = 1000): string {
  const file = path.join(folder, 'stateful.gradloom.json');
  const project = {
    gradloom: 1,
    name: 'stateful',
    data: {
      source: { kind: 'random', shape: [1, 8, 8], classes: 4, samples, seed: 5 },
      split: { val: 0.1, seed: 42, stratify: true },
      loader: { batch_size: 12 },
    },
    model: {
      layers: [
        { kind: 'Conv2d', out_channels: 4, kernel_size: 3 },
        { kind: 'BatchNorm2d' },
        { kind: 'ReLU' },
        { kind: 'Dropout', p: 0.3 },
        { kind: 'Flatten' },
        { kind: 'Linear', out_features: 4 },
      ],
    },
    training: { epochs: 4, optimizer: { kind: 'AdamW', lr: 0.01 }, accumulate: 2, ...training },
  };
  writeFileSync(file, JSON.stringify(project, null, 2));
  return file;
}

/** All that must be equal bit for bit between two runs that did the same. */
export function outcome(runFolder: string) {
  const base = path.join(runFolder, 'checkpoints');
  const { last, best } = JSON.parse(readFileSync(path.join(base, 'index.json'), 'utf8'));
  const hashes = (folder: string) =>
    Object.fromEntries(
      readdirSync(path.join(base, folder))
        .filter((name) => name.endsWith('.safetensors'))
        .map((name) => [
          name,
          createHash('sha256')
            .update(readFileSync(path.join(base, folder, name)))
            .digest('hex'),
        ]),
    );
  const { steps, epochs } = effectiveSeries(journal(runFolder));
  return {
    last: hashes(last),
    best: best === null ? null : hashes(best),
    steps,
    epochs: epochs.map(
      ({ seconds: _s, samples_per_second: _r, breakdown: _b, data_wait: _w, memory: _m, time: _t, ...rest }) => rest,
    ),
  };
}

export function journal(runFolder: string): RunEvent[] {
  return parseJournal(readFileSync(path.join(runFolder, 'metrics.jsonl'), 'utf8'));
}

export function summary(runFolder: string): { status: string; epoch: number; step: number; error?: { code: string } } {
  return JSON.parse(readFileSync(path.join(runFolder, 'summary.json'), 'utf8'));
}

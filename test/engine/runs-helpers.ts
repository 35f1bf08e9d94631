/** Folders that go away, and small journals, for the tests of the runs. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { RunEvent } from '../../engine/contract/events.ts';
import { type Prediction, predictFiles } from '../../engine/runs/index.ts';

export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gradloom-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const time = '2026-01-01T00:00:00.000Z';

export const steps = (epoch: number, step: number[], loss = step.map((at) => 1 / at)): RunEvent => ({
  type: 'steps',
  epoch,
  step,
  train_loss: loss,
  train_accuracy: step.map(() => 0.5),
  lr: step.map(() => 0.001),
  time,
});

export const epoch = (number: number, step: number, more: Record<string, unknown> = {}): RunEvent => ({
  type: 'epoch',
  epoch: number,
  step,
  train_loss: 1 / number,
  lr: 0.001,
  seconds: 1,
  samples_per_second: 100,
  breakdown: {},
  memory: { allocated: 0, reserved: 0, peak: 0, rss: 0 },
  time,
  ...more,
});

export const resume = (from_step: number): RunEvent => ({ type: 'resume', from_step, time });

/** What a run says of files that it has never seen. */
export async function predictedOf(run: string, files: string[]): Promise<Prediction[]> {
  const found: Prediction[] = [];
  await predictFiles(run, files, {}, (row) => {
    found.push(row);
  });
  return found;
}

/** Runs in the test's workspace as a trainer leaves them, without one: project, journal, summary. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { RunSummary } from '../../engine/runs/summary.ts';
import { home } from './engine.ts';

export interface WrittenRun {
  status?: RunSummary['status'];
  /** Finished ones, of ten steps each. */
  epochs?: number;
  total?: number;
  lr?: number;
  ema?: { decay: number };
  error?: RunSummary['error'];
}

const stepsPerEpoch = 10;
const time = (second: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toISOString();
const memory = { allocated: 1 << 20, reserved: 2 << 20, peak: 2 << 20, rss: 8 << 20 };
const values = (epoch: number) => ({
  train_loss: 1 / epoch,
  train_accuracy: 1 - 0.5 / epoch,
  val_loss: 1.5 / epoch,
  val_accuracy: 1 - 0.6 / epoch,
});

/** Answers its folder. */
export async function writeRun(name: string, run: WrittenRun = {}): Promise<string> {
  const { status = 'completed', epochs = 3, total = epochs, lr = 0.001, ema, error } = run;
  const folder = path.join(home, 'runs', name);
  await mkdir(folder, { recursive: true });
  const seconds = epochs;
  const start = {
    type: 'start',
    run: folder,
    name: 'small',
    device: 'cpu',
    precision: 'fp32',
    seed: 42,
    epochs: total,
    steps_per_epoch: stepsPerEpoch,
    train_samples: 100,
    val_samples: 10,
    parameters: 27,
    versions: {},
    time: time(0),
  };
  const lines = Array.from({ length: epochs }, (_, index) => {
    const epoch = index + 1;
    const step = Array.from({ length: stepsPerEpoch }, (_step, at) => index * stepsPerEpoch + at + 1);
    const column = (value: number) => step.map(() => value);
    const { train_loss, train_accuracy } = values(epoch);
    return [
      {
        type: 'steps',
        epoch,
        step,
        train_loss: column(train_loss),
        train_accuracy: column(train_accuracy),
        lr: column(lr),
        seconds: 1,
        memory,
        time: time(epoch),
      },
      {
        type: 'epoch',
        epoch,
        step: epoch * stepsPerEpoch,
        ...values(epoch),
        lr,
        seconds: 1,
        samples_per_second: 100,
        breakdown: { data: 0.03, forward: 0.5, backward: 0.47 },
        data_wait: 0.03,
        memory,
        time: time(epoch),
      },
    ];
  }).flat();
  const end = {
    type: 'end',
    status,
    run: folder,
    epoch: epochs,
    step: epochs * stepsPerEpoch,
    seconds,
    time: time(epochs),
  };
  const told = error ? [{ type: 'error', ...error, time: time(epochs) }] : [];
  const summary: RunSummary = {
    version: 1,
    name: 'small',
    status,
    device: 'cpu',
    precision: 'fp32',
    epoch: epochs,
    epochs: total,
    step: epochs * stepsPerEpoch,
    steps_per_epoch: stepsPerEpoch,
    parameters: 27,
    seconds,
    last: epochs > 0 ? values(epochs) : {},
    best: epochs > 0 ? { monitor: 'val_loss', value: 1.5 / epochs, epoch: epochs, step: epochs * stepsPerEpoch } : null,
    samples_per_second: epochs > 0 ? 100 : null,
    started: time(0),
    updated: time(epochs),
    ...(error ? { error } : {}),
  };
  const project = {
    gradloom: 1,
    name: 'small',
    data: { source: { kind: 'random', shape: [8], classes: 3, samples: 110 }, loader: { batch_size: 10 } },
    model: { layers: [{ kind: 'Linear', out_features: 3 }] },
    training: { epochs: total, optimizer: { kind: 'Adam', lr }, ...(ema ? { ema } : {}) },
  };
  const journal = [start, ...lines, ...told, end].map((line) => `${JSON.stringify(line)}\n`).join('');
  await writeFile(path.join(folder, 'project.json'), JSON.stringify(project, null, 2));
  await writeFile(path.join(folder, 'metrics.jsonl'), journal);
  await writeFile(path.join(folder, 'summary.json'), JSON.stringify(summary));
  return folder;
}

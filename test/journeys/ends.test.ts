/** Case 15: at every kind of end the best weights are what `best` names, and what evaluating and exporting take by default. */
import { cpSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { fromNum, type Num } from '../../engine/contract/events.ts';
import { readSafetensors } from '../../engine/export/safetensors.ts';
import { digest } from '../../engine/export/tensor-source.ts';
import { exportRun } from '../../engine/runs/export.ts';
import { evaluateRun, RunControl, trainRun } from '../../engine/runs/index.ts';
import type { Training } from '../../engine/runs/trainer.ts';
import { outcome, temporaryFolder } from './command-line.ts';
import { tinyProject } from './interrupted.ts';

const tensors = async (file: string) =>
  Promise.all((await readSafetensors(file)).tensors.map(async (tensor) => [tensor.name, await digest(tensor)]));

/** Asks for the end after step 31 of 45: two epochs are over since the best one, whose place the numbers decide. */
const ends: { [name: string]: { status: string; training?: object; at?: (training: Training) => void } } = {
  completed: { status: 'completed' },
  'stopped early': { status: 'completed', training: { epochs: 40, early_stopping: { patience: 2 } } },
  stopped: { status: 'stopped', at: ({ control }) => void control.stop() },
  parked: { status: 'parked', at: ({ control }) => void control.park() },
  interrupted: { status: 'interrupted', at: ({ control }) => void control.interrupt('SIGTERM') },
  failed: { status: 'failed', at: ({ control }) => void control.request({ action: 'set', lr: 1e38 }) },
  killed: { status: 'completed', at: () => {} },
};

test.each(Object.entries(ends))('%s', async (name, { status, training = {}, at }) => {
  let run = path.join(temporaryFolder(), 'run');
  const project = tinyProject({ epochs: 5, optimizer: { kind: 'SGD', lr: 0.5, momentum: 0.9 }, ...training });
  const killed = path.join(temporaryFolder(), 'killed');
  let done = false;
  const end = await trainRun({ projectText: JSON.stringify(project), run, threads: 1 }, () => {}, new RunControl(), {
    afterChunk: async (now) => {
      if (done || now.state.step < 31) return;
      done = true;
      if (name === 'killed') cpSync(run, killed, { recursive: true, filter: (from) => !from.endsWith('live.json') });
      at?.(now);
    },
  });
  expect(end.status).toBe(status);
  if (name === 'killed') run = killed;
  const epochs = outcome(run).epochs as unknown as { epoch: number; val_loss: Num }[];
  const losses = epochs.map(({ val_loss }) => fromNum(val_loss));
  const least = Math.min(...losses);
  const { best } = JSON.parse(readFileSync(path.join(run, 'checkpoints', 'index.json'), 'utf8'));
  const file = (base: string) => readFileSync(path.join(run, 'checkpoints', base, 'state.json'), 'utf8');
  expect(JSON.parse(file(best))).toMatchObject({ best: { value: least, epoch: losses.indexOf(least) + 1 } });
  const evaluated = await evaluateRun(run, {});
  expect({ ...evaluated, folder: path.basename(evaluated.folder) }).toMatchObject({
    checkpoint: 'best',
    folder: best,
    loss: least,
  });
  const exported = await exportRun(run, { format: 'safetensors' });
  expect(exported).toMatchObject({ checkpoint: 'best' });
  expect(await tensors(exported.path)).toEqual(await tensors(path.join(run, 'checkpoints', best, 'model.safetensors')));
});

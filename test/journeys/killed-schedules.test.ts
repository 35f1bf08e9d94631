/** Processes of runs with schedules, killed without warning again and again: each ends as the uninterrupted run, bit for bit. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { outcome, run, statefulProject, temporaryFolder } from './command-line.ts';
import { trainKilled } from './kill-and-resume.ts';

const projects = {
  'one cycle by steps, SGD without a momentum of its own': {
    optimizer: { kind: 'SGD', lr: 0.05 },
    schedule: { kind: 'OneCycleLR', max_lr: 0.2, three_phase: true, warmup: { steps: 30 } },
    checkpoint: { every_steps: 17, top_k: 2 },
  },
  'a plateau, early stopping, and checkpoints by the clock': {
    optimizer: { kind: 'Adam', lr: 0.02 },
    schedule: { kind: 'ReduceLROnPlateau', patience: 0, threshold: 0.05, factor: 0.5 },
    early_stopping: { patience: 3, min_delta: 0.02 },
    checkpoint: { every_minutes: 0.0005, every_epochs: 3 },
    epochs: 12,
  },
};

test.each(Object.entries(projects))('%s', async (_name, training) => {
  const home = temporaryFolder();
  const project = statefulProject(home, training, 3000);
  const straight = path.join(home, 'straight');
  expect((await run(['train', project, '--run', straight], home)).code).toBe(0);
  const folder = path.join(home, 'killed');
  expect(await trainKilled(project, folder, home, [60, 150, 40, 220])).toBeGreaterThan(1);
  expect(outcome(folder)).toEqual(outcome(straight));
});

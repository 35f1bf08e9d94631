/** Many runs, each killed without warning at many random moments: every one ends as the uninterrupted run, bit for bit. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { outcome, root, run, statefulProject, temporaryFolder } from '../journeys/command-line.ts';
import { trainKilled } from '../journeys/kill-and-resume.ts';

/** A fixed sequence, so that a failure can be repeated. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

async function endure(project: string, words: string[], seeds: number[], livesEach: number, longestMs: number) {
  const home = temporaryFolder();
  const straight = path.join(home, 'straight');
  expect((await run(['train', project, '--run', straight, ...words], home)).code).toBe(0);
  const expected = outcome(straight);
  for (const seed of seeds) {
    const random = randomFrom(seed);
    const deaths = Array.from({ length: livesEach }, () => (random() < 0.3 ? -random() * 1500 : random() * longestMs));
    const folder = path.join(home, `killed-${seed}`);
    await trainKilled(project, folder, home, deaths, words);
    const found = outcome(folder);
    const loss = (from: typeof found) => from.steps.train_loss as number[];
    const differs = loss(expected).findIndex((value, i) => value !== loss(found)[i]);
    expect({ seed, deaths, differs }).toEqual({ seed, deaths, differs: -1 }); // rather than pages of numbers
    expect(found).toEqual(expected);
  }
}

test('a network with every kind of state', async () => {
  await endure(statefulProject(temporaryFolder(), {}, 3000), [], [1, 2, 3, 4, 5, 6, 7, 8], 12, 700);
});

test('schedules and early stopping', async () => {
  const schedules = [
    { schedule: { kind: 'OneCycleLR', max_lr: 0.2, warmup: { steps: 30 } }, optimizer: { kind: 'SGD', lr: 0.05 } },
    {
      schedule: { kind: 'ReduceLROnPlateau', patience: 0, threshold: 0.05 },
      early_stopping: { patience: 4 },
      epochs: 9,
    },
    {
      schedule: { kind: 'CosineAnnealingWarmRestarts', T_0: 40, T_mult: 2, unit: 'step' },
      checkpoint: { every_steps: 31 },
    },
  ];
  for (const [i, training] of schedules.entries()) {
    await endure(statefulProject(temporaryFolder(), training, 3000), [], [31 + i, 41 + i], 12, 700);
  }
});

test('the digits MLP', async () => {
  const project = path.join(root, 'assets', 'templates', 'digits-mlp.gradloom.json');
  await endure(project, ['--epochs', '8'], [11, 12, 13, 14], 10, 1200);
});

test('the digits CNN', async () => {
  const project = path.join(root, 'assets', 'templates', 'digits-cnn.gradloom.json');
  await endure(project, ['--epochs', '2'], [21, 22], 8, 6000);
});

/** Every layer kind and random stacks (losses: losses.test.ts), in the addon and in real PyTorch: initial weights, answers, steps. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Chosen } from '../../engine/contract/project.ts';
import { type Case, examples, openSession, planOf, samples } from '../conformance/random-session.ts';
import { randomStack } from './plan-stacks.ts';
import { runPython } from './python.ts';

let top = '';

beforeAll(() => {
  top = mkdtempSync(path.join(tmpdir(), 'gradloom-layers-'));
});

afterAll(() => rmSync(top, { recursive: true, force: true }), 120_000);

/** Stacks that can be trained; their outputs are the targets' shapes. */
function trainableStacks(count: number): Case[] {
  const cases: Case[] = [];
  for (let seed = 50_000; cases.length < count; seed++) {
    const { input, layers, blocks } = randomStack(seed);
    const found: Case = { name: `stack ${seed}`, input, output: [1], layers, blocks };
    const output = planOf(found, {}).output;
    if (output.length > 0 && planOf({ ...found, output }, {}).model) cases.push({ ...found, output });
  }
  return cases;
}

/** What PyTorch needs to do the same: the case, and what came of it here. */
interface Trained extends Required<Pick<Case, 'name' | 'input' | 'output' | 'layers' | 'blocks'>> {
  /** Holds the data (`input`, `target`), the answers before training, and the states `before` and `after`. */
  folder: string;
  classes: number | null;
  seed: number;
  optimizer: Chosen;
  loss: Chosen;
  losses: number[];
}

/** Trains `steps` steps over all samples. */
async function trainHere(one: Case, steps: number): Promise<Trained> {
  const folder = path.join(top, one.name.replaceAll(' ', '-'));
  const training = { loss: { kind: 'MSELoss' }, optimizer: { kind: 'SGD', lr: 0.1 }, ...one.training };
  const plan = planOf({ ...one, training }, { batch_size: samples, shuffle: false });
  expect(plan.model, one.name).not.toBeNull();
  const session = await openSession(plan, folder);
  const save = async (name: string) => {
    mkdirSync(path.join(folder, name));
    await session.saveState(path.join(folder, name));
  };
  await save('before');
  const { logits } = await session.predict({ split: 'train', start: 0, count: samples });
  writeFileSync(path.join(folder, 'answers'), logits);
  const losses: number[] = [];
  for (let epoch = 0; epoch < steps; epoch++) {
    const lr = [plan.optimizer.args.lr as number];
    const { columns } = await session.trainSteps({ epoch, batch: 0, steps: 1, groups: [{ lr }] });
    losses.push(columns.loss[0] as number);
  }
  await save('after');
  await session.close();
  const { name, input, output, layers, blocks = {}, classes = null } = one;
  const { optimizer, loss } = plan;
  return { name, input, output, layers, blocks, classes, folder, seed: 1, optimizer, loss, losses };
}

test('layers and stacks agree with PyTorch', async () => {
  const cases = [...examples, ...trainableStacks(100)];
  const trained: Trained[] = [];
  for (const one of cases) trained.push(await trainHere(one, 1));
  type Answer = { initial: boolean; answers: number; losses: number; trained: number };
  const answers = await runPython<Answer[]>('layers.py', trained);
  const differing = answers
    .map((answer, index) => ({ case: JSON.stringify(trained[index]), ...answer }))
    .filter(
      ({ initial, ...far }) => !initial || ![far.answers, far.losses, far.trained].every((value) => value <= 1e-4),
    );
  expect(answers).toHaveLength(cases.length);
  expect(differing).toEqual([]);
});

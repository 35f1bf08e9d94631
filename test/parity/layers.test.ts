/** Every layer kind, and random stacks of them, in the addon and in real PyTorch: initial weights, answers, and weights after a step. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Case, examples, openSession, planOf, samples } from '../conformance/random-session.ts';
import { randomStack } from './plan-stacks.ts';
import { runPython } from './python.ts';

const lr = 0.1;
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

/** The state before and after one step over all samples, and the answers before it, into the case's folder. */
async function trainHere(one: Case): Promise<{ folder: string; loss: number }> {
  const folder = path.join(top, one.name.replaceAll(' ', '-'));
  const training = { loss: { kind: 'MSELoss' }, optimizer: { kind: 'SGD', lr } };
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
  const { columns } = await session.trainSteps({
    epoch: 0,
    batch: 0,
    steps: 1,
    groups: [{ lr: [lr], momentum: [0], weight_decay: [0] }],
  });
  await save('after');
  await session.close();
  return { folder, loss: columns.loss[0] as number };
}

test('layers and stacks agree with PyTorch', async () => {
  const cases = [...examples, ...trainableStacks(100)];
  const request: (Case & { folder: string; loss: number; seed: number; lr: number })[] = [];
  for (const one of cases) request.push({ blocks: {}, ...one, ...(await trainHere(one)), seed: 1, lr });
  const answers = await runPython<{ initial: boolean; answers: number; loss: number; trained: number }[]>(
    'layers.py',
    request,
  );
  const differing = answers
    .map((answer, index) => ({ name: request[index]?.name, layers: JSON.stringify(request[index]?.layers), ...answer }))
    .filter(
      ({ initial, ...far }) => !initial || !(far.answers <= 1e-4) || !(far.loss <= 1e-4) || !(far.trained <= 1e-4),
    );
  expect(differing).toEqual([]);
});

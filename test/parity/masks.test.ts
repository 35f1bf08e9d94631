/**
 * Masks of padding that travel with tensors, through every kind that knows of them: the addon against modules that leave it out, and against each
 * sequence alone, cut where its padding begins.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { maskCases } from '../conformance/random-session.ts';
import { compareAll, tooManyExcused } from './layers-compare.ts';
import { type Network, planNetwork, questionOf, runNetwork } from './layers-run.ts';
import type { Layer } from './plan-stacks.ts';
import { runPython } from './python.ts';

/** Short sequences of two tokens hold samples of padding alone, and padding before and between tokens. */
const inputs = [
  { dims: [6], tokens: 3 },
  { dims: [2], tokens: 2 },
];

test('padding is left out of account as in PyTorch', async () => {
  const cases = maskCases.flatMap(({ name, layers, blocks = {} }) =>
    inputs.map((input) => ({
      name: `${name} on ${JSON.stringify(input)}`,
      network: { input, layers: layers as Layer[], blocks: blocks as Network['blocks'] },
      numbers: true,
    })),
  );
  const outcomes = await compareAll(cases);
  expect(outcomes.flatMap(({ name, differences }) => differences.map((each) => `${name}: ${each}`))).toEqual([]);
  expect(tooManyExcused(outcomes)).toBeNull();
  expect(outcomes.every(({ answer }) => answer.ok)).toBe(true);
});

/** What draws at random, or adds something to each position of a known length, is left out. */
const anyLength = maskCases.filter(
  ({ layers }) => !/Positional|Sinusoidal|"dropout":0\.|Dropout|norm_first/.test(JSON.stringify(layers)),
);

test('padded sequences are answered, and learned from, as each of them alone', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gradloom-unpadded-'));
  try {
    const questions = [];
    for (const [index, { layers, blocks }] of anyLength.entries()) {
      const network = {
        input: { dims: [6], tokens: 5 },
        layers: withTokens(layers as Layer[], 5),
        blocks: blocks as Network['blocks'],
      };
      const plan = planNetwork(network);
      const ran = await runNetwork(network, plan.output, path.join(folder, String(index)), true);
      questions.push(questionOf(network, plan, ran));
    }
    const answers = await runPython<{ answers: number; gradients: number }[]>('unpadded.py', questions);
    for (const [index, { answers: off, gradients }] of answers.entries()) {
      expect(off, anyLength[index]?.name).toBeLessThan(1e-5);
      expect(gradients, anyLength[index]?.name).toBeLessThan(2e-5);
    }
    expect(answers.length).toBeGreaterThan(6);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

function withTokens([table, ...layers]: Layer[], num_embeddings: number): Layer[] {
  return [{ ...table, kind: 'Embedding', num_embeddings }, ...layers];
}

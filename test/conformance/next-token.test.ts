/** Networks that predict next tokens: what they answer, in which order, and what is measured of it. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Case, openSession, planOf, samples } from './random-session.ts';

const [length, tokens] = [5, 4];

const one: Case = {
  name: 'next tokens',
  input: [length],
  output: [length, tokens],
  classes: tokens,
  target: 'next_token',
  layers: [
    { kind: 'Embedding', num_embeddings: tokens, embedding_dim: 8 },
    { kind: 'TransformerEncoderLayer', nhead: 2, dim_feedforward: 16, dropout: 0, causal: true },
    { kind: 'Linear', out_features: tokens },
  ],
  training: { loss: { kind: 'CrossEntropyLoss' }, metrics: ['accuracy', 'perplexity'] },
};

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gradloom-tokens-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const integers = (file: string) => {
  const { buffer, byteOffset, byteLength } = readFileSync(path.join(folder, file));
  return Array.from(new BigInt64Array(buffer.slice(byteOffset, byteOffset + byteLength)), Number);
};

test('answers are told position by position, and measured as they are told', async () => {
  const plan = planOf(one, { batch_size: samples });
  expect(plan.problems).toEqual([]);
  const session = await openSession(plan, folder);
  const { logits, probabilities, width } = await session.predict({ split: 'train', start: 0, count: samples });
  const measured = await session.evaluate({ split: 'train', batch_size: 5, confusion: true });
  await session.close();
  expect(width).toBe(length * tokens);

  const [inputs, targets] = [integers('input'), integers('target')];
  expect(targets.slice(0, length - 1)).toEqual(inputs.slice(1, length));
  // A first position sees its own token only.
  const first = new Map<number, string>();
  let [right, surprise] = [0, 0];
  for (const [position, truth] of targets.entries()) {
    const scores = [...logits.subarray(position * tokens, (position + 1) * tokens)];
    const shares = [...probabilities.subarray(position * tokens, (position + 1) * tokens)];
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 5);
    if (scores.indexOf(Math.max(...scores)) === truth) right++;
    surprise -= Math.log(shares[truth] as number) / targets.length;
    if (position % length > 0) continue;
    const token = inputs[position] as number;
    const text = scores.map((score) => score.toFixed(4)).join(' ');
    expect(first.get(token) ?? text).toBe(text);
    first.set(token, text);
  }
  expect(first.size).toBeGreaterThan(1);
  expect(measured.metrics.accuracy).toBeCloseTo(right / targets.length, 6);
  expect(measured.loss).toBeCloseTo(surprise, 5);
  expect(measured.metrics.perplexity).toBeCloseTo(Math.exp(surprise), 4);
  expect([...(measured.confusion ?? [])].reduce((sum, count) => sum + count, 0)).toBe(targets.length);
});

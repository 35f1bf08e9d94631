/** Masks of padding that travel with tensors, through every kind that knows of them: the addon against modules that see no padding at all. */
import { expect, test } from 'vitest';
import { maskCases } from '../conformance/random-session.ts';
import { compareAll, tooManyExcused } from './layers-compare.ts';
import type { Layer } from './plan-stacks.ts';

/** Short sequences of two tokens hold samples of padding alone, and padding before and between tokens. */
const inputs = [
  { dims: [6], tokens: 3 },
  { dims: [2], tokens: 2 },
];

test('padding is left out of account as in PyTorch', async () => {
  const cases = maskCases.flatMap(({ name, layers }) =>
    inputs.map((input) => ({
      name: `${name} on ${JSON.stringify(input)}`,
      network: { input, layers: layers as Layer[], blocks: {} },
      numbers: true,
    })),
  );
  const outcomes = await compareAll(cases);
  expect(outcomes.flatMap(({ name, differences }) => differences.map((each) => `${name}: ${each}`))).toEqual([]);
  expect(tooManyExcused(outcomes)).toBeNull();
  expect(outcomes.every(({ answer }) => answer.ok)).toBe(true);
});

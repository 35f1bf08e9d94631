/**
 * Random stacks of all families in the plan, in the addon and in real PyTorch. GRADLOOM_STACK_SEED chooses others than CI's,
 * GRADLOOM_STACKS how many,
 * GRADLOOM_RUNS=0 runs none in the addon.
 */
import { expect, test } from 'vitest';
import { layerKinds } from '../../engine/contract/layers/index.ts';
import { compareAll, tooManyExcused } from './layers-compare.ts';
import { everyLayer } from './layers-run.ts';
import { randomNetwork } from './stacks.ts';

const seed = Number(process.env.GRADLOOM_STACK_SEED ?? 1);
const count = Number(process.env.GRADLOOM_STACKS ?? 1000);

/** What is told of a failure; the seeds give the rest. */
const mostTold = 12;

test(`${count} stacks of seed ${seed} agree with PyTorch`, async () => {
  const networks = Array.from({ length: count }, (_, index) => {
    const own = seed * 1_000_000 + index;
    const network = randomNetwork(own);
    return { name: `${own}: ${JSON.stringify(network)}`, network, numbers: process.env.GRADLOOM_RUNS !== '0' };
  });
  const outcomes = await compareAll(networks);
  const told = outcomes
    .filter(({ differences }) => differences.length > 0)
    .map(({ name, differences }) => `${name}: ${differences.join('; ')}`);
  expect(told.slice(0, mostTold), `${told.length} of ${count} differ`).toEqual([]);
  expect(tooManyExcused(outcomes)).toBeNull();

  // The stacks must be worth comparing: both sorts many, nearly every kind among the accepted ones.
  const accepted = outcomes.filter(({ answer }) => answer.ok);
  expect(accepted.length / count).toBeGreaterThan(0.5);
  expect(1 - accepted.length / count).toBeGreaterThan(0.08);
  if (count < 1000) return;
  const kinds = new Set(accepted.flatMap(({ plan }) => everyLayer(plan.layers).map(({ kind }) => kind)));
  // Some want shapes that chance seldom makes; their grids have them.
  expect(layerKinds.filter(({ kind }) => !kinds.has(kind)).length).toBeLessThan(5);
});

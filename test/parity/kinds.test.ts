/**
 * Every layer kind over a grid of its parameters, in the plan, in the addon and in real PyTorch: what PyTorch refuses is a problem, what it
 * accepts is not; shapes, tensors, costs, lines, answers, one step's gradients and draws. GRADLOOM_KINDS=Conv2d,GELU
 * tries only these, GRADLOOM_RUNS=0 runs none in the addon.
 */
import { beforeAll, expect, test } from 'vitest';
import { layerKinds } from '../../engine/contract/layers/index.ts';
import { casesOf, type GridInput } from './grids/grid.ts';
import { grids } from './grids/index.ts';
import { type Compared, compareAll, type Outcome } from './layers-compare.ts';
import { dimsOf } from './layers-run.ts';
import type { Layer } from './plan-stacks.ts';

const named = process.env.GRADLOOM_KINDS?.split(',');
const kinds = layerKinds.map(({ kind }) => kind).filter((kind) => !named || named.includes(kind));

/** Of each kind so many networks are run in the addon, too; the others are compared by what they are. */
const mostRuns = Number(process.env.GRADLOOM_RUNS ?? 24);

/** Of each kind so many failures are told. */
const mostTold = 6;

/** The kind behind a Linear that keeps the shape: so there is something to learn, and a gradient passes through. */
function networkOf(kind: string, layer: Layer, input: GridInput): Compared['network'] {
  const front = 'tokens' in input ? [] : [{ kind: 'Linear', out_features: dimsOf(input).at(-1) }];
  return { input, layers: [...front, layer], blocks: grids[kind]?.blocks ?? {} };
}

function networksOf(kind: string): Compared[] {
  const grid = grids[kind];
  if (!grid) return [];
  const examples = layerKinds.find((row) => row.kind === kind)?.examples ?? [];
  const cases = [
    ...examples.map(({ params, input }) => ({ layer: { kind, ...params } as Layer, input: input as GridInput })),
    ...casesOf(kind, grid),
  ];
  return cases.map(({ layer, input }, index) => ({
    name: `${JSON.stringify(layer)} on ${JSON.stringify(input)}`,
    network: networkOf(kind, layer, input),
    numbers: index < mostRuns,
  }));
}

const found = new Map<string, Outcome[]>();

beforeAll(async () => {
  const networks = kinds.map(networksOf);
  const outcomes = await compareAll(networks.flat());
  for (const [index, kind] of kinds.entries()) found.set(kind, outcomes.splice(0, networks[index]?.length));
}, 600_000);

test.each(kinds)('%s', (kind) => {
  expect(grids, `a row of grids/ for ${kind}`).toHaveProperty(kind);
  const outcomes = found.get(kind) ?? [];
  const differing = outcomes.filter(({ differences }) => differences.length > 0);
  const told = differing.map(({ name, differences }) => `${name}: ${differences.join('; ')}`);
  expect(told.slice(0, mostTold), `${told.length} of ${outcomes.length} differ`).toEqual([]);
  // A grid of which PyTorch takes nothing, or never the shapes that are wrong, shows nothing.
  expect(outcomes.filter(({ answer }) => answer.ok).length).toBeGreaterThan(0);
});

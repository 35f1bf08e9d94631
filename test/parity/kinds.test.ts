/**
 * Every layer kind over a grid of its parameters, in the plan, in the addon and in real PyTorch: what PyTorch refuses is a problem, what it
 * accepts is not; shapes, tensors, costs, lines, answers, one step's gradients and draws. GRADLOOM_KINDS=Conv2d,GELU
 * tries only these, GRADLOOM_RUNS=0 runs none in the addon.
 */
import { beforeAll, expect, test } from 'vitest';
import { layerKinds } from '../../engine/contract/layers/index.ts';
import { casesOf, type GridCase } from './grids/grid.ts';
import { grids, superfluous } from './grids/index.ts';
import { type Compared, compareAll, type Outcome, tooManyExcused } from './layers-compare.ts';
import type { Network } from './layers-run.ts';
import type { Layer } from './plan-stacks.ts';

const named = process.env.GRADLOOM_KINDS?.split(',');
const kinds = layerKinds.map(({ kind }) => kind).filter((kind) => !named || named.includes(kind));

/** Of each kind so many networks are run in the addon, too; the others are compared by what they are. */
const mostRuns = Number(process.env.GRADLOOM_RUNS ?? 20);
const always = 8;

/** Of the first so many, those of vectors in a row stand behind a mask of padding, too. */
const mostMasked = 40;

/** Of each kind so many failures are told. */
const mostTold = 6;

/** The kind behind a Linear that keeps the shape: so there is something to learn, and a gradient passes through. */
function networkOf(kind: string, { layer, input }: GridCase): Network {
  const blocks = grids[kind]?.blocks ?? {};
  if (!('tokens' in input)) {
    return { input, layers: [{ kind: 'Linear', out_features: input.at(-1) as number }, layer], blocks };
  }
  if (!('masked' in input)) return { input, layers: [layer], blocks };
  const { dims, tokens, masked } = input;
  const table = { num_embeddings: tokens, embedding_dim: masked, padding_idx: 0, mask_padding: true };
  return { input: { dims, tokens }, layers: [{ kind: 'Embedding', ...table }, layer], blocks };
}

function networksOf(kind: string): Compared[] {
  const grid = grids[kind];
  if (!grid) return [];
  const row = layerKinds.find((each) => each.kind === kind);
  const examples = (row?.examples ?? []).map(({ params, input }): GridCase => {
    const layer = { kind, ...params } as Layer;
    return { layer, input: row?.takes === 'integers' ? { dims: input, tokens: 4 } : input };
  });
  const cases = [...examples, ...casesOf(kind, grid)];
  // Each way of running is met: the first are examples and shapes, then there are single values, then combinations.
  const step = Math.max(1, Math.ceil((cases.length - always) / (mostRuns - always)));
  // What is drawn behind a layer follows the order in which its answer lies in memory.
  const drawn = cases.slice(0, 3).map((one): Compared => {
    const network = networkOf(kind, one);
    const layers = [...network.layers, { kind: 'Dropout' }, { kind: 'Tanh' }, { kind: 'AlphaDropout' }];
    return {
      name: `${JSON.stringify(layers)} on ${JSON.stringify(one.input)}`,
      network: { ...network, layers },
      numbers: mostRuns > 0,
    };
  });
  // Where vectors may stand, there may be padding; what the plan refuses then, PyTorch has to mix in.
  const behindMask = cases.flatMap(({ layer, input }, index): Compared[] => {
    if (!('length' in input) || input.length !== 2 || index >= mostMasked) return [];
    const [length, masked] = input as [number, number];
    const made = networkOf(kind, { layer, input: { dims: [length], tokens: 5, masked } });
    return [
      { name: `${JSON.stringify(layer)} behind a mask on ${JSON.stringify(input)}`, network: made, numbers: false },
    ];
  });
  const alone = cases.map((one, index) => ({
    name: `${JSON.stringify(one.layer)} on ${JSON.stringify(one.input)}`,
    network: networkOf(kind, one),
    numbers: mostRuns > 0 && (index < always || index % step === 0),
  }));
  return [...alone, ...drawn, ...behindMask];
}

const found = new Map<string, Outcome[]>();

beforeAll(async () => {
  const networks = kinds.map(networksOf);
  const outcomes = await compareAll(networks.flat());
  for (const [index, kind] of kinds.entries()) found.set(kind, outcomes.splice(0, networks[index]?.length));
}, 600_000);

test('every grid is of a kind that the table has', () => expect(superfluous).toEqual([]));

// Of a few kinds alone a single tensor would be too many.
test.skipIf(named !== undefined)('few numbers need the leave of rounding', () => {
  expect(tooManyExcused([...found.values()].flat())).toBeNull();
});

test.each(kinds)('%s', (kind) => {
  const outcomes = found.get(kind) ?? [];
  const differing = outcomes.filter(({ differences }) => differences.length > 0);
  const told = differing.map(({ name, differences }) => `${name}: ${differences.join('; ')}`);
  expect(told.slice(0, mostTold), `${told.length} of ${outcomes.length} differ`).toEqual([]);
  // A grid of which PyTorch takes nothing, or of which nothing was run, shows nothing.
  const accepted = outcomes.flatMap(({ answer }) => (answer.ok ? [answer] : []));
  expect(accepted.length).toBeGreaterThan(0);
  if (mostRuns > 0) expect(accepted.filter(({ numbers }) => numbers !== null).length).toBeGreaterThan(0);
});

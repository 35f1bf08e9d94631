/** Parameters and FLOPs of the plan beside torchinfo's and fvcore's; how these differ by design stands in layers-flops.ts. */
import { expect, test } from 'vitest';
import { layerKinds } from '../../engine/contract/layers/index.ts';
import type { GridInput } from './grids/grid.ts';
import { countBy } from './layers-flops.ts';
import { dimsOf, type Network, planNetwork, questionOf, shapeErrors } from './layers-run.ts';
import type { Layer } from './plan-stacks.ts';
import { runPython } from './python.ts';
import { randomNetwork } from './stacks.ts';

interface Counted {
  fvcore: { parameters: number; flops: number };
  torchinfo: { parameters: number; mult_adds: number };
}

/** Each example of each kind, behind a Linear; then stacks that can work. */
const examples = layerKinds.flatMap(({ kind, takes, examples }) =>
  examples.map(({ params, input }): Network => {
    const layer = { kind, ...params } as Layer;
    const tokens = takes === 'integers';
    const from: GridInput = tokens ? { dims: input, tokens: 4 } : input;
    return {
      input: from,
      layers: [...(tokens ? [] : [{ kind: 'Linear', out_features: dimsOf(from).at(-1) as number }]), layer],
      blocks: {},
    };
  }),
);
/** "valid" padding is none, by a word at which fvcore stops counting. */
const stacks = Array.from({ length: 200 }, (_, index): Network => {
  const network = JSON.stringify(randomNetwork(7_000_000 + index));
  return JSON.parse(network.replaceAll('"valid"', '0')) as Network;
});

test('torchinfo and fvcore count the same, or differ as the table says', async () => {
  const networks = [...examples, ...stacks]
    .map((network) => ({ network, plan: planNetwork(network) }))
    .filter(({ plan }) => shapeErrors(plan).length === 0 && plan.layers.length > 0);
  const counted = await runPython<Counted[]>(
    'layers-counts.py',
    networks.map(({ network, plan }) => questionOf(network, plan, null)),
  );
  const differing = networks.flatMap(({ network, plan }, index) => {
    const { fvcore, torchinfo } = counted[index] as Counted;
    const { parameters, layers } = plan;
    const ours = { parameters, fvcore: countBy('fvcore', layers), torchinfo: countBy('torchinfo', layers) };
    const theirs = { parameters: fvcore.parameters, fvcore: fvcore.flops, torchinfo: torchinfo.mult_adds };
    const same = JSON.stringify(ours) === JSON.stringify(theirs) && torchinfo.parameters === parameters;
    return same ? [] : [{ network: JSON.stringify(network), ours, fvcore, torchinfo }];
  });
  expect(differing.slice(0, 12), `${differing.length} of ${networks.length} differ`).toEqual([]);
  expect(networks.length).toBeGreaterThan(200);
});

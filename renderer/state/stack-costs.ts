/** What a layer of the stack costs; of one that stands in the network several times, all of them together. Pure. */
import type { LayerMemory } from '../../engine/contract/estimate-types.ts';
import type { Plan, PlannedLayer } from '../../engine/contract/plan.ts';

export interface Costs {
  parameters: number;
  /** Of one sample's forward pass. */
  flops: number;
  /** Bytes in training that stay: weights, gradients, optimizer state, and what a batch keeps for the backward pass. */
  memory: number;
}

export interface RowCosts extends Costs {
  parts: LayerMemory;
}

export const noCosts: Costs = { parameters: 0, flops: 0, memory: 0 };

function costsOf({ parameters, flops, memory: parts }: PlannedLayer): RowCosts {
  const memory = parts.weights + parts.gradients + parts.optimizer + parts.activations;
  return { parameters, flops, memory, parts };
}

function together(a: RowCosts, b: RowCosts): RowCosts {
  const sum = (key: 'weights' | 'gradients' | 'optimizer' | 'activations') => a.parts[key] + b.parts[key];
  return {
    parameters: a.parameters + b.parameters,
    flops: a.flops + b.flops,
    memory: a.memory + b.memory,
    parts: {
      weights: sum('weights'),
      gradients: sum('gradients'),
      optimizer: sum('optimizer'),
      activations: sum('activations'),
      // One after the other.
      workspace: Math.max(a.parts.workspace, b.parts.workspace),
    },
  };
}

/** What stands at a place of the project: planned as it runs first, with the costs of all its runs. */
export interface Placed {
  first: PlannedLayer;
  /** null: only its shapes are known. */
  costs: RowCosts | null;
}

export function placesOf(plan: Plan | null): ReadonlyMap<string, Placed> {
  const found = new Map<string, Placed>();
  const walk = (list: readonly PlannedLayer[], costed: boolean) => {
    for (const layer of list) {
      const costs = costed ? costsOf(layer) : null;
      const had = found.get(layer.place);
      // A repetition or another use of a block: what stands once in the stack costs this much in all.
      if (!had) found.set(layer.place, { first: layer, costs });
      else if (had.costs && costs) had.costs = together(had.costs, costs);
      for (const child of layer.children ?? []) walk(child.layers, costed);
    }
  };
  walk(plan?.layers ?? [], true);
  // What the whole network costs does not hold them: shapes are all that can be told.
  walk(plan?.inside ?? [], false);
  return found;
}

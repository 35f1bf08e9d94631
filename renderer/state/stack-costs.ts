/** What a layer of the stack costs; of one that stands in the network several times, all of them together. Pure. */
import type { LayerMemory } from '../../engine/contract/estimate-types.ts';
import type { PlannedLayer } from '../../engine/contract/plan.ts';

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

export function costsOf({ parameters, flops, memory: parts }: PlannedLayer): RowCosts {
  const memory = parts.weights + parts.gradients + parts.optimizer + parts.activations;
  return { parameters, flops, memory, parts };
}

export function together(a: RowCosts, b: RowCosts): RowCosts {
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

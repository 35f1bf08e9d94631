/** What the memory estimate has to know of a layer that has been planned. */
import type { LayerMemory, Operation } from './estimate-types.ts';
import { layerTable } from './layers/index.ts';
import { type Flow, product, type Resolved } from './layers/kind.ts';
import type { PlannedLayer, PlannedTensor, TrainRule } from './plan-types.ts';
import { elementBytes } from './tensors.ts';

export const noMemory = (): LayerMemory => ({
  weights: 0,
  gradients: 0,
  optimizer: 0,
  activations: 0,
  workspace: 0,
});

const bytesIn = (tensors: readonly PlannedTensor[]) =>
  tensors.reduce((total, { shape }) => total + 4 * product(shape), 0);

/** One operation; none for a block whose output is a list's own. */
export function estimateOperation(
  layer: PlannedLayer,
  { tensors = [], keeps = {}, workspace = 0, children = [], ...resolved }: Resolved,
  input: Flow,
  flow: Flow,
  rule: TrainRule,
): Operation[] {
  if (resolved.flow) return [];
  const answered = children.flatMap((child) => (child.flow ? [child.flow.storage] : []));
  const inputs = children.length > 0 ? answered : [input.storage];
  const passes = resolved.reshapes ?? resolved.passesGradient ?? false;
  const parameters = tensors.filter(({ buffer }) => !buffer);
  const trained = tensors.filter(({ buffer }) => !buffer && !rule.freeze);
  const { input: reads = false, output: writes = false, lists = [], bytes = 0, integers = 0 } = keeps;
  const read = reads ? inputs.slice(0, 1) : inputs.filter((_, index) => lists[index]);
  const own = { inputs: read, output: writes, bytes, integers };
  const either = typeof workspace === 'number' ? { forward: workspace, backward: workspace } : workspace;
  const room = { unkept: either.forward + bytes, ...either };
  return [
    {
      layer,
      inputs,
      held: children.length > 0 ? input.storage : null,
      output: flow.storage,
      outputBytes: elementBytes[flow.dtype] * product(flow.dims),
      keeps: own,
      workspace: (batch, pass) => batch * room[pass],
      gradients: bytesIn(trained),
      // Norms and tables stay as they are.
      cast: input.dtype === 'float32' && parameters.some(({ shape }) => shape.length > 1) ? bytesIn(parameters) : 0,
      grad: flow.storage.grad,
      free: layerTable.get(layer.kind)?.free ?? false,
      random: resolved.random ?? false,
      idle: resolved.idle ?? false,
      reuses: resolved.reshapes ? 'view' : resolved.overwrites ? 'memory' : null,
      passesGradient: inputs.map((_, index) => (typeof passes === 'boolean' ? passes : (passes[index] ?? false))),
    },
  ];
}

/** What the memory estimate has to know of a layer that has been planned. */
import type { LayerMemory, Operation, Storage } from './estimate-types.ts';
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

/** One operation; one a step for a sum or product of several; none for a block whose output is a list's own. */
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
  const { input: reads = false, output: writes = false, bytes = 0, integers = 0 } = keeps;
  const own = { inputs: reads ? inputs.slice(0, 1) : [], output: writes, bytes, integers };
  const row = layerTable.get(layer.kind);
  const either = typeof workspace === 'number' ? { forward: workspace, backward: workspace } : workspace;
  const room = { unkept: either.forward + bytes, ...either };
  const whole: Operation = {
    layer,
    inputs,
    held: children.length > 0 ? input.storage : null,
    output: flow.storage,
    outputBytes: elementBytes[flow.dtype] * product(flow.dims),
    keeps: own,
    workspace: (batch, pass) => batch * room[pass],
    gradients: bytesIn(trained),
    // Norms and tables stay as they are.
    cast:
      row?.category !== 'norm' && input.dtype === 'float32' && parameters.some(({ shape }) => shape.length > 1)
        ? bytesIn(parameters)
        : 0,
    grad: flow.storage.grad,
    free: row?.free ?? false,
    fp32: row?.fp32 ?? false,
    random: resolved.random ?? false,
    trainingOnly: resolved.trainingOnly ?? false,
    reuses: resolved.reshapes ? 'view' : resolved.overwrites ? 'memory' : null,
    passesGradient: inputs.map(() => passes),
  };
  return folded(whole, answered, resolved.folds) ?? [whole];
}

/** An operation each step; null: there are none. */
function folded(whole: Operation, answered: readonly Storage[], folds: Resolved['folds']): Operation[] | null {
  if (!folds) return null;
  let [left] = answered as [Storage];
  return folds.map(({ bytes, keeps, passes, backward, grad }, index): Operation => {
    const last = index === folds.length - 1;
    const inputs = [left, answered[index + 1] as Storage];
    left = last ? whole.output : { kept: false, grad };
    return {
      ...whole,
      inputs,
      held: last ? whole.held : null,
      output: left,
      outputBytes: bytes,
      keeps: { ...whole.keeps, inputs: inputs.filter((_, side) => keeps[side]), bytes: 0 },
      workspace: (batch, pass) => (pass === 'backward' ? batch * backward : 0),
      passesGradient: passes,
      grad,
    };
  });
}

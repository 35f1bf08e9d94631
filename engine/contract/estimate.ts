/**
 * The memory that training takes, before it is run, in bytes of fp32 values:
 * - weights: parameters and buffers
 * - gradients: one value a parameter
 * - optimizer: its state values a parameter (SGD 0, with momentum 1; Adam and AdamW 2, with amsgrad 3)
 * - activations: what the backward pass needs, each tensor counted once (see a kind's `keeps`), times the batch size; the answer and its
 *   gradient
 * - input: one batch of samples and targets on the device
 * Not counted: the kernels' own workspace, the allocator's spare blocks, the program itself.
 */
import { product } from './layers/kind.ts';
import { optimizers } from './optimizers.ts';
import type { MemoryEstimate, PlannedLayer, PlannedTensor } from './plan-types.ts';
import type { Chosen } from './project-types.ts';
import type { DataFacts } from './tensors.ts';

const bytesOf = { float32: 4, int64: 8 } as const;

export function estimateMemory(
  tensors: readonly PlannedTensor[],
  layers: readonly PlannedLayer[],
  output: readonly number[],
  optimizer: Chosen,
  batchSize: number,
  facts: DataFacts | null,
): MemoryEstimate {
  const sum = <T>(items: readonly T[], bytes: (item: T) => number) =>
    items.reduce((total, item) => total + bytes(item), 0);
  const weights = sum(tensors, ({ shape, dtype }) => product(shape) * bytesOf[dtype]);
  const gradients = sum(tensors, ({ shape, buffer }) => (buffer ? 0 : 4 * product(shape)));
  const state = optimizers.get(optimizer.kind)?.stateValues(optimizer.args) ?? 0;
  const answer = output.length > 0 ? 2 * 4 * product(output) : 0;
  const target = facts?.target.kind === 'vector' ? 4 * product(facts.target.dims) : 8;
  const parts = {
    weights,
    gradients,
    optimizer: state * gradients,
    activations: batchSize * (sum(layers, (layer) => layer.activation_bytes) + answer),
    input: facts ? batchSize * (product(facts.input.dims) * bytesOf[facts.input.dtype] + target) : 0,
  };
  return { ...parts, total: sum(Object.values(parts), (bytes) => bytes) };
}

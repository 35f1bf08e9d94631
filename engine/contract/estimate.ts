/**
 * The memory that training takes, before it is run, in bytes of fp32 values:
 * - weights: parameters and buffers; once more with EMA; with bf16 and fp16 the copies of the parameters in that format, half as large
 * - gradients: one value a parameter that trains
 * - optimizer: the state of those parameters, as the optimizer's row says (Adam: two values a value, and one a parameter)
 * - activations: what the backward pass needs, each tensor counted once (see a kind's `keeps`), times the batch size; the answer and its
 *   gradient. Before the first layer that trains nothing is kept. Half of it with bf16 and fp16 (layers that keep fp32 there, such as
 *   LayerNorm on a GPU, need more); with activation checkpointing what goes between the segments and the largest segment (recompute.ts).
 *   Precision auto counts as fp32
 * - input: one batch of samples and targets on the device
 * Not counted: the kernels' own workspace, the allocator's spare blocks, the program itself.
 */
import { product } from './layers/kind.ts';
import { optimizers } from './optimizers.ts';
import type { MemoryEstimate, PlannedLayer, PlannedTensor } from './plan-types.ts';
import type { ResolvedProject } from './project-types.ts';
import { checkpointedBytes } from './recompute.ts';
import { type DataFacts, targetDims } from './tensors.ts';

const targetBytes = { class: 8, multi_label: 4, vector: 4, mask: 8, next_token: 8 } as const;
const bytesOf = { float32: 4, int64: 8 } as const;

export function estimateMemory(
  tensors: readonly PlannedTensor[],
  layers: readonly PlannedLayer[],
  output: readonly number[],
  { training, data }: ResolvedProject,
  facts: DataFacts | null,
): MemoryEstimate {
  const sum = <T>(items: readonly T[], bytes: (item: T) => number) =>
    items.reduce((total, item) => total + bytes(item), 0);
  const { optimizer, precision, activation_checkpointing, ema } = training;
  const batchSize = data.loader.batch_size;
  const half = precision === 'bf16' || precision === 'fp16';
  const weights = sum(tensors, ({ shape, dtype }) => product(shape) * bytesOf[dtype]);
  const parameters = sum(tensors, ({ shape, buffer }) => (buffer ? 0 : 4 * product(shape)));
  const trained = tensors.filter(({ buffer, rule }) => !buffer && !rule?.freeze);
  const state = optimizers.get(optimizer.kind)?.state;
  const answer = output.length > 0 ? 2 * 4 * product(output) : 0;
  const target = facts ? product(targetDims(facts.target)) * targetBytes[facts.target.kind] : 8;
  const kept = activation_checkpointing ? checkpointedBytes(layers) : sum(layers, (layer) => layer.activation_bytes);
  const parts = {
    weights: weights + (ema ? weights : 0) + (half ? parameters / 2 : 0),
    gradients: sum(trained, ({ shape }) => 4 * product(shape)),
    optimizer: sum(trained, ({ shape }) =>
      sum(Object.values(state?.(optimizer.args, shape) ?? {}), (dims) => 4 * product(dims)),
    ),
    activations: (batchSize * (kept + answer)) / (half ? 2 : 1),
    input: facts ? batchSize * (product(facts.input.dims) * bytesOf[facts.input.dtype] + target) : 0,
  };
  return { ...parts, total: sum(Object.values(parts), (bytes) => bytes) };
}

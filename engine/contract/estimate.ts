/**
 * The memory of tensors that training takes, before it is run, in bytes:
 * - weights: parameters and buffers; once more with EMA
 * - gradients: one value a parameter that trains; while a step accumulates several batches, the sum and the batch's own
 * - optimizer: the state of those parameters, as the optimizer's row says (Adam: two values a value, and one a parameter)
 * - activations: what the backward pass needs, each tensor counted once (see a kind's `keeps`), times the batch size, and what the loss keeps.
 *   Before the first layer that trains nothing is kept. Half of it with bf16 and fp16, and copies of the parameters in that format besides;
 *   with activation checkpointing what goes between the segments and the largest segment (recompute.ts). Precision auto counts as fp32,
 *   device auto as the CPU
 * - input: batches of samples and targets on the device: the one at work, and those that the loader prepares ahead
 * - workspace: the most that comes and goes at one moment
 * The total is the highest moment of a step or an evaluation (estimate-moments.ts): by the end of the backward pass, where all gradients are
 * there, most activations are gone. Not counted: the allocator's spare blocks, the program itself.
 */
import { evenSequences, onCpu } from './estimate-cpu.ts';
import { type LossMemory, lossMemory, metricMemory } from './estimate-loss.ts';
import { Moments, nothing } from './estimate-moments.ts';
import {
  type LayerMemory,
  type MemoryEstimate,
  type MemoryPhase,
  memoryPhases,
  type Operation,
  type Storage,
} from './estimate-types.ts';
import { product } from './layers/kind.ts';
import { optimizers } from './optimizers.ts';
import type { PlannedLayer, PlannedTensor, SplitCounts } from './plan-types.ts';
import type { ResolvedProject } from './project-types.ts';
import { segmentStarts } from './recompute.ts';
import { type DataFacts, elementBytes, targetDims } from './tensors.ts';

const targetBytes = { class: 8, multi_label: 4, vector: 4, mask: 8, next_token: 8 } as const;
/** What the loader prepares ahead at most, as in loader.cpp. */
const mostAhead = 512 << 20;
/** Each works on a slice of its own where a convolution and its pooling are one. */
const assumedThreads = 2;
/** What the state of a random generator takes. */
const generatorState = 5056;
/** Two of those, the session's and its user's, and single numbers of the step. */
const smallChange = 2 * generatorState + 64;

/** Values. */
const bufferAlignment = 16;

export interface Planned {
  tensors: readonly PlannedTensor[];
  layers: readonly PlannedLayer[];
  operations: readonly Operation[];
  /** One sample's answer; [] while unknown. */
  output: readonly number[];
  splits: SplitCounts | null;
}

type Own = Pick<LayerMemory, 'weights' | 'gradients' | 'optimizer'>;

/** Fills each layer's `memory` and answers the whole. */
export function estimateMemory(
  { tensors, layers, operations, output, splits }: Planned,
  { training, data }: ResolvedProject,
  facts: DataFacts | null,
): MemoryEstimate {
  const { precision, device, activation_checkpointing, accumulate, optimizer } = training;
  const half = precision === 'bf16' || precision === 'fp16';
  const own = ownParts(tensors, training);
  const { weights, gradients, optimizer: state } = own.get('') as Own;
  const cpu = device === 'cpu' || device === 'auto';
  const loading = inputOf(data.loader, splits, facts, cpu);
  const numbers = { batch: loading.samples, scale: half ? 0.5 : 1 };
  const even = evenSequences(data.source, facts, loading.samples);
  const run = cpu ? onCpu(operations, { threads: assumedThreads, half, even }) : [...operations];
  const draws = operations.some(({ random }) => random);
  const moments = new Moments(numbers, operations.length > 0 ? smallChange + (draws ? generatorState : 0) : 0);
  moments.input = loading.training;
  if (accumulate > 1) moments.addGradients(gradients);
  const segments = activation_checkpointing ? cut(run, segmentStarts(layers)) : [run];
  const answer = output.length > 0 ? loading.samples * 4 * product(output) : 0;
  const loss = lossMemory(training.loss.kind, output, half);
  const { activations, held } = step(moments, segments, loss, answer);
  moments.input = loading.update;
  if (accumulate > 1) moments.addGradients(-gradients);
  const trained = tensors.filter(({ buffer, rule }) => !buffer && !rule?.freeze).map(({ shape }) => shape);
  const scratch = 4 * (optimizers.get(optimizer.kind)?.scratch?.(trained, optimizer.args) ?? 0);
  const undone = tensors.reduce((total, tensor) => total + (tensor.buffer ? room(tensor) : 0), 0);
  const measured = training.metrics.length > 0 && facts ? metricMemory(facts.target.kind) : 0;
  moments.mark('update', null, Math.max(scratch, undone, (1 + measured) * answer));
  const evaluation = new Moments(numbers, operations.length > 0 ? smallChange - generatorState : 0);
  evaluation.input = loading.evaluation;
  if (loading.evaluation > 0) {
    evaluation.forward(run, false, 'evaluation');
    evaluation.mark('evaluation', null, Math.max(loss.keeps + loss.forward, measured) * answer);
  }
  for (const layer of layers) fill(layer, own, moments);
  const highest = [...moments.highest.values(), ...evaluation.highest.values()];
  const totals = memoryPhases.map((phase) => {
    const moment = highest.find((each) => each.phase === phase);
    return [phase, moment ? moment.total + weights + state : 0];
  });
  const { phase, path, total, ...parts } = highest.reduce(
    (most, moment) => (moment.total > most.total ? moment : most),
    nothing,
  );
  return {
    weights,
    gradients: gradients * (accumulate > 1 ? 2 : 1),
    optimizer: state,
    activations,
    input: loading.training,
    workspace: moments.workspace,
    total: total + weights + state,
    held: held + weights + state,
    phases: Object.fromEntries(totals) as Record<MemoryPhase, number>,
    peak: { phase, path, parts: { weights, optimizer: state, ...parts } },
  };
}

/** Buffers of a type lie in one vector, each from a multiple of so many values on: as in buffers.cpp. */
function room({ shape, dtype }: PlannedTensor): number {
  return Math.ceil(product(shape) / bufferAlignment) * bufferAlignment * elementBytes[dtype];
}

/** By path, of every block and layer; '' is the whole network. */
function ownParts(
  tensors: readonly PlannedTensor[],
  { optimizer, ema }: ResolvedProject['training'],
): Map<string, Own> {
  const state = optimizers.get(optimizer.kind)?.state;
  const parts = new Map<string, Own>([['', { weights: 0, gradients: 0, optimizer: 0 }]]);
  for (const tensor of tensors) {
    const { name, shape, dtype, buffer, rule } = tensor;
    const values = product(shape);
    const size = values * elementBytes[dtype];
    const trains = !buffer && !rule?.freeze;
    const kept = trains ? Object.values(state?.(optimizer.args, shape) ?? {}) : [];
    const bytes = {
      // Of buffers there is a copy for a step that has to be undone.
      weights: (buffer ? 2 * room(tensor) : size) + (ema ? size : 0),
      gradients: trains ? 4 * values : 0,
      optimizer: kept.reduce((total, dims) => total + 4 * product(dims), 0),
    };
    for (let end = name.lastIndexOf('.'); ; end = name.lastIndexOf('.', end - 1)) {
      const path = end < 0 ? '' : name.slice(0, end);
      const before = parts.get(path);
      if (before) {
        before.weights += bytes.weights;
        before.gradients += bytes.gradients;
        before.optimizer += bytes.optimizer;
      } else {
        parts.set(path, { ...bytes });
      }
      if (path === '') break;
    }
  }
  return parts;
}

/** Bytes of batches while a batch is at work, at the step's end, and while an evaluation runs. */
function inputOf(
  loader: ResolvedProject['data']['loader'],
  splits: SplitCounts | null,
  facts: DataFacts | null,
  cpu: boolean,
) {
  const train = Math.max(1, splits?.train ?? loader.batch_size); // without any the plan has a problem, and an estimate all the same
  const samples = Math.min(loader.batch_size, train);
  const target = facts ? product(targetDims(facts.target)) * targetBytes[facts.target.kind] : 8;
  const bytes = facts ? product(facts.input.dims) * elementBytes[facts.input.dtype] + target : 0;
  const fitting = Math.max(1, Math.floor(mostAhead / Math.max(samples * bytes, 1)));
  // Elsewhere they wait in the computer's memory.
  const wanted = cpu ? Math.min(loader.num_workers * loader.prefetch_factor, fitting) : 0;
  const epoch = loader.drop_last ? Math.floor(train / samples) : Math.ceil(train / samples);
  const missing = Math.max(0, epoch * samples - train);
  /** Samples of as many batches in a row; an epoch's last may be a smaller one. */
  const inRow = (batches: number) => batches * samples - Math.floor(batches / epoch) * missing;
  const ahead = loader.persistent_workers ? wanted : Math.min(wanted, epoch - 1);
  const waiting = loader.persistent_workers ? inRow(wanted) : 0;
  const val = splits?.val ?? 0;
  const evaluation = val > 0 ? waiting + Math.min(val, (wanted + 1) * samples) : 0;
  return { samples, training: inRow(ahead + 1) * bytes, update: inRow(ahead) * bytes, evaluation: evaluation * bytes };
}

/** Operations by the segment that they run in. */
function cut(operations: readonly Operation[], starts: readonly string[]): Operation[][] {
  const segments: Operation[][] = [[]];
  let next = 1;
  for (const operation of operations) {
    const start = starts[next];
    if (start !== undefined && (operation.layer.path === start || operation.layer.path.startsWith(`${start}.`))) {
      segments.push([]);
      next += 1;
    }
    segments.at(-1)?.push(operation);
  }
  return segments;
}

/** A forward and a backward pass; `answer`: bytes of the network's. Answers the most that was kept for the backward pass, and all that was held before it. */
function step(moments: Moments, segments: Operation[][], loss: LossMemory, answer: number) {
  const ends = segments.map((segment) => segment.at(-1)?.output ?? null);
  const [last = [], end = null] = [segments.at(-1), ends.at(-1)];
  const states = segments.map((segment) => (segment.some(({ random }) => random) ? generatorState : 0));
  for (const [index, segment] of segments.slice(0, -1).entries()) {
    moments.addActivations(states[index] as number);
    moments.forward(segment, false);
    moments.keepOutput(ends[index] as Storage);
  }
  moments.forward(last, true);
  moments.addActivations(loss.keeps * answer);
  moments.mark('forward', null, loss.forward * answer);
  let most = moments.activations;
  const { held } = moments;
  if (end) moments.startGradient(end);
  moments.mark('backward', null, loss.backward * answer);
  moments.addActivations(-loss.keeps * answer);
  moments.backward(last);
  for (let index = segments.length - 2; index >= 0; index--) {
    const segment = segments[index] as Operation[];
    const output = ends[index] as Storage;
    const giveBack = moments.holdGradient(output);
    moments.dropOutput(output, true);
    // The state of now, to which it comes back.
    moments.addActivations(states[index] as number);
    moments.forward(segment, true);
    moments.addActivations(-(states[index] as number));
    most = Math.max(most, moments.activations);
    moments.backward(segment);
    moments.addActivations(-(states[index] as number));
    moments.dropOutput(output, false);
    giveBack();
  }
  return { activations: most, held };
}

function fill(layer: PlannedLayer, own: Map<string, Own>, moments: Moments): void {
  const { path, children = [], memory } = layer;
  const inside = children.flatMap((child) => child.layers);
  for (const each of inside) fill(each, own, moments);
  Object.assign(memory, own.get(path));
  memory.activations = inside.reduce((total, each) => total + each.memory.activations, moments.kept.get(path) ?? 0);
  memory.workspace = Math.max(moments.workspaces.get(path) ?? 0, ...inside.map((each) => each.memory.workspace));
}

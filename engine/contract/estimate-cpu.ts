/**
 * What the addon does otherwise than PyTorch on the CPU: images lie with their channels last, so that what reshapes them copies; and in fp32
 * max pooling takes a ReLU with it and a convolution before that, whose output is then never whole. What a kind does there for itself its row
 * says.
 */
import type { Operation, Storage } from './estimate-types.ts';
import { layerTable } from './layers/index.ts';
import { type Layout, type Lying, type Order, product } from './layers/kind.ts';
import { placesOf, poolsInOrder } from './layers/pool-cpu.ts';
import type { PlannedLayer } from './plan-types.ts';
import type { ResolvedSource } from './project-types.ts';
import type { DataFacts } from './tensors.ts';

/** As kernels/max_pool.cpp cuts a batch. */
const sliceBytes = 1 << 20;
/** Share of the batches. */
const fewestEven = 0.25;

/** `threads`: that compute. With `half` precision only the layout is as in fp32. `even`: as an operation's `Lying` tells. */
export function onCpu(
  operations: readonly Operation[],
  { threads, ...all }: { threads: number } & Pick<Lying, 'half' | 'even'>,
): Operation[] {
  const orders = new Orders(operations, all);
  const copies = new Map<Storage, Storage>();
  const own = (storages: readonly Storage[]) => storages.map((storage) => copies.get(storage) ?? storage);
  const result: Operation[] = [];
  for (let index = 0; index < operations.length; index++) {
    const operation = operations[index] as Operation;
    const [taken, pool] = fused(operations, index, orders);
    const runs = pool
      ? takenTogether(operation, pool, orders, threads)
      : { ...operation, ...layerTable.get(operation.layer.kind)?.onCpu?.(operation, orders.of(operation)) };
    const { inputs, keeps, output } = runs;
    const reads = { inputs: own(inputs), keeps: { ...keeps, inputs: own(keeps.inputs) } };
    if (runs.reuses === 'view' && orders.of(runs).input === 'last' && runs.layer.output.length !== 3) {
      copies.set(output, { ...output });
      result.push({ ...runs, ...reads, output: copies.get(output) as Storage, reuses: null });
    } else {
      result.push({ ...runs, ...reads });
    }
    index += taken;
  }
  return result;
}

/**
 * Whether in some batch of so many samples all sequences are equally long, though padding is told from the rest: those that are drawn at random
 * rarely end in the token that pads.
 */
export function evenSequences(source: ResolvedSource | null, facts: DataFacts | null, samples: number): boolean {
  const tokens = source?.kind === 'random' ? (facts?.input.tokens ?? 1) : 1;
  return samples === 1 || (1 - 1 / tokens) ** samples > fewestEven;
}

function layoutOf(layer: PlannedLayer): Layout {
  const { layout = {} } = layerTable.get(layer.kind) ?? {};
  return typeof layout === 'function' ? layout(layer) : layout;
}

/** In which order tensors and their gradients lie. */
class Orders {
  readonly #outputs = new Map<Storage, Order>();
  readonly #gradients = new Map<Storage, Order>();
  readonly #all: Pick<Lying, 'half' | 'even'>;

  constructor(operations: readonly Operation[], all: Pick<Lying, 'half' | 'even'>) {
    this.#all = all;
    const bytes = new Map<Storage, number>();
    for (const { layer, inputs, output, outputBytes } of operations) {
      if (inputs[0] === output) continue; // seen otherwise, it lies as it did
      bytes.set(output, outputBytes);
      // What is broadcast has no say.
      const whole = inputs.filter((input) => bytes.get(input) === outputBytes);
      const asked = whole.length > 0 ? whole : inputs;
      const order =
        layoutOf(layer).output ?? (asked.every((input) => this.#output(input) === 'last') ? 'last' : 'first');
      this.#outputs.set(output, layer.output.length === 3 ? order : 'first');
    }
    for (const { layer, inputs, output } of [...operations].reverse()) {
      const { gradient = layer.output.length === 3 ? this.#gradient(output) : 'first' } = layoutOf(layer);
      for (const input of inputs) this.#gradients.set(input, gradient === 'input' ? this.#output(input) : gradient);
    }
  }

  of({ layer, inputs, output }: Operation): Lying {
    return {
      input: either(layer.input) ? 'either' : this.#output(inputs[0] as Storage),
      gradient: either(layer.output) ? 'either' : this.#gradient(output),
      ...this.#all,
    };
  }

  #output = (storage: Storage): Order => this.#outputs.get(storage) ?? 'first';
  #gradient = (storage: Storage): Order => this.#gradients.get(storage) ?? 'first';
}

/** With one channel, or one position, both orders are the same. */
function either([channels, ...positions]: readonly number[]): boolean {
  return channels === 1 || product(positions) === 1;
}

/** The pooling that an operation's own takes with it, and how many operations that are. */
function fused(operations: readonly Operation[], index: number, orders: Orders): [number, Operation?] {
  const operation = operations[index] as Operation;
  const { kind, args } = operation.layer;
  const lying = orders.of(operation);
  const before =
    kind === 'Conv2d' ? args.padding_mode === 'zeros' && typeof args.padding !== 'string' : lying.input === 'last';
  if (lying.half || !before || (kind !== 'Conv2d' && kind !== 'ReLU')) return [0];
  const steps = kind === 'Conv2d' && next(operations, index)?.layer.kind === 'ReLU' ? 2 : 1;
  const pool = next(operations, index + steps - 1);
  return pool?.layer.kind === 'MaxPool2d' && poolsInOrder(pool.layer) ? [steps, pool] : [0];
}

function next(operations: readonly Operation[], index: number): Operation | null {
  const [before, after] = [operations[index], operations[index + 1]];
  return before && after && follows(before.layer, after.layer) ? after : null;
}

/** In the same list. */
function follows(before: PlannedLayer, after: PlannedLayer): boolean {
  const cut = (path: string) => path.lastIndexOf('.') + 1;
  const [a, b] = [before.path, after.path];
  return a.slice(0, cut(a)) === b.slice(0, cut(b)) && Number(b.slice(cut(b))) === Number(a.slice(cut(a))) + 1;
}

/** A ReLU, or a convolution, with the pooling behind it. */
function takenTogether(conv: Operation, pool: Operation, orders: Orders, threads: number): Operation {
  if (conv.layer.kind === 'ReLU') return { ...pool, inputs: conv.inputs, keeps: placesOf(pool.outputBytes) };
  const sample = conv.outputBytes;
  const samples = Math.max(threads, Math.floor(Math.max(sliceBytes * threads, 8 * conv.gradients) / sample));
  const copied = orders.of(conv).input === 'first' ? 2 : 1;
  const passed = (conv.inputs[0] as Storage).grad ? copied : copied - 1;
  const gradient = orders.of(pool).gradient === 'first' ? pool.outputBytes : 0;
  return {
    ...conv,
    output: pool.output,
    outputBytes: pool.outputBytes,
    keeps: { ...placesOf(pool.outputBytes), inputs: conv.inputs },
    grad: pool.grad,
    free: pool.free,
    // A slice of its output or of the gradient there, and of its input and the gradient that it passes on.
    workspace: (batch, pass) => {
      const slice = Math.min(batch, samples);
      const inputs = 4 * product(conv.layer.input) * (pass === 'backward' ? passed : copied - 1);
      return slice * (sample + inputs) + (pass === 'backward' ? batch * gradient + 2 * conv.gradients : 0);
    },
  };
}

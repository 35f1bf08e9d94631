/**
 * A training step's tensors, moment by moment: each operation of the forward pass and then of the backward pass takes and gives back what the
 * addon's does, and the highest moment is remembered. Bytes are a batch's.
 */
import type { MemoryPhase, Operation, Storage } from './estimate-types.ts';
import { product } from './layers/kind.ts';

/** What is there at a moment, besides what is there always. */
export interface Moment {
  phase: MemoryPhase;
  path: string | null;
  total: number;
  activations: number;
  gradients: number;
  workspace: number;
  input: number;
}

export const nothing: Moment = {
  phase: 'forward',
  path: null,
  total: 0,
  activations: 0,
  gradients: 0,
  workspace: 0,
  input: 0,
};

/** A tensor of the forward pass. */
interface Held {
  bytes: number;
  /** Operations that have yet to read it, and those that keep it for their backward pass. */
  readers: number;
  keepers: number;
  /** The layer behind may write over it. */
  free: boolean;
  /** Size of its values against fp32. */
  scale: number;
  gradient: Gradient | null;
}

/** Several may hold the same memory. */
interface Gradient {
  bytes: number;
  holders: number;
}

export interface Numbers {
  batch: number;
  /** Size of a value that is calculated in the precision asked for, against fp32. */
  scale: number;
}

export class Moments {
  readonly #numbers: Numbers;
  readonly #held = new Map<Storage, Held>();
  /** Bytes that operations keep of their own. */
  readonly #own = new Map<Operation, number>();
  #activations = 0;
  #gradients = 0;
  #transient = 0;
  readonly highest = new Map<MemoryPhase, Moment>();
  /** By layer: the most that came and went, and what it keeps that no layer before it does. */
  readonly workspaces = new Map<string, number>();
  readonly kept = new Map<string, number>();
  workspace = 0;
  /** Batches on the device. */
  input = 0;

  /** `always`: bytes that do not go before the end. */
  constructor(numbers: Numbers, always: number) {
    this.#numbers = numbers;
    this.#transient = always;
  }

  /** `kept`: with a graph; otherwise nothing is kept. The last operation's output stays until `release`. */
  forward(operations: readonly Operation[], kept: boolean, phase: MemoryPhase = 'forward'): void {
    if (kept) for (const { layer } of operations) this.kept.delete(layer.path);
    const readers = new Map<Storage, number>();
    const count = (storage: Storage | null) => storage && readers.set(storage, (readers.get(storage) ?? 0) + 1);
    for (const { inputs, held } of operations) {
      for (const input of inputs) count(input);
      count(held);
    }
    count(operations.at(-1)?.output ?? null);
    for (const [storage, times] of readers) {
      const known = this.#held.get(storage);
      if (known) known.readers += times;
    }
    for (const operation of operations) this.#run(operation, kept && operation.grad, readers, phase);
  }

  /** The gradient of what the last operation answers must be there. */
  backward(operations: readonly Operation[]): void {
    for (const operation of [...operations].reverse()) if (operation.grad) this.#back(operation);
  }

  /** A moment at which something else comes and goes. */
  mark(phase: MemoryPhase, path: string | null, workspace: number): void {
    const transient = this.#transient + workspace;
    this.workspace = Math.max(this.workspace, transient);
    if (path !== null) this.workspaces.set(path, Math.max(this.workspaces.get(path) ?? 0, transient));
    const { input } = this;
    const [activations, gradients] = [this.#activations, this.#gradients];
    const total = this.held + workspace;
    if (total > (this.highest.get(phase)?.total ?? 0))
      this.highest.set(phase, { phase, path, total, activations, gradients, workspace: transient, input });
  }

  /** What the backward pass needs and has not given back. */
  get activations(): number {
    return this.#activations;
  }

  /** All that is there. */
  get held(): number {
    return this.#activations + this.#gradients + this.#transient + this.input;
  }

  /** Of the loss; negative: given back. */
  addActivations(bytes: number): void {
    this.#activations += bytes;
  }

  /** Gradients of parameters that are there from now on. */
  addGradients(bytes: number): void {
    this.#gradients += bytes;
  }

  /** What the last operation of a forward pass without a graph answered is what its backward pass begins with. */
  keepOutput(storage: Storage): void {
    const held = this.#held.get(storage);
    if (held) this.#change(held, -1, 1);
  }

  dropOutput(storage: Storage, kept: boolean): void {
    const held = this.#held.get(storage);
    if (held) this.#change(held, kept ? 0 : -1, kept ? -1 : 0);
  }

  /** The gradient of a tensor begins to exist. */
  startGradient(storage: Storage): void {
    const held = this.#held.get(storage);
    if (held && storage.grad) this.#receive(held, this.#newGradient(held.bytes));
  }

  /** Keeps a tensor's gradient beyond its use; what it answers gives it back. */
  holdGradient(storage: Storage): () => void {
    const gradient = this.#held.get(storage)?.gradient;
    if (!gradient) return () => {};
    gradient.holders += 1;
    return () => this.#drop(gradient);
  }

  #run(operation: Operation, kept: boolean, readers: Map<Storage, number>, phase: MemoryPhase): void {
    const { inputs, held, output, keeps, reuses, layer } = operation;
    const { batch } = this.#numbers;
    const [first] = inputs;
    const source = first && this.#held.get(first);
    const scale = this.#scaleOf(operation);
    const casts = this.#casts(operation);
    if (phase === 'evaluation' && operation.trainingOnly) {
      if (!source) return;
      source.readers += (readers.get(output) ?? 0) - 1;
      this.#held.set(output, source);
      return;
    }
    if (reuses !== 'view') {
      const bytes = batch * operation.outputBytes * scale;
      const takes = reuses === 'memory' && source?.free && source.keepers === 0 && source.readers === 1;
      if (takes) {
        // The result lies where its input lay, and only that is kept.
        source.readers = 0;
        this.#transient -= source.bytes;
      }
      const gradient = this.#held.get(output)?.gradient ?? null; // of a segment that is run again
      const made: Held = {
        bytes,
        readers: readers.get(output) ?? 0,
        keepers: 0,
        gradient,
        free: operation.free,
        scale,
      };
      this.#held.set(output, made);
      this.#transient += bytes;
    }
    if (kept) {
      const own = batch * (keeps.integers + (keeps.bytes - keeps.integers) * scale) + casts.kept;
      const before = this.#activations;
      this.#own.set(operation, own);
      this.#activations += own;
      if (keeps.output) this.#keep(output, 1);
      if (casts.input === 0) for (const input of keeps.inputs) this.#keep(input, 1);
      this.kept.set(layer.path, (this.kept.get(layer.path) ?? 0) + this.#activations - before);
    }
    this.mark(
      phase,
      layer.path,
      operation.workspace(batch, kept ? 'forward' : 'unkept') * scale + (kept ? 0 : casts.kept),
    );
    for (const input of held ? [...inputs, held] : inputs) {
      const read = this.#held.get(input);
      if (read && read.readers > 0) this.#change(read, -1, 0);
    }
    const made = reuses === 'view' ? undefined : this.#held.get(output);
    if (made && made.readers === 0 && made.keepers === 0) this.#transient -= made.bytes; // nobody wants it
  }

  /** Where it calculates in the precision asked for, or all that it reads is so, its result is. */
  #scaleOf({ inputs, cast, fp32 }: Operation): number {
    const { scale } = this.#numbers;
    if (fp32) return 1;
    if (scale === 1 || cast > 0) return scale;
    return Math.max(...inputs.map((input) => this.#held.get(input)?.scale ?? 1));
  }

  /** Under autocast: copies of the parameters, and of inputs that are in another precision (which are not kept themselves then). */
  #casts({ inputs, cast, fp32, keeps, layer }: Operation): { kept: number; input: number } {
    const { batch, scale } = this.#numbers;
    if (fp32 && inputs.some((input) => (this.#held.get(input)?.scale ?? 1) < 1)) {
      const input = batch * 4 * product(layer.input);
      return { kept: keeps.inputs.length > 0 ? input : 0, input };
    }
    if (scale === 1 || cast === 0) return { kept: 0, input: 0 };
    const fresh = inputs.some((input) => (this.#held.get(input)?.scale ?? 1) === 1);
    const input = fresh ? scale * batch * 4 * product(layer.input) : 0;
    return { kept: scale * cast + input, input };
  }

  #back(operation: Operation): void {
    const { inputs, output, keeps, reuses, layer, passesGradient, gradients } = operation;
    const { batch } = this.#numbers;
    const scale = this.#scaleOf(operation);
    const casts = this.#casts(operation);
    if (reuses !== 'view') {
      const gradient = this.#held.get(output)?.gradient ?? null;
      this.#gradients += gradients;
      const received = inputs.flatMap((input, index) => {
        const held = this.#held.get(input);
        if (!held || !input.grad) return [];
        if (!passesGradient[index] || !gradient) return [{ held, gradient: this.#newGradient(held.bytes) }];
        gradient.holders += 1;
        return [{ held, gradient }];
      });
      const room = operation.workspace(batch, 'backward') * scale;
      // The parameters' gradients come in half precision first, and so does that of an input in fp32.
      const halves = operation.cast > 0 && scale < 1 ? scale * gradients + (received.length > 0 ? casts.input : 0) : 0;
      // They are converted when what was kept for them, and the gradient that they came of, is gone.
      const gone = (this.#own.get(operation) ?? 0) + (gradient?.holders === 1 ? gradient.bytes : 0);
      this.mark('backward', layer.path, halves > 0 ? Math.max(room + halves - gradients, halves - gone) : room);
      if (gradient) this.#drop(gradient);
      const made = this.#held.get(output);
      if (made) made.gradient = null;
      for (const each of received) this.#receive(each.held, each.gradient);
      if (casts.input === 0) for (const input of keeps.inputs) this.#keep(input, -1);
      if (keeps.output) this.#keep(output, -1);
    }
    this.#activations -= this.#own.get(operation) ?? 0;
    this.#own.delete(operation);
  }

  /** Adds a gradient to what a tensor has: in place where nobody else holds that. */
  #receive(held: Held, gradient: Gradient): void {
    const before = held.gradient;
    if (!before) {
      held.gradient = gradient;
      return;
    }
    if (before.holders > 1) {
      held.gradient = this.#newGradient(before.bytes);
      this.mark('backward', null, 0);
      this.#drop(before);
    }
    this.#drop(gradient);
  }

  #newGradient(bytes: number): Gradient {
    this.#transient += bytes;
    return { bytes, holders: 1 };
  }

  #drop(gradient: Gradient): void {
    gradient.holders -= 1;
    if (gradient.holders === 0) this.#transient -= gradient.bytes;
  }

  #keep(storage: Storage, times: 1 | -1): void {
    const held = this.#held.get(storage);
    if (held) this.#change(held, 0, times);
  }

  /** Moves a tensor between what is kept, what is on its way, and nothing. */
  #change(held: Held, readers: number, keepers: number): void {
    const { bytes } = held;
    if (held.keepers > 0) this.#activations -= bytes;
    else if (held.readers > 0) this.#transient -= bytes;
    held.readers += readers;
    held.keepers += keepers;
    if (held.keepers > 0) this.#activations += bytes;
    else if (held.readers > 0) this.#transient += bytes;
  }
}

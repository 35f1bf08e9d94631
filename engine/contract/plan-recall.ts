/** What a trial of edits need not work out again: what layers say, and what they answered to an input. */
import { type Flow, sameDims } from './layers/kind.ts';
import type { ReadLayer } from './plan-layer.ts';
import type { PlannedLayer } from './plan-types.ts';
import { isObject, type JsonObject } from './report.ts';

/** A named block that a layer uses, by its definition: where that is another, what the layer answered says nothing. */
export type Use = readonly [name: string, definition: unknown];

/** What a layer came to. */
export interface Known {
  /** null: it could not be planned, and everything that is wrong was said. */
  answered: { planned: PlannedLayer; flow: Flow } | null;
  uses: readonly Use[];
  /** Layers, with those inside. */
  count: number;
}

interface Entry extends Known {
  input: Flow;
  /** Where the output's mask comes from: path of its layer behind that of this one; `input`: it is the input's. */
  mask: { behind: string } | 'input' | null;
}

const noStorage = { kept: true, grad: false };

/** Edits leave the objects alone that they do not touch, so what is known of an object holds after them, wherever it then stands. */
export class Recall {
  readonly #layers = new WeakMap<object, ReadLayer>();
  readonly #answers = new WeakMap<object, Entry[]>();

  read(layer: unknown): ReadLayer | undefined {
    return isObject(layer) ? this.#layers.get(layer) : undefined;
  }

  keepRead(read: ReadLayer): void {
    this.#layers.set(read.given, read);
  }

  /** undefined: nothing is known. */
  find(layer: unknown, input: Flow, path: string, blocks: JsonObject): Known | undefined {
    const entries = isObject(layer) ? this.#answers.get(layer) : undefined;
    const found = entries?.find(
      (entry) => sameFlow(entry.input, input) && entry.uses.every(([name, definition]) => blocks[name] === definition),
    );
    if (!found?.answered) return found;
    const { answered, mask, uses, count } = found;
    const flow = {
      ...answered.flow,
      mask: mask === 'input' ? input.mask : mask && path + mask.behind,
      storage: noStorage,
    };
    return { answered: { ...answered, flow }, uses, count };
  }

  keep(layer: unknown, input: Flow, path: string, known: Known): void {
    if (!isObject(layer)) return;
    const mask = maskFrom(known.answered?.flow.mask ?? null, input, path);
    if (mask === undefined) return;
    const entries = this.#answers.get(layer);
    const sameUses = ({ uses }: Entry) => uses.every(([, definition], index) => definition === known.uses[index]?.[1]);
    // A repetition gives its layers the same input again and again.
    if (entries?.some((entry) => sameFlow(entry.input, input) && sameUses(entry))) return;
    const entry = { ...known, input, mask };
    if (entries) entries.push(entry);
    else this.#answers.set(layer, [entry]);
  }
}

/** undefined: from elsewhere, which may be another layer after an edit. */
function maskFrom(mask: string | null, input: Flow, path: string): Entry['mask'] | undefined {
  if (mask === null) return null;
  if (mask === input.mask) return 'input';
  return mask === path || mask.startsWith(`${path}.`) ? { behind: mask.slice(path.length) } : undefined;
}

function sameFlow(a: Flow, b: Flow): boolean {
  return (
    a.dtype === b.dtype && a.tokens === b.tokens && (a.mask === null) === (b.mask === null) && sameDims(a.dims, b.dims)
  );
}

/** Edits tried on a network: what comes of each, for as much work as the plan of a project may take with every key that is typed. */
import { applied, follow } from './edits.ts';
import type { Dims, Flow } from './layers/kind.ts';
import type { Recall } from './plan-recall.ts';
import { StackPlanner } from './plan-stack.ts';
import type { Edit } from './problems.ts';
import { type Place, Report } from './report.ts';

/** So many layers are planned for all trials of a project together, those for a single one included. */
const mostWork = 700;
/** Behind the layer that is looked at, one trial plans so many more. */
const mostBehind = 250;

export interface Model {
  layers: readonly unknown[];
  blocks: { [name: string]: unknown };
}

/** A network after edits. */
export interface Tried {
  report: Report;
  planner: StackPlanner;
  model: Model;
  /** What leaves the last layer that was planned; null: nothing. */
  flow: Flow | null;
  /** The network's last layer that a tensor reached; as many as it has layers: all were. */
  reached: number;
}

export class Trials {
  readonly model: Model;
  readonly #planner: StackPlanner;
  readonly #recall: Recall;
  #left = mostWork;

  constructor(model: Model, planner: StackPlanner, recall: Recall) {
    this.model = model;
    this.#planner = planner;
    this.#recall = recall;
  }

  /** The network's own layer that could not be planned: behind it nothing is known; as many as it has layers: all could be. */
  get refusedAt(): number {
    return reachedBy(this.#planner);
  }

  /** `least`: the network's own layer, before the edits, as far as which everything is to be planned. */
  after(edits: readonly Edit[], least: number): Tried | 'impossible' | 'untried' {
    if (this.#left <= 0) return 'untried';
    const model = changed(this.model, edits);
    if (!model) return 'impossible';
    const from = this.#start(edits);
    const input = this.#planner.entering[from];
    if (!input) return 'impossible';
    const report = new Report();
    const planner = new StackPlanner(report, model.blocks, this.#recall);
    const work = Math.min(mostBehind, this.#left);
    const run = { from, masks: this.#planner.masks, least: lastOf(least, edits), work };
    const { flow } = planner.trial(model.layers, input, run);
    this.#left -= Math.max(1, planner.work);
    return { report, planner, model, flow, reached: reachedBy(planner) };
  }

  /** What the network would answer after edits; null where it cannot be planned then, or was not. */
  answer(edits: readonly Edit[]): Dims | null {
    const tried = this.after(edits, this.model.layers.length);
    if (typeof tried === 'string') return null;
    return tried.flow && tried.planner.complete && !tried.report.hasErrors() ? tried.flow.dims : null;
  }

  /** Dims of what layers of the network as it is answer to an input. */
  dims(layers: readonly unknown[], input: Flow, { blocks }: Model): Dims | null {
    if (this.#left <= 0) return null;
    const planner = new StackPlanner(new Report(), blocks, this.#recall);
    const { flow } = planner.trial(layers, input, {
      from: 0,
      masks: this.#planner.masks,
      least: layers.length,
      work: this.#left,
    });
    this.#left -= planner.work;
    return flow?.dims ?? null;
  }

  /** The first of the network's own layers that the edits can touch on, by what is known of what enters it. */
  #start(edits: readonly Edit[]): number {
    const { entering, firstUses } = this.#planner;
    const touched = edits.map(({ path }) =>
      path[1] === 'blocks' ? firstUses.get(String(path[2])) : typeof path[2] === 'number' ? path[2] : 0,
    );
    let from = Math.min(reachedBy(this.#planner), ...touched.map((index) => index ?? Number.POSITIVE_INFINITY));
    // What enters a disabled layer enters the next one.
    while (from > 0 && entering[from] === undefined) from--;
    return from;
  }
}

function changed(model: Model, edits: readonly Edit[]): Model | null {
  try {
    const { layers, blocks } = (edits.reduce<unknown>(applied, { model }) as { model: Model }).model;
    return Array.isArray(layers) ? { layers, blocks } : null;
  } catch {
    return null;
  }
}

/** Where the network's own layer is after edits, or what stands in its place: the last of it. */
export function lastOf(index: number, edits: readonly Edit[]): number {
  const at = (from: number) =>
    edits.reduce<Place | null>((place, edit) => place && follow(place, edit), ['model', 'layers', from])?.[2];
  // Of one that was taken away, the layers that were put there end before the one that stood behind it.
  return (at(index) ?? Number(at(index + 1) ?? index) - 1) as number;
}

/** The last place of the network itself that a tensor reached. */
function reachedBy({ entering }: StackPlanner): number {
  return entering.findLastIndex((flow) => flow !== null && flow !== undefined);
}

/** Walks lists of layers: finds each layer's row, resolves it on what comes before, and collects tensors, costs and problems. */
import { estimateOperation } from './estimate-operation.ts';
import type { Operation } from './estimate-types.ts';
import { initsOf } from './inits.ts';
import type { Flow, LayerContext, LayerKind, Resolved, Stack } from './layers/kind.ts';
import type { NativeLayer } from './native.ts';
import type { Refused } from './plan-bridges.ts';
import {
  costed,
  flowBehind,
  nativeOf,
  type ReadLayer,
  readBlock,
  readLayer,
  takesType,
  uncosted,
} from './plan-layer.ts';
import type { Recall, Use } from './plan-recall.ts';
import type { PlannedLayer, PlannedTensor, TrainRule } from './plan-types.ts';
import { isObject, type JsonObject, nearest, type Place, type Report, removeEdit, setEdit, show } from './report.ts';
import type { TensorType } from './tensors.ts';
import { plainRule, readTrain, type TrainedLayer } from './training-groups.ts';

/** More layers than this (repetitions and blocks expanded) or deeper nesting is a slip, and would only exhaust the memory. */
const mostLayers = 10_000;
const deepest = 50;

const networkPlace: Place = ['model', 'layers'];

/** A layer that cannot do with a single value for a statistic, and where it is. */
export type BatchStatistics = NonNullable<Resolved['batchStatistics']> & { kind: string; place: Place };

/** A layer, planned. */
interface Done {
  planned: PlannedLayer;
  native: NativeLayer[];
  flow: Flow;
}

/** A layer as it is met: where it stands, what enters it and lies before it, and the blocks that it lies in. */
interface Met {
  layer: unknown;
  place: Place;
  path: string;
  input: Flow | null;
  before: LayerContext['before'];
  around: TrainRule;
  within: readonly string[];
}

/** Layers of which only the shapes are asked for, to see what comes of edits. */
export interface TrialRun {
  /** The first layers are not planned: `input` is what enters the layer here, `masks` what they say of padding. */
  from: number;
  masks: ReadonlyMap<string, Place>;
  /** So many layers may be planned, and in any case those up to the one here. */
  work: number;
  least: number;
}

/** What to look up costs, as a share of what to plan costs. */
const recallWork = 0.125;

export class StackPlanner {
  readonly tensors: PlannedTensor[] = [];
  readonly statistics: BatchStatistics[] = [];
  readonly trained: TrainedLayer[] = [];
  /** Layers that could not be planned on what they were given, and what entered each layer of the network itself (last: what leaves it). */
  readonly refused: Refused[] = [];
  readonly entering: (Flow | null)[] = [];
  /** Layers with faults of their own on which no tensor arrived. */
  readonly faulty: { place: Place; layer: JsonObject }[] = [];
  /** Layers inside those that could not be planned, as far as they could be themselves. */
  readonly inside: PlannedLayer[] = [];
  /** Of a trial: the layers of the project that fail in it as they did before. */
  readonly unmended = new Set<unknown>();
  /** The network's first layer in which a block is used, by the block's name. */
  readonly firstUses = new Map<string, number>();
  /** Layers planned so far; `complete`: no trial ended for having taken too many. */
  work = 0;
  complete = true;
  /** The layers as they run, for the memory estimate. */
  readonly operations: Operation[] = [];
  readonly #report: Report;
  readonly #blocks: { [name: string]: unknown };
  readonly #recall: Recall | null;
  #run: TrialRun | null = null;
  /** Position of the network's own layer that is planned now. */
  #position = 0;
  /** Blocks used so far, and lists of layers walked. */
  readonly #uses: Use[] = [];
  /** Places of the uses of each block, with their counts. */
  readonly #places = new Map<string, Map<string, number>>();
  #lists = 0;
  /** Places of the layers that say which positions are padding, by path. */
  readonly masks = new Map<string, Place>();
  #layers = 0;
  #tooMany = false;

  constructor(report: Report, blocks: { [name: string]: unknown }, recall: Recall | null = null) {
    this.#report = report;
    this.#blocks = blocks;
    this.#recall = recall;
  }

  /** The network itself. `input` null: only what needs no shapes is checked. */
  model(layers: readonly unknown[], input: TensorType | null): Stack {
    // The batch itself is counted as input, not as an activation.
    const flow = input && { ...input, mask: null, storage: { kept: true, grad: false } };
    const stack = this.#network(layers, flow);
    // A block that nothing uses is no reason not to train.
    this.#report.asWarnings(() => {
      for (const [name, block] of Object.entries(this.#blocks)) {
        if (this.firstUses.has(name)) continue;
        const inside = readBlock(name, block, this.#report);
        if (inside) this.#list('', inside.layers, inside.place, '', null, plainRule, [name]);
      }
    });
    return stack;
  }

  /** The layers' shapes and problems alone, with the help of what is known of them. */
  trial(layers: readonly unknown[], input: Flow, run: TrialRun): Stack {
    this.#run = run;
    for (const [path, place] of run.masks) this.masks.set(path, place);
    return this.#network(layers, input);
  }

  #network(layers: readonly unknown[], input: Flow | null): Stack {
    const stack = this.#list('', layers, networkPlace, '', input, plainRule, []);
    this.entering[layers.length] = stack.flow;
    return stack;
  }

  #list(
    name: string,
    layers: readonly unknown[],
    place: Place,
    prefix: string,
    from: Flow | null,
    around: TrainRule,
    within: readonly string[],
  ): Stack {
    const stack: Stack = { name, layers: [], native: [], flow: from };
    let before: LayerContext['before'] = null;
    let position = 0;
    this.#lists++;
    for (const [index, layer] of layers.entries()) {
      const at = [...place, index];
      if (isObject(layer) && layer.disabled === true) continue;
      const path = prefix === '' ? String(position) : `${prefix}.${position}`;
      const step = place === networkPlace ? this.#enter(index, stack.flow) : 'plan';
      if (step === 'stop') break;
      if (step === 'plan') {
        const faults = this.#report.faults;
        const done = this.#layer({ layer, place: at, path, input: stack.flow, before, around, within });
        if (done) {
          stack.layers.push(done.planned);
          stack.native.push(...done.native);
        } else if (isObject(layer)) {
          if (stack.flow) this.refused.push({ place: at, path, layer, input: stack.flow, before });
          else if (this.#report.faults > faults) this.faulty.push({ place: at, layer });
        }
        stack.flow = done?.flow ?? null;
      }
      before = { kind: isObject(layer) ? String(layer.kind) : '', place: at };
      position++;
    }
    // So that nested repetitions of nothing come to an end.
    if (position === 0) this.#layers++;
    return stack;
  }

  /** What to do with a layer of the network itself. */
  #enter(index: number, flow: Flow | null): 'plan' | 'skip' | 'stop' {
    const run = this.#run;
    if (run && index < run.from) return 'skip';
    if (run && index > run.least) {
      // Behind a layer that could not be planned nothing is known.
      if (!flow) return 'stop';
      if (this.work > run.work) {
        this.complete = false;
        return 'stop';
      }
    }
    this.#position = index;
    this.entering[index] = flow;
    return 'plan';
  }

  /** A layer of which it is known what it answers to such an input is not planned again in a trial. */
  #layer(met: Met): Done | null {
    const { layer, place, path, input, around } = met;
    const recall = input && around === plainRule ? this.#recall : null;
    const known = this.#run && input ? recall?.find(layer, input, path, this.#blocks) : undefined;
    if (known && this.#layers + known.count <= mostLayers) {
      this.#layers += known.count;
      this.work += recallWork;
      this.#uses.push(...known.uses);
      if (!known.answered) this.unmended.add(layer);
      if (known.answered?.flow.mask === path) this.masks.set(path, place);
      return known.answered && { ...known.answered, native: [] };
    }
    this.work++;
    const [faults, uses, lists, layers] = [this.#report.faults, this.#uses.length, this.#lists, this.#layers];
    const done = this.#planned(met);
    const faultless = this.#report.faults === faults;
    // The faults of what is inside a layer are those of the layers there.
    const own = this.#lists === lists && isObject(layer) && layer.kind !== 'Block';
    if (input && (done ? faultless : own && !faultless && !this.#run)) {
      recall?.keep(layer, input, path, { answered: done, uses: this.#uses.slice(uses), count: this.#layers - layers });
    }
    return done;
  }

  #planned({ layer, place, path, input, before, around, within }: Met): Done | null {
    if (!this.#mayGoOn(place, path)) return null;
    const report = this.#report;
    const read = (this.#run && this.#recall?.read(layer)) || readLayer(layer, place, report);
    if (!read) return null;
    const { row, given, values, ok } = read;
    if (ok) this.#recall?.keepRead(read);
    const rule = readTrain(given.train, place, around, report);
    if (!ok || !input) {
      this.#checkInside(row, values, place, path, rule, within);
      return null;
    }
    if (!takesType(row, input, place, this.#report)) return null;
    const tensorsBefore = this.tensors.length;
    const ends: number[] = [];
    const made: Stack[] = [];
    const context: LayerContext = {
      place,
      path,
      input,
      before,
      refuse: (code, key, message, hint, fixes = []) => {
        report.error(code, key === null ? place : [...place, key], message, hint, fixes);
        return null;
      },
      warn: (code, key, message, hint, fixes = []) =>
        report.warn(code, key === null ? place : [...place, key], message, hint, fixes),
      refuseMask: (kind, mask = input.mask) => this.#refuseMask(kind, mask, place),
      set: (label, keys) => ({
        label,
        edits: Object.entries(keys).map(([key, value]) => setEdit([...place, key], value)),
      }),
      stack: (name, layers, key, from = input) => {
        const stack = this.#list(name, layers, [...place, ...key], `${path}.${name}`, from, rule, within);
        ends.push(this.operations.length);
        made.push(stack);
        return stack;
      },
      block: (ref) => {
        const stack = this.#block(ref, place, path, input, rule, within);
        if (stack) made.push(stack);
        return stack;
      },
    };
    const resolved = row.resolve(values, context);
    if (!resolved) {
      // A trial asks for nothing of it.
      if (!this.#run) this.inside.push(...made.flatMap(({ layers }) => layers));
      return null;
    }
    if (input.mask !== null && row.mask === undefined && resolved.mask === undefined && !resolved.children) {
      return this.#refuseMask(row.kind, input.mask, place);
    }
    if (resolved.mask === path) this.masks.set(path, this.masks.get(input.mask ?? '') ?? place);
    return this.#finish(read, resolved, place, path, input, rule, tensorsBefore, ends);
  }

  #refuseMask(kind: string, mask: string | null, place: Place): null {
    const maker = mask === null ? undefined : this.masks.get(mask);
    this.#report.error(
      'WRONG_MASK',
      place,
      `${kind} would mix padding into its answer: it cannot leave out the positions that layer ${mask} marks`,
      'Use it behind a layer that ends the sequence, such as MeanOverSequence, or let padding count like any token.',
      maker ? [{ label: 'Let padding count like any token', edits: [removeEdit([...maker, 'mask_padding'])] }] : [],
    );
    return null;
  }

  #finish(
    { row, given }: ReadLayer,
    resolved: Resolved,
    place: Place,
    path: string,
    input: Flow,
    rule: TrainRule,
    tensorsBefore: number,
    /** How many operations there were behind each of its lists. */
    ends: readonly number[],
  ): Done {
    const { tensors = [] } = resolved;
    const inits = initsOf(rule.init, row, tensors, place, this.#report);
    if (this.#run) {
      const flow = flowBehind(row, resolved, input, false);
      return { planned: uncosted(row, resolved, place, path, input, flow), native: [], flow };
    }
    for (const [index, tensor] of tensors.entries()) {
      const init = inits[index];
      this.tensors.push({
        ...tensor,
        name: `${path}.${tensor.name}`,
        ...(rule === plainRule ? {} : { rule }),
        ...(init ? { init } : {}),
      });
    }
    const here = this.tensors.slice(tensorsBefore);
    if (isObject(given.train)) this.trained.push({ place, train: given.train, tensors: here });
    if (resolved.batchStatistics) this.statistics.push({ kind: row.kind, place, ...resolved.batchStatistics });
    const { planned, flow } = costed({ row, resolved, given, place, path, input, tensors: here });
    const made = estimateOperation(planned, resolved, input, flow, rule);
    for (const [index, operation] of [...made.entries()].reverse()) {
      this.operations.splice(ends.at(index - made.length) ?? this.operations.length, 0, operation);
    }
    return { planned, native: nativeOf(row, resolved, path), flow };
  }

  /** Checks the lists inside a layer that cannot be resolved itself. */
  #checkInside(
    row: LayerKind,
    values: JsonObject,
    place: Place,
    path: string,
    rule: TrainRule,
    within: readonly string[],
  ): void {
    if (row.kind === 'Block' && typeof values.ref === 'string') {
      this.#block(values.ref, place, path, null, rule, within);
    }
    const lists = Object.values(values).every((value) => value !== undefined) ? (row.stacks?.(values) ?? []) : [];
    for (const { key, layers } of lists) this.#list('', layers, [...place, ...key], path, null, rule, within);
  }

  #block(
    ref: string,
    place: Place,
    path: string,
    input: Flow | null,
    rule: TrainRule,
    within: readonly string[],
  ): Stack | null {
    const at = [...place, 'ref'];
    if (!Object.hasOwn(this.#blocks, ref)) {
      const names = Object.keys(this.#blocks).filter((name) => !within.includes(name));
      const near = nearest(ref, names, 2);
      this.#report.error(
        'BAD_VALUE',
        at,
        `There is no block ${show(ref)} in model.blocks`,
        names.length > 0 ? `There are: ${names.map(show).join(', ')}.` : 'Add it to model.blocks.',
        near.map((name) => ({ label: `Use ${show(name)}`, edits: [setEdit(at, name)] })),
      );
      return null;
    }
    if (within.includes(ref)) {
      const way = [...within.slice(within.indexOf(ref)), ref].map(show).join(' → ');
      const fixes = [{ label: 'Remove this layer', edits: [removeEdit(place)] }];
      this.#report.error('BAD_VALUE', at, `The block contains itself: ${way}`, 'A block cannot hold itself.', fixes);
      return null;
    }
    if (!this.firstUses.has(ref)) this.firstUses.set(ref, this.#position);
    this.#uses.push([ref, this.#blocks[ref]]);
    const inside = readBlock(ref, this.#blocks[ref], this.#report);
    const use = { place, path, count: this.#countUse(ref, place) };
    return (
      inside &&
      this.#report.inUse(use.count > 1 ? use : null, () =>
        this.#list('layers', inside.layers, inside.place, `${path}.layers`, input, rule, [...within, ref]),
      )
    );
  }

  /** The how manyeth use of a block stands at a place; all repetitions of one are one. */
  #countUse(ref: string, place: Place): number {
    const places = this.#places.get(ref) ?? new Map<string, number>();
    this.#places.set(ref, places);
    const at = place.join('.');
    const count = places.get(at) ?? places.size + 1;
    places.set(at, count);
    return count;
  }

  #mayGoOn(place: Place, path: string): boolean {
    if (this.#tooMany) return false;
    const tooDeep = path.split('.').length > 2 * deepest;
    if (++this.#layers <= mostLayers && !tooDeep) return true;
    this.#tooMany = !tooDeep;
    this.#report.error(
      'BAD_VALUE',
      place,
      tooDeep
        ? `Layers are nested deeper than ${deepest} levels`
        : `With its repetitions and blocks the network has more than ${mostLayers} layers`,
      tooDeep ? 'Nest less.' : 'Repeat less.',
    );
    return false;
  }
}

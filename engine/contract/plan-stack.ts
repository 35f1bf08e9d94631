/** Walks lists of layers: finds each layer's row, resolves it on what comes before, and collects tensors, costs and problems. */

import { z } from 'zod';
import { estimateOperation, noMemory } from './estimate-operation.ts';
import type { Operation } from './estimate-types.ts';
import { field, flag } from './fields.ts';
import { initsOf } from './inits.ts';
import { layerTable } from './layers/index.ts';
import type { Flow, LayerContext, LayerKind, Resolved, Stack } from './layers/kind.ts';
import { product } from './layers/kind.ts';
import type { Json, NativeLayer } from './native.ts';
import type { Refused } from './plan-bridges.ts';
import type { PlannedLayer, PlannedTensor, TrainRule } from './plan-types.ts';
import { isObject, type JsonObject, nearest, type Place, type Report, removeEdit, setEdit, show } from './report.ts';
import { findRow } from './table.ts';
import { elementBytes, type TensorType } from './tensors.ts';
import { plainRule, readTrain, type TrainedLayer } from './training-groups.ts';

/** More layers than this (repetitions and blocks expanded) or deeper nesting is a slip, and would only exhaust the memory. */
const mostLayers = 10_000;
const deepest = 50;

const networkPlace: Place = ['model', 'layers'];

const note = (label: string, help: string) =>
  field(z.string(), { label, help, control: 'text', expected: 'a text', default: '' });

/** Keys that a layer of any kind may have. */
const layerFields = {
  name: note('Name', 'Shown instead of the kind.'),
  note: note('Note', 'For people only.'),
  disabled: flag({ label: 'Disabled', help: 'As if the layer were not there.', default: false }),
};

/** A layer with batch statistics, and where it is. */
export interface BatchStatistics {
  kind: string;
  place: Place;
  values: number;
  inEvaluation: boolean;
}

export class StackPlanner {
  readonly tensors: PlannedTensor[] = [];
  readonly statistics: BatchStatistics[] = [];
  readonly trained: TrainedLayer[] = [];
  /** Layers that could not be planned on what they were given, and what entered each layer of the network itself (last: what leaves it). */
  readonly refused: Refused[] = [];
  readonly entering: (Flow | null)[] = [];
  /** The layers as they run, for the memory estimate. */
  readonly operations: Operation[] = [];
  readonly #report: Report;
  readonly #blocks: { [name: string]: unknown };
  readonly #usedBlocks = new Set<string>();
  /** Places of the layers that say which positions are padding, by path. */
  readonly #masks = new Map<string, Place>();
  #layers = 0;
  #tooMany = false;

  constructor(report: Report, blocks: { [name: string]: unknown }) {
    this.#report = report;
    this.#blocks = blocks;
  }

  /** The network itself. `input` null: only what needs no shapes is checked. */
  model(layers: readonly unknown[], input: TensorType | null): Stack {
    // The batch itself is counted as input, not as an activation.
    const flow = input && { ...input, mask: null, storage: { kept: true, grad: false } };
    const stack = this.trial(layers, flow);
    // A block that nothing uses is no reason not to train.
    this.#report.asWarnings(() => {
      for (const [name, block] of Object.entries(this.#blocks)) {
        if (this.#usedBlocks.has(name)) continue;
        const inside = this.#blockLayers(name, block);
        if (inside) this.#list('', inside.layers, inside.place, '', null, plainRule, [name]);
      }
    });
    return stack;
  }

  /** The layers alone. */
  trial(layers: readonly unknown[], input: Flow | null): Stack {
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
    for (const [index, layer] of layers.entries()) {
      const at = [...place, index];
      if (isObject(layer) && layer.disabled === true) continue;
      const path = prefix === '' ? String(position) : `${prefix}.${position}`;
      if (place === networkPlace) this.entering[index] = stack.flow;
      const done = this.#layer(layer, at, path, stack.flow, before, around, within);
      if (done) {
        stack.layers.push(done.planned);
        stack.native.push(...done.native);
      } else if (stack.flow && isObject(layer)) {
        this.refused.push({ place: at, path, layer, input: stack.flow, before });
      }
      stack.flow = done?.flow ?? null;
      before = { kind: isObject(layer) ? String(layer.kind) : '', place: at };
      position++;
    }
    return stack;
  }

  #layer(
    layer: unknown,
    place: Place,
    path: string,
    input: Flow | null,
    before: LayerContext['before'],
    around: TrainRule,
    within: readonly string[],
  ): { planned: PlannedLayer; native: NativeLayer[]; flow: Flow } | null {
    if (!this.#mayGoOn(place, path)) return null;
    const found = findRow(layer, layerTable, place, 'layer', this.#report);
    if (!found) return null;
    const { row, given } = found;
    const report = this.#report;
    report.unknownKeys(
      given,
      ['kind', ...Object.keys(row.params), ...Object.keys(layerFields), 'train'],
      place,
      row.derived,
    );
    const common = report.fields(given, layerFields, place);
    const rule = readTrain(given.train, place, around, report);
    const { ok, values } = report.fields(given, row.params, place);
    if (!ok || !common.ok || !input) {
      this.#checkInside(row, values, place, path, rule, within);
      return null;
    }
    if (!this.#takes(row, input, place)) return null;
    const tensorsBefore = this.tensors.length;
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
      stack: (name, layers, key, from = input) =>
        this.#list(name, layers, [...place, ...key], `${path}.${name}`, from, rule, within),
      block: (ref) => this.#block(ref, place, path, input, rule, within),
    };
    const resolved = row.resolve(values, context);
    if (!resolved) return null;
    if (input.mask !== null && row.mask === undefined && resolved.mask === undefined && !resolved.children) {
      return this.#refuseMask(row.kind, input.mask, place);
    }
    if (resolved.mask === path) this.#masks.set(path, this.#masks.get(input.mask ?? '') ?? place);
    return this.#finish(row, resolved, given, place, path, input, rule, tensorsBefore);
  }

  #takes({ kind, takes = 'floats' }: LayerKind, { dtype }: Flow, place: Place): boolean {
    if (takes === 'any' || (takes === 'floats') === (dtype === 'float32')) return true;
    this.#report.error(
      'WRONG_DTYPE',
      place,
      takes === 'floats'
        ? `${kind} calculates with floating-point numbers but receives integers (${dtype})`
        : `${kind} wants integers, indices of its table, but receives floating-point numbers`,
      takes === 'floats' ? 'Put an Embedding before it, or use data of bytes or floats.' : 'Use it on data of tokens.',
    );
    return false;
  }

  #refuseMask(kind: string, mask: string | null, place: Place): null {
    const maker = mask === null ? undefined : this.#masks.get(mask);
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
    row: LayerKind,
    resolved: Resolved,
    given: JsonObject,
    place: Place,
    path: string,
    input: Flow,
    rule: TrainRule,
    tensorsBefore: number,
  ): { planned: PlannedLayer; native: NativeLayer[]; flow: Flow } {
    const { args, output, children = [], tensors = [], keeps = {} } = resolved;
    const inits = initsOf(rule.init, row, tensors, place, this.#report);
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
    const values = (all: readonly PlannedTensor[]) => all.reduce((total, { shape }) => total + product(shape), 0);
    const parameters = here.filter(({ buffer }) => !buffer);
    const trainable = parameters.filter((tensor) => !tensor.rule?.freeze);
    if (isObject(given.train)) this.trained.push({ place, train: given.train, tensors: here });
    if (resolved.batchStatistics) this.statistics.push({ kind: row.kind, place, ...resolved.batchStatistics });
    const grad = input.storage.grad || trainable.length > 0;
    const tokens = resolved.tokens !== undefined ? resolved.tokens : row.takes === 'any' ? input.tokens : undefined;
    const flow: Flow = resolved.flow ?? {
      dims: output,
      dtype: resolved.dtype ?? (row.takes === 'any' ? input.dtype : 'float32'),
      mask: resolved.mask !== undefined ? resolved.mask : row.mask === 'keeps' ? input.mask : null,
      ...(tokens === undefined || tokens === null ? {} : { tokens }),
      storage: resolved.reshapes ? input.storage : { kept: false, grad },
    };
    let bytes = 0;
    if (grad) bytes += (keeps.bytes ?? 0) + (keeps.input ? keep(input) : 0) + (keeps.output ? keep(flow) : 0);
    const inside = children.flatMap((child) => child.layers);
    const sum = (of: (layer: PlannedLayer) => number) => inside.reduce((total, layer) => total + of(layer), 0);
    const planned: PlannedLayer = {
      path,
      place: place.join('.'),
      kind: row.kind,
      ...(typeof given.name === 'string' && given.name !== '' ? { name: given.name } : {}),
      args,
      input: [...input.dims],
      output: [...output],
      dtype: flow.dtype,
      mask: flow.mask,
      parameters: values(parameters),
      trainable: values(trainable),
      flops: (resolved.flops ?? 0) + sum((layer) => layer.flops),
      activation_bytes: bytes + sum((layer) => layer.activation_bytes),
      memory: noMemory(),
      python: row.python(
        args,
        children.map(({ layers }) => `nn.Sequential(${layers.map(({ python }) => python).join(', ')})`),
      ),
      ...(children.length > 0 ? { children: children.map(({ name, layers }) => ({ name, layers })) } : {}),
    };
    this.operations.push(...estimateOperation(planned, resolved, input, flow, rule));
    const native: NativeLayer[] = row.inlined
      ? children.flatMap((child) => child.native)
      : [
          {
            path,
            kind: row.kind,
            args: args as Record<string, Json>,
            output: [...output],
            ...(children.length > 0
              ? { children: children.map(({ name, native: layers }) => ({ name, layers })) }
              : {}),
          },
        ];
    return { planned, native, flow };
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
    this.#usedBlocks.add(ref);
    const inside = this.#blockLayers(ref, this.#blocks[ref]);
    return inside && this.#list('layers', inside.layers, inside.place, `${path}.layers`, input, rule, [...within, ref]);
  }

  #blockLayers(name: string, block: unknown): { layers: unknown[]; place: Place } | null {
    const at = ['model', 'blocks', name];
    const given = this.#report.object(block, at, `the block ${show(name)}`);
    this.#report.unknownKeys(given, ['layers', 'note'], at);
    const place = [...at, 'layers'];
    if (Array.isArray(given.layers)) return { layers: given.layers, place };
    if (isObject(block)) {
      this.#report.error(
        given.layers === undefined ? 'MISSING_VALUE' : 'BAD_VALUE',
        place,
        given.layers === undefined
          ? `The block ${show(name)} has no layers`
          : `Expected a list of layers for the block ${show(name)} but received ${show(given.layers)}`,
        'Write { "layers": [ … ] }.',
      );
    }
    return null;
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

/** Bytes of a tensor that the backward pass needs, the first time it is asked for. */
function keep(flow: Flow): number {
  if (flow.storage.kept) return 0;
  flow.storage.kept = true;
  return elementBytes[flow.dtype] * product(flow.dims);
}

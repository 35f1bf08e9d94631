/** One layer or named block: what the project says of it, and once its shapes are known what leaves it, what it costs and what goes to C++. */
import { z } from 'zod';
import { noMemory } from './estimate-operation.ts';
import { field, flag } from './fields.ts';
import { layerTable } from './layers/index.ts';
import { type Flow, type LayerKind, product, type Resolved } from './layers/kind.ts';
import type { Json, NativeLayer } from './native.ts';
import type { PlannedLayer, PlannedTensor } from './plan-types.ts';
import { isObject, type JsonObject, type Place, type Report, show } from './report.ts';
import { findRow } from './table.ts';
import { elementBytes } from './tensors.ts';

const note = (label: string, help: string) =>
  field(z.string(), { label, help, control: 'text', expected: 'a text', default: '' });

/** Keys that a layer of any kind may have. */
const layerFields = {
  name: note('Name', 'Shown instead of the kind.'),
  note: note('Note', 'For people only.'),
  disabled: flag({ label: 'Disabled', help: 'As if the layer were not there.', default: false }),
};

/** A layer's row, and its parameters with defaults; `ok`: none of them is at fault. */
export interface ReadLayer {
  row: LayerKind;
  given: JsonObject;
  values: JsonObject;
  ok: boolean;
}

/** null after reporting that there is no such kind. */
export function readLayer(layer: unknown, place: Place, report: Report): ReadLayer | null {
  const found = findRow(layer, layerTable, place, 'layer', report);
  if (!found) return null;
  const { row, given } = found;
  const known = ['kind', ...Object.keys(row.params), ...Object.keys(layerFields), 'train'];
  report.unknownKeys(given, known, place, row.derived);
  const common = report.fields(given, layerFields, place);
  const { ok, values } = report.fields(given, row.params, place);
  return { row, given, values, ok: ok && common.ok };
}

/** The layers of a named block; null after reporting that it has none. */
export function readBlock(name: string, block: unknown, report: Report): { layers: unknown[]; place: Place } | null {
  const at = ['model', 'blocks', name];
  const given = report.object(block, at, `the block ${show(name)}`);
  report.unknownKeys(given, ['layers', 'note'], at);
  const place = [...at, 'layers'];
  if (Array.isArray(given.layers)) return { layers: given.layers, place };
  if (isObject(block)) {
    report.error(
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

/** Whether a kind takes values of the type that enters it; reported otherwise. */
export function takesType(
  { kind, takes = 'floats' }: LayerKind,
  { dtype }: Flow,
  place: Place,
  report: Report,
): boolean {
  if (takes === 'any' || (takes === 'floats') === (dtype === 'float32')) return true;
  report.error(
    'WRONG_DTYPE',
    place,
    takes === 'floats'
      ? `${kind} calculates with floating-point numbers but receives integers (${dtype})`
      : `${kind} wants integers, indices of its table, but receives floating-point numbers`,
    takes === 'floats' ? 'Put an Embedding before it, or use data of bytes or floats.' : 'Use it on data of tokens.',
  );
  return false;
}

/** `grad`: the backward pass reaches the output. */
export function flowBehind(row: LayerKind, resolved: Resolved, input: Flow, grad: boolean): Flow {
  if (resolved.flow) return resolved.flow;
  const tokens = resolved.tokens !== undefined ? resolved.tokens : row.takes === 'any' ? input.tokens : undefined;
  return {
    dims: resolved.output,
    dtype: resolved.dtype ?? (row.takes === 'any' ? input.dtype : 'float32'),
    mask: resolved.mask !== undefined ? resolved.mask : row.mask === 'keeps' ? input.mask : null,
    ...(tokens === undefined || tokens === null ? {} : { tokens }),
    storage: resolved.reshapes ? input.storage : { kept: false, grad },
  };
}

/** The layer as far as shapes go. */
export function uncosted(
  { kind }: LayerKind,
  { args, output, children = [] }: Resolved,
  place: Place,
  path: string,
  input: Flow,
  { dtype, mask }: Flow,
): PlannedLayer {
  return {
    path,
    place: place.join('.'),
    kind,
    args,
    input: [...input.dims],
    output: [...output],
    dtype,
    mask,
    parameters: 0,
    trainable: 0,
    flops: 0,
    activation_bytes: 0,
    memory: noMemory(),
    python: '',
    ...(children.length > 0 ? { children: children.map(({ name, layers }) => ({ name, layers })) } : {}),
  };
}

/** `tensors`: its own and those of the layers inside. */
export function costed({
  row,
  resolved,
  given,
  place,
  path,
  input,
  tensors,
}: {
  row: LayerKind;
  resolved: Resolved;
  given: JsonObject;
  place: Place;
  path: string;
  input: Flow;
  tensors: readonly PlannedTensor[];
}): { planned: PlannedLayer; flow: Flow } {
  const { args, children = [], keeps = {} } = resolved;
  const values = (all: readonly PlannedTensor[]) => all.reduce((total, { shape }) => total + product(shape), 0);
  const parameters = tensors.filter(({ buffer }) => !buffer);
  const trainable = parameters.filter((tensor) => !tensor.rule?.freeze);
  const grad = input.storage.grad || trainable.length > 0;
  const flow = flowBehind(row, resolved, input, grad);
  const kept = children.flatMap((child, index) => (child.flow && keeps.lists?.[index] ? [child.flow] : []));
  if (keeps.input) kept.push(input);
  if (keeps.output) kept.push(flow);
  const bytes = grad ? kept.reduce((total, each) => total + keep(each), keeps.bytes ?? 0) : 0;
  const inside = children.flatMap((child) => child.layers);
  const sum = (of: (layer: PlannedLayer) => number) => inside.reduce((total, layer) => total + of(layer), 0);
  const planned: PlannedLayer = {
    ...uncosted(row, resolved, place, path, input, flow),
    ...(typeof given.name === 'string' && given.name !== '' ? { name: given.name } : {}),
    parameters: values(parameters),
    trainable: values(trainable),
    flops: (resolved.flops ?? 0) + sum((layer) => layer.flops),
    activation_bytes: bytes + sum((layer) => layer.activation_bytes),
    python: row.python(
      args,
      children.map(({ layers }) => `nn.Sequential(${layers.map(({ python }) => python).join(', ')})`),
    ),
  };
  return { planned, flow };
}

export function nativeOf(row: LayerKind, { args, output, children = [] }: Resolved, path: string): NativeLayer[] {
  if (row.inlined) return children.flatMap((child) => child.native);
  const lists = children.map(({ name, native: layers }) => ({ name, layers }));
  return [
    {
      path,
      kind: row.kind,
      args: args as Record<string, Json>,
      output: [...output],
      ...(lists.length > 0 ? { children: lists } : {}),
    },
  ];
}

/** Bytes of a tensor that the backward pass needs, the first time it is asked for. */
function keep(flow: Flow): number {
  if (flow.storage.kept) return 0;
  flow.storage.kept = true;
  return elementBytes[flow.dtype] * product(flow.dims);
}

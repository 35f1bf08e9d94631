/** The stack as it is drawn: one row after the other, with every shape and cost, nested blocks by depth. Pure. */
import type { Plan, PlannedLayer } from '../../engine/contract/plan.ts';
import type { Problem } from '../../engine/contract/problems.ts';
import { isObject, type JsonObject } from '../../engine/contract/report.ts';
import type { ElementType } from '../../engine/contract/tensors.ts';
import { sameView } from './same-view.ts';
import { idOf } from './sharing.ts';
import { blockNames, blockRef, blocksIn, usesOf } from './stack.ts';
import { type Costs, noCosts, type Placed, placesOf, type RowCosts } from './stack-costs.ts';
import { type Inside, insideOf } from './stack-inside.ts';
import {
  blockList,
  type Gap,
  kindOf,
  type Lane,
  lanesOf,
  layersAt,
  mainList,
  numberPrefix,
  numbersOf,
  type Path,
} from './stack-paths.ts';
import { layerPlace } from './stack-places.ts';
import { trainOf } from './stack-train.ts';

/** One sample's tensor where it is in the stack. */
export interface Tensor {
  dims: readonly number[];
  dtype: ElementType;
  /** Some of its positions may be padding, which the layers behind leave out of account. */
  padded: boolean;
}

interface RowBase {
  /** Its own in the whole stack; a layer's is its id. */
  key: string;
  depth: number;
  /** Where goes what is dropped just above this row. */
  above: Gap;
  /** Inside a disabled block. */
  dimmed: boolean;
}

export interface LayerRow extends RowBase {
  type: 'layer';
  path: Path;
  layer: JsonObject;
  kind: string;
  /** Position in its list and the list's length, from 1. */
  position: number;
  siblings: number;
  disabled: boolean;
  /** It has weights, and none of them trains. */
  frozen: boolean;
  /** null: it holds no layers. */
  folded: boolean | null;
  /** What it holds and does not show: of a folded block, and of one whose layers are shown at another use. */
  holds: Inside['lanes'];
  /** Of one sample; null while unknown. */
  input: Tensor | null;
  output: Tensor | null;
  /** null while the shapes are unknown. */
  costs: RowCosts | null;
  python: string | null;
  /** What messages and weights files call it: `3`, `3.layers.0`; null where it does not run. */
  number: string | null;
  problems: readonly Problem[];
  /** Of a named block: how many uses it has, and whether its layers are shown at another use. */
  uses: number;
  elsewhere: boolean;
}

/** The head of one of several lists of a block: a branch, a shortcut. */
export interface LaneRow extends RowBase {
  type: 'lane';
  lane: Lane;
  list: Path;
  index: number;
  /** The block's id. */
  owner: string;
  removable: boolean;
  input: Tensor | null;
}

/** Where a list has no layers. */
export interface EmptyRow extends RowBase {
  type: 'empty';
  owner: string;
  lane: Lane;
}

/** The foot of an open block: what comes out. */
export interface EndRow extends RowBase {
  type: 'end';
  owner: string;
  layer: JsonObject;
  output: Tensor | null;
}

/** The head of a block that nothing in the network uses. */
export interface BlockRow extends RowBase {
  type: 'block';
  name: string;
  path: Path;
}

/** The network's foot; what is dropped above it comes last. */
export interface OutputRow extends RowBase {
  type: 'output';
  output: Tensor | null;
}

export type StackRow = LayerRow | LaneRow | EmptyRow | EndRow | BlockRow | OutputRow;

export interface StackView {
  rows: readonly StackRow[];
  /** The largest of each cost among the rows that show them: what a full bar is. */
  scale: Costs;
  /** What concerns the network as a whole. */
  problems: readonly Problem[];
}

interface Known {
  project: unknown;
  plan: Plan | null;
  folded: ReadonlySet<string>;
  byPlace: ReadonlyMap<string, Placed>;
  problems: Map<string, Problem[]>;
  shownBlocks: Set<string>;
  uses: Map<string, number>;
  rows: StackRow[];
  input: Tensor | null;
  /** Behind the network's last layer. */
  end: Gap;
}

/** `before`: the view that is on screen; rows that have not changed stay the same objects. `inputType`: of the data's numbers. */
export function stackView(
  project: unknown,
  plan: Plan | null,
  textProblems: readonly Problem[],
  folded: ReadonlySet<string>,
  before: StackView | null = null,
  inputType: ElementType = 'float32',
): StackView {
  const names = blockNames(project);
  const known: Known = {
    project,
    plan,
    folded,
    byPlace: placesOf(plan),
    problems: new Map(),
    shownBlocks: new Set(),
    uses: new Map(names.map((name) => [name, usesOf(project, name).length])),
    rows: [],
    input: plan && plan.input.length > 0 ? { dims: plan.input, dtype: inputType, padded: false } : null,
    end: { list: mainList, index: layersAt(project, mainList).length },
  };
  const loose = assignProblems(known, [...textProblems, ...(plan?.problems ?? [])]);
  const output = list(known, mainList, '', 0, known.input, false);
  known.rows.push({
    type: 'output',
    key: 'output',
    depth: 0,
    above: known.end,
    dimmed: false,
    output,
  });
  // One that only blocks use that nothing uses is shown with them, and one that holds itself by itself: nothing is out of sight.
  const used = blocksIn(project, layersAt(project, mainList));
  for (const name of [...names].sort((a, b) => Number(isUsed(project, a)) - Number(isUsed(project, b)))) {
    if (known.shownBlocks.has(name) || used.has(name)) continue;
    known.shownBlocks.add(name);
    unusedBlock(known, name);
    blocksIn(project, layersAt(project, blockList(name)), used);
  }
  return sameView(before, { rows: known.rows, scale: scaleOf(known.rows), problems: loose });
}

function isUsed(project: unknown, name: string): boolean {
  return usesOf(project, name).length > 0;
}

function tensorOf(layer: PlannedLayer | undefined): Tensor | null {
  return layer ? { dims: layer.output, dtype: layer.dtype, padded: layer.mask !== null } : null;
}

const nothing: Inside['lanes'] = [];

/** Each problem to the innermost layer that it names; answers those of the network as a whole. */
function assignProblems(known: Known, problems: readonly Problem[]): Problem[] {
  const loose: Problem[] = [];
  for (const problem of problems) {
    if (!/^model(\.|$)/.test(problem.path)) continue;
    const place = layerPlace(known.project, problem.path);
    if (place === null) loose.push(problem);
    // One of a later use of a block is told there as well: the block's layers are shown at the first.
    const places = [place, problem.use ?? null].filter((each) => each !== null);
    for (const at of new Set(places)) known.problems.set(at, [...(known.problems.get(at) ?? []), problem]);
  }
  return loose;
}

/** Adds a list's rows; answers the shape that leaves it. `prefix`: of its layers' numbers; null: they have none. */
function list(
  known: Known,
  path: Path,
  prefix: string | null,
  depth: number,
  input: Tensor | null,
  dimmed: boolean,
): Tensor | null {
  const layers = layersAt(known.project, path);
  let flow = input;
  const numbers = numbersOf(layers, prefix);
  for (const [index, layer] of layers.entries()) {
    flow = layerRows(known, layer, [...path, index], numbers[index] ?? null, layers.length, depth, flow, dimmed);
  }
  return flow;
}

function layerRows(
  known: Known,
  given: unknown,
  path: Path,
  number: string | null,
  siblings: number,
  depth: number,
  input: Tensor | null,
  dimmed: boolean,
): Tensor | null {
  const index = path.at(-1) as number;
  const place = path.join('.');
  const layer = isObject(given) ? given : wrong(given, place);
  const planned = known.byPlace.get(place);
  const disabled = layer.disabled === true;
  const ref = blockRef(layer);
  const defined = ref !== null && known.uses.has(ref);
  const elsewhere = defined && known.shownBlocks.has(ref);
  if (defined) known.shownBlocks.add(ref);
  const lanes: { lane: Lane; list: Path }[] =
    defined && !elsewhere
      ? [{ lane: 'layers', list: blockList(ref) }]
      : lanesOf(layer).map(({ lane, key }) => ({ lane, list: [...path, ...key] }));
  const id = idOf(layer);
  const folded = lanes.length === 0 ? null : known.folded.has(id);
  const hidden = elsewhere && ref !== null ? [blockList(ref)] : folded === true ? lanes.map((lane) => lane.list) : [];
  const output = disabled ? input : tensorOf(planned?.first);
  const row: LayerRow = {
    type: 'layer',
    key: id,
    depth,
    above: { list: path.slice(0, -1), index },
    dimmed: dimmed || disabled,
    path,
    layer,
    kind: kindOf(layer),
    position: index + 1,
    siblings,
    disabled,
    frozen: planned ? planned.first.parameters > 0 && planned.first.trainable === 0 : trainOf(layer).freeze === true,
    folded,
    holds: hidden.length === 0 ? nothing : insideOf(known.project, hidden),
    input,
    output,
    costs: planned?.costs ?? null,
    python: planned?.first.python ?? null,
    number: planned?.first.path ?? number,
    problems: folded === true ? problemsIn(known, place, lanes) : (known.problems.get(place) ?? []),
    uses: ref === null ? 0 : (known.uses.get(ref) ?? 0),
    elsewhere,
  };
  known.rows.push(row);
  if (folded === false) inner(known, row, lanes, dimmed || disabled, input);
  return output;
}

/** What is no object at all has a problem of its own; it is shown, and can be removed. */
const wrongLayers = new Map<string, JsonObject>();
function wrong(value: unknown, place: string): JsonObject {
  const text = JSON.stringify(value);
  const key = `${place} ${text}`;
  const made = wrongLayers.get(key) ?? { kind: text };
  wrongLayers.set(key, made);
  return made;
}

function inner(
  known: Known,
  row: LayerRow,
  lanes: readonly { lane: Lane; list: Path }[],
  dimmed: boolean,
  input: Tensor | null,
): void {
  const depth = row.depth + 1;
  const several = lanes.length > 1 || row.kind === 'Parallel';
  let last: Gap = { list: (lanes[0] as { list: Path }).list, index: 0 };
  for (const [index, { lane, list: path }] of lanes.entries()) {
    const length = layersAt(known.project, path).length;
    const first: Gap = { list: path, index: 0 };
    if (several) {
      known.rows.push({
        type: 'lane',
        key: `${row.key}/${index}`,
        depth,
        above: index === 0 ? first : last,
        dimmed,
        lane,
        list: path,
        index,
        owner: row.key,
        removable: lane === 'shortcut' || (lane === 'branch' && lanes.length > 1),
        input,
      });
    }
    if (length === 0) {
      known.rows.push({
        type: 'empty',
        key: `${row.key}/${index}/empty`,
        depth,
        above: first,
        dimmed,
        owner: row.key,
        lane,
      });
    }
    list(known, path, numberPrefix(row.number, row.kind, lane, index), depth, input, dimmed);
    last = { list: path, index: length };
  }
  known.rows.push({
    type: 'end',
    key: `${row.key}/end`,
    depth: row.depth,
    above: last,
    dimmed,
    owner: row.key,
    layer: row.layer,
    output: row.output,
  });
}

function unusedBlock(known: Known, name: string): void {
  const path = ['model', 'blocks', name];
  const layers = blockList(name);
  const length = layersAt(known.project, layers).length;
  const key = `block ${name}`;
  const first: Gap = { list: layers, index: 0 };
  known.rows.push({ type: 'block', key, depth: 0, above: known.end, dimmed: true, name, path });
  if (length === 0) {
    known.rows.push({
      type: 'empty',
      key: `${key}/empty`,
      depth: 1,
      above: first,
      dimmed: true,
      owner: key,
      lane: 'layers',
    });
  }
  list(known, layers, null, 1, null, true);
  const end: Gap = { list: layers, index: length };
  known.rows.push({
    type: 'end',
    key: `${key}/end`,
    depth: 0,
    above: end,
    dimmed: true,
    owner: key,
    layer: { kind: 'Block', ref: name },
    output: null,
  });
}

/** A folded block shows what is wrong inside it. */
function problemsIn(known: Known, place: string, lanes: readonly { list: Path }[]): Problem[] {
  const starts = [place, ...lanes.map(({ list: path }) => path.join('.'))];
  return [...known.problems].flatMap(([at, problems]) =>
    starts.some((start) => at === start || at.startsWith(`${start}.`)) ? problems : [],
  );
}

function scaleOf(rows: readonly StackRow[]): Costs {
  const scale = { ...noCosts };
  for (const row of rows) {
    if (row.type !== 'layer' || row.folded === false || !row.costs || row.disabled) continue;
    for (const key of ['parameters', 'flops', 'memory'] as const) scale[key] = Math.max(scale[key], row.costs[key]);
  }
  return scale;
}

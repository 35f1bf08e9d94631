/** Tries the fixes of layers' problems on the network, as many as there is time for, so that those are offered that take their problem away. */
import { applied, follow, startsWith } from './edits.ts';
import { layerTable } from './layers/index.ts';
import type { Dims, Flow } from './layers/kind.ts';
import { bridgesFor, fewerRepetitions, type Refused, type Surroundings } from './plan-bridges.ts';
import { StackPlanner } from './plan-stack.ts';
import type { Edit, Fix, Problem } from './problems.ts';
import { isObject, type JsonObject, type Place, Report } from './report.ts';
import type { TensorType } from './tensors.ts';

/** At most so many bridges for a problem, and so many trials for a project: a plan is made with every key that is typed. */
const mostBridges = 3;
const mostTrials = 24;

interface Model {
  layers: readonly unknown[];
  blocks: { [name: string]: unknown };
}

/** Problems of layers get the fixes of their rows that work, and what could stand between the layer and the one before it. */
export function mendLayers(report: Report, planner: StackPlanner, model: Model, input: TensorType): void {
  const { refused, entering } = planner;
  if (refused.length === 0) return;
  const around: Surroundings = {
    input,
    before: (place) => layersBefore(model, place),
    run: (layers, flow) => new StackPlanner(new Report(), model.blocks).trial(layers, apart(flow)).flow?.dims ?? null,
  };
  let trials = mostTrials;
  for (const [index, problem] of report.problems.entries()) {
    const at = problem.severity === 'error' ? refusedAt(problem, refused) : null;
    if (!at) continue;
    const place = placeOf(problem, at);
    const trial = (fix: Fix): Outcome =>
      trials-- > 0 ? tried(fix, { problem, place, layer: at.place, known: report.problems, model, entering }) : 'other';
    const removal = ({ edits }: Fix) => edits.some((edit) => edit.op === 'remove' && startsWith(at.place, edit.path));
    const own = problem.fixes.map((fix) => ({ fix, outcome: trial(fix) }));
    const seen = new Set(own.flatMap(({ fix }) => [fix.label, JSON.stringify(fix.edits)]));
    const isNew = ({ label, edits }: Fix) => {
      const known = seen.has(label) || seen.has(JSON.stringify(edits));
      seen.add(label).add(JSON.stringify(edits));
      return !known;
    };
    const bridges = [...fewerRepetitions(at, refused), ...bridgesFor(problem.code, at, around)]
      .filter((fix) => fix.edits.every(namesKnownKinds) && isNew(fix))
      .map((fix) => ({ fix, outcome: trial(fix) }));
    const whole = [...own, ...bridges].some(({ outcome }) => outcome === 'all');
    const offered = own.filter(({ outcome }) => (whole ? outcome === 'all' : outcome !== 'nothing'));
    const between = bridges.filter(({ outcome }) => outcome === (whole ? 'all' : 'this')).slice(0, mostBridges);
    // To remove the layer is what helps when nothing else does.
    const removals = offered.filter(({ fix }) => removal(fix));
    const others = offered.filter(({ fix }) => !removal(fix));
    report.problems[index] = { ...problem, fixes: [...others, ...between, ...removals].map(({ fix }) => fix) };
  }
}

/** The innermost layer that a problem is of, where it could not be planned. */
function refusedAt({ path }: Problem, refused: readonly Refused[]): Refused | null {
  let found: Refused | null = null;
  for (const each of refused) {
    const place = each.place.join('.');
    const within = path === place || path.startsWith(`${place}.`);
    if (within && each.place.length > (found?.place.length ?? 0)) found = each;
  }
  return found;
}

/** The problem's own place: the layer's, and perhaps a key of it. */
function placeOf({ path }: Problem, { place }: Refused): Place {
  const key = path.slice(place.join('.').length + 1);
  return key === '' ? place : [...place, key];
}

/**
 * What a fix does. `all`: as far as this layer everything can be planned then; `this`: the problem is gone, and the layer has another;
 * `other`: the problem is gone, and something else has a new one.
 */
type Outcome = 'all' | 'this' | 'other' | 'nothing';

interface Trial {
  problem: Problem;
  /** Of the problem, and of its layer. */
  place: Place;
  layer: Place;
  known: readonly Problem[];
  model: Model;
  entering: readonly (Flow | null)[];
}

function tried({ edits }: Fix, { problem, place, layer, known, model, entering }: Trial): Outcome {
  const position = refusedPosition(entering);
  const end = followed(['model', 'layers', position], edits);
  const again = replanned(edits, model, entering, position, end ? (end[2] as number) : position - 1);
  if (!again) return 'nothing';
  const path = followed(place, edits)?.join('.');
  const same = (other: Problem) => other.severity === 'error' && other.code === problem.code && other.path === path;
  if (again.report.problems.some(same)) return 'nothing';
  // A block may be used further on, too, on another shape.
  if (inBlocks(edits) && replanned(edits, model, entering, 0, Number.POSITIVE_INFINITY)?.report.problems.some(same)) {
    return 'nothing';
  }
  const errors = again.report.problems.filter(({ severity }) => severity === 'error');
  const named = ({ code, message }: Problem) => `${code} ${message}`;
  const before = new Set(known.map(named));
  const fresh = errors.filter((other) => !before.has(named(other)));
  if (fresh.length === 0) return 'all';
  const here = followed(layer, edits)?.join('.');
  return fresh.every((other) => other.path === here || other.path.startsWith(`${here}.`)) ? 'this' : 'other';
}

/** What the network would answer after edits; null where it cannot be planned then. */
export function answerAfter(edits: readonly Edit[], planner: StackPlanner, model: Model): Dims | null {
  const again = replanned(edits, model, planner.entering, model.layers.length, Number.POSITIVE_INFINITY);
  return again?.flow && !again.report.hasErrors() ? again.flow.dims : null;
}

/** The layers as far as `last` after edits, from the first that they touch on, at the latest from `from` on. */
function replanned(
  edits: readonly Edit[],
  model: Model,
  entering: readonly (Flow | null)[],
  from: number,
  last: number,
): { report: Report; flow: Flow | null } | null {
  let changed: { model: Model };
  try {
    changed = edits.reduce<unknown>(applied, { model }) as { model: Model };
  } catch {
    return null;
  }
  const { layers, blocks } = changed.model;
  if (!Array.isArray(layers)) return null;
  const start = inBlocks(edits)
    ? 0
    : Math.min(from, ...edits.flatMap(({ path }) => (typeof path[2] === 'number' ? [path[2]] : [])));
  const entered = entering[start];
  if (!entered) return null;
  // Places stay as they are: what is not planned again counts as disabled.
  const list = layers.slice(0, last + 1).map((each, index) => (index < start ? { disabled: true } : each));
  const report = new Report();
  const { flow } = new StackPlanner(report, blocks).trial(list, apart(entered));
  return { report, flow };
}

/** Layers that an edit puts in are of kinds that there are. */
function namesKnownKinds({ value }: Edit): boolean {
  return [value].flat().every((each) => !isObject(each) || layerTable.has(String(each.kind)));
}

/** What is kept of a tensor in a trial says nothing of the plan. */
function apart(flow: Flow): Flow {
  return { ...flow, storage: { ...flow.storage } };
}

function layersBefore(model: Model, place: Place): { place: Place; layer: JsonObject }[] {
  const list = place.slice(0, -1);
  const layers = list.reduce<unknown>((at, key) => (at as JsonObject)[key as string], { model }) as unknown[];
  return layers
    .slice(0, place.at(-1) as number)
    .flatMap((layer, index) => (isObject(layer) && layer.disabled !== true ? [{ place: [...list, index], layer }] : []))
    .reverse();
}

function inBlocks(edits: readonly Edit[]): boolean {
  return edits.some(({ path }) => path[1] === 'blocks');
}

function followed(place: Place, edits: readonly Edit[]): Place | null {
  return edits.reduce<Place | null>((at, edit) => at && follow(at, edit), place);
}

/** The position of the network's layer that could not be planned: behind it nothing is known. */
function refusedPosition(entering: readonly (Flow | null)[]): number {
  return entering.findLastIndex((flow) => flow !== null && flow !== undefined);
}

/** Tries the fixes of layers' problems on the network, so that those are offered that help, the ones that end all of it first. */
import { follow, startsWith } from './edits.ts';
import { plural } from './format.ts';
import { layerTable } from './layers/index.ts';
import { type Dims, sameDims } from './layers/kind.ts';
import { bridgesFor, fewerRepetitions, type Refused, type Surroundings } from './plan-bridges.ts';
import type { StackPlanner } from './plan-stack.ts';
import { lastOf, type Model, type Trials, type Tried } from './plan-trials.ts';
import { heldBy, unwrapFix } from './plan-unwrap.ts';
import type { Edit, Fix, Problem, ProblemCode } from './problems.ts';
import { isObject, type JsonObject, type Place, type Report, removeEdit } from './report.ts';
import type { TensorType } from './tensors.ts';

/** At most so many bridges for a problem, so many pairs of fixes, and so many fixes with which a pair begins. */
const mostBridges = 3;
const mostPairs = 2;
const mostFirsts = 3;

/**
 * What a fix does, the best first. `right`: the network answers what the loss wants; `whole`: all of it can be planned, as far as was looked;
 * `layer`: everything as far as this layer can be planned, and something behind it cannot; `this`: the problem is gone, and the layer has
 * another; `other`: the problem is gone, and something before or around it has a new one. A fix that was not tried, for lack of work left, is
 * not offered: it might not help.
 */
const outcomes = ['right', 'whole', 'layer', 'this', 'other', 'nothing', 'untried'] as const;
type Outcome = (typeof outcomes)[number];

/** A fix, what it does, and the first problem that it leads to. */
interface Offer {
  fix: Fix;
  outcome: Outcome;
  next?: { problem: Problem; place: Place; tried: Tried };
}

/** What all problems of a network have in common. */
interface Context {
  report: Report;
  planner: StackPlanner;
  trials: Trials;
  input: TensorType;
  wanted: Dims | undefined;
}

/**
 * Problems of layers get the fixes of their rows that work, what could stand between the layer and the one before it, pairs of fixes where no
 * single one is enough, and last the layer's removal. `wanted`: what the loss wants the network to answer.
 */
export function mendLayers(
  report: Report,
  planner: StackPlanner,
  trials: Trials,
  input: TensorType,
  wanted: Dims | undefined,
): void {
  const context = { report, planner, trials, input, wanted };
  for (const [index, problem] of report.problems.entries()) {
    if (problem.severity !== 'error') continue;
    const place = report.places[index] as Place;
    const at = innermost(planner.refused, place);
    const faulty = innermost(planner.faulty, place);
    if (at && at.place.length >= (faulty?.place.length ?? 0)) {
      report.problems[index] = { ...problem, fixes: fixesFor(problem, place, at, context) };
    } else if (faulty) {
      // Nothing reaches it that its fixes could be tried on: they are those that its own value asks for.
      report.problems[index] = { ...problem, fixes: withRemoval(problem.fixes, faulty, trials.model) };
    }
  }
}

/** The innermost of the layers that a problem is of. */
function innermost<L extends { place: Place }>(layers: readonly L[], place: Place): L | null {
  let found: L | null = null;
  for (const each of layers) {
    if (each.place.length > (found?.place.length ?? 0) && startsWith(place, each.place)) found = each;
  }
  return found;
}

function fixesFor(problem: Problem, place: Place, at: Refused, context: Context): Fix[] {
  const { planner, trials } = context;
  const removes = ({ edits }: Fix) => edits.some((edit) => edit.op === 'remove' && startsWith(at.place, edit.path));
  const attempt = (fix: Fix) => attempted(fix, problem, place, at, context);
  const done = (fixes: Fix[]) =>
    withRemoval([...fixes, ...offered(unwrapped, 'layer')], at, trials.model, problem.fixes.find(removes));
  const isNew = unlike();
  const own = problem.fixes.filter((fix) => isNew(fix) && !removes(fix)).map(attempt);
  const between = [...fewerRepetitions(at, planner.refused), ...bridgesFor(problem.code, at, around(context))]
    .filter((fix) => fix.edits.every(namesKnownKinds) && isNew(fix) && !removes(fix))
    .map(attempt);
  const unwrap = unwrapFix(at, trials.model);
  const unwrapped = unwrap ? [attempt(unwrap)] : [];
  const best = Math.min(...[...own, ...between].map(({ outcome }) => outcomes.indexOf(outcome)));
  const offered = (offers: Offer[], worst: Outcome) =>
    offers
      .filter(({ outcome }) => outcomes.indexOf(outcome) <= outcomes.indexOf(worst))
      .sort((a, b) => outcomes.indexOf(a.outcome) - outcomes.indexOf(b.outcome))
      .map(({ fix }) => fix);
  const withinAll = (worst: Outcome) => [...offered(own, worst), ...offered(between, worst).slice(0, mostBridges)];
  if (best <= outcomes.indexOf('layer')) return done(withinAll(best <= outcomes.indexOf('whole') ? 'whole' : 'layer'));
  const both = pairs([...own, ...between], attempt, context).filter(isNew);
  if (both.length > 0) return done(both);
  return done([...offered(own, 'other'), ...offered(between, 'this').slice(0, mostBridges)]);
}

/** The layer's removal, last: it ends the problem when nothing else does. */
function withRemoval(
  fixes: readonly Fix[],
  { place, layer }: { place: Place; layer: JsonObject },
  { layers }: Model,
  own?: Fix,
): Fix[] {
  const enabled = layers.filter((each) => !isObject(each) || each.disabled !== true);
  // A network without layers is none.
  if (place.length === 3 && enabled.length === 1) return [...fixes];
  const kind = layerTable.has(String(layer.kind)) ? String(layer.kind) : 'layer';
  const held = heldBy(layer);
  const inside = held === 0 ? '' : ` and its ${plural(held, 'layer')}`;
  return [...fixes, own ?? { label: `Remove this ${kind}${inside}`, edits: [removeEdit(place)] }];
}

/** Whether neither the words nor the edits of a fix were seen before. */
function unlike(): (fix: Fix) => boolean {
  const seen = new Set<string>();
  return ({ label, edits }) => {
    const known = seen.has(label) || seen.has(JSON.stringify(edits));
    seen.add(label).add(JSON.stringify(edits));
    return !known;
  };
}

/** Where one fix leads to another problem, both fixes together. */
function pairs(offers: readonly Offer[], attempt: (fix: Fix) => Offer, context: Context): Fix[] {
  const found: Offer[] = [];
  const firsts = offers.filter(({ next }) => next).slice(0, mostFirsts);
  for (const { fix, next } of firsts) {
    const { problem, place, tried } = next as NonNullable<Offer['next']>;
    const at = innermost(tried.planner.refused, place);
    if (!at) continue;
    const seconds = [...problem.fixes, ...bridgesFor(problem.code, at, around(context, tried.model))].filter(
      ({ edits }) => edits.every((edit) => !removesLayer(edit) && namesKnownKinds(edit)),
    );
    for (const second of seconds.slice(0, mostBridges)) {
      const label = `${fix.label}, and ${second.label.charAt(0).toLowerCase()}${second.label.slice(1)}`;
      found.push(attempt({ label, edits: [...fix.edits, ...second.edits] }));
    }
  }
  const rank = ({ outcome }: Offer) => outcomes.indexOf(outcome);
  return found
    .filter((offer) => rank(offer) <= outcomes.indexOf('layer'))
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, mostPairs)
    .map(({ fix }) => fix);
}

function around({ input, trials }: Context, model: Model = trials.model): Surroundings {
  return {
    input,
    before: (place) => layersBeside(model, place, (layers, index) => layers.slice(0, index)).reverse(),
    behind: (place) => layersBeside(model, place, (layers, index) => layers.slice(index + 1)),
    run: (layers, flow) => trials.dims(layers, flow, model),
  };
}

function attempted(fix: Fix, problem: Problem, place: Place, at: Refused, context: Context): Offer {
  const { report, trials, wanted } = context;
  const { edits } = fix;
  const refused = trials.refusedAt;
  const tried = trials.after(edits, refused);
  if (typeof tried === 'string') return { fix, outcome: tried === 'untried' ? 'untried' : 'nothing' };
  const known = new Set(
    report.problems.flatMap(({ severity, code }, index) =>
      severity === 'error' ? [keyOf(code, followed(report.places[index] as Place, edits))] : [],
    ),
  );
  const { planner } = tried;
  const errors = tried.report.problems.flatMap((each, index) =>
    each.severity === 'error' ? [{ problem: each, place: tried.report.places[index] as Place }] : [],
  );
  const same = keyOf(problem.code, followed(place, edits));
  const layer = followed(at.place, edits);
  if (planner.unmended.has(at.layer) || errors.some((each) => keyOf(each.problem.code, each.place) === same)) {
    return { fix, outcome: 'nothing' };
  }
  // A block may be used further on, too, on another shape.
  if (!planner.complete && edits.some(({ path }) => path[1] === 'blocks')) return { fix, outcome: 'untried' };
  const next = errors.find((each) => !known.has(keyOf(each.problem.code, each.place)));
  if (!next) {
    if (!tried.flow) return { fix, outcome: 'layer' };
    return { fix, outcome: planner.complete && wanted && sameDims(tried.flow.dims, wanted) ? 'right' : 'whole' };
  }
  if (tried.reached > lastOf(refused, edits)) return { fix, outcome: 'layer' };
  const outcome = layer && startsWith(next.place, layer) ? 'this' : 'other';
  return { fix, outcome, next: { ...next, tried } };
}

function keyOf(code: ProblemCode, place: Place | null): string {
  return place ? `${code} ${place.join('.')}` : 'gone';
}

const removesLayer = ({ op, path }: Edit) => op === 'remove' && typeof path.at(-1) === 'number';

/** Layers that an edit puts in are of kinds that there are. */
function namesKnownKinds({ value }: Edit): boolean {
  return [value].flat().every((each) => !isObject(each) || layerTable.has(String(each.kind)));
}

interface Standing {
  place: Place;
  layer: JsonObject;
}

/** The enabled ones of a part of the list in which a layer stands. */
function layersBeside(model: Model, place: Place, part: (layers: Standing[], index: number) => Standing[]): Standing[] {
  const list = place.slice(0, -1);
  const layers = list.reduce<unknown>((at, key) => (at as JsonObject)[key as string], { model }) as unknown[];
  const standing = layers.map((layer, index) => ({ place: [...list, index], layer: layer as JsonObject }));
  return part(standing, place.at(-1) as number).filter(({ layer }) => isObject(layer) && layer.disabled !== true);
}

function followed(place: Place, edits: readonly Edit[]): Place | null {
  return edits.reduce<Place | null>((at, edit) => at && follow(at, edit), place);
}

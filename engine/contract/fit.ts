/** Fits a network to data: what of it, its loss and its metrics changes so that it can train on them, as edits and in words; or why it cannot. */
import { applied, follow } from './edits.ts';
import { decidedByData, type FitStep, firstReader, type Reader, writtenLayers } from './fit-steps.ts';
import { dims, integer, plural } from './format.ts';
import { type Plan, planProject } from './plan.ts';
import { resizing } from './plan-joins.ts';
import type { Edit, Fix, Problem } from './problems.ts';
import type { Project } from './project-types.ts';
import { insertEdit, isObject, type JsonObject, type Place, removeEdit, setEdit } from './report.ts';
import { choices, type DataFacts, targetDims, targetSentence } from './tensors.ts';

export interface Fit {
  /** Of the project given, one after the other; [] where nothing needs to change. */
  edits: Edit[];
  /** The same in words, one a change. */
  changes: string[];
  /** Why the network cannot be fitted, and what would help; null: with these edits it trains. */
  refused: { message: string; hint: string } | null;
  /** The plan with the edits, as far as they go. */
  plan: Plan;
}

/** More changes than this are another network. */
const mostSteps = 40;

/** `made`: the data that the network was made for, where they are known: what it answers for them says what it is for. */
export function fitProject(project: Project, facts: DataFacts, made: DataFacts | null = null): Fit {
  const fit: Fit = { edits: [], changes: [], refused: null, plan: planProject(project, facts) };
  let now = project;
  const take = ({ words, edits }: FitStep): void => {
    const all = [...edits, ...renamed(now, edits)];
    now = all.reduce<unknown>(applied, now) as Project;
    fit.edits.push(...all);
    fit.changes.push(words);
  };
  const refuse = (message: string, hint: string): Fit => {
    fit.refused = { message, hint };
    fit.plan = planProject(now, facts);
    return fit;
  };

  const misread = misfitOfInput(project, facts) ?? misfitOfTarget(facts, made);
  if (misread) return refuse(misread.message, misread.hint);
  // What a layer of no kind should be, the data cannot tell.
  const unknown = fit.plan.problems.find(({ code, path }) => code === 'UNKNOWN_KIND' && path.startsWith('model.'));
  if (unknown) return refuse(`${unknown.message}: ${unknown.path.replace(/\.kind$/, '')}`, unknown.hint);
  // Each is told what the ones before have made of the network.
  for (const steps of decidedByData) for (const step of steps(now, facts)) take(step);
  while (fit.changes.length < mostSteps) {
    fit.plan = planProject(now, facts);
    const problem = nextProblem(fit.plan, facts);
    if (!problem) return fit;
    const step = stepFor(problem, now, facts);
    if (!step) {
      if (problem.severity === 'warning') return fit;
      return refuse(problem.message, problem.hint);
    }
    take(step);
  }
  return refuse('The network would have to change too much', 'Begin with a network that is made for such data.');
}

/** Errors first; then an answer that is larger than the data asks for. */
function nextProblem({ problems }: Plan, facts: DataFacts): Problem | undefined {
  return (
    problems.find(({ severity }) => severity === 'error') ??
    problems.find(({ code, fixes }) => code === 'SPARE_SCORES' && fixes.length > 0 && facts.parts.train > 0)
  );
}

const reading: { [K in Reader]: string } = {
  image: 'images (channels, height, width)',
  volume: 'volumes (channels, depth, height, width)',
  signal: 'series of numbers',
  sequence: 'sequences',
  tokens: 'tokens',
  row: 'rows of numbers',
};

/** Samples that a network of each kind can be brought to read. */
const readable: { [K in Reader]: readonly Sample[] } = {
  image: ['image'],
  volume: ['volume'],
  signal: ['sequence', 'image', 'row', 'tokens'],
  sequence: ['sequence', 'image', 'row', 'tokens'],
  tokens: ['tokens', 'sequence'],
  row: ['row', 'sequence', 'image', 'volume', 'tokens'],
};

type Sample = 'row' | 'sequence' | 'image' | 'volume' | 'tokens';

function sampleOf({ input }: DataFacts): Sample {
  if (input.dtype === 'int64') return 'tokens';
  return (['row', 'row', 'sequence', 'image'] as const)[input.dims.length] ?? 'volume';
}

function sampleWords(facts: DataFacts): string {
  const { dims: sizes } = facts.input;
  const sample = sampleOf(facts);
  if (sample === 'tokens') return `a sequence of ${dims(sizes)} tokens`;
  return sample === 'row' ? `a row of ${plural(sizes[0] ?? 1, 'number')}` : `${articles[sample]} of ${dims(sizes)}`;
}

const articles = { sequence: 'a sequence', image: 'an image', volume: 'a volume' };

type Misfit = { message: string; hint: string } | null;

function misfitOfInput(project: Project, facts: DataFacts): Misfit {
  const reader = firstReader(project);
  const sample = sampleOf(facts);
  if (!reader) return null;
  const { kind, reads } = reader;
  if (!readable[reads].includes(sample)) {
    return {
      message: `The network begins with ${kind}, which reads ${reading[reads]}, but a sample of this data is ${sampleWords(facts)}`,
      hint: `Use a network for ${plain[sample]}.`,
    };
  }
  return facts.target.kind === 'next_token' ? misfitOfOrder(project, reads) : null;
}

const plain: { [K in Sample]: string } = {
  row: 'tables',
  sequence: 'sequences',
  image: 'images',
  volume: 'volumes',
  tokens: 'text',
};

/** What tells the next token must not see it. */
function misfitOfOrder(project: Project, reads: Reader): Misfit {
  const hint = 'Use a network that only looks back, such as a GPT or an LSTM that reads in one direction.';
  if (reads !== 'tokens' && reads !== 'sequence') {
    return {
      message: 'The network cannot tell the next token: it does not read a sequence from its beginning on',
      hint,
    };
  }
  const ahead = writtenLayers(project).find(({ layer }) => looksAhead(layer));
  return ahead
    ? { message: `${ahead.layer.kind} sees the whole sequence, also the tokens that the network is to tell`, hint }
    : null;
}

function looksAhead({ kind, bidirectional, causal }: JsonObject): boolean {
  const name = String(kind);
  if (bidirectional === true || /^Conv[123]d$/.test(name)) return true;
  return /^(TransformerEncoder|MultiheadAttention|SelfAttention)/.test(name) && causal !== true;
}

/** A network that answers one vector a sample is none for pictures, and the other way round. */
function misfitOfTarget({ target }: DataFacts, made: DataFacts | null): Misfit {
  if (!made) return null;
  const [old, wanted] = [made.target, target].map((each) => targetDims(each).length) as [number, number];
  const words = targetSentence(target, dims);
  if (old < 2 && wanted >= 2 && target.kind !== 'next_token') {
    return {
      message: `The network answers once a sample, but the targets of this data are ${words}`,
      hint: 'Use a network that answers at each position, such as U-Net or an autoencoder.',
    };
  }
  if (old >= 2 && wanted < 2) {
    return {
      message: `The network answers at each position of its input, but the targets of this data are ${words} a sample`,
      hint: 'Use a network that answers once a sample, such as ResNet-9.',
    };
  }
  return made.target.kind === 'vector' && target.kind === 'mask'
    ? {
        message: `The network gives its input again, but the targets of this data are ${words}`,
        hint: 'Use U-Net.',
      }
    : null;
}

/** The first of the problem's own ways that keeps the network what it is. */
function stepFor(problem: Problem, project: Project, facts: DataFacts): FitStep | null {
  if (problem.code === 'JOIN_MISMATCH') {
    const step = resizedAround(project, facts);
    if (step) return step;
  }
  const fix = problem.fixes.find((each) => keeps(each, project));
  return fix ? { words: inWords(fix, problem, project), edits: fix.edits } : null;
}

/** Layers that only reshape may go; others are what the network is. A picture made of one vector is no answer. */
function keeps({ edits }: Fix, project: Project): boolean {
  return edits.every(({ op, path, value }) => {
    if (path[0] !== 'model') return true;
    if (op === 'remove') {
      const gone = at(project, path);
      return !isObject(gone) || !('kind' in gone) || ['Flatten', 'Unflatten', 'Permute'].includes(String(gone.kind));
    }
    return op !== 'insert' || !isObject(value) || value.kind !== 'Unflatten' || path.at(-1) === 0;
  });
}

function at(project: Project, path: Edit['path']): unknown {
  return path.reduce<unknown>((value, key) => (value as { [key: string]: unknown } | undefined)?.[key], project);
}

/** The fix's own words, and of which layer they are: a number that changes with what it was. */
function inWords({ label, edits }: Fix, { path }: Problem, project: Project): string {
  const [edit] = edits;
  const own = writtenLayers(project);
  const holder = (dotted: string) =>
    own.findLast(({ place }) => dotted === place.join('.') || dotted.startsWith(`${place.join('.')}.`))?.layer.kind;
  if (edits.length === 1 && edit?.op === 'set' && edit.path[0] === 'model') {
    const kind = holder(edit.path.slice(0, -1).join('.'));
    const [old, next] = [at(project, edit.path), edit.value];
    if (kind !== undefined && isSize(old) && isSize(next))
      return `${kind}: ${edit.path.at(-1)} ${size(old)} → ${size(next)}`;
  }
  const kind = holder(path);
  return kind === undefined ? label : label.replace(/ before it$/, ` before ${kind}`);
}

const isSize = (value: unknown): value is number | number[] => typeof value === 'number' || Array.isArray(value);
const size = (value: number | number[]) => (typeof value === 'number' ? integer(value) : dims(value));

const halvings = [2, 4, 8, 16, 32, 64];

/** Sides that cannot be halved evenly: the images are brought to the next that can, and the masks back. */
function resizedAround(project: Project, facts: DataFacts): FitStep | null {
  const [, ...sides] = facts.input.dims;
  const back = facts.target.kind === 'mask' ? facts.target.dims : targetDims(facts.target).slice(1);
  const layers = isObject(project.model) ? project.model.layers : null;
  if (sides.length !== 2 || back.length !== 2 || !Array.isArray(layers)) return null;
  for (const step of halvings) {
    const size = sides.map((side) => Math.ceil(side / step) * step);
    if (size.every((side, index) => side === sides[index])) continue;
    const answers = answering(layers, facts);
    const edits: Edit[] = [
      ...answers,
      insertEdit(['model', 'layers', layers.length], { kind: 'Upsample', size: back }),
      insertEdit(['model', 'layers', 0], { kind: 'Upsample', size }),
    ];
    const tried = edits.reduce<unknown>(applied, project) as Project;
    if (
      planProject(tried, facts).problems.some(({ code, severity }) => severity === 'error' && code === 'JOIN_MISMATCH')
    ) {
      continue;
    }
    const many = answers.map(({ value }) => `; its last layer answers ${value} channels`).join('');
    const words = `Upsample to ${dims(size)} before the network and back to ${dims(back)} after it: ${dims(sides)} cannot be halved evenly${many}`;
    return { words, edits };
  }
  return null;
}

/** What comes behind hides which layer says how many the answers are: it says it before. */
function answering(layers: readonly unknown[], { target }: DataFacts): Edit[] {
  const last = layers.at(-1);
  const key = isObject(last) && resizing(last);
  const wanted = choices(target) ?? targetDims(target)[0];
  if (!key || wanted === undefined || last[key] === wanted) return [];
  return [setEdit(['model', 'layers', layers.length - 1, key], wanted)];
}

/** Names under which a file of weights holds the layers move with the layers. */
function renamed(project: Project, edits: readonly Edit[]): Edit[] {
  const names = isObject(project.model) ? project.model.weights_names : null;
  const moves = edits.filter(({ op, path }) => op !== 'set' && path.length === 3 && path[1] === 'layers');
  if (!isObject(names) || moves.length === 0) return [];
  const before = enabled(project);
  const behind = enabled(edits.reduce<unknown>(applied, project) as Project);
  const moved = Object.entries(names).flatMap(([name, value]) => {
    const [, first, rest] = /^(\d+)(.*)$/.exec(String(value)) ?? [];
    const index = first === undefined ? undefined : before[Number(first)];
    if (index === undefined) return [[name, value]];
    const place = moves.reduce<Place | null>((old, edit) => old && follow(old, edit), ['model', 'layers', index]);
    return place ? [[name, `${behind.indexOf(place[2] as number)}${rest}`]] : [];
  });
  const place = ['model', 'weights_names'];
  return [moved.length > 0 ? setEdit(place, Object.fromEntries(moved)) : removeEdit(place)];
}

/** Where the layers stand that names of tensors count. */
function enabled({ model }: Project): number[] {
  const layers = isObject(model) && Array.isArray(model.layers) ? model.layers : [];
  return layers.flatMap((layer, index) => (isObject(layer) && layer.disabled === true ? [] : [index]));
}

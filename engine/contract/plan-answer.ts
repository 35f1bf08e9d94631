/** What must hold between the network's answer, the loss and the data's targets. */
import { plural } from './format.ts';
import { sameDims, showDims } from './layers/kind.ts';
import { type LossEnd, type LossKind, losses, lossesFor } from './losses.ts';
import { type Answer, beginnings, endFixes, outputFixes, toEdit } from './plan-answer-fixes.ts';
import type { PlannedLayer } from './plan-types.ts';
import type { Fix } from './problems.ts';
import type { ResolvedProject } from './project-types.ts';
import { type Place, type Report, removeEdit, setEdit, show } from './report.ts';
import { choices, type DataFacts, type LabelSeen, type TargetType, targetDims, targetWords } from './tensors.ts';

const lossPlace = ['training', 'loss'];
/** As many losses are offered in place of one that does not fit. */
const mostOffered = 3;

/** The loss must be of the data's kind of target. True when it is. */
export function checkTarget(project: ResolvedProject, { target }: DataFacts, report: Report): boolean {
  const loss = losses.get(project.training.loss.kind);
  if (!loss) return false;
  if (target.kind === 'class' && target.classes.length < 2) {
    report.warn(
      'ONE_CLASS',
      ['data', 'source'],
      `This data has ${target.classes.length === 0 ? 'no class' : `one class only, ${show(target.classes[0])}`}: there is nothing to tell apart, and nothing is learned`,
      'Add samples of another class, or choose other targets.',
    );
  }
  const unclassed = target.kind === 'mask' ? target.ignored : undefined;
  const ignores = (row: LossKind) => unclassed === undefined || row.argNames.includes('ignore_index');
  const fits = (row: LossKind) =>
    row.targets.includes(target.kind) && !(wantsTwo(row, target) && choices(target) !== 2) && ignores(row);
  if (fits(loss)) {
    if (unclassed === undefined || ignoredIndex(project.training.loss) === unclassed) return true;
    const place = [...lossPlace, 'ignore_index'];
    report.error(
      'TARGET_MISMATCH',
      place,
      `The masks have positions of value ${unclassed}, which belong to no class, and the loss counts them`,
      `Set ignore_index to ${unclassed}.`,
      [{ label: `Ignore positions of value ${unclassed}`, edits: [setEdit(place, unclassed)] }],
    );
    return true;
  }
  const fitting = lossesFor(target.kind)
    .filter((row) => fits(row) && !wantsTwo(row, target))
    .slice(0, mostOffered);
  const kinds = fitting.map(({ kind }) => kind);
  const ignoring = unclassed === undefined ? {} : { ignore_index: unclassed };
  report.error(
    'TARGET_MISMATCH',
    lossPlace,
    !ignores(loss)
      ? `${loss.kind} counts every position, but those of value ${unclassed} belong to no class`
      : loss.targets.includes(target.kind)
        ? `${loss.kind} tells two classes apart by one score, but this data has ${plural(choices(target) ?? 0, 'class', 'classes')}`
        : `${loss.kind} compares with ${list(loss.targets.map((kind) => targetWords[kind]))}, but the targets of this data are ${targetWords[target.kind]}`,
    `Use ${kinds.join(' or ')}.`,
    kinds.map((kind) => ({ label: `Use ${kind}`, edits: [setEdit(lossPlace, { kind, ...ignoring })] })),
  );
  return false;
}

/** A single score for one of two classes. */
function wantsTwo({ answer }: LossKind, { kind }: TargetType): boolean {
  return answer === 'alike' && (kind === 'class' || kind === 'mask');
}

function list(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** The class index that counts for nothing; null where the loss ignores none. */
export function ignoredIndex({ args }: ResolvedProject['training']['loss']): number | null {
  return typeof args.ignore_index === 'number' ? args.ignore_index : null;
}

/** Scores that the targets ask for, and the highest label among those that count. */
function neededScores(target: TargetType, ignored: number | null): { count: number; last: LabelSeen | null } {
  const count = choices(target) ?? 0;
  if (target.kind !== 'class' && target.kind !== 'mask') return { count, last: null };
  if (ignored !== count - 1) {
    return { count, last: target.highest ? { label: count - 1, ...target.highest } : null };
  }
  const second = target.second ?? null;
  return { count: second ? second.label + 1 : count - 1, last: second };
}

/** Dims of one sample's answer that the loss compares with such targets. */
function answerDims(loss: LossKind, target: TargetType, ignored: number | null = null): number[] {
  const dims = targetDims(target);
  if (loss.answer === 'scores') {
    const { count } = neededScores(target, ignored);
    return target.kind === 'next_token' ? [...dims, count] : [count, ...dims];
  }
  if (wantsTwo(loss, target)) return [1, ...dims];
  return loss.answer === 'alike' ? dims : [2 * (dims[0] ?? 1), ...dims.slice(1)];
}

/** What a project's network should answer for one sample; undefined where its loss does not go with such targets. */
export function wantedAnswer({ training }: ResolvedProject, target: TargetType): number[] | undefined {
  const loss = losses.get(training.loss.kind);
  return loss?.targets.includes(target.kind) ? answerDims(loss, target, ignoredIndex(training.loss)) : undefined;
}

const wishes: { [K in LossKind['answer']]: (target: TargetType, kind: string) => string } = {
  scores: ({ kind }) =>
    kind === 'class'
      ? 'the loss wants one score a class'
      : `the loss wants one score a ${kind === 'mask' ? 'class' : 'token'} at each position`,
  alike: ({ kind }, loss) =>
    kind === 'vector'
      ? 'each target is'
      : kind === 'multi_label'
        ? 'the loss wants one score a label'
        : `${loss} wants one score${kind === 'mask' ? ' at each position' : ''}`,
  mean_and_variance: (_, loss) => `${loss} wants the means, then as many logarithms of variances`,
};

/** The last layer must answer what the loss compares with the target. */
export function checkOutput(
  project: ResolvedProject,
  facts: DataFacts,
  layers: readonly PlannedLayer[],
  output: readonly number[],
  after: Answer['after'],
  report: Report,
): void {
  const { target } = facts;
  const chosen = project.training.loss;
  const loss = losses.get(chosen.kind) as LossKind;
  const last = layers.at(-1);
  const place: Place = last ? last.place.split('.') : ['model', 'layers'];
  const wanted = answerDims(loss, target, ignoredIndex(chosen));
  const axis = target.kind === 'next_token' ? wanted.length - 1 : 0;
  const ends = { output, wanted, axis: axis === 0 ? 'first' : 'last' } as const;
  const fixes = () => outputFixes({ project, layers, input: facts.input.dims, ...ends, after });
  const scores = output[axis] ?? 0;
  const comparable = loss.answer === 'scores' ? wanted.map((size, at) => (at === axis ? scores : size)) : wanted;
  if (!sameDims(output, comparable)) {
    const wish = wishes[loss.answer](target, loss.kind);
    report.error(
      'OUTPUT_MISMATCH',
      place,
      `The network answers ${showDims(output)} but ${wish}${wish.endsWith(' is') ? '' : ':'} ${showDims(wanted)}`,
      target.kind === 'class' && loss.answer === 'scores'
        ? 'Flatten the tensor before the last Linear layer.'
        : loss.answer === 'alike' && target.kind === 'vector'
          ? "Make the last layer answer the target's shape."
          : `Make the last layer answer ${showDims(wanted)}.`,
      fixes(),
    );
    return;
  }
  if (loss.answer === 'scores') checkScores(project, facts, { scores, place, fixes }, report);
  if (loss.end) checkEnd(loss, loss.end, { project, layers, place }, report);
  checkWeights(project, loss, scores, output, report);
}

function checkScores(
  project: ResolvedProject,
  { target }: DataFacts,
  { scores, place, fixes }: { scores: number; place: Place; fixes(): Fix[] },
  report: Report,
): void {
  const { loss } = project.training;
  const { count, last } = neededScores(target, ignoredIndex(loss));
  const [one, many] = target.kind === 'next_token' ? ['token', 'tokens'] : ['class', 'classes'];
  if (scores < count) {
    const where = last ? ` (sample ${last.sample} of ${last.file})` : '';
    const name = target.kind === 'class' || target.kind === 'mask' ? target.classes[count - 1] : String(count - 1);
    report.error(
      'OUTPUT_MISMATCH',
      place,
      `The network answers ${scores} scores, but the data has ${count} ${many}: ${one} ${show(name)}${where} has none`,
      `The last layer must answer one score a ${one}.`,
      [...fixes(), ...ignoring(target, scores, count)],
    );
  } else if (scores > count) {
    report.warn(
      'SPARE_SCORES',
      place,
      `The network answers ${scores} scores, but the data has only ${count} ${many}: the others are never right`,
      `One score a ${one} is enough.`,
      fixes(),
    );
  }
}

/** Masks often mark what belongs to no class with their highest value. */
function ignoring(target: TargetType, scores: number, count: number): Fix[] {
  if (target.kind !== 'mask' || !target.second || target.second.label >= scores) return [];
  return [{ label: `Ignore class ${count - 1}`, edits: [setEdit([...lossPlace, 'ignore_index'], count - 1)] }];
}

/** Kinds of the layers that the answer comes from: of a block that only holds layers, its last ones. */
function lastKinds(layers: readonly PlannedLayer[]): string[] {
  const last = layers.at(-1);
  if (!last) return [];
  const lists = last.children ?? [];
  if (last.kind === 'Repeat') return lastKinds(lists.at(-1)?.layers ?? []);
  if (last.kind === 'Block' || last.kind === 'Parallel') return lists.flatMap((child) => lastKinds(child.layers));
  // Dropout scales what it lets through and Flatten only reshapes; neither is an end of its own.
  if (last.kind === 'Flatten' || last.kind === 'Identity') return lastKinds(layers.slice(0, -1));
  return [last.kind];
}

function checkEnd(
  loss: LossKind,
  end: LossEnd,
  { project, layers, place }: { project: ResolvedProject; layers: readonly PlannedLayer[]; place: Place },
  report: Report,
): void {
  const kinds = lastKinds(layers);
  const found = kinds.find((kind) => end.layers.includes(kind));
  if (end.rule === 'not') {
    if (found === undefined || layers.at(-1)?.kind !== found) return;
    report.warn(
      'OUTPUT_MISMATCH',
      place,
      `The network ends with ${found}, but ${loss.kind} applies it itself: twice, it learns badly`,
      `Remove the ${found}; probabilities are computed when predicting.`,
      [{ label: `Remove the ${found}`, edits: [removeEdit(toEdit(place))] }],
    );
    return;
  }
  if (kinds.length > 0 && kinds.every((kind) => end.layers.includes(kind))) return;
  const message = `${loss.kind} wants ${end.what}, but the network ends with ${list(kinds)}`;
  const fixes = [
    ...endFixes(project, end),
    { label: `Use ${end.instead}`, edits: [setEdit(lossPlace, { kind: end.instead })] },
  ];
  const hint = `Use ${end.instead}, which takes the raw scores.`;
  report.add(end.rule === 'must' ? 'error' : 'warning', 'OUTPUT_MISMATCH', place, message, hint, fixes);
}

/** Weights: one a class for losses of scores; else one, or as many as the answer has last, as PyTorch broadcasts them. */
function checkWeights(
  project: ResolvedProject,
  { answer }: LossKind,
  scores: number,
  output: readonly number[],
  report: Report,
): void {
  for (const name of ['weight', 'pos_weight']) {
    const weight = project.training.loss.args[name];
    if (!Array.isArray(weight)) continue;
    const count = answer === 'scores' ? scores : (output.at(-1) ?? 1);
    if (weight.length === count || (answer !== 'scores' && weight.length === 1)) continue;
    const at = [...lossPlace, name];
    const perClass = answer === 'scores';
    report.error(
      'BAD_VALUE',
      at,
      `${name} holds ${plural(weight.length, 'number')}, but the network answers ${plural(count, 'score')}`,
      perClass ? 'Give one weight a class, in order.' : 'Give one weight a label, in order, or one for all.',
      [{ label: `Weigh all ${perClass ? 'classes' : 'labels'} alike`, edits: [removeEdit(at)] }],
    );
  }
}

/** For a network without layers: what would answer such targets. */
export function firstLayers(project: ResolvedProject, { input, target }: DataFacts, after: Answer['after']): Fix[] {
  const loss = losses.get(project.training.loss.kind);
  if (!loss?.targets.includes(target.kind)) return [];
  const wanted = answerDims(loss, target, ignoredIndex(project.training.loss));
  const axis = target.kind === 'next_token' ? 'last' : 'first';
  return beginnings({ project, layers: [], input: input.dims, output: input.dims, wanted, axis, after }, input);
}

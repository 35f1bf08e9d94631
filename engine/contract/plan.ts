/** `planProject`: from a project and what is known of its data to shapes, costs, problems with fixes, and the model for C++. */
import { checkAveraging } from './averaging.ts';
import { estimateMemory } from './estimate.ts';
import { checkPadding, checkSampler, planCut } from './loader-checks.ts';
import { checkMetrics, nativeMetric, taskOf } from './metrics.ts';
import { positionsOf } from './metrics-read.ts';
import { checkMixing } from './mixing.ts';
import { checkOutput, checkTarget, firstLayers, ignoredIndex, wantedAnswer } from './plan-answer.ts';
import type { Answer } from './plan-answer-fixes.ts';
import { checkBatches, checkSplits, checkTransforms } from './plan-checks.ts';
import { mendLayers } from './plan-mend.ts';
import { Recall } from './plan-recall.ts';
import { checkSizes } from './plan-sizes.ts';
import { StackPlanner } from './plan-stack.ts';
import { Trials } from './plan-trials.ts';
import type { Plan } from './plan-types.ts';
import type { Edit } from './problems.ts';
import { examineSettings } from './project-resolve.ts';
import type { Project, ResolvedProject } from './project-types.ts';
import { isObject, Report } from './report.ts';
import { checkSchedule } from './schedule-checks.ts';
import { startingOptimizer } from './schedule-plan.ts';
import { sources } from './sources.ts';
import { splitCounts } from './splits.ts';
import type { DataFacts } from './tensors.ts';
import { checkTrain, trainingGroups } from './training-groups.ts';
import { factsAfter } from './transforms.ts';

export type { Plan, PlannedLayer } from './plan-types.ts';

/**
 * Plans any JSON object; whatever is wrong with it is a problem, never an exception. `facts`: what the data source says of itself; null
 * while it is not read (sources whose parameters tell everything need no reading).
 */
export function planProject(project: Project, facts: DataFacts | null): Plan {
  const report = new Report();
  if (!isObject(project)) {
    report.object(project ?? null, [], 'the project');
    return { ...planProject({}, facts), problems: report.problems };
  }
  const resolved = examineSettings(project, facts, report);
  const stored = facts ?? factsOf(resolved);
  const known = stored && transformed(resolved, stored);
  checkData(resolved, known, report);
  const recall = new Recall();
  const planner = new StackPlanner(report, resolved.model.blocks, recall);
  const stack = planner.model(resolved.model.layers, known?.input ?? null);
  const trials = new Trials(resolved.model, planner, recall);
  if (known) mendLayers(report, planner, trials, known.input, wantedAnswer(resolved, known.target));
  const layers = stack.layers;
  const after = (edits: readonly Edit[]) => trials.answer(edits);
  if (wellFormed(project.model)) checkNotEmpty(resolved, known, after, report);
  const output = stack.flow && layers.length > 0 ? [...stack.flow.dims] : null;
  const splits = known && splitCounts(known, resolved.data.split);
  const sum = (of: (layer: (typeof layers)[number]) => number) => layers.reduce((total, layer) => total + of(layer), 0);
  const parameters = sum((layer) => layer.parameters);
  const { loss, metrics, schedule, decay_norms_and_biases } = resolved.training;
  let cut: Plan['cut'] = null;
  const task = known && output ? taskOf(known.target, output, ignoredIndex(loss)) : null;
  if (stored && known && splits) {
    checkMetrics(metrics, known.target, task, positionsOf(valueIn(project.training, 'metrics')), report);
    const comparable = checkTarget(resolved, known, report);
    if (output) {
      if (comparable) checkOutput(resolved, known, layers, output, after, report);
      if (parameters === 0) {
        const hint = 'Add a layer with weights, such as Linear.';
        report.error('EMPTY_MODEL', ['model', 'layers'], 'The network has no weights: there is nothing to learn', hint);
      }
    }
    checkTransforms(resolved, stored, report);
    checkMixing(resolved, known, report);
    checkSplits(resolved, known, splits, report);
    checkBatches(resolved, splits, planner.statistics, report);
    checkSchedule(resolved, splits, report);
    checkAveraging(resolved, splits, report);
    checkSampler(resolved, known, report);
    checkPadding(known, layers, report);
    if (output)
      cut = planCut(resolved, known, { layers, output, tensors: planner.tensors, native: stack.native, after }, report);
  }
  checkSizes(layers, report);
  const optimizer = startingOptimizer(resolved.training.optimizer, schedule);
  if (output) checkTrain(planner.trained, planner.tensors, optimizer, report);
  return {
    input: known ? [...known.input.dims] : [],
    layers,
    inside: planner.inside,
    output: output ?? [],
    parameters,
    trainable: sum((layer) => layer.trainable),
    flops: sum((layer) => layer.flops),
    memory: estimateMemory(
      { tensors: planner.tensors, operations: planner.operations, layers, output: output ?? [], splits },
      resolved,
      known,
    ),
    problems: report.problems.map((problem) => ({
      ...problem,
      fixes: problem.fixes.filter(({ edits }) => edits.every((edit) => hasPlace(project, edit))),
    })),
    model: report.hasErrors() ? null : stack.native,
    network: stack.native,
    loss,
    optimizer,
    ...trainingGroups(planner.tensors, optimizer, decay_norms_and_biases),
    metrics: task ? metrics.map((metric) => nativeMetric(metric, task)) : [],
    cut,
    transforms: resolved.data.transforms,
    tensors: planner.tensors,
    splits,
    project: resolved,
  };
}

function factsOf({ data: { source } }: ResolvedProject): DataFacts | null {
  return source ? (sources.get(source.kind)?.facts?.(source) ?? null) : null;
}

/** How many tokens the data's integers choose from, where that is known. */
function tokensOf({ input, target }: DataFacts): { tokens?: number } {
  if (input.dtype !== 'int64') return {};
  const tokens = input.tokens ?? (target.kind === 'next_token' ? target.tokens : undefined);
  return tokens === undefined ? {} : { tokens };
}

/** The data as the network sees it. */
function transformed({ data: { transforms } }: ResolvedProject, facts: DataFacts): DataFacts {
  const after = factsAfter(transforms, facts);
  return { ...after, input: { ...after.input, ...tokensOf(facts) } };
}

function checkData(project: ResolvedProject, facts: DataFacts | null, report: Report): void {
  // A missing or faulty source has its own problem already.
  if (facts || !project.data.source) return;
  const message = 'The data has not been read, so no shape is known';
  report.error('MISSING_VALUE', ['data', 'source'], message, 'Check that the data is where the project says.');
}

const valueIn = (object: unknown, key: string): unknown => (isObject(object) ? object[key] : undefined);

/** Whether an edit can be made: what stands on its way holds keys (what is missing there is made). */
function hasPlace(project: unknown, edit: Edit): boolean {
  let at = project;
  for (const key of edit.path.slice(0, -1)) {
    if (typeof at !== 'object' || at === null) return false;
    if (!Object.hasOwn(at, key)) return true;
    at = (at as Record<string | number, unknown>)[key];
  }
  return typeof at === 'object' && at !== null;
}

/** Layers that are no list have their own problem. */
function wellFormed(model: unknown): boolean {
  return model === undefined || (isObject(model) && (model.layers === undefined || Array.isArray(model.layers)));
}

function checkNotEmpty(
  project: ResolvedProject,
  facts: DataFacts | null,
  after: Answer['after'],
  report: Report,
): void {
  const { layers } = project.model;
  if (layers.some((layer) => !isObject(layer) || layer.disabled !== true)) return;
  const place = ['model', 'layers'];
  report.error(
    'EMPTY_MODEL',
    place,
    layers.length === 0 ? 'The network has no layers' : 'All layers are disabled',
    layers.length === 0 ? 'Add a layer.' : 'Enable a layer.',
    layers.length === 0 && facts ? firstLayers(project, facts, after) : [],
  );
}

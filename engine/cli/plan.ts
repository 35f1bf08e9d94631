/** `plan`: shapes, parameters, FLOPs, memory and problems of a project; trains nothing. */
import { GradloomError } from '../contract/errors.ts';
import type { MemoryCorrection } from '../contract/estimate-correction.ts';
import type { MemoryFinding } from '../contract/finders.ts';
import { codeText, modelCode } from '../contract/model-code.ts';
import type { Plan, PlannedLayer } from '../contract/plan.ts';
import type { Problem } from '../contract/problems.ts';
import type { Chosen } from '../contract/project-types.ts';
import { planSchedule, type SchedulePoints, stepsPerEpoch } from '../contract/schedule-plan.ts';
import { isUnfitted } from '../contract/transforms.ts';
import { measureMemoryInWorkers } from '../finders/measure.ts';
import { correctionFor } from '../finders/measure-store.ts';
import { dims, integer, plural, short, table } from '../format.ts';
import { planWithData, readRequested } from '../runs/prepare.ts';
import type { AddCommand } from './context.ts';
import { showMemory } from './memory-view.ts';
import type { Output } from './output.ts';
import { showFormulas, withFormulas } from './plan-formulas.ts';
import { asTask } from './task-view.ts';

export const addPlan: AddCommand = (program, context) => {
  program
    .command('plan')
    .argument('<file>', 'project file')
    .summary("show a project's shapes, costs and problems")
    .description('Shows shapes, parameters, FLOPs, memory and problems; trains nothing. Exit code 2 with any error.')
    .option('--code', 'only the network as Python, complete, on standard output')
    .option('--formulas', 'also where the numbers come from, layer by layer')
    .option('--measure', 'measure the memory of training with two small batches, and learn from it')
    .option('--device <device>', 'auto, cpu, cuda:0, mps, xpu:0 …: where to measure')
    .action(async (projectFile: string, options: { code?: true; formulas?: true; measure?: true; device?: string }) => {
      const { code = false, formulas = false, measure = false, device } = options;
      const { out } = context;
      const request = { projectFile, ...(device === undefined ? {} : { device }) };
      const { text, baseDir } = readRequested(request);
      const { plan, problems, dataError } = await planWithData(text, baseDir);
      const sound = !dataError && problems.every(({ severity }) => severity !== 'error');
      if (code) {
        if (dataError) throw dataError;
        const wrong = problems.find(({ severity }) => severity === 'error');
        if (wrong) throw new GradloomError('PROJECT_INVALID', wrong.message, { hint: wrong.hint, path: wrong.path });
        const text = codeText(modelCode(plan));
        out.object({ type: 'code', code: text });
        return out.say(text.trimEnd());
      }
      let finding: MemoryFinding | null = null;
      if (measure && sound)
        await asTask(context, async (workers, task) => {
          finding = await measureMemoryInWorkers(workers, request, task);
        });
      const layers = formulas ? withFormulas(plan) : plan.layers;
      const { input, inside, output, parameters, trainable, flops, memory, splits } = plan;
      const costs = { parameters, trainable, flops, memory };
      const schedule = scheduleOf(plan, drawnPoints);
      const correction = await correctionFor(plan);
      const measured = finding ? { measured: finding } : {};
      out.object({
        type: 'plan',
        input,
        layers,
        inside,
        output,
        transforms: plan.transforms,
        ...costs,
        ...measured,
        correction,
        splits,
        schedule,
        problems,
      });
      showPlan(out, plan, problems, finding, correction);
      if (formulas) showFormulas(out, plan);
      if (dataError) out.error(dataError.toInfo());
      if (!sound) context.exitCode = 2;
    });
};

const drawnPoints = 128;
const shownRows = 7;

/** null without a schedule, and while the length of the run is unknown. */
function scheduleOf({ project, optimizer, groups, splits }: Plan, points: number): SchedulePoints | null {
  const { schedule, epochs, accumulate } = project.training;
  const steps_per_epoch = stepsPerEpoch(splits?.train ?? 0, project.data.loader, accumulate);
  if (!schedule || steps_per_epoch < 1) return null;
  return planSchedule({ schedule, optimizer, groups, length: { epochs, steps_per_epoch } }, points);
}

function showSchedule(out: Output, plan: Plan): void {
  const points = scheduleOf(plan, shownRows);
  if (!points) return;
  const { kind, warmup } = plan.project.training.schedule as NonNullable<Plan['project']['training']['schedule']>;
  const { unit, total, steps, epochs, lr, momentum, note } = points;
  const before = warmup ? ` after a warm-up of ${plural(warmup.steps, 'step')}` : '';
  const rows = steps.map((step, i) => [
    String(Math.floor(epochs[i] as number) + 1),
    integer(step + 1),
    short(lr[0]?.[i] ?? 0, 4),
    ...(momentum ? [short(momentum[i] ?? 0, 4)] : []),
  ]);
  out.say();
  out.say(`Learning rate: ${kind} over ${plural(total, unit)}${before}`);
  if (note) out.say(note);
  else out.say(table([['epoch', 'step', 'lr', ...(momentum ? ['momentum'] : [])], ...rows], [0, 1, 2, 3]));
}

function showPlan(
  out: Output,
  plan: Plan,
  problems: Problem[],
  finding: MemoryFinding | null,
  correction: MemoryCorrection | null,
): void {
  const { project, splits, memory } = plan;
  const samples = splits ? `, ${plural(splits.train, 'training sample')}, ${integer(splits.val)} to validate` : '';
  out.say(
    `${out.style('bold', project.name)}: input ${plan.input.length > 0 ? dims(plan.input) : 'unknown'}${samples}`,
  );
  if (plan.transforms.length > 0) out.say(`Transforms: ${plan.transforms.map(transformWords).join(', ')}`);
  if (plan.layers.length > 0) {
    const rows = plan.layers.flatMap((layer) => layerRows(layer, 0));
    const known = knownUpTo(plan);
    const words = known === null ? ['total', dims(plan.output)] : [`up to layer ${known}`, 'not known beyond'];
    const total = ['', ...words, integer(plan.parameters), integer(plan.flops)];
    out.say();
    out.say(table([['path', 'layer', 'output', 'parameters', 'FLOPs'], ...rows, total], [3, 4]));
    if (plan.trainable < plan.parameters)
      out.say(`${integer(plan.trainable)} of the parameters train; the others are frozen.`);
    showMemory(out, memory, { finding, correction, known });
  }
  showSchedule(out, plan);
  for (const { severity, path, message, hint, fixes } of problems) {
    const mark = severity === 'error' ? out.style('red', 'Problem:') : out.style('yellow', 'Warning:');
    // The fixes name them.
    const asked = fixes.length > 0 && hint.startsWith('Did you mean');
    const next = [asked ? '' : hint, ...fixes.map(({ label }) => label)].filter(Boolean);
    out.say();
    out.say(
      [`${mark} ${message}`, `  Where: ${path || 'the project'}`, ...next.map((each) => `  Next:  ${each}`)].join('\n'),
    );
  }
}

const transformWords = (transform: Chosen) =>
  isUnfitted(transform) ? `${transform.kind} (fitted at the start of the run)` : transform.kind;

/** The last layer whose costs are known, where a problem behind it leaves the rest unknown; null: all are. */
function knownUpTo({ layers, output }: Plan): string | null {
  return output.length > 0 ? null : (layers.at(-1)?.path ?? null);
}

/** A row a layer, those inside a block beneath it and indented. */
function layerRows(layer: PlannedLayer, depth: number): string[][] {
  const { path, name, kind, python, output, parameters, flops, children } = layer;
  const line = children ? kind : python.replace(/^nn\./, '');
  const label = `${'  '.repeat(depth)}${name ? `${name}: ` : ''}${line}`;
  const row = [path, label, dims(output), integer(parameters), integer(flops)];
  return [row, ...(children ?? []).flatMap((child) => child.layers.flatMap((inner) => layerRows(inner, depth + 1)))];
}

/**
 * Proves on somebody's own project that a resumed training is the uninterrupted one, or that two with equal settings are one: real runs in
 * temporary folders, each life a process of its own, all tensors hashed after every step.
 */
import path from 'node:path';
import { GradloomError } from '../contract/errors.ts';
import type { CheckKind, CheckOptions, CheckReport, TaskProgress } from '../contract/finders.ts';
import type { Describe } from '../data/keeper.ts';
import { readEnvironment } from '../runs/environment.ts';
import { readJournal } from '../runs/journal-reader.ts';
import { planRun, readRequested, refuseUnknownSettings } from '../runs/prepare.ts';
import { readSummary } from '../runs/summary.ts';
import type { EndEvent, TrainRequest } from '../runs/types.ts';
import { compareRuns, type Traced } from './compare.ts';
import type { Life } from './life.ts';

export interface CheckTools {
  /** Lives one life in a process of its own; `onStep` hears how far it is. Rejects with WORKER_DIED where the life ends by a kill. */
  live(request: TrainRequest, life: Life, onStep: (step: number) => void): Promise<EndEvent>;
  onProgress(progress: TaskProgress): void;
  /** Absent: in this process. */
  describe?: Describe;
  /** Random in [0, 1): where the training is broken off. */
  random(): number;
}

const defaultSteps = 40;
const largestChunk = 5;

/** @throws GradloomError PROJECT_*, DATA_*, DEVICE_*, NON_FINITE, CANCELLED */
export async function checkProject(
  kind: CheckKind,
  request: TrainRequest,
  options: CheckOptions,
  folder: string,
  tools: CheckTools,
): Promise<CheckReport> {
  const began = performance.now();
  const planned = await planRun(readRequested(request), tools.describe);
  refuseUnknownSettings(request.set, planned.warnings);
  const steps = stepsOf(planned.plan, options.steps);
  const expected = traced(folder, 'uninterrupted');
  const found = traced(folder, kind === 'resume' ? 'resumed' : 'twin');
  const breaks = kind === 'resume' ? drawBreaks(steps, tools.random) : null;

  const total = kind === 'resume' ? 2 * steps + (breaks as Breaks).kill - (breaks as Breaks).stop : 2 * steps;
  let before = 0;
  const live = async (stage: string, life: Life, from: number) => {
    let at = from;
    tools.onProgress({ stage, done: before, total });
    const end = await tools.live(request, life, (step) => {
      at = Math.max(at, step);
      tools.onProgress({ stage, done: Math.min(total, before + at - from), total });
    });
    if (end.status === 'failed') throw failureOf(life.run);
    if (end.status === 'interrupted') throw new GradloomError('CANCELLED', 'The check was interrupted');
    before += at - from;
  };
  const whole = { ...expected, resume: false, stop: steps, kill: null, chunk: 1 };
  await live('training without interruption', whole, 0);
  if (breaks) {
    await live(`training to step ${breaks.stop}`, life(found, false, breaks.stop, null), 0);
    await killed(live('resuming, to be killed', life(found, true, steps, breaks.kill), breaks.stop));
    before += breaks.kill - breaks.stop;
    await live('resuming after the kill', life(found, true, steps, null), breaks.stop);
  } else {
    await live('training it once more', { ...found, resume: false, stop: steps, kill: null, chunk: 1 }, 0);
  }
  const compared = await compareRuns(expected, found);
  const environment = await readEnvironment(expected.run);
  const { difference } = compared;
  return {
    kind,
    equal: difference === null,
    steps: compared.steps,
    epoch_ends: compared.epochEnds,
    tensors: compared.tensors,
    stopped_at: breaks?.stop ?? null,
    killed_at: breaks?.kill ?? null,
    resumed_from: await resumes(found.run),
    deterministic: planned.plan.project.training.deterministic,
    difference,
    ...verdict(kind, compared.steps, difference, planned.plan.project.training.deterministic),
    device: environment?.device ?? '',
    seconds: (performance.now() - began) / 1000,
  };
}

async function resumes(run: string): Promise<number[]> {
  return (await readJournal(run)).flatMap((event) => (event.type === 'resume' ? [event.from_step] : []));
}

function failureOf(run: string): GradloomError {
  const error = readSummary(run)?.error;
  return error ? GradloomError.fromInfo(error) : new GradloomError('INTERNAL', 'The training failed without a word');
}

interface Breaks {
  stop: number;
  kill: number;
}

/** A stop after some step, and a kill after a later one, neither at the very end. */
export function drawBreaks(steps: number, random: () => number): Breaks {
  const stop = 1 + Math.floor(random() * Math.max(1, steps - 2));
  const kill = Math.min(steps - 1, stop + 1 + Math.floor(random() * Math.max(1, steps - stop - 1)));
  return { stop, kill: Math.max(stop, kill) };
}

function life(run: Traced, resume: boolean, stop: number, kill: number | null): Life {
  return { ...run, resume, stop, kill, chunk: largestChunk };
}

function traced(folder: string, name: string): Traced {
  return { run: path.join(folder, name), trace: path.join(folder, `${name}.trace`) };
}

/** The end of a life that kills itself. */
async function killed(life: Promise<void>): Promise<void> {
  try {
    await life;
  } catch (thrown) {
    if (GradloomError.from(thrown).code !== 'WORKER_DIED') throw thrown;
  }
}

function stepsOf({ project, splits }: Awaited<ReturnType<typeof planRun>>['plan'], wanted: number | undefined): number {
  const { loader } = project.data;
  const batches = (splits?.train ?? 0) / loader.batch_size;
  const whole = loader.drop_last ? Math.floor(batches) : Math.ceil(batches);
  const all = Math.ceil(whole / project.training.accumulate) * project.training.epochs;
  if (all < 2) {
    throw new GradloomError('BAD_CALL', 'The project trains for a single step, which cannot be broken off', {
      hint: 'Give it more epochs, or smaller batches.',
      path: 'training.epochs',
    });
  }
  return Math.min(all, wanted ?? defaultSteps);
}

function verdict(
  kind: CheckKind,
  steps: number,
  difference: CheckReport['difference'],
  deterministic: boolean,
): Pick<CheckReport, 'message' | 'hint'> {
  if (difference === null) {
    return {
      message:
        kind === 'resume'
          ? `Stopped, resumed, killed and resumed, the training is the same as one without interruption bit for bit, over ${steps} steps.`
          : `Two trainings with these settings are the same bit for bit, over ${steps} steps.`,
    };
  }
  if (kind === 'resume') {
    return {
      message: `The resumed training differs from the one without interruption: ${difference.message}.`,
      hint: 'Compare two equal trainings, too: where these differ already, it is an operator of the device that is not deterministic. Otherwise report this as a fault of Gradloom.',
    };
  }
  return {
    message: `Two trainings with these settings differ: ${difference.message}.`,
    hint: deterministic
      ? 'This should not be: report it as a fault of Gradloom, with the device and the layers.'
      : 'Set training.deterministic to true: an operator that cannot be deterministic is then refused by its name.',
  };
}

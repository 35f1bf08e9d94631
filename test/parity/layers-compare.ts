/** Networks in the addon and in real PyTorch, side by side, and what they disagree about. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Plan } from '../../engine/contract/plan.ts';
import { loadAddon } from '../../engine/native/load.ts';
import { forbidden } from './grids/rules.ts';
import { countBy } from './layers-flops.ts';
import {
  type Answer,
  everyLayer,
  hasWindows,
  type Network,
  type Numbers,
  planNetwork,
  type Question,
  questionOf,
  type Ran,
  runNetwork,
  shapeErrors,
} from './layers-run.ts';
import { PythonServer } from './python.ts';

/** A network, whether its numbers are compared besides its shapes, and a name for messages. */
export interface Compared {
  name: string;
  network: Network;
  numbers: boolean;
}

export interface Outcome {
  name: string;
  plan: Plan;
  answer: Answer;
  /** What differs; empty where both agree. */
  differences: string[];
}

/** Networks to one request: PyTorch answers them while the addon runs the next. */
const chunk = 40;

const most = { answers: 1e-5, loss: 1e-5, buffers: 1e-5, gradients: 1e-5, gradientsOfWindows: 2e-3 };

/** Compares all of them, in order. */
export async function compareAll(networks: readonly Compared[]): Promise<Outcome[]> {
  const python = new PythonServer('layers.py');
  const top = mkdtempSync(path.join(tmpdir(), 'gradloom-layers-'));
  const outcomes: Promise<Outcome[]>[] = [];
  // An addon that cannot be loaded is no difference of a network's.
  if (networks.some(({ numbers }) => numbers)) loadAddon();
  try {
    for (let start = 0; start < networks.length; start += chunk) {
      const some = networks.slice(start, start + chunk);
      const plans = some.map(({ network }) => planNetwork(network));
      const folder = path.join(top, String(start));
      const questions: Question[] = [];
      const failures: string[][] = [];
      for (const [index, { network, numbers }] of some.entries()) {
        const plan = plans[index] as Plan;
        const runs = numbers && shapeErrors(plan).length === 0 && plan.parameters > 0;
        const ran = runs ? await tryNetwork(network, plan.output, path.join(folder, String(index))) : null;
        failures.push(typeof ran === 'string' ? [`the addon refuses: ${ran}`] : []);
        questions.push(questionOf(network, plan, typeof ran === 'string' ? null : ran));
      }
      // No more than one request ahead, so that few folders lie about.
      await outcomes.at(-2);
      const answered = python.ask<Answer[]>(questions).then((answers) => {
        rmSync(folder, { recursive: true, force: true });
        return some.map(({ name, network }, index): Outcome => {
          const [plan, answer] = [plans[index] as Plan, answers[index] as Answer];
          return {
            name,
            plan,
            answer,
            differences: [...(failures[index] ?? []), ...differencesOf(network, plan, answer)],
          };
        });
      });
      outcomes.push(answered);
    }
    return (await Promise.all(outcomes)).flat();
  } finally {
    await python.close();
    rmSync(top, { recursive: true, force: true });
  }
}

/** What came of it in the addon, or why nothing did. */
async function tryNetwork(...of: Parameters<typeof runNetwork>): Promise<Ran | string> {
  try {
    return await runNetwork(...of);
  } catch (error) {
    return (error as Error).message;
  }
}

function differencesOf(network: Network, plan: Plan, answer: Answer): string[] {
  const problems = shapeErrors(plan).map(({ path: place, message }) => `${place}: ${message}`);
  if (!answer.ok) {
    return problems.length > 0 ? [] : [`PyTorch refuses: ${answer.error}`];
  }
  if (problems.length > 0) {
    return forbidden(network, problems) === null
      ? [`PyTorch accepts, answering ${JSON.stringify(answer.shapes)}: ${problems}`]
      : [];
  }
  // Packed sequences leave padding out; how much there is, the plan cannot know.
  const packed = everyLayer(plan.layers).some(({ mask }) => mask !== null);
  const planned = {
    shapes: plan.layers.map(({ output }) => output),
    tensors: plan.tensors.map(({ name, shape, buffer }) => [name, shape, buffer]),
    parameters: plan.parameters,
    matrix_flops: packed ? answer.matrix_flops : countBy('matrix', plan.layers),
    lines_differ: null,
  };
  return [
    ...(Object.keys(planned) as (keyof typeof planned)[])
      .filter((key) => !isDeepStrictEqual(planned[key], answer[key]))
      .map((key) => `${key}: ${JSON.stringify(planned[key])} here, ${JSON.stringify(answer[key])} there`),
    ...(answer.numbers ? numberDifferences(answer.numbers, hasWindows(plan)) : []),
  ];
}

function numberDifferences(numbers: Numbers, windows: boolean): string[] {
  const gradients = windows ? most.gradientsOfWindows : most.gradients;
  const allowed = { ...most, gradients };
  return [
    ...(numbers.initial ? [] : ['the initial weights differ']),
    ...(numbers.generator ? [] : ['the generator stands elsewhere after the step']),
    ...(['answers', 'loss', 'gradients', 'buffers'] as const)
      // Not finite, or a sentence: no number that is small enough.
      .filter((key) => !(numbers[key] <= allowed[key]))
      .map((key) => `${key} are ${numbers[key]} off${key === 'gradients' ? ` (${numbers.worst})` : ''}`),
  ];
}

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
  type Allowed,
  type Answer,
  everyLayer,
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
  /** Tensors whose numbers were compared, and those that are farther off than allowed, but no farther than rounding alone may bring them. */
  compared: number;
  excused: string[];
}

/** Networks to one request: PyTorch answers them while the addon runs the next. */
const chunk = 40;

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
            differences: [...(failures[index] ?? []), ...differencesOf(network, plan, answer, questions[index]?.ran)],
            compared: (answer.ok && answer.numbers?.compared) || 0,
            excused: (answer.ok && answer.numbers?.excused) || [],
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

function differencesOf(network: Network, plan: Plan, answer: Answer, ran: Ran | null = null): string[] {
  const problems = shapeErrors(plan).map(({ path: place, message }) => `${place}: ${message}`);
  if (!answer.ok) {
    return problems.length > 0 ? [] : [`PyTorch refuses: ${answer.error}`];
  }
  if (problems.length > 0) {
    return forbidden(network, problems, answer.mixed.includes(true)) === null
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
    ...(answer.numbers && ran ? numberDifferences(answer.numbers, ran.most) : []),
  ];
}

function numberDifferences(numbers: Numbers, allowed: Allowed): string[] {
  return [
    ...(numbers.initial ? [] : ['the initial weights differ']),
    ...(numbers.generator ? [] : ['the generator stands elsewhere after the step']),
    ...(['answers', 'loss', 'gradients', 'buffers'] as const)
      // Not finite, or a sentence: no number that is small enough.
      .filter((key) => !(numbers[key] <= allowed[key]))
      .map((key) => `${key} are ${numbers[key]} off${key === 'gradients' ? ` (${numbers.worst})` : ''}`),
  ];
}

/** So many of a thousand tensors may need that excuse. */
const mostExcused = 10;

/** Tells how many numbers agree only as far as rounding lets them, and what is wrong if they are many; null: few are. */
export function tooManyExcused(outcomes: readonly Outcome[]): string | null {
  const all = outcomes.flatMap(({ name, excused }) => excused.map((each) => `${name}: ${each}`));
  const compared = outcomes.reduce((sum, outcome) => sum + outcome.compared, 0);
  const told = `${all.length} of ${compared} tensors are farther off than allowed, but no farther than rounding may bring them`;
  console.info([told, ...all.slice(0, 5)].join('\n  '));
  return all.length * 1000 > mostExcused * compared ? told : null;
}

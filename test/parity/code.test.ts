/** The text that the window and `plan --code` give away runs in PyTorch as it is, and builds the network of the plan, tensor by tensor. */
import { expect, test } from 'vitest';
import { codeText, modelCode } from '../../engine/contract/model-code.ts';
import { planProject } from '../../engine/contract/plan.ts';
import { readProject } from '../../engine/contract/project.ts';
import { templateCards } from '../../engine/projects.ts';
import { runPython } from './python.ts';

interface Built {
  parameters: number;
  tensors: [string, number[]][];
  output: number[];
}

test('the code of every template', async () => {
  const cards = await templateCards();
  const plans = cards.map(({ text, facts }) => planProject(readProject(text).project ?? {}, facts));
  const requests = plans.map((plan, index) => ({
    text: codeText(modelCode(plan)),
    input: plan.input,
    tokens: cards[index]?.facts.input.tokens ?? 0,
  }));
  const built = await runPython<Built[]>('code.py', requests);
  const told = (plan: (typeof plans)[number]): Built => ({
    parameters: plan.parameters,
    tensors: plan.tensors.map(({ name, shape }) => [name, shape]),
    output: plan.output,
  });
  const sorted = ({ tensors, ...rest }: Built) => ({
    ...rest,
    tensors: [...tensors].sort(([a], [b]) => (a < b ? -1 : 1)),
  });
  for (const [index, { name }] of cards.entries()) {
    const plan = plans[index] as (typeof plans)[number];
    expect({ name, ...sorted(built[index] as Built) }).toEqual({ name, ...sorted(told(plan)) });
  }
});

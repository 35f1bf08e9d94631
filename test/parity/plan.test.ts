/** The plan against real PyTorch: what PyTorch builds and what it refuses, over random stacks. */
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { layerKinds } from '../../engine/contract/layers/index.ts';
import { type Plan, type PlannedLayer, planProject } from '../../engine/contract/plan.ts';
import type { DataFacts } from '../../engine/contract/tensors.ts';
import { type RandomStack, randomStack } from './plan-stacks.ts';
import { runPython } from './python.ts';

type Answer =
  | { ok: false; error: string }
  | {
      ok: true;
      shapes: number[][];
      tensors: [string, number[], boolean][];
      parameters: number;
      matrix_flops: number;
      lines_differ: string | null;
    };

const seeds = Array.from({ length: 600 }, (_, index) => 1000 + index);

function plan({ input, layers, blocks }: RandomStack): Plan {
  const facts: DataFacts = {
    input: { dims: input, dtype: 'float32' },
    target: { kind: 'class', classes: ['0', '1'] },
    parts: { train: 100 },
  };
  return planProject(
    { gradloom: 1, data: { source: { kind: 'idx', path: 'data' } }, model: { layers, blocks } },
    facts,
  );
}

/** Errors of the network's own shapes; what the data wants of its output is no concern of PyTorch's modules. */
function shapeErrors({ problems }: Plan) {
  return problems.filter(
    ({ severity, code, path }) =>
      severity === 'error' &&
      code !== 'OUTPUT_MISMATCH' &&
      code !== 'EMPTY_MODEL' &&
      !path.startsWith('training') &&
      !path.startsWith('data'),
  );
}

function matrixFlops(layers: PlannedLayer[]): number {
  return layers.reduce(
    (total, { kind, flops, children = [] }) =>
      total +
      (kind === 'Linear' || kind === 'Conv2d'
        ? flops
        : children.reduce((sum, child) => sum + matrixFlops(child.layers), 0)),
    0,
  );
}

test('plans agree with PyTorch on random stacks', async () => {
  const stacks = seeds.map((seed) => randomStack(seed));
  const plans = stacks.map(plan);
  const request = stacks.map((stack, index) => {
    const made = plans[index] as Plan;
    return { ...stack, python: shapeErrors(made).length > 0 ? null : made.layers.map(({ python }) => python) };
  });
  const answers = await runPython<Answer[]>('plan.py', request);
  const kinds = new Set<string>();
  const differences: object[] = [];
  let valid = 0;
  for (const [index, answer] of answers.entries()) {
    const made = plans[index] as Plan;
    const stack = stacks[index] as RandomStack;
    const problems = shapeErrors(made).map(({ path, message }) => `${path}: ${message}`);
    const planned = {
      ok: problems.length === 0,
      shapes: made.layers.map(({ output }) => output),
      tensors: made.tensors.map(({ name, shape, buffer }) => [name, shape, buffer]),
      parameters: made.parameters,
      matrix_flops: matrixFlops(made.layers),
      lines_differ: null,
    };
    const agree = answer.ok ? isDeepStrictEqual(planned, answer) : !planned.ok;
    if (!agree) differences.push({ seed: seeds[index], stack, problems, planned, answer });
    if (!answer.ok) continue;
    valid++;
    for (const [, kind] of JSON.stringify(made.layers).matchAll(/"kind":"(\w+)"/g)) kinds.add(kind as string);
  }
  expect(differences).toEqual([]);
  // The stacks must be worth comparing: both sorts many, every kind among the accepted ones.
  expect(valid).toBeGreaterThanOrEqual(200);
  expect(seeds.length - valid).toBeGreaterThanOrEqual(100);
  expect([...kinds].sort()).toEqual(layerKinds.map(({ kind }) => kind).sort());
});

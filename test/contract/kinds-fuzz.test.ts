/** Every kind of the table with parameters by its schema, on any input: never an exception, numbers that are numbers, fixes that mend. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { follow } from '../../engine/contract/edits.ts';
import { layerKinds } from '../../engine/contract/layers/index.ts';
import type { LayerKind } from '../../engine/contract/layers/kind.ts';
import { type Plan, type PlannedLayer, planProject } from '../../engine/contract/plan.ts';
import { explainLayer } from '../../engine/contract/plan-explain.ts';
import type { Fix, Problem } from '../../engine/contract/problems.ts';
import type { Place } from '../../engine/contract/report.ts';
import type { DataFacts, TargetType } from '../../engine/contract/tensors.ts';
import { randomNetwork } from '../parity/stacks.ts';
import { applyEdits } from './apply-edits.ts';
import { layerOf } from './kind-values.ts';

/** So many layers of each kind are tried; more with GRADLOOM_FUZZ_RUNS. */
const runs = Number(process.env.GRADLOOM_FUZZ_RUNS ?? 15);

const size = fc.oneof(
  { weight: 20, arbitrary: fc.integer({ min: 1, max: 12 }) },
  { weight: 1, arbitrary: fc.constantFrom(784, 64, 4096) },
);

const targets: TargetType[] = [
  { kind: 'class', classes: ['a', 'b', 'c'] },
  { kind: 'vector', dims: [2] },
  { kind: 'multi_label', classes: ['a', 'b'] },
];

function factsFor({ takes }: LayerKind): fc.Arbitrary<DataFacts> {
  const usual = takes === 'integers' ? ('int64' as const) : ('float32' as const);
  return fc.record({
    input: fc.record({
      dims: fc.array(size, { maxLength: 5 }),
      dtype: fc.oneof(
        { weight: 6, arbitrary: fc.constant(usual) },
        { weight: 1, arbitrary: fc.constantFrom('int64' as const, 'float32' as const) },
      ),
    }),
    target: fc.oneof(
      fc.constantFrom(...targets),
      fc.integer({ min: 1, max: 9 }).map((length): TargetType => ({ kind: 'next_token', dims: [length], tokens: 7 })),
    ),
    parts: fc.constant({ train: 40, test: 10 }),
  });
}

const losses: { [kind: string]: string } = { vector: 'MSELoss', multi_label: 'BCEWithLogitsLoss' };

function projectOf(layers: unknown[], { target }: DataFacts, block: unknown[] = [{ kind: 'ReLU' }]) {
  return {
    gradloom: 1,
    name: 'case',
    data: { source: { kind: 'idx', path: 'x' }, split: { val: 'test' } },
    model: { layers, blocks: { a: { layers: block } } },
    training: { loss: { kind: losses[target.kind] ?? 'CrossEntropyLoss' } },
  };
}

/** As read from a file: no object stands in two places. */
const apart = (layers: unknown[]) => JSON.parse(JSON.stringify(layers)) as unknown[];

const count = (value: number) => Number.isFinite(value) && value >= 0;

function checkLayer(layer: PlannedLayer, plan: Plan): void {
  const { output, input, parameters, trainable, flops, activation_bytes, python, args, children = [] } = layer;
  for (const dim of [...input, ...output]) expect(Number.isInteger(dim) && dim >= 1, `${output}`).toBe(true);
  for (const value of [parameters, trainable, flops, activation_bytes]) expect(count(value), `${value}`).toBe(true);
  expect(trainable).toBeLessThanOrEqual(parameters);
  expect(python).not.toMatch(/undefined|NaN|\[object|null|true|false/);
  expect(JSON.parse(JSON.stringify(args))).toEqual(args);
  const { shape, parameters: own, flops: counted } = explainLayer(layer, plan.tensors);
  expect(shape.length).toBeGreaterThan(0);
  for (const line of [...shape, ...own, counted]) expect(line).not.toMatch(/undefined|NaN|\[object/);
  for (const { layers } of children) for (const inner of layers) checkLayer(inner, plan);
}

/** Whether the problem is still there after the fix, at its layer's place of then. */
function stays(problem: Problem, { edits }: Fix, place: Place, after: Plan): boolean {
  const at = edits.reduce<Place | null>((now, edit) => now && follow(now, edit), place);
  return after.problems.some(
    ({ code, path, severity }) => code === problem.code && severity === problem.severity && path === at?.join('.'),
  );
}

const placeOf = (path: string): Place => path.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step));

function checkProject(project: ReturnType<typeof projectOf>, facts: DataFacts): Plan {
  const plan = planProject(project, facts);
  const before = JSON.stringify(project);
  for (const layer of plan.layers) checkLayer(layer, plan);
  for (const problem of plan.problems) {
    const { message, hint, path, fixes } = problem;
    expect(message).not.toMatch(/undefined|NaN,|\[object/);
    expect(hint).not.toBe('');
    expect(new Set(fixes.map(({ label }) => label)).size, `labels of ${message}`).toBe(fixes.length);
    // A layer in a block that is used on several shapes may be warned of for each of them.
    if (problem.severity === 'warning' && !/^model\.layers\.\d+(\.[a-z_]+)?$/.test(path)) continue;
    for (const fix of fixes) {
      const after = planProject(applyEdits(project, fix.edits) as typeof project, facts);
      expect(
        stays(problem, fix, placeOf(path), after),
        `${problem.code} ${path}: ${message}\nafter "${fix.label}"`,
      ).toBe(false);
    }
  }
  expect(JSON.stringify(project)).toBe(before);
  return plan;
}

describe('one layer', () => {
  test.each(layerKinds)('$kind', (kind) => {
    fc.assert(
      fc.property(layerOf(kind, 3), factsFor(kind), (layer, facts) => {
        checkProject(projectOf(apart([layer]), facts), facts);
      }),
      { numRuns: runs },
    );
  });
});

describe('a layer behind another and before a third', () => {
  const any = fc.constantFrom(...layerKinds).chain((kind) => layerOf(kind, 0));
  test.each(layerKinds)('$kind', (kind) => {
    fc.assert(
      fc.property(any, layerOf(kind, 0), any, factsFor(kind), (before, layer, after, facts) => {
        checkProject(projectOf(apart([before, layer, after]), facts), facts);
      }),
      { numRuns: runs },
    );
  });
});

describe('a layer in blocks of every kind', () => {
  const any = fc.constantFrom(...layerKinds).chain((kind) => layerOf(kind, 0));
  const ways: ((layer: unknown, other: unknown) => unknown[])[] = [
    (layer, other) => [{ kind: 'Residual', layers: [layer], shortcut: 'auto' }, other],
    (layer, other) => [{ kind: 'Parallel', branches: [[layer], [other], []], join: 'add' }],
    (layer, other) => [other, { kind: 'Parallel', branches: [[other], [layer]] }],
    (layer, other) => [{ kind: 'Repeat', times: 3, layers: [layer, other] }],
    (_, other) => [{ kind: 'Block', ref: 'a' }, other, { kind: 'Block', ref: 'a' }],
    (layer) => [
      { kind: 'Repeat', times: 2, layers: [{ kind: 'Residual', layers: [{ kind: 'Block', ref: 'a' }, layer] }] },
    ],
  ];
  test.each(layerKinds)('$kind', (kind) => {
    fc.assert(
      fc.property(layerOf(kind, 0), any, fc.constantFrom(...ways), factsFor(kind), (layer, other, way, facts) => {
        checkProject(projectOf(apart(way(layer, other)), facts, apart([layer, other])), facts);
      }),
      { numRuns: runs },
    );
  });
});

describe('networks of many layers', () => {
  const seeds = Array.from({ length: 8 * runs }, (_, seed) => seed);
  test.each(['as made', 'without one of their layers', 'with two layers exchanged'])('%s', (change) => {
    for (const seed of seeds) {
      const { input, layers, blocks } = randomNetwork(seed);
      const list = [...layers];
      const at = seed % list.length;
      if (change === 'without one of their layers') list.splice(at, 1);
      if (change === 'with two layers exchanged') list.unshift(...list.splice(at, 1));
      const facts: DataFacts = {
        input: 'tokens' in input ? { dims: [...input.dims], dtype: 'int64' } : { dims: [...input], dtype: 'float32' },
        target: targets[seed % targets.length] as TargetType,
        parts: { train: 40, test: 10 },
      };
      const project = projectOf(apart(list), facts);
      checkProject({ ...project, model: { ...project.model, blocks } } as typeof project, facts);
    }
  });
});

/** Whatever stands in a project, the plan answers with problems and never throws. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { layerKinds } from '../../engine/contract/layers/index.ts';
import { losses } from '../../engine/contract/losses.ts';
import { optimizers } from '../../engine/contract/optimizers.ts';
import { type Plan, planProject } from '../../engine/contract/plan.ts';
import { resolveProject } from '../../engine/contract/project.ts';
import type { DataFacts } from '../../engine/contract/tensors.ts';
import { randomStack } from '../parity/plan-stacks.ts';
import { applyEdits } from './apply-edits.ts';
import { digits, projectWith, vectors } from './cases.ts';

const facts = fc.constantFrom<DataFacts | null>(
  digits,
  vectors,
  null,
  { ...digits, input: { dims: [], dtype: 'float32' } },
  { ...digits, input: { dims: [3, 5, 7, 2], dtype: 'int64' }, parts: { train: 0 } },
);

const number = fc.oneof(
  fc.integer({ min: -3, max: 12 }),
  fc.constantFrom(0, -0, 0.5, 1e9, 2 ** 31 - 1, 2 ** 31, 2 ** 53, 1e300, -1, Number.NaN, Number.POSITIVE_INFINITY),
);

const words = [
  'kind',
  'layers',
  'branches',
  'shortcut',
  'times',
  'ref',
  'train',
  'disabled',
  'name',
  '__proto__',
  'constructor',
  'toString',
];
const paramNames = [...new Set(layerKinds.flatMap(({ params }) => Object.keys(params)))];
const keys = fc.constantFrom(...words, ...paramNames);
const scalar = fc.oneof(
  number,
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom('same', 'auto', 'concat', 'a', '', 'tanh', 'test', 'zeros'),
);

/** Layers of known kinds with any parameters, and anything else in their place. */
const { layer, layers } = fc.letrec<{ layer: unknown; layers: unknown[]; value: unknown }>((tie) => ({
  layer: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc
      .tuple(
        fc.constantFrom(...layerKinds.map(({ kind }) => kind), 'Conv9d', '__proto__', 3, null),
        fc.dictionary(keys, fc.oneof({ weight: 3, arbitrary: scalar }, { weight: 1, arbitrary: tie('value') }), {
          maxKeys: 5,
        }),
      )
      .map(([kind, rest]) => ({ ...rest, kind })),
  ),
  layers: fc.array(tie('layer'), { maxLength: 4 }),
  value: fc.oneof(
    { depthSize: 'small' },
    scalar,
    tie('layers'),
    fc.array(tie('layers'), { maxLength: 3 }),
    fc.array(scalar, { maxLength: 3 }),
  ),
}));

const section = fc.oneof(
  scalar,
  fc.dictionary(
    fc.constantFrom(
      'source',
      'split',
      'transforms',
      'loader',
      'val',
      'batch_size',
      'epochs',
      'loss',
      'optimizer',
      'schedule',
      'metrics',
      'precision',
      'checkpoint',
      'monitor',
      'strategy',
      'kind',
      'path',
      'shape',
      'classes',
      'weights',
      '__proto__',
    ),
    fc.oneof(
      scalar,
      fc.array(scalar, { maxLength: 3 }),
      fc.dictionary(
        fc.constantFrom('kind', 'val', 'lr', 'betas', 'mean', 'std', 'shape', 'monitor', 'weight', 'keep'),
        fc.oneof(
          scalar,
          fc.constantFrom(...optimizers.keys(), ...losses.keys(), 'idx', 'random', 'Normalize'),
          fc.array(number, { maxLength: 3 }),
        ),
        { maxKeys: 4 },
      ),
    ),
    { maxKeys: 5 },
  ),
);

function checkAnswer(plan: Plan, project: unknown): void {
  const errors = plan.problems.filter(({ severity }) => severity === 'error');
  expect(plan.model === null).toBe(errors.length > 0);
  for (const { message, hint, path } of plan.problems) {
    expect(message).not.toMatch(/undefined|\[object/);
    expect(hint).not.toBe('');
    expect(typeof path).toBe('string');
  }
  expect(() => JSON.stringify(plan)).not.toThrow();
  // Every edit that is offered has a place in the project.
  for (const { fixes } of plan.problems)
    for (const { edits } of fixes) expect(() => applyEdits(project, edits)).not.toThrow();
}

test('any JSON', () => {
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.anything()), facts, (project, known) => {
      const plan = planProject(project as { [key: string]: unknown }, known);
      expect(plan.problems.length).toBeGreaterThan(0);
      expect(plan.model).toBeNull();
    }),
    { numRuns: 300 },
  );
});

test('any layers in a project', () => {
  fc.assert(
    fc.property(
      layers,
      fc.dictionary(
        fc.constantFrom('a', 'b', '__proto__'),
        fc.oneof(
          layer,
          layers.map((inside) => ({ layers: inside })),
        ),
      ),
      facts,
      (list, blocks, known) => {
        const project = { ...projectWith([]), model: { layers: list, blocks } };
        checkAnswer(planProject(project, known), project);
      },
    ),
    { numRuns: 300 },
  );
});

test('any settings in a project', () => {
  fc.assert(
    fc.property(section, section, section, facts, (data, model, training, known) => {
      const project = { gradloom: 1, data, model, training };
      checkAnswer(planProject(project, known), project);
      expect(() => resolveProject(project)).not.toThrow();
    }),
    { numRuns: 400 },
  );
});

test('nesting without end', () => {
  let layers: unknown[] = [];
  for (let depth = 0; depth < 20_000; depth++) layers = [{ kind: 'Residual', layers }];
  const chain = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, index) => [`b${index}`, { layers: [{ kind: 'Block', ref: `b${index + 1}` }] }]),
  );
  for (const project of [
    { ...projectWith([]), model: { layers } },
    { ...projectWith([]), model: { layers: [{ kind: 'Block', ref: 'b0' }], blocks: chain } },
  ]) {
    expect(planProject(project, digits).problems.map(({ message }) => message)).toContain(
      'Layers are nested deeper than 50 levels',
    );
  }
});

test('a plan does not change its project, and the same project gives the same plan', () => {
  for (let seed = 0; seed < 50; seed++) {
    const { input, layers, blocks } = randomStack(seed);
    const project = { ...projectWith([]), model: { layers, blocks } };
    const known: DataFacts = { ...digits, input: { dims: input, dtype: 'float32' } };
    const before = JSON.stringify(project);
    const plan = planProject(project, known);
    expect(JSON.stringify(project)).toBe(before);
    expect(planProject(JSON.parse(before), known)).toEqual(plan);
  }
});

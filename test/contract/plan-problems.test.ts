/** Projects that cannot work, or not well: each row with all its problems; every fix that is offered mends its problem. */
import { describe, expect, test } from 'vitest';
import { follow } from '../../engine/contract/edits.ts';
import type { Json } from '../../engine/contract/native.ts';
import { planProject } from '../../engine/contract/plan.ts';
import type { Place } from '../../engine/contract/report.ts';
import type { DataFacts } from '../../engine/contract/tensors.ts';
import { applyEdits } from './apply-edits.ts';
import { digits, head, projectWith } from './cases.ts';
import { answerRows } from './problem-rows-answers.ts';
import { augmentRows } from './problem-rows-augment.ts';
import { groupRows } from './problem-rows-groups.ts';
import { initRows } from './problem-rows-inits.ts';
import { kindRows } from './problem-rows-kinds.ts';
import { layerRows } from './problem-rows-layers.ts';
import { scheduleRows } from './problem-rows-schedules.ts';
import { sequenceRows } from './problem-rows-sequences.ts';
import { settingsRows } from './problem-rows-settings.ts';
import { wholeRows } from './problem-rows-whole.ts';
import { windowRows } from './problem-rows-windows.ts';

const rows = {
  ...settingsRows,
  ...scheduleRows,
  ...layerRows,
  ...kindRows,
  ...sequenceRows,
  ...groupRows,
  ...augmentRows,
  ...initRows,
  ...wholeRows,
  ...windowRows,
  ...answerRows,
};

const placeOf = (path: string): Place => path.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step));

function plan(project: unknown, facts: DataFacts | null) {
  return planProject(project as { [key: string]: unknown }, facts);
}

for (const [group, list] of Object.entries(rows)) {
  describe(group, () => {
    test.each(list)('$name', ({ project, facts = digits, problems: expected }) => {
      const { problems, model } = plan(project, facts);
      const lines = problems.map(
        ({ severity, code, path, message }) =>
          `${severity === 'warning' ? '(warning) ' : ''}${code} ${path}: ${message}`,
      );
      expect(lines).toEqual(expected);
      expect(model === null).toBe(problems.some(({ severity }) => severity === 'error'));
      for (const problem of problems) {
        expect(problem.hint).not.toBe('');
        for (const fix of problem.fixes) {
          const after = plan(applyEdits(project, fix.edits), facts).problems;
          const at = fix.edits.reduce<Place | null>((now, edit) => now && follow(now, edit), placeOf(problem.path));
          const same = after.filter(({ code, path }) => code === problem.code && path === at?.join('.'));
          expect(same, `after "${fix.label}"`).toEqual([]);
        }
      }
    });
  });
}

describe('the faults that people make most offer a way out', () => {
  const offers: { [name: string]: string[] } = {
    'unknown kind': ['Change it to Linear'],
    'misspelt parameter': ['Rename it to bias'],
    'not yet run': ['Set it to "off"', 'Set it to {"kind":"single"}'],
    'no test part': ['Validate on a tenth of the training part', 'Train without validation'],
    'no full batch': ['Keep the last batch', 'Set batch_size to 50'],
    'convolution on vectors': [
      'Remove the Flatten before it',
      'Move Flatten behind layer 1',
      'Insert Unflatten to [1, 28, 28] before it',
      'Remove this Conv2d',
    ],
    'batch norm on vectors': [
      'Use BatchNorm1d',
      'Remove the Flatten before it',
      'Move Flatten behind layer 1',
      'Insert Unflatten to [1, 28, 28] before it',
      'Remove this BatchNorm2d',
    ],
    'window too large': ['Set kernel_size to 30', 'Set padding to 2', 'Remove this Conv2d'],
    'groups of the output': ['Set groups to 2', 'Set out_channels to 8', 'Remove this Conv2d'],
    'same padding with a stride': ['Set padding to 1', 'Set stride to 1', 'Remove this Conv2d'],
    'shortcut of another shape': [
      'Project the input (shortcut "auto")',
      'Unwrap this Residual',
      'Remove this Residual and its 1 layer',
    ],
    'too few scores, the sample named': ['Set out_features of layer 3 to 10'],
    'not flattened': ['Insert Flatten before layer 0', 'Append Flatten and Linear', 'Append GlobalAvgPool and Linear'],
    'ends with images': ['Append Flatten and Linear', 'Append GlobalAvgPool and Linear'],
    'squared error on classes': ['Use CrossEntropyLoss', 'Use MultiMarginLoss'],
    'last batch, one value a channel': ['Leave out the short last batch (drop_last)', 'Set batch_size to 8998'],
  };
  const all = Object.values(rows).flat();
  test.each(Object.entries(offers))('%s', (name, labels) => {
    const { project, facts = digits } = all.find((row) => row.name === name) as (typeof all)[number];
    expect(plan(project, facts).problems.flatMap(({ fixes }) => fixes.map(({ label }) => label))).toEqual(labels);
  });
});

describe('a problem in a later use of a block', () => {
  const use = { kind: 'Block', ref: 'half' };
  const pool = { kind: 'AvgPool2d', kernel_size: 6 };
  const of = (layers: Json[], half: Json[]) =>
    planProject(projectWith([], { model: { layers, blocks: { half: { layers: half } } } }), digits).problems;

  test('says in which use, and which layer that is', () => {
    const [problem, ...others] = of([use, { kind: 'Repeat', times: 1, layers: [use] }, use, ...head], [pool]);
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ path: 'model.blocks.half.layers.0.kernel_size', use: 'model.layers.1.layers.0' });
    expect(problem?.message).toMatch(/^In its 2nd use, at layer 1\.0\.0: /);
    expect(problem?.fixes.map(({ label }) => label)).toContain('Remove this AvgPool2d');
  });

  test('that its first use has as well is told once, as that of the block', () => {
    const problems = of([use, use, ...head], [{ kind: 'AvgPool2d', kernel_size: 0 }]);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).not.toMatch(/use/);
    expect(problems[0]).not.toHaveProperty('use');
  });
});

/** Projects that cannot work, or not well: each row with all its problems; every fix that is offered mends its problem. */
import { describe, expect, test } from 'vitest';
import { planProject } from '../../engine/contract/plan.ts';
import type { DataFacts } from '../../engine/contract/tensors.ts';
import { applyEdits } from './apply-edits.ts';
import { digits } from './cases.ts';
import { layerRows } from './problem-rows-layers.ts';
import { settingsRows } from './problem-rows-settings.ts';
import { wholeRows } from './problem-rows-whole.ts';

const rows = { ...settingsRows, ...layerRows, ...wholeRows };

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
          const same = after.filter(({ code, path }) => code === problem.code && path === problem.path);
          expect(same, `after "${fix.label}"`).toEqual([]);
        }
      }
    });
  });
}

/** Numbers of Normalize that suit other data are mended by fitting, not by one of them for every channel. */
import { expect, test } from 'vitest';
import { applied } from '../../engine/contract/edits.ts';
import { planProject } from '../../engine/contract/plan.ts';
import type { Project } from '../../engine/contract/project.ts';

const facts = {
  input: { dims: [1, 4, 4], dtype: 'float32' as const },
  target: { kind: 'class' as const, classes: ['a', 'b'] },
  parts: { train: 8 },
};

test('the fix takes both lists away', () => {
  const project = {
    gradloom: 1,
    data: {
      source: { kind: 'image_folder', path: 'x' },
      transforms: [{ kind: 'Normalize', mean: [14.14, 0.5, 0.4], std: [0.2, 0.2, 0.2] }],
    },
    model: { layers: [] },
  } as unknown as Project;
  const problem = planProject(project, facts).problems.find(({ path }) => path === 'data.transforms.0.mean');
  expect(problem?.fixes?.map(({ label }) => label)).toEqual(['Fit on the samples that train']);
  const mended = (problem?.fixes?.[0]?.edits ?? []).reduce(applied, project as unknown) as {
    data: { transforms: object[] };
  };
  expect(mended.data.transforms).toEqual([{ kind: 'Normalize' }]);
});

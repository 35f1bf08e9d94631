/** `data`: what a source holds, and samples of it. */
import path from 'node:path';
import { GradloomError } from '../contract/errors.ts';
import { planProject } from '../contract/plan.ts';
import { resolveProject } from '../contract/project.ts';
import { bundledDigits } from '../projects.ts';
import { type Parts, wire } from './parts.ts';

export function dataCalls({ home, places, previews }: Parts) {
  return {
    digits: wire.data.digits.handler(async () => ({ folder: await bundledDigits(home) })),
    preview: wire.data.preview.handler(async ({ input, signal }) => {
      const { file, source, transforms, ...wanted } = input;
      const base = path.dirname(await places.reach(file));
      const project = { data: { source } };
      const resolved = resolveProject(project).data.source;
      if (resolved === null) {
        const wrong = planProject(project, null).problems.find(
          (problem) => problem.severity === 'error' && problem.path.startsWith('data.source.'),
        );
        if (wrong) throw new GradloomError('BAD_CALL', wrong.message, { hint: wrong.hint, path: wrong.path });
        throw new GradloomError('DATA_MISSING', 'No data source is chosen', {
          hint: 'Choose the kind of data, and where it lies.',
          path: 'data.source',
        });
      }
      if (resolved.kind === 'idx') await places.reach(path.resolve(base, resolved.path));
      return previews.preview(resolved, base, transforms, wanted, signal);
    }),
  };
}

/** `data`: what a source holds, and samples of it. */
import path from 'node:path';
import { GradloomError } from '../contract/errors.ts';
import { planProject } from '../contract/plan.ts';
import { resolveProject } from '../contract/project.ts';
import { pathsOf } from '../contract/sources.ts';
import { bundledDigits } from '../projects.ts';
import { type Parts, wire } from './parts.ts';

const notYet = async (): Promise<never> => {
  throw new GradloomError('NOT_SUPPORTED', 'This is being built.');
};

export function dataCalls({ home, places, previews }: Parts) {
  return {
    inspect: wire.data.inspect.handler(notYet),
    import: wire.data.import.handler(notYet),
    imported: wire.data.imported.handler(notYet),
    doctor: wire.data.doctor.handler(notYet),
    table: wire.data.table.handler(notYet),
    marks: { list: wire.data.marks.list.handler(notYet), set: wire.data.marks.set.handler(notYet) },
    recipes: wire.data.recipes.handler(notYet),
    fetch: wire.data.fetch.handler(notYet),
    cache: { list: wire.data.cache.list.handler(notYet), remove: wire.data.cache.remove.handler(notYet) },
    digits: wire.data.digits.handler(async () => ({ folder: await bundledDigits(home) })),
    preview: wire.data.preview.handler(async ({ input, signal }) => {
      const { file, source, transforms, part, start, count, class: only } = input;
      const wanted = { part, start, count, ...(only === undefined ? {} : { class: only }) };
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
      for (const { path: given } of pathsOf(resolved)) await places.reach(path.resolve(base, given));
      return previews.preview(resolved, base, transforms, wanted, signal);
    }),
  };
}

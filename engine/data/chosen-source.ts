/** The source that a project names, or what is wrong with it. */
import { GradloomError } from '../contract/errors.ts';
import { planProject } from '../contract/plan.ts';
import { type Project, type ResolvedSource, resolveProject } from '../contract/project.ts';

/** `strict`: settings that there are not are refused too. @throws GradloomError BAD_CALL, DATA_MISSING */
export function chosenSource(project: Project, { strict = false }: { strict?: boolean } = {}): ResolvedSource {
  const { source } = resolveProject(project).data;
  const wrong = planProject(project, null).problems.find(
    ({ code, severity, path }) =>
      path.startsWith('data.source.') && (severity === 'error' || (strict && code === 'UNKNOWN_KEY')),
  );
  if (source === null || (strict && wrong)) {
    if (wrong) throw new GradloomError('BAD_CALL', wrong.message, { hint: wrong.hint, path: wrong.path });
    throw new GradloomError('DATA_MISSING', 'No data source is chosen', {
      hint: 'Choose the kind of data, and where it lies.',
      path: 'data.source',
    });
  }
  return source;
}

/** The project file's schema version, and the named steps that bring older files up to it. */
import { GradloomError } from './errors.ts';
import type { Edit } from './problems.ts';
import { editProject } from './project-edit.ts';
import { isObject, type JsonObject, setEdit } from './report.ts';

export const projectVersion = 1;

/** One step from version `from` to `from + 1`, as edits of the text: what it does not touch keeps its spelling. */
export interface Migration {
  from: number;
  /** Says what changed: "transforms moved into data". */
  name: string;
  edits(project: JsonObject): Edit[];
}

/** In order of `from`. Version 1 is the first: there is nothing older yet. */
export const migrations: readonly Migration[] = [];

/**
 * The text brought up to `target`, and the names of the steps taken. A file without a readable version is left as it is: the plan
 * reports it. Throws PROJECT_NEWER.
 */
export function migrate(
  text: string,
  project: unknown,
  steps: readonly Migration[] = migrations,
  target: number = projectVersion,
): { text: string; project: unknown; applied: string[] } {
  const written = isObject(project) ? project.gradloom : undefined;
  if (typeof written !== 'number' || !Number.isInteger(written)) return { text, project, applied: [] };
  if (written > target) {
    throw new GradloomError(
      'PROJECT_NEWER',
      `The project has schema version ${written}; this version of Gradloom reads up to ${target}`,
      { hint: 'Update Gradloom, or save the project from the newer version in an older format.', path: 'gradloom' },
    );
  }
  const applied: string[] = [];
  let at = { text, project };
  for (const step of steps) {
    if (step.from < written || step.from >= target || !isObject(at.project)) continue;
    const edits = [...step.edits(at.project), setEdit(['gradloom'], step.from + 1)];
    const next = editProject(at.text, edits);
    at = { text: next, project: JSON.parse(next.replace(/^\uFEFF/, '')) as unknown };
    applied.push(step.name);
  }
  return { ...at, applied };
}

/** A file that was dropped on the window: taken as a project where it is one, else told what it is. Pure. */
import { readProject } from '../../engine/contract/project.ts';
import { isObject } from '../../engine/contract/report.ts';

/** Larger than any project. */
export const mostBytes = 8 << 20;

export type Dropped =
  | { text: string /** Where its data lies is told relative to the place that it came from. */; movedData: boolean }
  | { problem: string; hint: string };

const hint = 'Drop a project file, such as digits-mlp.gradloom.json.';

export function readDropped(name: string, text: string): Dropped {
  if (text.trim() === '') return { problem: `${name} is empty`, hint };
  let project: unknown;
  try {
    ({ project } = readProject(text));
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return { problem: `${name} is not a project: ${why.replace(/^The project is not JSON: /, '')}`, hint };
  }
  if (!isObject(project) || !('model' in project || 'data' in project || 'training' in project)) {
    return { problem: `${name} is not a project: it has neither data, model nor training`, hint };
  }
  const source = isObject(project.data) && isObject(project.data.source) ? project.data.source : {};
  const path = source.path;
  return { text, movedData: typeof path === 'string' && !/^([/\\]|[a-z]:)/i.test(path) };
}

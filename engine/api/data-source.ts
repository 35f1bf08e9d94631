/** The source that a call about data means, checked and within reach. */
import path from 'node:path';
import { type Project, readProject, resolveProject } from '../contract/project.ts';
import { pathsOf } from '../contract/sources.ts';
import type { OfSource } from '../data/asks.ts';
import { chosenSource } from '../data/chosen-source.ts';
import type { Parts } from './parts.ts';

/**
 * A source as the window has it, beside its project's file, and how that project splits it.
 * @throws GradloomError BAD_CALL, DATA_MISSING, NOT_READABLE
 */
export async function givenSource(
  { file, source, split }: { file: string; source: unknown; split?: unknown },
  parts: Pick<Parts, 'places'>,
): Promise<OfSource> {
  return ofProject(file, { data: { source, ...(split === undefined ? {} : { split }) } }, parts);
}

/** The data of a whole project. @throws GradloomError PROJECT_SYNTAX, BAD_CALL, DATA_MISSING, NOT_READABLE */
export function sourceOfProject(file: string, text: string, parts: Pick<Parts, 'places'>): Promise<Required<OfSource>> {
  return ofProject(file, readProject(text).project ?? {}, parts);
}

async function ofProject(
  file: string,
  project: Project,
  { places }: Pick<Parts, 'places'>,
): Promise<Required<OfSource>> {
  const baseDir = path.dirname(await places.reach(file));
  const source = chosenSource(project);
  for (const { path: given } of pathsOf(source)) await places.reach(path.resolve(baseDir, given));
  return { source, baseDir, split: resolveProject(project).data.split };
}

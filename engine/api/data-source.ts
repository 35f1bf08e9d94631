/** The source that a call about data means, checked and within reach. */
import path from 'node:path';
import { readProject, resolveProject } from '../contract/project.ts';
import { pathsOf } from '../contract/sources.ts';
import type { OfSource } from '../data/asks.ts';
import { chosenSource } from '../data/chosen-source.ts';
import type { Parts } from './parts.ts';

/** A source as the window has it, beside its project's file. @throws GradloomError BAD_CALL, DATA_MISSING, NOT_READABLE */
export async function givenSource(file: string, source: unknown, parts: Pick<Parts, 'places'>): Promise<OfSource> {
  return reached(file, { data: { source } }, parts);
}

/** The data of a whole project. @throws GradloomError PROJECT_SYNTAX, BAD_CALL, DATA_MISSING, NOT_READABLE */
export async function sourceOfProject(file: string, text: string, parts: Pick<Parts, 'places'>) {
  const project = readProject(text).project ?? {};
  const { split } = resolveProject(project).data;
  return { ...(await reached(file, project, parts)), split };
}

async function reached(file: string, project: { [key: string]: unknown }, { places }: Pick<Parts, 'places'>) {
  const baseDir = path.dirname(await places.reach(file));
  const source = chosenSource(project);
  for (const { path: given } of pathsOf(source)) await places.reach(path.resolve(baseDir, given));
  return { source, baseDir };
}

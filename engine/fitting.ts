/** Templates with data of one's own: of another project, or a folder of files; and projects whose network is fitted to their data. */
import path from 'node:path';
import { GradloomError } from './contract/errors.ts';
import type { Fit } from './contract/fit.ts';
import { type GivenData, templateWith } from './contract/fit-data.ts';
import { type Project, readProject, resolveProject } from './contract/project.ts';
import { isObject, type JsonObject } from './contract/report.ts';
import type { DataFacts } from './contract/tensors.ts';
import type { TemplateCard } from './contract/wire.ts';
import { describeSource } from './data/index.ts';
import { ProjectFiles } from './project-files.ts';
import { noTemplate, templateCards } from './projects.ts';

/** More steps up than this are no way that a person reads. */
const mostUp = 3;

/**
 * The data of a project file, or the files in a folder (or one of them), for a project in `folder`. `reach` refuses places that may not be
 * read.
 * @throws GradloomError FILE_NOT_FOUND, DATA_MISSING and what else is wrong with the project or the data
 */
export async function dataAt(
  from: string,
  folder: string,
  reach: (place: string) => Promise<string> = async (place) => place,
): Promise<GivenData> {
  const place = await reach(path.resolve(from));
  if (!/\.json$/i.test(place)) {
    const source = { kind: 'idx', path: written(place, folder) };
    return { source, facts: await factsAt(place, folder) };
  }
  const { text } = await new ProjectFiles().open(place);
  const project = readProject(text).project ?? {};
  const { source: resolved } = resolveProject(project).data;
  const { source, split, transforms } = isObject(project.data) ? project.data : ({} as JsonObject);
  if (resolved === null || !isObject(source)) {
    throw new GradloomError('DATA_MISSING', `${path.basename(place)} has no data`, {
      hint: 'Name a project whose data is chosen, or a folder with data.',
      path: place,
    });
  }
  const base = path.dirname(place);
  const files = 'path' in resolved ? await reach(path.resolve(base, resolved.path)) : null;
  const facts = await describeSource(resolved, base);
  const moved = files === null ? {} : { path: written(files, folder) };
  return {
    source: { ...source, ...moved },
    ...(split === undefined ? {} : { split }),
    ...(transforms === undefined ? {} : { transforms }),
    facts,
  };
}

/** No project says where these files are: they are called as they were given. */
async function factsAt(place: string, folder: string): Promise<DataFacts> {
  try {
    return await describeSource({ kind: 'idx', path: place }, folder);
  } catch (thrown) {
    const error = GradloomError.from(thrown);
    const { code, message, hint, path: at } = error.toInfo();
    if (!hint?.includes('data.source.path')) throw error;
    const better = 'Name a project file whose data is chosen, or a folder with IDX files, such as those of MNIST.';
    throw new GradloomError(code, message, { hint: better, ...(at === undefined ? {} : { path: at }), cause: thrown });
  }
}

/** As a project in `folder` names it: relative where that is a short way. */
function written(place: string, folder: string): string {
  const steps = path.relative(folder, place).split(path.sep);
  const far = path.isAbsolute(steps.join(path.sep)) || steps.filter((step) => step === '..').length > mostUp;
  return far ? place : steps.join('/') || '.';
}

/** Every template with such data, in the gallery's order. */
export async function fitsOf(given: GivenData): Promise<{ name: string; fit: Fit }[]> {
  return (await templateCards()).map((card) => ({ name: card.name, fit: fitOf(card, given) }));
}

function fitOf({ text, facts }: Pick<TemplateCard, 'text' | 'facts'>, given: GivenData): Fit {
  return templateWith({ project: readProject(text).project as Project, facts }, given);
}

/**
 * A template's text with such data, and what that changes in it.
 * @throws GradloomError FILE_NOT_FOUND for an unknown template, NOT_SUPPORTED where the network does not go with the data
 */
export async function fittedTemplate(name: string, given: GivenData): Promise<{ text: string; fit: Fit }> {
  const cards = await templateCards();
  const card = cards.find((each) => each.name === name);
  if (!card) {
    throw noTemplate(
      name,
      cards.map((each) => each.name),
    );
  }
  const fit = fitOf(card, given);
  const { refused } = fit;
  if (refused) {
    const others = cards.filter((each) => fitOf(each, given).refused === null).map((each) => each.name);
    const hint = others.length > 0 ? `Templates that go with this data: ${others.join(', ')}.` : refused.hint;
    throw new GradloomError('NOT_SUPPORTED', `${name} does not go with this data. ${refused.message}.`, { hint });
  }
  return { text: card.text, fit };
}

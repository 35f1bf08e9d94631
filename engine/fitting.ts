/** Templates with data of one's own: of another project, or a folder of files; and projects whose network is fitted to their data. */
import path from 'node:path';
import type { Recognised } from './contract/data/inspect.ts';
import { GradloomError } from './contract/errors.ts';
import type { Fit } from './contract/fit.ts';
import { type GivenData, templateWith } from './contract/fit-data.ts';
import { type Project, readProject, resolveProject } from './contract/project.ts';
import { isObject, type JsonObject } from './contract/report.ts';
import { pathsOf } from './contract/sources.ts';
import type { TemplateCard } from './contract/wire.ts';
import { chosenSource } from './data/chosen-source.ts';
import { givenPlace } from './data/given.ts';
import { describeSource } from './data/index.ts';
import { inspectPath } from './data/recognise/inspect.ts';
import { noTemplate, templateCards } from './projects.ts';

/** More steps up than this are no way that a person reads. */
const mostUp = 3;

/** Who looks and describes, and where may be read; the service asks a worker. */
export interface DataReader {
  reach: (place: string) => Promise<string>;
  inspect: (place: string) => ReturnType<typeof inspectPath>;
  describe: typeof describeSource;
}

const inThisProcess: DataReader = { reach: async (place) => place, inspect: inspectPath, describe: describeSource };

/**
 * The data of a project file, or whatever is recognised in a folder or file, for a project in `folder`.
 * @throws GradloomError FILE_NOT_FOUND, DATA_MISSING and what else is wrong with the project or the data
 */
export async function dataAt(from: string, folder: string, reader: DataReader = inThisProcess): Promise<GivenData> {
  const place = await reader.reach(path.resolve(from));
  const { source, baseDir, project, recognised } = await givenPlace(place, reader.inspect);
  const resolved = chosenSource(project ?? { data: { source } });
  const moved: JsonObject = {};
  for (const { key, path: given } of pathsOf(resolved)) {
    moved[key] = written(await reader.reach(path.resolve(baseDir, given)), folder);
  }
  const { split, transforms } = isObject(project?.data) ? project.data : ({} as JsonObject);
  const facts = await reader.describe(resolved, baseDir, { split: resolveProject(project ?? {}).data.split });
  return {
    source: { ...source, ...moved },
    ...(split === undefined ? {} : { split }),
    ...(transforms === undefined ? {} : { transforms }),
    facts,
    ...(recognised ? { notes: notesOf(recognised) } : {}),
  };
}

const notesOf = ({ notes, guesses }: Recognised) => [
  ...guesses.map(({ key, value, reason }) => `${key} ${JSON.stringify(value)}: ${reason}`),
  ...notes.map(({ message }) => message),
];

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

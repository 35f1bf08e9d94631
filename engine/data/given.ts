/** The data that a person names by a path: those of a project's file, or whatever is recognised there. */
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { DataNote, Recognised, Refused } from '../contract/data/inspect.ts';
import { GradloomError } from '../contract/errors.ts';
import { type Project, readProject } from '../contract/project.ts';
import { isObject, type JsonObject } from '../contract/report.ts';
import { sources } from '../contract/sources.ts';
import { systemError } from '../files.ts';
import { inspectPath, sentence } from './recognise/inspect.ts';

export interface GivenPlace {
  /** As a project would name it; relative paths are of `baseDir`. */
  source: JsonObject & { kind: string };
  baseDir: string;
  /** The project that names it; null: it was recognised. */
  project: Project | null;
  recognised: Recognised | null;
}

const hint = 'Name a project file whose data is chosen, or a folder or file with data.';

/** Longer files of JSON are data. */
const longestProject = 16 << 20;

/**
 * `inspect`: the service's asks a worker. `settings`: of the source, to be set by the caller; with them what is refused by itself is read as
 * what it was refused as.
 * @throws GradloomError FILE_NOT_FOUND, PROJECT_SYNTAX, DATA_MISSING
 */
export async function givenPlace(
  place: string,
  inspect: (path: string) => ReturnType<typeof inspectPath> = inspectPath,
  settings: JsonObject = {},
): Promise<GivenPlace> {
  if (!(await stat(place).catch(() => null))) {
    throw new GradloomError('DATA_MISSING', `${place} does not exist, or may not be read.`, { hint, path: place });
  }
  const project = await projectAt(place);
  if (project) {
    const source = isObject(project.data) ? project.data.source : undefined;
    if (!isObject(source) || typeof source.kind !== 'string') {
      throw new GradloomError('DATA_MISSING', `${path.basename(place)} has no data`, {
        hint: 'Name a project whose data is chosen, or a folder with data.',
        path: place,
      });
    }
    return { source: { ...source, kind: source.kind }, baseDir: path.dirname(place), project, recognised: null };
  }
  if (typeof settings.kind === 'string') return readAs(settings.kind, place, settings);
  const { found, notes, refused = [] } = await inspect(place);
  const [first] = found;
  if (!first) {
    const keys = Object.keys(settings);
    const meant = refused.find(({ kind }) => keys.every((key) => takes(kind, key)));
    if (meant && keys.length > 0) return readAs(meant.kind, place, settings);
    throw unrecognised(place, notes, refused);
  }
  const places = new Set(found.map(({ source }) => source.path).filter((each) => typeof each === 'string'));
  if (places.size > 1 && !places.has(place)) {
    const names = [...places].map((each) => path.relative(place, each));
    throw new GradloomError('DATA_FORMAT', `${place} holds several data sets: ${names.join(', ')}.`, {
      hint: 'Name the one that is meant.',
      path: place,
    });
  }
  return { source: first.source, baseDir: path.dirname(place), project: null, recognised: first };
}

const takes = (kind: string, key: string) => key in (sources.get(kind)?.params ?? {});

/** What is wrong with it is said when it is opened. */
function readAs(kind: string, place: string, settings: JsonObject): GivenPlace {
  const own = takes(kind, 'path') ? { path: place } : {};
  return { source: { ...own, ...settings, kind }, baseDir: path.dirname(place), project: null, recognised: null };
}

/** One reason is the error itself; of several each is told. */
function unrecognised(place: string, notes: readonly DataNote[], refused: readonly Refused[]): GradloomError {
  const [only, another] = refused;
  const begin = `Nothing that can be trained on was recognised at ${place}.`;
  const why =
    refused.length > 0
      ? refused.map(({ name, message }) => sentence(`Read as ${name}: ${message}`))
      : notes.map(({ message }) => sentence(message));
  const hints = [...new Set(refused.flatMap((each) => each.hint ?? []))];
  return new GradloomError('DATA_MISSING', only && !another ? only.message : [begin, ...why].join(' '), {
    hint: hints.length > 0 ? hints.map(sentence).join(' ') : hint,
    path: (another ? undefined : only?.path) ?? place,
  });
}

/** null: it is no project's file. */
async function projectAt(place: string): Promise<Project | null> {
  if (!/\.json$/i.test(place)) return null;
  const text = await stat(place)
    .then((status) => (status.isFile() && status.size <= longestProject ? readFile(place, 'utf8') : null))
    .catch((thrown: unknown) => {
      throw systemError(thrown, place, 'read');
    });
  if (text === null) return null;
  try {
    const { project } = readProject(text);
    return project && (Object.hasOwn(project, 'gradloom') || Object.hasOwn(project, 'data')) ? project : null;
  } catch (thrown) {
    if (/\.gradloom\.json$/i.test(place)) throw thrown;
    return null; // lines of JSON are a table
  }
}

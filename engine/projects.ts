/** New projects from templates: the template's data is copied into the workspace and the project points there. */
import { copyFile, readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { rootDir } from '../native/setup/paths.mjs';
import { GradloomError } from './contract/errors.ts';
import { editProject, readProject, resolveProject } from './contract/project.ts';
import { nearest } from './contract/report.ts';
import type { TemplateCard } from './contract/wire.ts';
import { describeSource } from './data/index.ts';
import { makeFolders, systemError, writeWhole } from './files.ts';
import { projectsDir } from './workspace.ts';

const extension = '.gradloom.json';

/** What `assets/templates/index.json` tells of a template; their order there is the gallery's. */
type ToldTemplate = Omit<TemplateCard, 'text' | 'facts'>;

async function listTemplates(): Promise<ToldTemplate[]> {
  return JSON.parse(await readFile(join(templatesDir(), 'index.json'), 'utf8')) as ToldTemplate[];
}

/**
 * Makes `<workspace>/projects/<template>.gradloom.json` (or `-2`, `-3`… where that name is taken) and answers its path. With `reuse`, a project
 * that still is what the template would give is taken instead of making another. Data already in the workspace is not copied again.
 * Throws FILE_NOT_FOUND for an unknown template, NOT_WRITABLE, DISK_FULL.
 */
export async function newProjectFromTemplate(
  template: string,
  workspace: string,
  { reuse = false }: { reuse?: boolean } = {},
): Promise<string> {
  return writeProject(template, await templateText(template, workspace), workspace, reuse);
}

/** Writes a project under a name that is free; `reuse`: or that holds the same already. */
export async function writeProject(name: string, text: string, workspace: string, reuse = false): Promise<string> {
  const folder = projectsDir(workspace);
  try {
    await makeFolders(folder);
    for (let number = 1; ; number++) {
      const path = join(folder, `${name}${number === 1 ? '' : `-${number}`}${extension}`);
      const there = await readFile(path, 'utf8').catch(() => null);
      if (there === text && reuse) return path;
      if (there !== null) continue;
      await writeWhole(path, (file) => file.writeFile(text));
      return path;
    }
  } catch (thrown) {
    throw systemError(thrown, folder, 'write');
  }
}

function templatesDir(): string {
  return join(rootDir(), 'assets', 'templates');
}

/** Of a project that is begun from nothing. */
export function emptyProject(): string {
  const project = { gradloom: 1, name: 'untitled', data: {}, model: { layers: [] }, training: {} };
  return `${JSON.stringify(project, null, 2)}\n`;
}

let cards: Promise<TemplateCard[]> | undefined;

/** In the gallery's order. They come with the program, so they are read once. */
export function templateCards(): Promise<TemplateCard[]> {
  cards ??= readTemplateCards().catch((thrown: unknown) => {
    cards = undefined;
    throw thrown;
  });
  return cards;
}

async function readTemplateCards(): Promise<TemplateCard[]> {
  return Promise.all(
    (await listTemplates()).map(async (told) => {
      const { name } = told;
      const file = join(templatesDir(), `${name}${extension}`);
      const text = await readFile(file, 'utf8');
      const { source } = resolveProject(readProject(text).project ?? {}).data;
      if (!source) throw new GradloomError('INTERNAL', `The template ${name} has no data`);
      const facts = await describeSource(source, dirname(file));
      return { ...told, text, facts };
    }),
  );
}

/**
 * A template's text for a project of the workspace, its data copied there.
 * @throws GradloomError FILE_NOT_FOUND for an unknown template, NOT_WRITABLE, DISK_FULL
 */
export async function templateText(template: string, workspace: string): Promise<string> {
  const known = (await listTemplates()).map(({ name }) => name);
  if (!known.includes(template)) {
    throw noTemplate(template, known);
  }
  const folder = projectsDir(workspace);
  try {
    await makeFolders(folder);
    return await settledText(join(templatesDir(), `${template}${extension}`), workspace, folder);
  } catch (thrown) {
    throw systemError(thrown, folder, 'write');
  }
}

export function noTemplate(asked: string, known: readonly string[]): GradloomError {
  const [near] = nearest(asked, known);
  const guess = near === undefined ? '' : `Did you mean ${near}? `;
  const hint = `${guess}Templates: ${known.join(', ')}.`;
  return new GradloomError('FILE_NOT_FOUND', `There is no template ${asked}.`, { hint });
}

/** The template's text with its data's path leading to a copy in the workspace. */
async function settledText(template: string, workspace: string, projects: string): Promise<string> {
  const text = await readFile(template, 'utf8');
  const data = readProject(text).project?.data as { source?: { path?: unknown } } | undefined;
  const path = data?.source?.path;
  if (typeof path !== 'string') return text;
  const bundled = resolve(dirname(template), path);
  const copy = join(workspace, 'data', basename(bundled));
  await copyFolder(bundled, copy);
  const value = relative(projects, copy).split(sep).join('/');
  return value === path ? text : editProject(text, [{ op: 'set', path: ['data', 'source', 'path'], value }]);
}

/** The bundled digits, copied into the workspace: for a project that begins without a template. */
export async function bundledDigits(workspace: string): Promise<string> {
  const folder = join(workspace, 'data', 'digits');
  try {
    await copyFolder(join(rootDir(), 'assets', 'data', 'digits'), folder);
  } catch (thrown) {
    throw systemError(thrown, folder, 'write');
  }
  return folder;
}

/** Copies the files that are not there in their full size. */
async function copyFolder(from: string, to: string): Promise<void> {
  await makeFolders(to);
  for (const name of await readdir(from)) {
    const [source, target] = [join(from, name), join(to, name)];
    const size = (await stat(target).catch(() => null))?.size;
    if (size !== (await stat(source)).size) await copyFile(source, target);
  }
}

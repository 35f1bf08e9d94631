/** New projects from templates: the template's data is copied into the workspace and the project points there. */
import { copyFile, readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { rootDir } from '../native/setup/paths.mjs';
import { GradloomError } from './contract/errors.ts';
import { editProject, readProject } from './contract/project.ts';
import { makeFolders, systemError, writeWhole } from './files.ts';
import { projectsDir } from './workspace.ts';

const extension = '.gradloom.json';

/** Names of the bundled templates. */
async function listTemplates(): Promise<string[]> {
  const names = await readdir(templatesDir());
  return names.filter((name) => name.endsWith(extension)).map((name) => name.slice(0, -extension.length));
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
  const known = await listTemplates();
  if (!known.includes(template)) {
    throw new GradloomError('FILE_NOT_FOUND', `There is no template ${template}.`, {
      hint: `Templates: ${known.join(', ')}.`,
    });
  }
  const folder = projectsDir(workspace);
  try {
    await makeFolders(folder);
    const text = await settledText(join(templatesDir(), `${template}${extension}`), workspace, folder);
    for (let number = 1; ; number++) {
      const path = join(folder, `${template}${number === 1 ? '' : `-${number}`}${extension}`);
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

/** Copies the files that are not there in their full size. */
async function copyFolder(from: string, to: string): Promise<void> {
  await makeFolders(to);
  for (const name of await readdir(from)) {
    const [source, target] = [join(from, name), join(to, name)];
    const size = (await stat(target).catch(() => null))?.size;
    if (size !== (await stat(source)).size) await copyFile(source, target);
  }
}

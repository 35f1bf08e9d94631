/** Where an export may go: a new file or one that it replaces, links followed; never a folder, a device, or what a run lives by. */
import { constants, existsSync, type Stats } from 'node:fs';
import { access, lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { GradloomError } from '../contract/errors.ts';
import { makeFolders, systemError } from '../files.ts';
import { environmentName, isRun } from './folder.ts';

/** The one folder of a run that is for other programs. */
export const exportName = 'export';

export interface ExportTarget {
  /** As given, absolute. */
  path: string;
  /** The file itself, where `path` leads through links. */
  file: string;
  /** Whether there is a file already. */
  replaces: boolean;
}

/**
 * The target of an export of `run`; its folder is made. `name`: what the file is called where `out` is absent.
 * @throws GradloomError BAD_CALL for a folder, NOT_WRITABLE
 */
export async function exportTarget(out: string | undefined, run: string, name: string): Promise<ExportTarget> {
  const path = resolve(out ?? join(run, exportName, name));
  try {
    const file = await followed(path);
    const there = await stat(file).catch(nothing);
    await refuseInsideRun(file, path, await realpath(run));
    if (there?.isDirectory() || /[\\/]$/.test(out ?? '')) {
      throw new GradloomError('BAD_CALL', `${path} is a folder, a file was expected.`, {
        hint: `Give the path of a file, such as ${join(path, name)}`,
        path,
      });
    }
    if (there && !there.isFile()) {
      throw new GradloomError('NOT_WRITABLE', `${path} is ${kindOf(there)}, no file that could be replaced.`, {
        hint: 'Give a name that is free, or that of a file.',
        path,
      });
    }
    if (there) await access(file, constants.W_OK);
    else await makeFolders(dirname(file));
    return { path, file, replaces: there !== null };
  } catch (thrown) {
    throw systemError(thrown, path, 'write');
  }
}

function nothing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

/** The path without links in it; what does not exist yet is taken as it is written. */
async function followed(path: string): Promise<string> {
  const real = await realpath(path).catch(nothing);
  if (real !== null || path === dirname(path)) return real ?? path;
  if (await lstat(path).catch(nothing)) {
    throw new GradloomError('NOT_WRITABLE', `${path} is a link that leads to no file.`, {
      hint: 'Remove the link, or give another name.',
      path,
    });
  }
  return join(await followed(dirname(path)), basename(path));
}

function kindOf(there: Stats): string {
  if (there.isFIFO()) return 'a named pipe';
  if (there.isSocket()) return 'a socket';
  return 'a device';
}

/** Whatever else lies in a run folder, this run's or another's, is what the run is resumed and judged from. */
async function refuseInsideRun(file: string, path: string, own: string): Promise<void> {
  for (let folder = file; folder !== dirname(folder); folder = dirname(folder)) {
    // project.json alone may be another program's.
    if (folder !== own && !(isRun(folder) && existsSync(join(folder, environmentName)))) continue;
    const allowed = join(folder, exportName);
    if (file.startsWith(allowed + sep) || (file === allowed && existsSync(file))) return;
    throw new GradloomError('NOT_WRITABLE', `${path} would lie among the files that the run ${folder} is made of.`, {
      hint: `Give a place outside the run, or in ${allowed}`,
      path,
    });
  }
}

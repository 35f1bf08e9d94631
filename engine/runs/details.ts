/** All that a page shows of one run besides its series. */
import { lstat, readdir, readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { GradloomError } from '../contract/errors.ts';
import type { RunDetails } from '../contract/wire.ts';
import { systemError } from '../files.ts';
import { readAutopsy } from './autopsy.ts';
import { Checkpoints } from './checkpoints.ts';
import { exportName } from './export-target.ts';
import { checkpointsName, environmentName, findRun, projectName } from './folder.ts';
import { describeRun } from './registry.ts';
import { readNotes } from './run-list.ts';

/** @throws GradloomError RUN_NOT_FOUND */
export async function runDetails(run: string): Promise<RunDetails> {
  const folder = await findRun(run);
  const [listing, project, environment, exports, bytes] = await Promise.all([
    describeRun(folder),
    readFile(path.join(folder, projectName), 'utf8').catch(() => ''),
    readFile(path.join(folder, environmentName), 'utf8').then(
      (text) => JSON.parse(text) as Record<string, unknown>,
      () => ({}),
    ),
    exportsOf(folder),
    sizeOf(folder),
  ]);
  return {
    ...listing,
    notes: readNotes(folder),
    project,
    environment,
    autopsy: listing.summary?.error?.code === 'NON_FINITE' ? readAutopsy(folder) : null,
    checkpoints: await checkpointsOf(folder),
    exports,
    bytes,
  };
}

/**
 * A file of the run's export folder by its name there.
 * @throws GradloomError RUN_NOT_FOUND, BAD_CALL for what is no plain name, FILE_NOT_FOUND
 */
export async function exportedFile(run: string, name: string): Promise<string> {
  const folder = path.join(await findRun(run), exportName);
  const file = path.join(folder, name);
  if (name === '' || name === '.' || name === '..' || /[/\\\0]/.test(name)) {
    throw new GradloomError('BAD_CALL', `${JSON.stringify(name)} is no name of a file in ${folder}`);
  }
  try {
    if (!(await lstat(file)).isFile() || path.dirname(await realpath(file)) !== (await realpath(folder))) {
      throw new GradloomError('FILE_NOT_FOUND', `${file} is no exported file`, { path: file });
    }
    return file;
  } catch (thrown) {
    throw systemError(thrown, file, 'read');
  }
}

async function checkpointsOf(folder: string): Promise<RunDetails['checkpoints']> {
  const checkpoints = new Checkpoints(folder, Number.POSITIVE_INFINITY);
  return Promise.all(
    checkpoints.entries.map(async (entry) => ({
      folder: entry.folder,
      step: entry.step,
      epoch: entry.batch === 0 ? entry.epoch - 1 : entry.epoch,
      roles: checkpoints.rolesOf(entry),
      bytes: await sizeOf(path.join(folder, checkpointsName, entry.folder)),
    })),
  );
}

async function exportsOf(folder: string): Promise<RunDetails['exports']> {
  const base = path.join(folder, exportName);
  const names = await readdir(base).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const entry = await lstat(path.join(base, name)).catch(() => null);
      return entry?.isFile() && !name.startsWith('.')
        ? [{ name, bytes: entry.size, modified: entry.mtime.toISOString() }]
        : [];
    }),
  );
  return found.flat().sort((a, b) => b.modified.localeCompare(a.modified));
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const sizes = await Promise.all(
    entries.map((entry) => {
      const file = path.join(folder, entry.name);
      if (entry.isDirectory()) return sizeOf(file);
      return stat(file).then(
        ({ size }) => size,
        () => 0,
      );
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

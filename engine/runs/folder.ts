/** A run is a folder: the names in it, how it is found, and how it comes to be. */
import { existsSync, mkdirSync, readdirSync, realpathSync, rmdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { GradloomError } from '../contract/errors.ts';
import type { Addon } from '../contract/native.ts';
import { runsDir } from '../workspace.ts';
import { writeError } from './durable.ts';
import { journalName } from './journal.ts';
import { summaryName } from './summary.ts';

export const projectName = 'project.json';
export const environmentName = 'environment.json';
/** A folder for weights that are being converted. */
export const temporaryWeightsName = 'weights.tmp';
/** What was taken of the weights that the run started from. */
export const weightsReportName = 'weights-report.json';
export const checkpointsName = 'checkpoints';
const lockName = 'lock';

/** A name under which something is written in a run's folder before it gets its own; nobody else's names look like these. */
export function isTemporary(name: string): boolean {
  return name === temporaryWeightsName || /^[a-z]+\.json\.\d+\.tmp$/.test(name);
}

export function isRun(folder: string): boolean {
  return existsSync(path.join(folder, projectName));
}

/**
 * The folder of a run given by folder or by its name in the workspace.
 * @throws GradloomError RUN_NOT_FOUND
 */
export async function findRun(nameOrPath: string, home?: string): Promise<string> {
  const given = path.resolve(nameOrPath);
  for (const folder of [given, path.join(runsDir(home), nameOrPath)]) if (isRun(folder)) return folder;
  throw new GradloomError(
    'RUN_NOT_FOUND',
    existsSync(given) ? `${nameOrPath} holds no run (it has no ${projectName})` : `There is no run ${nameOrPath}`,
    { hint: 'Give a run folder, or the name of a run in the workspace.', path: given },
  );
}

/** Weights that a run starts from. */
export interface StartedFrom {
  file: string;
  /** The run's folder and the checkpoint's folder name, where the file lies in one. */
  run: string | null;
  checkpoint: string | null;
}

/** Whose weights a file holds: `<run>/checkpoints/<name>/<file>` says it. */
export function placeOf(file: string): StartedFrom {
  const folder = path.dirname(file);
  const run = path.dirname(path.dirname(folder));
  if (path.basename(path.dirname(folder)) !== checkpointsName || !isRun(run))
    return { file, run: null, checkpoint: null };
  return { file, run, checkpoint: path.basename(folder) };
}

export interface RunLock {
  /** Idempotent. */
  release(): void;
}

/** @throws GradloomError RUN_LOCKED when another process holds the run, NOT_WRITABLE */
export function lockRun(folder: string, addon: Pick<Addon, 'lock'>): RunLock {
  try {
    const lock = addon.lock(path.join(folder, lockName));
    let held = true;
    return {
      release() {
        if (held) lock.release();
        held = false;
      },
    };
  } catch (thrown) {
    const error = writeError(thrown, folder);
    if (error.code !== 'RUN_LOCKED') throw error;
    throw new GradloomError('RUN_LOCKED', `Another process holds the run ${folder}`, {
      hint: 'Watch it there, or stop it.',
      path: folder,
    });
  }
}

/** Deletes a run while it is held, so that nobody can take it up in between. */
export function removeRun(folder: string, lock: RunLock): void {
  if (process.platform === 'win32') lock.release(); // there an open file cannot be removed
  rmSync(folder, { recursive: true, force: true });
}

export interface NewRun {
  folder: string;
  lock: RunLock;
  /** Leaves the disk as it was before: for a run that could not be begun. Releases the lock. */
  undo(): void;
}

/**
 * Makes an empty, locked run folder.
 * @throws GradloomError RUN_EXISTS when there is something in it, RUN_LOCKED, NOT_WRITABLE
 */
export function createRun(given: string, addon: Pick<Addon, 'lock'>): NewRun {
  const folder = path.resolve(given);
  refuseInsideRun(folder);
  let firstMade: string | undefined;
  try {
    refuseUsed(folder);
    firstMade = makeFolders(folder);
  } catch (thrown) {
    throw cannotMake(thrown, folder);
  }
  const unmake = () => {
    if (firstMade === undefined) return;
    // The folders above were made for this run alone, unless somebody has put something there since.
    for (let made = folder; made.length >= firstMade.length; made = path.dirname(made)) {
      try {
        rmdirSync(made);
      } catch {
        return;
      }
    }
  };
  let lock: RunLock;
  try {
    lock = lockRun(folder, addon);
  } catch (thrown) {
    unmake();
    throw GradloomError.from(thrown).code === 'RUN_LOCKED' ? thrown : cannotMake(thrown, folder);
  }
  try {
    refuseUsed(folder); // another process may have been quicker
  } catch (thrown) {
    lock.release();
    throw thrown;
  }
  return {
    folder,
    lock,
    undo() {
      if (process.platform === 'win32') lock.release(); // there an open file cannot be removed
      for (const name of readdirSync(folder)) rmSync(path.join(folder, name), { recursive: true, force: true });
      unmake();
      lock.release();
    },
  };
}

/** Answers the first one made. (`mkdirSync` with `recursive` never ends where mkdir answers ENOENT below an existing folder, as in /proc.) */
function makeFolders(folder: string): string | undefined {
  if (existsSync(folder)) return undefined;
  const above = makeFolders(path.dirname(folder));
  try {
    mkdirSync(folder);
  } catch (thrown) {
    // Another process made it at the same moment: not ours to remove, and the lock decides whose run it holds.
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return above;
    throw thrown;
  }
  return above ?? folder;
}

/** Whatever is wrong with the path, it is not one that a run can be written to. */
function cannotMake(thrown: unknown, folder: string): GradloomError {
  const error = writeError(thrown, folder);
  if (error.code === 'RUN_EXISTS' || error.code === 'DISK_FULL') return error;
  const hint = 'Give a folder that you may write to, by --run or by GRADLOOM_HOME.';
  return new GradloomError('NOT_WRITABLE', `The run folder cannot be made: ${error.message}`, {
    hint,
    path: folder,
    cause: thrown,
  });
}

/** Whoever copies, resumes or discards a run takes its folder as a whole: another run has no place in it. */
function refuseInsideRun(folder: string): void {
  let above = path.dirname(folder);
  while (!existsSync(above) && path.dirname(above) !== above) above = path.dirname(above);
  try {
    above = realpathSync(above);
  } catch {
    return; // making the folder says what is wrong
  }
  for (; ; above = path.dirname(above)) {
    // Other programs have a project.json too.
    if (
      isRun(above) &&
      [environmentName, summaryName, journalName].some((name) => existsSync(path.join(above, name)))
    ) {
      throw new GradloomError('BAD_CALL', `${folder} lies inside the run ${above}`, {
        hint: 'Give a folder outside of every run.',
        path: folder,
      });
    }
    if (path.dirname(above) === above) return;
  }
}

function refuseUsed(folder: string): void {
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (!stat) return;
  if (!stat.isDirectory()) {
    throw new GradloomError('RUN_EXISTS', `${folder} is a file`, {
      hint: 'Give the name of a new folder.',
      path: folder,
    });
  }
  // A process killed at its very start leaves no more than this.
  const used = readdirSync(folder).filter((name) => name !== lockName && !isTemporary(name));
  if (used.length === 0) return;
  throw new GradloomError(
    'RUN_EXISTS',
    isRun(folder) ? `${folder} already holds a run` : `The folder ${folder} is not empty`,
    {
      hint: isRun(folder) ? 'Resume that run, or give a new folder.' : 'Give a new folder.',
      path: folder,
    },
  );
}

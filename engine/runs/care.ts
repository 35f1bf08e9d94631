/** What a person does to a run that is not live: another name, notes, the trash and back. */
import { cp, lstat, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { TrashedRun } from '../contract/api.ts';
import { GradloomError } from '../contract/errors.ts';
import { nameField } from '../contract/settings.ts';
import { makeFolders, reservedName, systemError, writeWhole } from '../files.ts';
import { runsDir, trashDir } from '../workspace.ts';
import { replaceJson } from './durable.ts';
import { findRun, isRun } from './folder.ts';
import { isLive } from './live.ts';
import { notesName } from './run-list.ts';
import { readSummary, summaryName } from './summary.ts';

const longestNotes = 100_000;
const originName = 'origin.json';
/** The name of a place in the trash: when it was made, as `trashRun` writes it, so that names sort by time. */
const stampedPlace = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-\d{3}Z-/;
/** Names that Windows keeps for itself: a run folder can be copied there. */

/** @throws GradloomError RUN_NOT_FOUND, RUN_LOCKED, RUN_EXISTS, BAD_CALL, NOT_WRITABLE */
export async function renameRun(run: string, name: string): Promise<string> {
  const folder = await findRun(run);
  if (name === path.basename(folder)) return folder;
  if (!nameField.safeParse(name).success || reservedName.test(name)) {
    throw new GradloomError('BAD_CALL', `${JSON.stringify(name)} is no name for a run`, {
      hint: 'Give 1 to 100 characters fit for a folder: no / \\ : * ? " < > |, no dot or space at its ends.',
    });
  }
  await refuseLive(folder, 'renamed');
  const target = path.join(path.dirname(folder), name);
  // Where letters' case does not count, the folder itself is what is there.
  const same = name.toLowerCase() === path.basename(folder).toLowerCase();
  if (!same && (await exists(target))) {
    throw new GradloomError('RUN_EXISTS', `There is already something called ${name} beside it`, {
      hint: 'Give another name.',
      path: target,
    });
  }
  try {
    await rename(folder, target);
  } catch (thrown) {
    throw systemError(thrown, target, 'write');
  }
  const summary = readSummary(target);
  if (summary) replaceJson(path.join(target, summaryName), { first_name: path.basename(folder), ...summary });
  return target;
}

/** @throws GradloomError RUN_NOT_FOUND, BAD_CALL, NOT_WRITABLE, DISK_FULL */
export async function writeNotes(run: string, notes: string): Promise<void> {
  const folder = await findRun(run);
  const file = path.join(folder, notesName);
  if (notes.length > longestNotes) {
    throw new GradloomError('BAD_CALL', `The notes are longer than ${longestNotes} characters`, {
      hint: 'Keep longer texts in a file of their own.',
    });
  }
  if (notes === '') await rm(file, { force: true });
  else await writeWhole(file, (handle) => handle.writeFile(notes));
}

/** Moves a run to the workspace's trash; answers where it lies there. @throws GradloomError RUN_NOT_FOUND, RUN_LOCKED, NOT_WRITABLE */
export async function trashRun(run: string, home?: string): Promise<string> {
  const folder = await findRun(run);
  await refuseLive(folder, 'deleted');
  const stamp = new Date().toISOString().replace(/[:.]/g, '-');
  const place = path.join(trashDir(home), `${stamp}-${crypto.randomUUID().slice(0, 4)}`);
  const target = path.join(place, path.basename(folder));
  try {
    await makeFolders(place);
    await writeWhole(path.join(place, originName), (file) => file.writeFile(JSON.stringify({ folder })));
    await move(folder, target);
  } catch (thrown) {
    await rm(path.join(place, originName), { force: true });
    throw systemError(thrown, target, 'write');
  }
  return target;
}

/** Back to where it was; where that is taken now, under the next free name. @throws GradloomError RUN_NOT_FOUND, NOT_WRITABLE */
export async function restoreRun(trashed: string, home?: string): Promise<string> {
  const place = path.dirname(trashed);
  if (path.dirname(place) !== trashDir(home) || !isRun(trashed)) {
    throw new GradloomError('RUN_NOT_FOUND', `There is no deleted run ${trashed}`, {
      hint: `Deleted runs lie in ${trashDir(home)}.`,
      path: trashed,
    });
  }
  const origin = await originOf(place);
  const parent = origin && (await exists(path.dirname(origin))) ? path.dirname(origin) : runsDir(home);
  const name = path.basename(trashed);
  try {
    await makeFolders(parent);
    for (let number = 1; ; number += 1) {
      const target = path.join(parent, number === 1 ? name : `${name} (${number})`);
      if (await exists(target)) continue;
      await move(trashed, target);
      await rm(place, { recursive: true, force: true });
      return target;
    }
  } catch (thrown) {
    throw systemError(thrown, parent, 'write');
  }
}

/** Deleted runs, the one deleted last first. */
export async function listTrash(home?: string): Promise<TrashedRun[]> {
  const trash = trashDir(home);
  const places = (await readdir(trash).catch(() => [])).sort().reverse();
  const runs = await Promise.all(
    places.map(async (place) => {
      const [, day, hour, minute, second] = stampedPlace.exec(place) ?? [];
      if (day === undefined) return [];
      const names = await readdir(path.join(trash, place)).catch(() => []);
      return names
        .map((name) => ({
          trashed: path.join(trash, place, name),
          name,
          deleted: `${day}T${hour}:${minute}:${second}Z`,
        }))
        .filter(({ trashed }) => isRun(trashed));
    }),
  );
  return runs.flat();
}

/** The run of that name that was deleted last. @throws GradloomError RUN_NOT_FOUND */
export async function findTrashed(nameOrPath: string, home?: string): Promise<string> {
  const given = path.resolve(nameOrPath);
  if (path.dirname(path.dirname(given)) === trashDir(home)) return given;
  const found = (await listTrash(home)).find(({ name }) => name === nameOrPath);
  if (found) return found.trashed;
  throw new GradloomError('RUN_NOT_FOUND', `No deleted run is called ${nameOrPath}`, {
    hint: `Deleted runs lie in ${trashDir(home)}.`,
  });
}

async function originOf(place: string): Promise<string | null> {
  try {
    const { folder } = JSON.parse(await readFile(path.join(place, originName), 'utf8')) as { folder?: unknown };
    return typeof folder === 'string' && path.isAbsolute(folder) ? folder : null;
  } catch {
    return null;
  }
}

async function refuseLive(folder: string, what: string): Promise<void> {
  if (!(await isLive(folder))) return;
  throw new GradloomError('RUN_LOCKED', `${path.basename(folder)} is being trained, so it cannot be ${what}`, {
    hint: 'Stop or park it first.',
    path: folder,
  });
}

async function exists(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}

/** Also from one disk to another. */
async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EXDEV') throw thrown;
    await cp(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true, errorOnExist: true });
    await rm(from, { recursive: true, force: true });
  }
}

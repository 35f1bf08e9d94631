/** Projects as files that several windows and other programs may change: each save names the revision that it started from. */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { OpenProject } from './contract/api.ts';
import { GradloomError } from './contract/errors.ts';
import { readProject } from './contract/project.ts';
import { makeFolders, systemError, writeWhole } from './files.ts';
import { Sleepers } from './sleepers.ts';

/** A larger file is no project. */
const mostBytes = 8 << 20;
/** How often a watched file is looked at; a look costs one question to the system. */
const watchMs = 700;

const projectExtension = '.gradloom.json';

export class ProjectFiles {
  /** Saves of one file follow one another. */
  readonly #saving = new Map<string, Promise<unknown>>();
  readonly #underWay = new Set<Promise<unknown>>();
  /** A save through this service wakes them at once. */
  readonly #watchers = new Sleepers();

  /** @throws GradloomError FILE_NOT_FOUND, NOT_READABLE, BAD_CALL, PROJECT_SYNTAX, PROJECT_NEWER */
  async open(file: string): Promise<OpenProject> {
    const bytes = await readBytes(file);
    if (!isUtf8(bytes)) {
      // Saved again, what could not be read would be lost.
      throw new GradloomError('PROJECT_SYNTAX', `${file} is no UTF-8 text`, {
        hint: 'Save it as UTF-8 in an editor, or choose a project file (*.gradloom.json).',
        path: file,
      });
    }
    const text = bytes.toString('utf8');
    inFile(file, () => readProject(text));
    return { file: path.resolve(file), text, revision: revisionOf(bytes) };
  }

  /**
   * Saves the whole text. A link stays, and what it leads to is replaced.
   * @throws GradloomError STALE_REVISION when the file has changed since `revision`, by another window or another program; PROJECT_SYNTAX
   */
  save(file: string, revision: string, text: string, { overwrite = false } = {}): Promise<OpenProject> {
    const saved = this.#save(file, revision, text, overwrite);
    this.#underWay.add(saved);
    const done = () => this.#underWay.delete(saved);
    saved.then(done, done);
    return saved;
  }

  async #save(file: string, revision: string, text: string, overwrite: boolean): Promise<OpenProject> {
    checkText(text);
    const target = await realpath(file).catch((thrown: NodeJS.ErrnoException) => {
      if (thrown.code === 'ENOENT' && overwrite) return path.resolve(file);
      throw thrown.code === 'ENOENT' ? gone(file) : systemError(thrown, file, 'write');
    });
    return this.#alone(target, async () => {
      const there = await readBytes(target).catch((thrown: unknown) => {
        if (GradloomError.from(thrown).code !== 'FILE_NOT_FOUND') throw thrown;
        return null;
      });
      if (!overwrite && there === null) throw gone(file);
      if (!overwrite && there !== null && revisionOf(there) !== revision) throw stale(file);
      const mode = (await stat(target).catch(() => null))?.mode;
      await writeWhole(target, async (handle) => {
        await handle.writeFile(text);
        if (mode !== undefined) await handle.chmod(mode & 0o7777);
      });
      this.#watchers.wake();
      return { file: path.resolve(file), text, revision: revisionOf(Buffer.from(text)) };
    });
  }

  /** A new file, never over another: `name.gradloom.json`, `name-2.gradloom.json`… */
  async saveNew(folder: string, name: string, text: (stem: string) => string): Promise<OpenProject> {
    try {
      await makeFolders(folder);
      return await this.#alone(folder, async () => {
        for (let number = 1; ; number += 1) {
          const stem = number === 1 ? name : `${name}-${number}`;
          const file = path.join(folder, `${stem}${projectExtension}`);
          if (await stat(file).catch(() => null)) continue;
          const whole = text(stem);
          checkText(whole);
          await writeWhole(file, (handle) => handle.writeFile(whole));
          return { file, text: whole, revision: revisionOf(Buffer.from(whole)) };
        }
      });
    } catch (thrown) {
      throw systemError(thrown, folder, 'write');
    }
  }

  /** Resolves with the file's revision once it is not `revision`, or unchanged after `patience` milliseconds; null: there is no such file. */
  async watch(file: string, revision: string, patience: number, signal?: AbortSignal): Promise<string | null> {
    const until = performance.now() + patience;
    let seen = '';
    for (;;) {
      const mark = await markOf(file);
      if (mark !== seen) {
        seen = mark;
        const now = await readBytes(file).then(revisionOf, () => null);
        if (now !== revision) return now;
      }
      const left = until - performance.now();
      if (left <= 0 || signal?.aborted) return revision;
      await this.#watchers.sleep(Math.min(watchMs, left), signal);
    }
  }

  /** Resolves when no save is under way. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }

  async #alone<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#saving.get(key) ?? Promise.resolve();
    const done = before.then(work);
    const settled = done.catch(() => {});
    this.#saving.set(key, settled);
    try {
      return await done;
    } finally {
      if (this.#saving.get(key) === settled) this.#saving.delete(key);
    }
  }
}

/** What a change changes: also a file that another has taken the place of. */
async function markOf(file: string): Promise<string> {
  const found = await stat(file, { bigint: true }).catch(() => null);
  return found ? [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join() : 'none';
}

async function readBytes(file: string): Promise<Buffer> {
  try {
    const found = await stat(file);
    // To read a pipe or a device may never end.
    if (!found.isFile() && !found.isDirectory()) {
      throw new GradloomError('NOT_READABLE', `${file} is no file`, {
        hint: 'Choose a project file (*.gradloom.json).',
        path: file,
      });
    }
    const { size } = found;
    if (size > mostBytes) {
      throw new GradloomError('BAD_CALL', `${file} is too large for a project: ${size} bytes`, {
        hint: 'Choose a project file (*.gradloom.json).',
        path: file,
      });
    }
    return await readFile(file);
  } catch (thrown) {
    throw systemError(thrown, file, 'read');
  }
}

function checkText(text: string): void {
  if (text.length > mostBytes) throw new GradloomError('BAD_CALL', 'The project is too large to be saved');
  readProject(text);
}

/** Errors about a text gain the file's name. */
function inFile<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    throw GradloomError.fromInfo({ ...GradloomError.from(thrown).toInfo(), path: file });
  }
}

function stale(file: string): GradloomError {
  return new GradloomError('STALE_REVISION', `${file} was changed since it was opened here`, {
    hint: 'Load it again, then repeat the change.',
    path: file,
  });
}

function gone(file: string): GradloomError {
  return new GradloomError('STALE_REVISION', `${file} is gone since it was opened here`, {
    hint: 'Save it again in its place, or as a copy.',
    path: file,
  });
}

function revisionOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}

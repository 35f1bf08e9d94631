/** Where a window may reach: everywhere, or only below some folders, links followed. */
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { GradloomError } from './contract/errors.ts';

export class Places {
  /** Files are picked below this folder; null: anywhere. */
  readonly root: string | null;
  readonly #allowed: readonly string[];

  /** `also`: folders that may be reached besides the root, such as the workspace. */
  constructor(root: string | null, also: readonly string[] = []) {
    this.root = root === null ? null : path.resolve(root);
    this.#allowed = this.root === null ? [] : [this.root, ...also.map((folder) => path.resolve(folder))];
  }

  /**
   * The absolute path, if it may be reached; what does not exist yet is judged by the folder that it would lie in.
   * @throws GradloomError BAD_CALL for one that is not absolute or has a NUL in it, NOT_READABLE outside of the root
   */
  async reach(given: string): Promise<string> {
    if (!path.isAbsolute(given) || given.includes('\0')) {
      throw new GradloomError('BAD_CALL', `${JSON.stringify(given)} is no absolute path`, {
        hint: 'Give the whole path, from the root of the disk.',
      });
    }
    const resolved = path.resolve(given);
    if (this.root === null) return resolved;
    const real = await followed(resolved);
    for (const folder of this.#allowed) if (isWithin(real, await followed(folder))) return resolved;
    throw new GradloomError('NOT_READABLE', `${resolved} lies outside of ${this.root}`, {
      hint: 'Choose a place below it, or start the shell with another --root.',
      path: resolved,
    });
  }
}

export function isWithin(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative === '' || !(relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative));
}

/** The path without links in it, as far as it exists. */
async function followed(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch {
    const above = path.dirname(file);
    return above === file ? file : path.join(await followed(above), path.basename(file));
  }
}

/** What the system says of a path that a source names, and what is told where there is nothing. */
import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { GradloomError } from '../contract/errors.ts';
import { systemError } from '../files.ts';

/** `wanted`: what the setting at `place` has to name. @throws GradloomError DATA_MISSING, NOT_READABLE */
export async function pathStatus(path: string, wanted: string, place = 'data.source.path'): Promise<Stats> {
  try {
    return await stat(path);
  } catch (thrown) {
    const error = systemError(thrown, path, 'read');
    if (error.code !== 'FILE_NOT_FOUND') throw error;
    throw new GradloomError('DATA_MISSING', `${path} does not exist.`, {
      hint: `Set ${place} to ${wanted}; it is taken relative to the project file.`,
      path,
      cause: thrown,
    });
  }
}

/** What every writer of files needs: the system's refusals in our words, and files that appear whole or not at all. */
import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type ErrorCode, GradloomError } from './contract/errors.ts';

const refusals: Record<string, { code: ErrorCode; what: string; hint: string }> = {
  ENOENT: { code: 'FILE_NOT_FOUND', what: 'does not exist', hint: 'Check the path.' },
  ENOTDIR: { code: 'FILE_NOT_FOUND', what: 'lies beneath something that is no folder', hint: 'Check the path.' },
  EEXIST: { code: 'NOT_WRITABLE', what: 'is in the way: something else has that name', hint: 'Choose another place.' },
  ENAMETOOLONG: { code: 'BAD_CALL', what: 'is a longer name than the system allows', hint: 'Choose a shorter one.' },
  EISDIR: { code: 'BAD_CALL', what: 'is a folder, a file was expected', hint: 'Give the path of a file.' },
  ENOSPC: { code: 'DISK_FULL', what: 'could not be written: the disk is full', hint: 'Free some space and try again.' },
  EDQUOT: {
    code: 'DISK_FULL',
    what: 'could not be written: your quota is used up',
    hint: 'Free some space and try again.',
  },
  EFBIG: {
    code: 'DISK_FULL',
    what: 'could not be written: it would be larger than this system allows',
    hint: 'Raise the limit on file sizes (ulimit -f) and try again.',
  },
  EROFS: { code: 'NOT_WRITABLE', what: 'lies on a read-only disk', hint: 'Choose another place.' },
};

/** A failed system call as a GradloomError that names the file; anything else is passed through `GradloomError.from`. */
export function systemError(thrown: unknown, path: string, doing: 'read' | 'write'): GradloomError {
  const system = (thrown as { code?: unknown } | null)?.code;
  if (thrown instanceof GradloomError || typeof system !== 'string') return GradloomError.from(thrown);
  if (system === 'ABORT_ERR') return new GradloomError('CANCELLED', 'Cancelled.', { path, cause: thrown });
  const refusal =
    system === 'EACCES' || system === 'EPERM'
      ? {
          code: doing === 'read' ? ('NOT_READABLE' as const) : ('NOT_WRITABLE' as const),
          what: doing === 'read' ? 'may not be read by you' : 'may not be written by you',
          hint: doing === 'read' ? 'Change its permissions.' : 'Change its permissions or choose another place.',
        }
      : refusals[system];
  if (!refusal) return GradloomError.from(thrown);
  return new GradloomError(refusal.code, `${path} ${refusal.what}.`, { hint: refusal.hint, path, cause: thrown });
}

/** A name beside `path` that nobody else uses. */
function temporaryName(path: string): string {
  return join(dirname(path), `.${basename(path)}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`);
}

/**
 * Lets `write` fill a file under a temporary name, flushes it to the disk and renames it to `path`; `check` may look at it before the
 * rename. On any error the temporary file is removed and what stood at `path` stays.
 */
export async function writeWhole<T>(
  path: string,
  write: (file: FileHandle, temporary: string) => Promise<void>,
  check?: (temporary: string) => Promise<T>,
): Promise<T | undefined> {
  const temporary = temporaryName(path);
  try {
    const file = await open(temporary, 'wx');
    try {
      await write(file, temporary);
      await file.sync();
    } finally {
      await file.close();
    }
    const checked = await check?.(temporary);
    await rename(temporary, path);
    return checked;
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw systemError(thrown, path, 'write');
  }
}

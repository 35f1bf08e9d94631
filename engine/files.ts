/** What every writer of files needs: the system's refusals in our words, and files that appear whole or not at all. */
import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type ErrorCode, GradloomError } from './contract/errors.ts';

/** Names that Windows keeps for itself: what we make can be copied there. */
export const reservedName = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

interface Refusal {
  code: ErrorCode;
  what: string;
  hint: string;
}

const refusals: Record<string, Refusal> = {
  ENOENT: { code: 'FILE_NOT_FOUND', what: 'does not exist', hint: 'Check the path.' },
  ENOTDIR: { code: 'FILE_NOT_FOUND', what: 'lies beneath something that is no folder', hint: 'Check the path.' },
  ELOOP: { code: 'FILE_NOT_FOUND', what: 'is a link that leads back to itself', hint: 'Check the path.' },
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

/** Of a file that is to be written it is no news that it does not exist. */
const refusalsOfWriting: Record<string, Refusal> = {
  ENOENT: {
    code: 'NOT_WRITABLE',
    what: 'cannot be made: its folder does not exist or takes no new files',
    hint: 'Choose another place.',
  },
  ENOTDIR: {
    code: 'NOT_WRITABLE',
    what: 'lies beneath something that is no folder',
    hint: 'Choose another place.',
  },
  ELOOP: { code: 'NOT_WRITABLE', what: 'is a link that leads back to itself', hint: 'Choose another place.' },
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
      : ((doing === 'write' ? refusalsOfWriting[system] : undefined) ?? refusals[system]);
  if (!refusal) return GradloomError.from(thrown);
  return new GradloomError(refusal.code, `${path} ${refusal.what}.`, { hint: refusal.hint, path, cause: thrown });
}

/** (`mkdir` with `recursive` never ends where the system answers ENOENT below a folder that exists, as in /proc.) */
export async function makeFolders(folder: string): Promise<void> {
  const exists = await stat(folder).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
  if (exists) return; // or is something that the first file in it will be refused for
  await makeFolders(dirname(folder));
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error; // somebody else was quicker
  });
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
    await rm(temporary, { force: true }).catch(() => {}); // what went wrong first is told
    throw systemError(thrown, path, 'write');
  }
}

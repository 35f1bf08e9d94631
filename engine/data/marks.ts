/** Marks of single samples in their file beside the data: read, and changed so that several windows lose nothing of each other's. */
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Mark, type MarkChange, type MarksFile, marksFileSchema, marksName } from '../contract/data/marks.ts';
import { GradloomError } from '../contract/errors.ts';
import type { ResolvedSource } from '../contract/project.ts';
import { pathsOf, sources } from '../contract/sources.ts';
import { systemError, writeWhole } from '../files.ts';

/** The marks of data at a path. @throws GradloomError FILE_NOT_FOUND, NOT_READABLE */
export async function marksFileAt(data: string): Promise<string> {
  const status = await stat(data).catch((thrown) => {
    throw systemError(thrown, data, 'read');
  });
  return status.isDirectory() ? path.join(data, marksName) : `${data}.${marksName}`;
}

/** Where a source's marks lie; null: it is made of no files, so that there is nothing beside which they could lie. */
export async function marksFileOf(source: ResolvedSource, baseDir: string): Promise<string | null> {
  const [first] = pathsOf(source);
  return first ? marksFileAt(path.resolve(baseDir, first.path)) : null;
}

/** The same, where marks are wanted. @throws GradloomError NOT_SUPPORTED */
export async function needMarksFile(source: ResolvedSource, baseDir: string): Promise<string> {
  const file = await marksFileOf(source, baseDir);
  if (file !== null) return file;
  const label = sources.get(source.kind)?.label ?? source.kind;
  throw new GradloomError(
    'NOT_SUPPORTED',
    `Samples of “${label}” are made anew from their settings and have no marks.`,
    {
      hint: 'Marks are for data that lie in files.',
      path: 'data.source',
    },
  );
}

/** [] where there is no file. @throws GradloomError DATA_FORMAT, NOT_READABLE */
export async function readMarks(file: string): Promise<Mark[]> {
  return parseMarks(await textOf(file), file);
}

export function marksText(marks: readonly Mark[]): string {
  const content: MarksFile = { gradloom_marks: 1, marks: [...marks] };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/**
 * Merges changes into the file, sample by sample, and answers all marks. Whoever else writes meanwhile loses nothing: what is in the file then
 * is read again. On an error the file is as it was.
 * @throws GradloomError DATA_FORMAT, NOT_READABLE, NOT_WRITABLE, DISK_FULL
 */
export async function changeMarks(file: string, changes: readonly MarkChange[]): Promise<Mark[]> {
  try {
    return await alone(file, async () => {
      const text = await textOf(file);
      const marks = merged(parseMarks(text, file), changes);
      const next = marksText(marks);
      if (next !== text && (text !== null || marks.length > 0)) await writeWhole(file, (to) => to.writeFile(next));
      return marks;
    });
  } catch (thrown) {
    throw hinted(thrown, file);
  }
}

/** Nobody takes that long to write a small file: whoever left a lock this old has died. */
const staleMs = 5_000;
const retryMs = 10;

/** While `work` runs, no other process changes the file: its lock is a file beside it that only one can make. */
async function alone<T>(file: string, work: () => Promise<T>): Promise<T> {
  const lock = path.join(path.dirname(file), `.${path.basename(file)}.lock`);
  for (;;) {
    const made = await writeFile(lock, '', { flag: 'wx' }).then(
      () => true,
      (thrown: { code?: string }) => {
        if (thrown.code === 'EEXIST') return false;
        throw thrown;
      },
    );
    if (made) break;
    const { mtimeMs } = (await stat(lock).catch(() => null)) ?? { mtimeMs: Date.now() };
    if (Date.now() - mtimeMs > staleMs) await rm(lock, { force: true });
    else await sleep(retryMs);
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

function hinted(thrown: unknown, file: string): GradloomError {
  const error = systemError(thrown, file, 'write');
  if (error.code !== 'NOT_WRITABLE') return error;
  return new GradloomError('NOT_WRITABLE', `The marks cannot be kept: ${error.message}`, {
    hint: `Marks lie beside the data, in ${path.basename(file)}. Make that folder writable, or work on a copy of the data.`,
    path: file,
    cause: error,
  });
}

async function textOf(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (thrown) {
    if ((thrown as { code?: string }).code === 'ENOENT') return null;
    throw systemError(thrown, file, 'read');
  }
}

function parseMarks(text: string | null, file: string): Mark[] {
  if (text === null) return [];
  let read: unknown;
  try {
    read = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (thrown) {
    throw new GradloomError('DATA_FORMAT', `${file} does not hold marks: it is not JSON.`, {
      hint: 'Correct it, or move it away to go on without marks.',
      path: file,
      cause: thrown,
    });
  }
  const parsed = marksFileSchema.safeParse(read);
  if (parsed.success) return parsed.data.marks;
  const [issue] = parsed.error.issues;
  const where = issue && issue.path.length > 0 ? ` (${issue.path.join('.')}: ${issue.message})` : '';
  throw new GradloomError('DATA_FORMAT', `${file} does not hold marks as this version writes them${where}.`, {
    hint: 'Correct it, or move it away to go on without marks.',
    path: file,
  });
}

const keyOf = ({ part, sample }: Pick<Mark, 'part' | 'sample'>) => `${part}\n${sample}`;

/** By part and name, so that equal marks are equal files. */
function merged(marks: readonly Mark[], changes: readonly MarkChange[]): Mark[] {
  const all = new Map(marks.map((mark) => [keyOf(mark), mark]));
  for (const { part, sample, mark } of changes) {
    const says = mark && (mark.exclude || mark.label !== undefined || (mark.note ?? '') !== '');
    if (says) all.set(keyOf({ part, sample }), { part, sample, ...mark });
    else all.delete(keyOf({ part, sample }));
  }
  return [...all].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, mark]) => mark);
}

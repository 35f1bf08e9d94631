/** One IDX file on the disk: its header, and its elements as a checked stream. */
import { open, stat } from 'node:fs/promises';
import { GradloomError } from '../../contract/errors.ts';
import { type ArrayFile, type Elements, widthOf } from '../arrays/array-file.ts';
import { readRowsAt } from '../arrays/row-reads.ts';
import { type ContentOptions, measureContent, readContent, readStart } from '../content.ts';
import { type IdxHeader, looksLikeIdx, maxHeaderBytes, parseIdxHeader } from './format.ts';

interface IdxFile extends IdxHeader {
  path: string;
  /** Of the file itself, packed or not. */
  fileBytes: number;
}

/** Reads the header. Throws DATA_MISSING, DATA_TRUNCATED, DATA_FORMAT. */
export async function openIdx(path: string): Promise<ArrayFile> {
  const header = parseIdxHeader(await readStart(path, maxHeaderBytes), path);
  const { size, mtimeMs } = await stat(path);
  const file: IdxFile = { ...header, path, fileBytes: size };
  const { type, dims, headerBytes, dataBytes } = header;
  const rowBytes = widthOf(header) * type.bytes;
  return {
    path,
    label: path,
    fileBytes: size,
    modified: mtimeMs,
    type,
    dims,
    check: () => checkLength(file),
    elements: (options) => readElements(file, options),
    ...(size === headerBytes + dataBytes
      ? { rowsAt: (positions) => readRowsAt(path, positions, rowBytes, headerBytes) }
      : {}),
  };
}

/** Whether the content begins like an IDX file's; a file that cannot be read does not. */
export async function isIdx(path: string): Promise<boolean> {
  try {
    return looksLikeIdx(await readStart(path, 4));
  } catch {
    return false;
  }
}

/**
 * Compares the size with the header as far as that is cheap: a plain file by its length, a gzip file by the length noted at its end.
 * One that disagrees is read through, so that the error can give the true figures.
 */
async function checkLength(file: IdxFile): Promise<void> {
  const expected = file.headerBytes + file.dataBytes;
  const handle = await open(file.path, 'r');
  try {
    const ends = Buffer.alloc(6);
    await handle.read(ends, 0, 2, 0);
    if (!(ends[0] === 0x1f && ends[1] === 0x8b)) {
      if (file.fileBytes !== expected) throw wrongLength(file, file.fileBytes);
      return;
    }
    await handle.read(ends, 2, 4, Math.max(0, file.fileBytes - 4));
    if (ends.readUInt32LE(2) === expected % 2 ** 32) return;
  } finally {
    await handle.close();
  }
  for await (const _ of readElements(file)); // throws what is wrong, or it was several gzip streams in a row
}

function wrongLength(file: IdxFile, found: number): GradloomError {
  const expected = file.headerBytes + file.dataBytes;
  const shape = `${file.dims.join(' × ')} elements of type ${file.type.name}`;
  return found < expected
    ? new GradloomError(
        'DATA_TRUNCATED',
        `${file.path} is cut short: expected ${expected} bytes for ${shape}, found ${found}.`,
        { hint: 'Fetch or copy the file again.', path: file.path },
      )
    : new GradloomError(
        'DATA_FORMAT',
        `${file.path} is too long: expected ${expected} bytes for ${shape}, found ${found}.`,
        { hint: 'The header does not describe this file; fetch or write it again.', path: file.path },
      );
}

/** The elements' bytes as they are in the file. Throws DATA_TRUNCATED or DATA_FORMAT unless there are exactly as many as the header says. */
async function* readElements(file: IdxFile, options: ContentOptions = {}): Elements {
  const total = file.headerBytes + file.dataBytes;
  let seen = 0;
  try {
    for await (const chunk of readContent(file.path, options)) {
      const start = Math.max(0, file.headerBytes - seen);
      seen += chunk.length;
      if (seen > total) throw wrongLength(file, await measureContent(file.path));
      if (start < chunk.length) yield chunk.subarray(start);
    }
  } catch (thrown) {
    if (!(thrown instanceof GradloomError) || thrown.code !== 'DATA_TRUNCATED') throw thrown;
    // What a gzip stream without an end still held is lost at its error; count it for the message.
    const found = await measureContent(file.path);
    throw found < total ? wrongLength(file, found) : thrown;
  }
  if (seen < total) throw wrongLength(file, seen);
}

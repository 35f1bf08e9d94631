/** One IDX file on the disk: its header, and its elements as a checked stream in the form a pack holds. */
import { open, stat } from 'node:fs/promises';
import { GradloomError } from '../../contract/errors.ts';
import { type ContentOptions, measureContent, readContent, readStart } from '../content.ts';
import { type IdxHeader, looksLikeIdx, maxHeaderBytes, parseIdxHeader, unsignedByte } from './format.ts';

export interface IdxFile extends IdxHeader {
  path: string;
  /** Of the file itself, packed or not. */
  fileBytes: number;
  modified: number;
}

/** Reads the header. Throws DATA_MISSING, DATA_TRUNCATED, DATA_FORMAT. */
export async function openIdx(path: string): Promise<IdxFile> {
  const header = parseIdxHeader(await readStart(path, maxHeaderBytes), path);
  const { size, mtimeMs } = await stat(path);
  return { ...header, path, fileBytes: size, modified: mtimeMs };
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
export async function checkLength(file: IdxFile): Promise<void> {
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
export async function* readElements(file: IdxFile, options: ContentOptions = {}): AsyncGenerator<Buffer, void, void> {
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

/** The elements as little-endian float32; unsigned bytes are scaled to 0–1. */
export function readFloats(file: IdxFile, options: ContentOptions = {}): AsyncGenerator<Buffer, void, void> {
  const scaled = file.type === unsignedByte;
  return convert(file, options, 4, (value, out, at) => {
    // Divided as a 32-bit float divides, so that a scaled target equals a scaled input bit for bit.
    out.writeFloatLE(scaled ? Math.fround(Math.fround(value) / Math.fround(255)) : value, at);
  });
}

/** The elements as little-endian float32, as they are. */
export function readPlainFloats(file: IdxFile, options: ContentOptions = {}): AsyncGenerator<Buffer, void, void> {
  return convert(file, options, 4, (value, out, at) => {
    out.writeFloatLE(value, at);
  });
}

/** The elements as little-endian int64 class indices. Throws LABEL_RANGE for a negative one, and names the sample. */
export function readIndices(file: IdxFile, options: ContentOptions = {}): AsyncGenerator<Buffer, void, void> {
  const width = file.dims.slice(1).reduce((product, dim) => product * dim, 1);
  return convert(file, options, 8, (value, out, at, index) => {
    if (value < 0) throw negativeLabel(file, value, Math.floor(index / width));
    out.writeUInt32LE(value, at);
    out.writeUInt32LE(0, at + 4);
  });
}

function negativeLabel(file: IdxFile, label: number, sample: number): GradloomError {
  return new GradloomError(
    'LABEL_RANGE',
    `${file.path} has the label ${label} at sample ${sample}; labels count from 0.`,
    {
      hint: 'Write the labels as 0 to classes − 1.',
      path: file.path,
    },
  );
}

async function* convert(
  file: IdxFile,
  options: ContentOptions,
  outBytes: number,
  put: (value: number, out: Buffer, at: number, index: number) => void,
): AsyncGenerator<Buffer, void, void> {
  const { bytes, read } = file.type;
  let rest: Buffer = Buffer.alloc(0);
  let index = 0;
  for await (const chunk of readElements(file, options)) {
    const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const count = Math.floor(data.length / bytes);
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    const out = Buffer.allocUnsafe(count * outBytes);
    for (let i = 0; i < count; i++) put(read(view, i * bytes), out, i * outBytes, index++);
    rest = Buffer.from(data.subarray(count * bytes)); // an element cut by the chunk's end, copied off the shared chunk
    if (out.length > 0) yield out;
  }
}

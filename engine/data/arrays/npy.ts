/** NumPy arrays in files of their own (`.npy`, gzipped or not) and in archives of them (`.npz`, stored or deflated). */
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Entry, openPromise } from 'yauzl';
import { GradloomError } from '../../contract/errors.ts';
import { systemError } from '../../files.ts';
import { type ContentOptions, isGzip, readContent } from '../content.ts';
import { type ArrayFile, type Elements, widthOf } from './array-file.ts';
import { fortranElements, fortranRows } from './fortran.ts';
import { type NpyHeader, npyHeaderBytes, npyStartBytes, parseNpyHeader } from './npy-format.ts';
import { readRowsAt } from './row-reads.ts';

/** Where an array's bytes come from. */
interface Stored {
  path: string;
  label: string;
  fileBytes: number;
  modified: number;
  /** Header and elements. */
  content(options: ContentOptions): AsyncIterable<Buffer>;
  /** Where the array begins in the file, if it lies there as it is. */
  plainAt: number | null;
  /** Bytes of the array, header included, where that is known without reading. */
  size: number | null;
}

/** A `.npy` file. @throws GradloomError FILE_NOT_FOUND, DATA_TRUNCATED, DATA_FORMAT, NOT_READABLE */
export async function openNpy(path: string): Promise<ArrayFile> {
  try {
    const { size: fileBytes, mtimeMs: modified } = await stat(path);
    const plain = !(await isGzip(path));
    const content = (options: ContentOptions) => readContent(path, options);
    const stored: Stored = {
      path,
      label: path,
      fileBytes,
      modified,
      content,
      plainAt: plain ? 0 : null,
      size: plain ? fileBytes : null,
    };
    return arrayOf(stored, await headerOf(stored));
  } catch (thrown) {
    throw systemError(thrown, path, 'read');
  }
}

/** The arrays of a `.npz` archive, by name. @throws GradloomError DATA_TRUNCATED, DATA_FORMAT, NOT_READABLE */
export async function openNpz(path: string): Promise<{ name: string; array: ArrayFile | GradloomError }[]> {
  const { size: fileBytes, mtimeMs: modified } = await stat(path);
  const entries = await withZip(path, async (zip) => {
    const found: { entry: Entry; plainAt: number | null }[] = [];
    for await (const entry of zip.eachEntry()) {
      if (!entry.fileName.endsWith('.npy')) continue;
      const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
      found.push({ entry, plainAt: entry.compressionMethod === 0 && !entry.isEncrypted() ? fileDataStart : null });
    }
    return found;
  });
  const arrays: { name: string; array: ArrayFile | GradloomError }[] = [];
  for (const { entry, plainAt } of entries) {
    const name = entry.fileName.slice(0, -4);
    const label = `${path}: ${name}`;
    const content = (options: ContentOptions) => readMember(path, entry, options);
    const stored: Stored = { path, label, fileBytes, modified, content, plainAt, size: entry.uncompressedSize };
    try {
      arrays.push({ name, array: arrayOf(stored, await headerOf(stored)) });
    } catch (thrown) {
      // Arrays that nobody asks for may be anything.
      if (!(thrown instanceof GradloomError) || thrown.code === 'NOT_READABLE') throw thrown;
      arrays.push({ name, array: thrown });
    }
  }
  return arrays;
}

async function withZip<T>(
  path: string,
  work: (zip: Awaited<ReturnType<typeof openPromise>>) => Promise<T>,
): Promise<T> {
  try {
    const zip = await openPromise(path, { autoClose: false });
    try {
      return await work(zip);
    } finally {
      zip.close();
    }
  } catch (thrown) {
    throw zipError(thrown, path);
  }
}

function zipError(thrown: unknown, path: string): GradloomError {
  const known = systemError(thrown, path, 'read');
  if (known.code !== 'INTERNAL') return known;
  return new GradloomError('DATA_FORMAT', `${path} is a damaged archive (${(thrown as Error).message}).`, {
    hint: 'Fetch or copy the file again.',
    path,
    cause: thrown,
  });
}

async function* readMember(path: string, entry: Entry, { signal, onRead }: ContentOptions): Elements {
  let zip: Awaited<ReturnType<typeof openPromise>> | undefined;
  let done = 0;
  try {
    zip = await openPromise(path, { autoClose: false });
    for await (const chunk of await zip.openReadStreamPromise(entry)) {
      signal?.throwIfAborted();
      done += chunk.length;
      onRead?.(Math.round((entry.compressedSize * done) / Math.max(1, entry.uncompressedSize)));
      yield chunk as Buffer;
    }
  } catch (thrown) {
    if (signal?.aborted)
      throw new GradloomError('CANCELLED', `Reading ${path} was cancelled.`, { path, cause: thrown });
    throw zipError(thrown, path);
  } finally {
    zip?.close();
  }
}

async function headerOf({ content, label, path }: Stored): Promise<NpyHeader> {
  const parts: Buffer[] = [];
  let found = 0;
  let wanted = npyStartBytes;
  for await (const chunk of content({ tolerant: true })) {
    parts.push(chunk);
    found += chunk.length;
    if (found < wanted) continue;
    wanted = npyHeaderBytes(Buffer.concat(parts), label, path);
    if (found >= wanted) break;
  }
  return parseNpyHeader(Buffer.concat(parts), label, path);
}

function arrayOf(stored: Stored, header: NpyHeader): ArrayFile {
  const { path, label, fileBytes, modified, plainAt, size } = stored;
  const { type, dims, fortran, headerBytes, dataBytes } = header;
  const rowBytes = widthOf(header) * type.bytes;
  const dataAt = plainAt === null ? null : plainAt + headerBytes;
  const check = async () => {
    if (size !== null && size !== headerBytes + dataBytes) throw wrongLength(stored, header, size);
  };
  return {
    path,
    label,
    fileBytes,
    modified,
    type,
    dims,
    check,
    elements: fortran
      ? (options) => readFortran(stored, header, options ?? {})
      : (options) => readElements(stored, header, options ?? {}),
    ...(dataAt === null
      ? {}
      : {
          rowsAt: fortran
            ? (positions) => fortranRows({ path, dataAt, dims, elementBytes: type.bytes }, positions)
            : (positions) => readRowsAt(path, positions, rowBytes, dataAt),
        }),
  };
}

function wrongLength({ path, label }: Stored, { type, dims, headerBytes, dataBytes }: NpyHeader, found: number) {
  const expected = headerBytes + dataBytes;
  const short = found < expected;
  return new GradloomError(
    short ? 'DATA_TRUNCATED' : 'DATA_FORMAT',
    `${label} is ${short ? 'cut short' : 'too long'}: expected ${expected} bytes for ${dims.join(' × ')} elements of type ${type.name}, found ${found}.`,
    { hint: 'Fetch or copy the file again.', path },
  );
}

async function* readElements(stored: Stored, header: NpyHeader, options: ContentOptions): Elements {
  const total = header.headerBytes + header.dataBytes;
  let seen = 0;
  for await (const chunk of stored.content(options)) {
    const start = Math.max(0, header.headerBytes - seen);
    seen += chunk.length;
    if (seen > total) throw wrongLength(stored, header, seen);
    if (start < chunk.length) yield chunk.subarray(start);
  }
  if (seen < total) throw wrongLength(stored, header, seen);
}

/** Of an array whose samples lie scattered: from where it lies, or from an unpacked copy in the system's temporary folder. */
async function* readFortran(stored: Stored, header: NpyHeader, options: ContentOptions): Elements {
  const { path, plainAt } = stored;
  const { type, dims, headerBytes } = header;
  const place = { dims, elementBytes: type.bytes };
  if (plainAt !== null) {
    if (stored.size !== null && stored.size < headerBytes + header.dataBytes) {
      throw wrongLength(stored, header, stored.size);
    }
    yield* fortranElements({ ...place, path, dataAt: plainAt + headerBytes }, options);
    return;
  }
  const copy = join(tmpdir(), `gradloom-array-${process.pid}-${randomBytes(6).toString('hex')}`);
  try {
    await pipeline(readElements(stored, header, options), createWriteStream(copy, { flags: 'wx', mode: 0o600 }));
    yield* fortranElements({ ...place, path: copy, dataAt: 0 }, { signal: options.signal });
  } catch (thrown) {
    throw systemError(thrown, copy, 'write');
  } finally {
    await rm(copy, { force: true });
  }
}

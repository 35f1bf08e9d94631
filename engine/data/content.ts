/** A file's content as a stream of chunks, gunzipped where the first bytes say so: memory stays bounded whatever the size. */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { constants, createGunzip } from 'node:zlib';
import { GradloomError } from '../contract/errors.ts';
import { systemError } from '../files.ts';

const chunkBytes = 256 * 1024;

export interface ContentOptions {
  signal?: AbortSignal | undefined;
  /** Called with the bytes of the file itself read so far. */
  onRead?: ((bytes: number) => void) | undefined;
  /** Deliver what a gzip file cut short still holds, instead of failing at its end. */
  tolerant?: boolean;
}

/** Whether the file's own first bytes are gzip's. */
export async function isGzip(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
  } finally {
    await file.close();
  }
}

/**
 * Yields the content of `path`. Throws DATA_MISSING, NOT_READABLE, CANCELLED; DATA_TRUNCATED for a gzip file cut short and DATA_FORMAT for
 * a damaged one.
 */
export async function* readContent(path: string, options: ContentOptions = {}): AsyncGenerator<Buffer, void, void> {
  const { signal, onRead, tolerant } = options;
  try {
    const zipped = await isGzip(path);
    const raw = createReadStream(path, { highWaterMark: chunkBytes, ...(signal ? { signal } : {}) });
    const content = zipped
      ? pipeline(
          raw,
          createGunzip({ chunkSize: chunkBytes, ...(tolerant ? { finishFlush: constants.Z_SYNC_FLUSH } : {}) }),
          () => {}, // the error reaches the loop below through the last stream
        )
      : raw;
    for await (const chunk of content) {
      signal?.throwIfAborted();
      onRead?.(raw.bytesRead);
      yield chunk as Buffer;
    }
  } catch (thrown) {
    throw contentError(thrown, path, signal);
  }
}

function contentError(thrown: unknown, path: string, signal: AbortSignal | undefined): GradloomError {
  if (thrown instanceof GradloomError) return thrown;
  if (signal?.aborted) return new GradloomError('CANCELLED', `Reading ${path} was cancelled.`, { path, cause: thrown });
  const code = (thrown as { code?: unknown }).code;
  if (code === 'Z_BUF_ERROR') {
    return new GradloomError('DATA_TRUNCATED', `${path} is cut short: its gzip stream has no end.`, {
      hint: 'Fetch or copy the file again.',
      path,
      cause: thrown,
    });
  }
  if (typeof code === 'string' && code.startsWith('Z_')) {
    return new GradloomError('DATA_FORMAT', `${path} is a damaged gzip file (${(thrown as Error).message}).`, {
      hint: 'Fetch or copy the file again.',
      path,
      cause: thrown,
    });
  }
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new GradloomError('DATA_MISSING', `${path} does not exist.`, {
      hint: 'Check data.source.path; it is taken relative to the project file.',
      path,
      cause: thrown,
    });
  }
  return systemError(thrown, path, 'read');
}

/** The first `count` bytes of the content, fewer if it is shorter; tolerant of what follows. */
export async function readStart(path: string, count: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let found = 0;
  for await (const chunk of readContent(path, { tolerant: true })) {
    parts.push(chunk);
    found += chunk.length;
    if (found >= count) break;
  }
  return Buffer.concat(parts).subarray(0, count);
}

/** How many bytes the content has, as far as they can be read. */
export async function measureContent(path: string): Promise<number> {
  let found = 0;
  try {
    for await (const chunk of readContent(path, { tolerant: true })) found += chunk.length;
  } catch (thrown) {
    if ((thrown as GradloomError).code !== 'DATA_FORMAT') throw thrown;
  }
  return found;
}

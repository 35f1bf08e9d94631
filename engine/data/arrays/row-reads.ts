/** Single samples of an array: read where they lie, or picked from a stream. */
import { type FileHandle, open } from 'node:fs/promises';
import { GradloomError } from '../../contract/errors.ts';
import { systemError } from '../../files.ts';
import type { Kept, Rows } from '../rows.ts';
import { type ArrayFile, bytesOf, collect, readIndices, unsignedByte, widthOf } from './array-file.ts';

export function readRowsAt(
  path: string,
  positions: readonly number[],
  rowBytes: number,
  headerBytes: number,
): Promise<Buffer[]> {
  return withFile(path, async (file) => {
    const rows: Buffer[] = [];
    for (const at of positions) rows.push(await readExactly(file, rowBytes, headerBytes + at * rowBytes, path));
    return rows;
  });
}

export async function withFile<T>(path: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, 'r').catch((thrown: unknown) => {
    throw systemError(thrown, path, 'read');
  });
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}

export async function readExactly(file: FileHandle, bytes: number, at: number, path: string): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(bytes), 0, bytes, at);
  if (bytesRead === bytes) return buffer;
  throw new GradloomError('DATA_TRUNCATED', `${path} ends after ${at + bytesRead} bytes, in the middle of a sample.`, {
    hint: 'Fetch or copy the file again.',
    path,
  });
}

/** Samples of a pair of arrays as a person looks at them. */
export function arrayRows(
  { input, target }: { input: ArrayFile; target: ArrayFile },
  isClass: boolean,
  keep: Kept,
): Rows {
  const count = input.dims[0] ?? 0;
  const width = widthOf(input);
  const { bytes, read } = input.type;
  const rowBytes = width * bytes;
  const scaled = input.type === unsignedByte;

  const decode = (row: Uint8Array): Float32Array => {
    const view = new DataView(row.buffer, row.byteOffset, row.byteLength);
    // Divided as a 32-bit float divides, as everywhere else in the engine.
    return Float32Array.from({ length: width }, (_, i) => {
      const value = read(view, i * bytes);
      return scaled ? Math.fround(value) / Math.fround(255) : value;
    });
  };

  /** Of use to whoever asks next, so it goes on when the one who asked first waits no longer. */
  const whole = (): Promise<Buffer> => {
    const key = JSON.stringify([input.label, input.dims, input.fileBytes, input.modified]);
    if (keep.unpacked?.key === key) return keep.unpacked.bytes;
    const found = collect(input.elements(), bytesOf(input));
    keep.unpacked = { key, bytes: found };
    found.catch(() => {
      if (keep.unpacked?.bytes === found) keep.unpacked = null;
    });
    return found;
  };

  return {
    async inputs(positions, signal) {
      if (input.rowsAt) return (await input.rowsAt(positions)).map(decode);
      if (bytesOf(input) <= keep.mostBytes) {
        const all = await whole();
        signal?.throwIfAborted();
        return positions.map((at) => decode(all.subarray(at * rowBytes, (at + 1) * rowBytes)));
      }
      return pick(input.elements({ signal }), positions, rowBytes, decode);
    },
    async labels(signal) {
      if (!isClass) return null;
      const labels = new Uint32Array(count);
      let at = 0;
      for await (const chunk of readIndices(target, { signal })) {
        for (let i = 0; i < chunk.length; i += 8) labels[at++] = chunk.readUInt32LE(i);
      }
      return labels;
    },
  };
}

/** Rows of a stream, which is left after the last one. `positions` rise. */
async function pick(
  chunks: AsyncIterable<Buffer>,
  positions: readonly number[],
  rowBytes: number,
  decode: (row: Uint8Array) => Float32Array,
): Promise<Float32Array[]> {
  const rows = positions.map(() => Buffer.alloc(rowBytes));
  let start = 0;
  let next = 0;
  for await (const chunk of chunks) {
    const end = start + chunk.length;
    for (let i = next; i < positions.length && (positions[i] as number) * rowBytes < end; i += 1) {
      const from = (positions[i] as number) * rowBytes;
      chunk.copy(rows[i] as Buffer, Math.max(0, start - from), Math.max(0, from - start), from + rowBytes - start);
      if (from + rowBytes <= end) next = i + 1;
    }
    start = end;
    if (next === positions.length) break;
  }
  return rows.map(decode);
}

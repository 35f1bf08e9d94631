/** Single samples of a source, without packing it: what a person looks at before anything is trained. */
import { open } from 'node:fs/promises';
import type { NativeColumn } from '../contract/native.ts';
import { type IdxFile, readElements, readIndices } from './idx/file.ts';
import { unsignedByte } from './idx/format.ts';

export interface Rows {
  /** Samples as floats, as the network gets them before any transform. */
  inputs(positions: readonly number[], signal?: AbortSignal): Promise<Float32Array[]>;
  /** The class of each sample of the part; null where targets are vectors. */
  labels(signal?: AbortSignal): Promise<Uint32Array | null>;
}

/** What was unpacked last. */
export interface Kept {
  /** A packed file up to this size is unpacked once and kept; of a larger one everything before the wanted samples is read each time. */
  readonly mostBytes: number;
  unpacked: { key: string; bytes: Promise<Buffer> } | null;
}

/** Rows of IDX files. */
export function idxRows({ input, target }: { input: IdxFile; target: IdxFile }, isClass: boolean, keep: Kept): Rows {
  const count = input.dims[0] ?? 0;
  const width = input.dims.slice(1).reduce((product, dim) => product * dim, 1);
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
    const key = JSON.stringify([input.path, input.fileBytes, input.modified]);
    if (keep.unpacked?.key === key) return keep.unpacked.bytes;
    const found = collect(readElements(input), input.dataBytes);
    keep.unpacked = { key, bytes: found };
    found.catch(() => {
      if (keep.unpacked?.bytes === found) keep.unpacked = null;
    });
    return found;
  };

  return {
    async inputs(positions, signal) {
      if (input.fileBytes === input.headerBytes + input.dataBytes) {
        return readAt(input.path, positions, rowBytes, input.headerBytes, decode);
      }
      if (input.dataBytes <= keep.mostBytes) {
        const all = await whole();
        signal?.throwIfAborted();
        return positions.map((at) => decode(all.subarray(at * rowBytes, (at + 1) * rowBytes)));
      }
      return pick(readElements(input, { signal }), positions, rowBytes, decode);
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

/** Rows of a pack's columns. */
export function packRows(input: NativeColumn, target: NativeColumn, count: number): Rows {
  const width = input.shape.reduce((product, dim) => product * dim, 1);
  const tokens = input.dtype === 'int64';
  const decode = (row: Uint8Array) => {
    const own = row.slice().buffer;
    return tokens ? Float32Array.from(new BigInt64Array(own, 0, width), Number) : new Float32Array(own, 0, width);
  };
  return {
    inputs: (positions) => readAt(input.path, positions, (tokens ? 8 : 4) * width, 0, decode),
    async labels() {
      if (target.dtype !== 'int64' || target.shape.length > 0) return null;
      const labels = new Uint32Array(count);
      const file = await open(target.path, 'r');
      try {
        const { buffer } = await file.read(Buffer.alloc(8 * count), 0, 8 * count, 0);
        for (let i = 0; i < count; i += 1) labels[i] = buffer.readUInt32LE(8 * i);
      } finally {
        await file.close();
      }
      return labels;
    },
  };
}

async function readAt(
  path: string,
  positions: readonly number[],
  rowBytes: number,
  headerBytes: number,
  decode: (row: Uint8Array) => Float32Array,
): Promise<Float32Array[]> {
  const file = await open(path, 'r');
  try {
    const rows: Float32Array[] = [];
    for (const at of positions) {
      const { buffer } = await file.read(Buffer.alloc(rowBytes), 0, rowBytes, headerBytes + at * rowBytes);
      rows.push(decode(buffer));
    }
    return rows;
  } finally {
    await file.close();
  }
}

async function collect(chunks: AsyncIterable<Buffer>, bytes: number): Promise<Buffer> {
  const all = Buffer.alloc(bytes);
  let at = 0;
  for await (const chunk of chunks) {
    at += chunk.copy(all, at);
  }
  return all;
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

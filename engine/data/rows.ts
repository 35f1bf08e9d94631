/** Single samples of a source, without packing it: what a person looks at before anything is trained. */
import { open } from 'node:fs/promises';
import type { NativeColumn } from '../contract/native.ts';

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

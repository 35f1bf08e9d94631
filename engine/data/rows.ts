/** Single samples of a source, without packing it: what a person looks at before anything is trained. */
import { open } from 'node:fs/promises';
import type { NativeColumn } from '../contract/native.ts';
import { rowBytes } from './pack-file.ts';

export interface Rows {
  /** Samples as floats, as the network gets them before any transform. */
  inputs(positions: readonly number[], signal?: AbortSignal): Promise<Float32Array[]>;
  /** The class of each sample of the part; null where targets are vectors. */
  labels(signal?: AbortSignal): Promise<Uint32Array | null>;
  /** What the network is to answer to each, where that is no single class: numbers, labels, a class at each position. */
  goals?(positions: readonly number[], signal?: AbortSignal): Promise<Float32Array[]>;
}

/** What was unpacked last. */
export interface Kept {
  /** A packed file up to this size is unpacked once and kept; of a larger one everything before the wanted samples is read each time. */
  readonly mostBytes: number;
  unpacked: { key: string; bytes: Promise<Buffer> } | null;
}

/** Rows of a pack's columns. */
export function packRows(input: NativeColumn, target: NativeColumn, count: number): Rows {
  const isClass = target.dtype === 'int64' && target.shape.length === 0;
  return {
    inputs: (positions) => readColumn(input, positions),
    ...(isClass ? {} : { goals: (positions: readonly number[]) => readColumn(target, positions) }),
    async labels() {
      if (!isClass) return null;
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

/** Samples of a pack's column as floats. */
async function readColumn(column: NativeColumn, positions: readonly number[]): Promise<Float32Array[]> {
  const { dtype, shape, scaled } = column;
  const bytes = rowBytes(column);
  const width = shape.reduce((product, dim) => product * dim, 1);
  const decode = (row: Uint8Array): Float32Array => {
    const own = row.slice().buffer;
    if (dtype === 'float32') return new Float32Array(own, 0, width);
    if (dtype === 'int64') return Float32Array.from(new BigInt64Array(own, 0, width), Number);
    const values = dtype === 'uint8' ? new Uint8Array(own, 0, width) : new Uint16Array(own, 0, width);
    const most = Math.fround(dtype === 'uint8' ? 255 : 65_535);
    // Divided as a 32-bit float divides, as everywhere else in the engine.
    return Float32Array.from(values, (value) => (scaled ? Math.fround(value) / most : value));
  };
  const file = await open(column.path, 'r');
  try {
    const rows: Float32Array[] = [];
    for (const at of positions) {
      const { buffer } = await file.read(Buffer.alloc(bytes), 0, bytes, at * bytes);
      rows.push(decode(buffer));
    }
    return rows;
  } finally {
    await file.close();
  }
}

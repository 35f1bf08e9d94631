/** Makes IDX files for tests. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';

const writers = {
  8: { bytes: 1, put: (view: DataView, at: number, value: number) => view.setUint8(at, value) },
  9: { bytes: 1, put: (view: DataView, at: number, value: number) => view.setInt8(at, value) },
  11: { bytes: 2, put: (view: DataView, at: number, value: number) => view.setInt16(at, value) },
  12: { bytes: 4, put: (view: DataView, at: number, value: number) => view.setInt32(at, value) },
  13: { bytes: 4, put: (view: DataView, at: number, value: number) => view.setFloat32(at, value) },
  14: { bytes: 8, put: (view: DataView, at: number, value: number) => view.setFloat64(at, value) },
};
export type IdxCode = keyof typeof writers;

export function idxBytes(dims: number[], values: ArrayLike<number>, code: IdxCode = 8): Buffer {
  const { bytes, put } = writers[code];
  const file = Buffer.alloc(4 + 4 * dims.length + values.length * bytes);
  file[2] = code;
  file[3] = dims.length;
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  for (const [axis, dim] of dims.entries()) view.setUint32(4 + 4 * axis, dim);
  for (let i = 0; i < values.length; i++) put(view, 4 + 4 * dims.length + i * bytes, values[i] as number);
  return file;
}

/** `n` samples whose values count upwards, modulo 256. */
export function counting(dims: number[]): number[] {
  return Array.from({ length: dims.reduce((product, dim) => product * dim, 1) }, (_, i) => i % 256);
}

/** A folder that goes when the test ends. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gradloom-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A folder with these files; a name that ends in `.gz` is gzipped. */
export function folderOf(files: Record<string, Buffer>): string {
  const folder = testFolder();
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), name.endsWith('.gz') ? gzipSync(content) : content);
  }
  return folder;
}

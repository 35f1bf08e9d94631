/** Reads a pack from its first sample to its last, in pieces of bounded size. */
import { type FileHandle, open } from 'node:fs/promises';
import { GradloomError } from '../../contract/errors.ts';
import type { NativeColumn } from '../../contract/native.ts';
import { systemError } from '../../files.ts';
import { rowBytes } from '../pack-file.ts';
import type { Patient, ReadRow, Row } from './check.ts';

const chunkBytes = 4 << 20;

export interface ScanOptions {
  signal: AbortSignal;
  onProgress(done: number, total: number): void;
}

/** Calls `see` with every sample that takes part, part by part. @throws GradloomError CANCELLED, NOT_READABLE, DATA_TRUNCATED */
export async function scan(
  { pack, parts }: Patient,
  see: (row: Row) => void,
  { signal, onProgress }: ScanOptions,
): Promise<void> {
  const total = parts.reduce((sum, { count }) => sum + count, 0);
  let before = 0;
  for (const part of parts) {
    const columns = pack.parts[part.name];
    if (!columns) continue;
    const input = await Column.open(columns.input);
    const target = await Column.open(columns.target).catch(async (thrown) => {
      await input.close();
      throw thrown;
    });
    try {
      const rows = Math.max(1, Math.floor(chunkBytes / Math.max(1, input.bytes + target.bytes)));
      for (let first = 0; first < part.count; first += rows) {
        if (signal.aborted) throw new GradloomError('CANCELLED', 'The Data Doctor was cancelled.');
        const count = Math.min(rows, part.count - first);
        await Promise.all([input.load(first, count), target.load(first, count)]);
        for (let i = 0; i < count; i++) {
          const splits = part.splits[first + i] as number;
          if (splits === 0) continue;
          input.stand(i);
          target.stand(i);
          see({
            part,
            index: first + i,
            splits,
            input: input.row,
            target: target.row,
            values: input.values,
            targetValues: target.values,
          });
        }
        onProgress(before + first + count, total);
      }
    } finally {
      await Promise.all([input.close(), target.close()]);
    }
    before += part.count;
  }
}

/** Answers single inputs again. Close it when the checks are done. */
export function readAgain({ pack }: Patient): { read: ReadRow; close(): Promise<void> } {
  const open = new Map<string, Promise<Column>>();
  return {
    async read({ name }, index) {
      const columns = pack.parts[name];
      if (!columns) throw new GradloomError('INTERNAL', `The pack has no part ${name}`);
      const found = open.get(name) ?? Column.open(columns.input);
      open.set(name, found);
      const column = await found;
      await column.load(index, 1);
      column.stand(0);
      return column.values().slice();
    },
    async close() {
      for (const column of open.values()) await column.then((each) => each.close()).catch(() => {});
    },
  };
}

const empty = new Uint8Array(0);

/** One column's rows; what `row` and `values` answer is overwritten by the next `load` or `stand`. */
class Column {
  readonly bytes: number;
  row: Uint8Array = empty;
  readonly #column: NativeColumn;
  readonly #file: FileHandle;
  #chunk: Buffer = Buffer.alloc(0);
  #values: Float32Array;
  #fresh = false;

  private constructor(column: NativeColumn, file: FileHandle) {
    this.#column = column;
    this.#file = file;
    this.bytes = rowBytes(column);
    this.#values = new Float32Array(column.shape.reduce((product, dim) => product * dim, 1));
  }

  static async open(column: NativeColumn): Promise<Column> {
    try {
      return new Column(column, await open(column.path, 'r'));
    } catch (thrown) {
      throw systemError(thrown, column.path, 'read');
    }
  }

  async load(first: number, count: number): Promise<void> {
    const wanted = count * this.bytes;
    // A buffer of its own begins at a multiple of 8, so that rows of floats can be looked at where they lie.
    if (this.#chunk.length < wanted) this.#chunk = Buffer.from(new ArrayBuffer(wanted));
    for (let at = 0; at < wanted; ) {
      const { bytesRead } = await this.#file.read(this.#chunk, at, wanted - at, first * this.bytes + at);
      if (bytesRead === 0) {
        throw new GradloomError('DATA_TRUNCATED', `${this.#column.path} ends too early.`, {
          hint: 'Import the data again.',
          path: this.#column.path,
        });
      }
      at += bytesRead;
    }
  }

  stand(place: number): void {
    this.row = this.#chunk.subarray(place * this.bytes, (place + 1) * this.bytes);
    this.#fresh = false;
  }

  readonly values = (): Float32Array => {
    if (!this.#fresh) decode(this.row, this.#column, this.#values);
    this.#fresh = true;
    return this.#values;
  };

  close(): Promise<void> {
    return this.#file.close();
  }
}

/** A byte b as b / 255. */
const shares = Float32Array.from({ length: 256 }, (_, byte) => byte / 255);

function decode(row: Uint8Array, { dtype, scaled }: NativeColumn, into: Float32Array): void {
  const count = into.length;
  const { buffer, byteOffset } = row;
  switch (dtype) {
    case 'uint8':
      if (scaled) for (let i = 0; i < count; i++) into[i] = shares[row[i] as number] as number;
      else into.set(row);
      return;
    case 'uint16': {
      const words = new Uint16Array(buffer, byteOffset, count);
      for (let i = 0; i < count; i++) into[i] = scaled ? (words[i] as number) / 65_535 : (words[i] as number);
      return;
    }
    case 'float32':
      into.set(new Float32Array(buffer, byteOffset, count));
      return;
    case 'int64': {
      const words = new Int32Array(buffer, byteOffset, count * 2);
      for (let i = 0; i < count; i++)
        into[i] = (words[2 * i + 1] as number) * 0x1_0000_0000 + ((words[2 * i] as number) >>> 0);
      return;
    }
  }
}

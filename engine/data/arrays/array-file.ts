/** An array on the disk, samples first, whatever format holds it; and its elements as streams in the forms that a pack holds. */
import { GradloomError } from '../../contract/errors.ts';
import type { ContentOptions } from '../content.ts';

export interface ElementType {
  name: string;
  bytes: number;
  /** Whole numbers can be class labels. */
  whole: boolean;
  read(view: DataView, offset: number): number;
}

/** The element type of which a source scales values to 0–1. */
export const unsignedByte: ElementType = {
  name: 'unsigned byte',
  bytes: 1,
  whole: true,
  read: (view, at) => view.getUint8(at),
};

export type Elements = AsyncGenerator<Buffer, void, void>;

export interface ArrayFile {
  path: string;
  /** As messages call it: the path, or the archive and the array in it. */
  label: string;
  /** Of the file itself, packed or not. */
  fileBytes: number;
  modified: number;
  type: ElementType;
  /** Samples first. */
  dims: number[];
  /** How many classes there are at least, where the array itself says so. */
  classes?: number;
  /** Compares the size with the header as far as that is cheap. Throws DATA_TRUNCATED, DATA_FORMAT. */
  check(): Promise<void>;
  /** The elements' bytes, the last dim fastest. Throws DATA_TRUNCATED or DATA_FORMAT unless there are exactly as many as the header says. */
  elements(options?: ContentOptions): Elements;
  /** The bytes of single samples, without reading those before them; absent where the file is packed. */
  rowsAt?(positions: readonly number[]): Promise<Buffer[]>;
}

/** Elements of one sample. */
export function widthOf({ dims }: Pick<ArrayFile, 'dims'>): number {
  return dims.slice(1).reduce((product, dim) => product * dim, 1);
}

export function bytesOf({ dims, type }: Pick<ArrayFile, 'dims' | 'type'>): number {
  return dims.reduce((product, dim) => product * dim, type.bytes);
}

/** The elements as little-endian float32; unsigned bytes are scaled to 0–1. */
export function readFloats(file: ArrayFile, options: ContentOptions = {}): Elements {
  const scaled = file.type === unsignedByte;
  return convert(file, options, 4, (value, out, at) => {
    // Divided as a 32-bit float divides, so that a scaled target equals a scaled input bit for bit.
    out.setFloat32(at, scaled ? Math.fround(value) / Math.fround(255) : value, true);
  });
}

/** The elements as little-endian float32, as they are. */
export function readPlainFloats(file: ArrayFile, options: ContentOptions = {}): Elements {
  return convert(file, options, 4, (value, out, at) => {
    out.setFloat32(at, value, true);
  });
}

/** The elements as little-endian int64 class indices. Throws LABEL_RANGE for a negative one, and names the sample. */
export function readIndices(file: ArrayFile, options: ContentOptions = {}): Elements {
  const width = widthOf(file);
  return convert(file, options, 8, (value, out, at, index) => {
    if (!(value >= 0 && value <= largestLabel)) throw wrongLabel(file, value, Math.floor(index / width));
    out.setUint32(at, value, true);
    out.setUint32(at + 4, 0, true);
  });
}

const largestLabel = 2 ** 31 - 1;

function wrongLabel(file: ArrayFile, label: number, sample: number): GradloomError {
  const rule = label < 0 ? 'labels count from 0' : `labels end at ${largestLabel}`;
  return new GradloomError('LABEL_RANGE', `${file.label} has the label ${label} at sample ${sample}; ${rule}.`, {
    hint: 'Write the labels as 0 to classes − 1.',
    path: file.path,
  });
}

export async function* convert(
  file: ArrayFile,
  options: ContentOptions,
  outBytes: number,
  put: (value: number, out: DataView, at: number, index: number) => void,
): Elements {
  const { bytes, read } = file.type;
  let index = 0;
  for await (const data of wholePieces(file.elements(options), bytes)) {
    const count = data.length / bytes;
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    const out = Buffer.allocUnsafe(count * outBytes);
    const target = new DataView(out.buffer, out.byteOffset, out.byteLength);
    for (let i = 0; i < count; i++) put(read(view, i * bytes), target, i * outBytes, index++);
    yield out;
  }
}

/** The same bytes in chunks of whole pieces of `bytes`, as many at a time as come; what is left over at the end is dropped. */
export async function* wholePieces(chunks: AsyncIterable<Buffer>, bytes: number): Elements {
  let parts: Buffer[] = [];
  let held = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    held += chunk.length;
    if (held < bytes) continue;
    const data = parts.length === 1 ? chunk : Buffer.concat(parts);
    const whole = held - (held % bytes);
    yield data.subarray(0, whole);
    held -= whole;
    parts = held > 0 ? [Buffer.from(data.subarray(whole))] : []; // copied off the shared chunk
  }
}

/** All bytes of a stream of so many. */
export async function collect(chunks: AsyncIterable<Buffer>, bytes: number): Promise<Buffer> {
  const all = Buffer.alloc(bytes);
  let at = 0;
  for await (const chunk of chunks) at += chunk.copy(all, at);
  return all;
}

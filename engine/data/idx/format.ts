/** The IDX file format: two zero bytes, an element type, the number of dimensions, the dimensions, then the elements, all big-endian. */
import { GradloomError } from '../../contract/errors.ts';
import { type ElementType, unsignedByte } from '../arrays/array-file.ts';

const types: Record<number, ElementType> = {
  8: unsignedByte,
  9: { name: 'signed byte', bytes: 1, whole: true, read: (view, at) => view.getInt8(at) },
  11: { name: 'short', bytes: 2, whole: true, read: (view, at) => view.getInt16(at) },
  12: { name: 'int', bytes: 4, whole: true, read: (view, at) => view.getInt32(at) },
  13: { name: 'float', bytes: 4, whole: false, read: (view, at) => view.getFloat32(at) },
  14: { name: 'double', bytes: 8, whole: false, read: (view, at) => view.getFloat64(at) },
};

/** More dimensions than any data has; a larger number means that the file is something else. */
const maxRank = 16;
/** The longest header there can be. */
export const maxHeaderBytes = 4 + 4 * maxRank;

export interface IdxHeader {
  type: ElementType;
  /** Samples first. */
  dims: number[];
  headerBytes: number;
  /** Bytes of all elements. */
  dataBytes: number;
}

/** Whether the first bytes can only be an IDX file's. */
export function looksLikeIdx(start: Uint8Array): boolean {
  return (
    start.length >= 4 && start[0] === 0 && start[1] === 0 && !!types[start[2] as number] && inRank(start[3] as number)
  );
}

/** Whether the first bytes are those of a ZIP archive. */
export function isZip(start: Uint8Array): boolean {
  return start[0] === 0x50 && start[1] === 0x4b && start[2] === 3 && start[3] === 4;
}

const inRank = (rank: number) => rank >= 1 && rank <= maxRank;

/** Reads the header from the first bytes of the content. Throws DATA_TRUNCATED, or DATA_FORMAT for what is no IDX file; both name `path`. */
export function parseIdxHeader(start: Uint8Array, path: string): IdxHeader {
  const again = 'Fetch or copy the file again.';
  if (start.length < 4) {
    throw new GradloomError(
      'DATA_TRUNCATED',
      start.length === 0
        ? `${path} is empty: expected an IDX header of at least 8 bytes, found 0.`
        : `${path} is cut short: expected an IDX header of at least 8 bytes, found ${start.length}.`,
      { hint: again, path },
    );
  }
  if (!looksLikeIdx(start)) {
    const magic = [...start.subarray(0, 4)].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    throw new GradloomError(
      'DATA_FORMAT',
      `${path} is not an IDX file: it begins with ${magic}, expected 00 00, an element type (08, 09, 0b to 0e) and 1 to ${maxRank} dimensions.`,
      {
        hint: isZip(start)
          ? 'It is a ZIP archive: unpack it, and point data.source.path at the folder with its files.'
          : 'Point data.source.path at IDX files, such as those of MNIST, gzipped or not.',
        path,
      },
    );
  }
  const type = types[start[2] as number] as ElementType;
  const rank = start[3] as number;
  const headerBytes = 4 + 4 * rank;
  if (start.length < headerBytes) {
    throw new GradloomError(
      'DATA_TRUNCATED',
      `${path} is cut short: expected an IDX header of ${headerBytes} bytes, found ${start.length}.`,
      { hint: again, path },
    );
  }
  const view = new DataView(start.buffer, start.byteOffset, start.byteLength);
  const dims = Array.from({ length: rank }, (_, axis) => view.getUint32(4 + 4 * axis));
  const dataBytes = dims.reduce((product, dim) => product * dim, type.bytes);
  if (!Number.isSafeInteger(dataBytes)) {
    throw new GradloomError('DATA_FORMAT', `${path} claims ${dims.join(' × ')} elements, more than any file holds.`, {
      hint: again,
      path,
    });
  }
  if (dataBytes === 0) {
    throw new GradloomError('DATA_FORMAT', `${path} holds no samples: its dimensions are ${dims.join(' × ')}.`, {
      hint: 'Give a file with at least one sample.',
      path,
    });
  }
  return { type, dims, headerBytes, dataBytes };
}

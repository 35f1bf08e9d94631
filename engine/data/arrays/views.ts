/** Arrays seen otherwise than they are stored: channels moved to the front, a column of one left out, rows of one 1 as class indices. */
import { GradloomError } from '../../contract/errors.ts';
import { type ArrayFile, convert, type Elements, type ElementType, wholePieces, widthOf } from './array-file.ts';

/** N×H×W×C as N×C×H×W. */
export function channelsFirst(file: ArrayFile): ArrayFile {
  const [samples = 0, height = 0, width = 0, channels = 0] = file.dims;
  const { bytes } = file.type;
  const area = height * width;
  const rowBytes = area * channels * bytes;
  /** All rows of a piece at once: one write for many small pictures. */
  const turn = (data: Buffer): Buffer => {
    const out = Buffer.allocUnsafe(data.length);
    for (let at = 0, row = 0; row < data.length; row += rowBytes) {
      for (let pixel = 0; pixel < area; pixel++) {
        for (let channel = 0; channel < channels; channel++) {
          const to = row + (channel * area + pixel) * bytes;
          for (let byte = 0; byte < bytes; byte++) out[to + byte] = data[at++] as number;
        }
      }
    }
    return out;
  };
  const { rowsAt } = file;
  return {
    ...file,
    dims: [samples, channels, height, width],
    async *elements(options): Elements {
      for await (const data of wholePieces(file.elements(options), rowBytes)) yield turn(data);
    },
    ...(rowsAt ? { rowsAt: async (positions) => (await rowsAt(positions)).map(turn) } : {}),
  };
}

/** N×1 as N. */
export function flat(file: ArrayFile): ArrayFile {
  return { ...file, dims: file.dims.slice(0, 1) };
}

const index: ElementType = {
  name: 'int32',
  bytes: 4,
  whole: true,
  read: (view, at) => view.getInt32(at, true),
};

/** Class indices that are stored as floats. Throws LABEL_RANGE for one that is not whole. */
export function wholeNumbers(file: ArrayFile): ArrayFile {
  const width = widthOf(file);
  const { rowsAt: _, ...rest } = file;
  return {
    ...rest,
    type: index,
    elements: (options = {}) =>
      convert(file, options, 4, (value, out, at, position) => {
        if (!Number.isInteger(value) || Math.abs(value) > 2 ** 31 - 1) {
          throw new GradloomError(
            'LABEL_RANGE',
            `${file.label} has the label ${value} at sample ${Math.floor(position / width)}; classes are whole numbers.`,
            { hint: 'Remove data.source.target: then its numbers are predicted as they are.', path: file.path },
          );
        }
        out.setInt32(at, value, true);
      }),
  };
}

/** Whether each row of an N×K array has one 1 and zeros. */
export async function isOneHot(file: ArrayFile): Promise<boolean> {
  if (file.dims.length !== 2 || (file.dims[1] as number) < 2) return false;
  try {
    for await (const _ of oneHotIndices(file).elements());
    return true;
  } catch (thrown) {
    if (thrown instanceof GradloomError && thrown.code === 'LABEL_RANGE') return false;
    throw thrown;
  }
}

/** The place of the 1 in each row of zeros and a 1. Throws LABEL_RANGE for another row. */
export function oneHotIndices(file: ArrayFile): ArrayFile {
  const width = widthOf(file);
  const { bytes, read } = file.type;
  const { rowsAt: _, ...rest } = file;
  return {
    ...rest,
    dims: file.dims.slice(0, 1),
    type: index,
    classes: width,
    async *elements(options): Elements {
      let row = 0;
      for await (const data of wholePieces(file.elements(options), width * bytes)) {
        const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
        const out = Buffer.allocUnsafe((data.length / (width * bytes)) * 4);
        for (let at = 0; at * 4 < out.length; at++, row++) out.writeInt32LE(placeOfOne(view, at, row), at * 4);
        yield out;
      }
    },
  };

  function placeOfOne(view: DataView, at: number, row: number): number {
    let found = -1;
    for (let i = 0; i < width; i++) {
      const value = read(view, (at * width + i) * bytes);
      if (value === 0) continue;
      found = value !== 1 || found >= 0 ? width : i;
    }
    if (found >= 0 && found < width) return found;
    throw new GradloomError('LABEL_RANGE', `Row ${row} of ${file.label} is no class: it is not zeros and a single 1.`, {
      hint: 'Choose another kind of targets: data.source.target "multi_label" or "vector".',
      path: file.path,
    });
  }
}

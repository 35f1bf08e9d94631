/** NumPy's array format: a magic, a version, a header that is a Python dictionary, then the elements. Nothing in it is ever executed. */
import { GradloomError } from '../../contract/errors.ts';
import { bytesOf, type ElementType, unsignedByte } from './array-file.ts';

export interface NpyHeader {
  type: ElementType;
  /** Samples first. */
  dims: number[];
  /** The first dim fastest. */
  fortran: boolean;
  headerBytes: number;
  dataBytes: number;
}

const magic = Buffer.from('\x93NUMPY', 'latin1');
/** Magic, version, and the longer of the two lengths. */
export const npyStartBytes = 12;
/** NumPy itself takes no longer header from a file that it does not trust. */
const longestHeader = 1 << 20;
const again = 'Fetch or copy the file again.';

export function looksLikeNpy(start: Uint8Array): boolean {
  return magic.every((byte, i) => start[i] === byte);
}

/** How many bytes the header has in all, from the first ones. Throws DATA_TRUNCATED, DATA_FORMAT. */
export function npyHeaderBytes(start: Buffer, label: string, path: string): number {
  if (start.length < magic.length + 4) {
    throw new GradloomError('DATA_TRUNCATED', `${label} is cut short: ${start.length} bytes are no NumPy header.`, {
      hint: again,
      path,
    });
  }
  if (!looksLikeNpy(start)) {
    const found = start.subarray(0, 6).toString('hex').replace(/../g, '$& ').trim();
    throw new GradloomError('DATA_FORMAT', `${label} is no NumPy array: it begins with ${found}, expected 93 NUMPY.`, {
      hint: 'Write it with numpy.save or numpy.savez.',
      path,
    });
  }
  const version = start[6] as number;
  if (version < 1 || version > 3) {
    throw new GradloomError('DATA_FORMAT', `${label} is of version ${version} of NumPy's format; 1 to 3 are known.`, {
      hint: 'Write it with numpy.save of a current NumPy.',
      path,
    });
  }
  const length = version === 1 ? 10 + start.readUInt16LE(8) : start.length < 12 ? 12 : 12 + start.readUInt32LE(8);
  if (length > longestHeader) {
    throw new GradloomError('DATA_FORMAT', `${label} claims a header of ${length} bytes.`, { hint: again, path });
  }
  return length;
}

/** Reads a whole header. Throws DATA_TRUNCATED; DATA_FORMAT for what holds no plain numbers, and says what it holds. */
export function parseNpyHeader(start: Buffer, label: string, path: string): NpyHeader {
  const headerBytes = npyHeaderBytes(start, label, path);
  if (start.length < headerBytes) {
    throw new GradloomError(
      'DATA_TRUNCATED',
      `${label} is cut short: expected a header of ${headerBytes} bytes, found ${start.length}.`,
      { hint: again, path },
    );
  }
  const version = start[6] as number;
  const text = start.subarray(version === 1 ? 10 : 12, headerBytes).toString(version === 3 ? 'utf8' : 'latin1');
  const fortran = /['"]fortran_order['"]\s*:\s*(True|False)/.exec(text)?.[1];
  const shape = /['"]shape['"]\s*:\s*\(([\d\s,L]*)\)/.exec(text)?.[1];
  const descr = /['"]descr['"]\s*:\s*(\[|['"]([^'"]*)['"])/.exec(text);
  if (fortran === undefined || shape === undefined || !descr) {
    throw new GradloomError('DATA_FORMAT', `${label} has a header that is not NumPy's: ${text.trim().slice(0, 80)}`, {
      hint: again,
      path,
    });
  }
  const type = typeOf(descr[2], text, label, path);
  const dims = shape.split(',').flatMap((dim) => (dim.trim() === '' ? [] : [Number(dim.replace('L', ''))]));
  const dataBytes = bytesOf({ dims, type });
  if (dims.length === 0 || dataBytes === 0) {
    const what =
      dims.length === 0 ? 'a single value, no samples' : `no samples: its dimensions are ${dims.join(' × ')}`;
    throw new GradloomError('DATA_FORMAT', `${label} holds ${what}.`, {
      hint: 'Give an array whose first dimension counts the samples.',
      path,
    });
  }
  if (!Number.isSafeInteger(dataBytes)) {
    throw new GradloomError('DATA_FORMAT', `${label} claims ${dims.join(' × ')} elements, more than any file holds.`, {
      hint: again,
      path,
    });
  }
  return { type, dims, fortran: fortran === 'True' && dims.length > 1, headerBytes, dataBytes };
}

function typeOf(descr: string | undefined, header: string, label: string, path: string): ElementType {
  const refuse = (what: string, hint: string) =>
    new GradloomError('DATA_FORMAT', `${label} holds ${what}.`, { hint, path });
  if (descr === undefined) {
    const fields = [...header.matchAll(/\(\s*(?:\([^)]*,\s*)?['"]([^'"]+)['"]\s*\)?\s*,/g)].map(([, name]) => name);
    throw refuse(
      `a structured array (fields ${fields.slice(0, 8).join(', ')}${fields.length > 8 ? ', …' : ''})`,
      'Save each field as an array of its own: numpy.savez(file, x=a["…"], y=a["…"]).',
    );
  }
  const type = types[descr.replace(/^=/, '<').replace(/^\|(?=[biu]1)/, '<')];
  if (type) return type;
  const [, kind = '', size = ''] = /^[<>=|]?(.)(.*)$/.exec(descr) ?? [];
  switch (kind) {
    case 'O':
      throw refuse(
        'Python objects (dtype object), which are stored as a pickle: a program, which Gradloom never runs',
        'Save plain numbers: numpy.stack the samples, or pad them to one length, then numpy.save with a numeric dtype.',
      );
    case 'U':
    case 'S':
    case 'a':
      throw refuse(
        `texts (dtype ${descr})`,
        'Save class indices instead: classes, y = numpy.unique(y, return_inverse=True).',
      );
    case 'c':
      throw refuse(
        `complex numbers (dtype ${descr})`,
        'Save real and imaginary parts: numpy.stack([x.real, x.imag], 1).',
      );
    case 'M':
    case 'm':
      throw refuse(`times (dtype ${descr})`, 'Save them as numbers: x.astype("int64").astype("float64").');
    case 'V':
      throw refuse(`raw bytes (dtype ${descr})`, 'Save it with a numeric dtype, such as x.astype("float32").');
    default:
      throw refuse(
        `elements of dtype ${descr}${kind === 'f' && Number(size) > 8 ? ' (longer than 64 bits)' : ''}`,
        'Save it with a numeric dtype of at most 64 bits, such as x.astype("float32").',
      );
  }
}

/** By dtype string, `<` or `>` first. */
const types: Record<string, ElementType> = {};
for (const little of [true, false]) {
  const add = (code: string, bytes: number, whole: boolean, name: string, read: ElementType['read']) => {
    types[`${little ? '<' : '>'}${code}`] = { name, bytes, whole, read };
  };
  add('b1', 1, true, 'bool', (view, at) => (view.getUint8(at) === 0 ? 0 : 1));
  add('i1', 1, true, 'int8', (view, at) => view.getInt8(at));
  add('i2', 2, true, 'int16', (view, at) => view.getInt16(at, little));
  add('u2', 2, true, 'uint16', (view, at) => view.getUint16(at, little));
  add('i4', 4, true, 'int32', (view, at) => view.getInt32(at, little));
  add('u4', 4, true, 'uint32', (view, at) => view.getUint32(at, little));
  // By halves: many times faster than big integers, and exact as far as a number can be.
  const low = little ? 0 : 4;
  const high = little ? 4 : 0;
  add(
    'i8',
    8,
    true,
    'int64',
    (view, at) => view.getInt32(at + high, little) * 2 ** 32 + view.getUint32(at + low, little),
  );
  add(
    'u8',
    8,
    true,
    'uint64',
    (view, at) => view.getUint32(at + high, little) * 2 ** 32 + view.getUint32(at + low, little),
  );
  add('f2', 2, false, 'float16', (view, at) => fromHalf(view.getUint16(at, little)));
  add('f4', 4, false, 'float32', (view, at) => view.getFloat32(at, little));
  add('f8', 8, false, 'float64', (view, at) => view.getFloat64(at, little));
  types[`${little ? '<' : '>'}u1`] = unsignedByte;
}

function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}

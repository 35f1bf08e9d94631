/** Makes NumPy files for tests, byte by byte. */
import { ZipFile } from 'yazl';

export interface NpyOptions {
  descr?: string;
  fortran?: boolean;
  version?: 1 | 2 | 3;
}

/** A `.npy` file around elements that are already bytes. */
export function npyBytes(shape: number[], data: Uint8Array, options: NpyOptions = {}): Buffer {
  const { descr = "'|u1'", fortran = false, version = 1 } = options;
  const dims = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const text = `{'descr': ${descr}, 'fortran_order': ${fortran ? 'True' : 'False'}, 'shape': (${dims}), }`;
  const fixed = version === 1 ? 10 : 12;
  const header = `${text.padEnd(Math.ceil((fixed + text.length + 1) / 64) * 64 - fixed - 1)}\n`;
  const start = Buffer.alloc(fixed);
  start.write('\x93NUMPY', 'latin1');
  start[6] = version;
  if (version === 1) start.writeUInt16LE(header.length, 8);
  else start.writeUInt32LE(header.length, 8);
  return Buffer.concat([start, Buffer.from(header, 'latin1'), data]);
}

export const float32 = (shape: number[], values: number[]) =>
  npyBytes(shape, new Uint8Array(new Float32Array(values).buffer), { descr: "'<f4'" });

export const int64 = (shape: number[], values: number[]) =>
  npyBytes(shape, new Uint8Array(new BigInt64Array(values.map(BigInt)).buffer), { descr: "'<i8'" });

/** A `.npz` archive. */
export async function npzBytes(arrays: Record<string, Buffer>, { compress = true } = {}): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, bytes] of Object.entries(arrays)) zip.addBuffer(bytes, `${name}.npy`, { compress });
  zip.end();
  const chunks: Buffer[] = [];
  for await (const chunk of zip.outputStream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

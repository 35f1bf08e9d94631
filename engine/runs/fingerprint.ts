/** SHA-256 and length of files, read in pieces; of a safetensors file also the length that its own header promises. */
import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';

export interface Fingerprint {
  bytes: number;
  sha256: string;
}

const pieceBytes = 4 << 20;

export async function fingerprint(file: string): Promise<Fingerprint> {
  const handle = await open(file, 'r');
  try {
    const hash = createHash('sha256');
    const piece = Buffer.allocUnsafe(Math.min(pieceBytes, Math.max(1, (await handle.stat()).size)));
    let bytes = 0;
    for (;;) {
      const { bytesRead } = await handle.read(piece, 0, piece.length, bytes);
      if (bytesRead === 0) return { bytes, sha256: hash.digest('hex') };
      hash.update(piece.subarray(0, bytesRead));
      bytes += bytesRead;
    }
  } finally {
    await handle.close();
  }
}

export function sha256OfText(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** The bytes that a safetensors file must have by its header; null when there is no readable header. */
export async function promisedBytes(file: string): Promise<number | null> {
  const handle = await open(file, 'r');
  try {
    const length = Number((await readExactly(handle, 8, 0)).readBigUInt64LE());
    const { size } = await handle.stat();
    if (length > size) return null;
    const header: unknown = JSON.parse((await readExactly(handle, length, 8)).toString('utf8'));
    const ends = Object.entries(header as Record<string, { data_offsets?: [number, number] }>).map(
      ([, tensor]) => tensor.data_offsets?.[1] ?? 0,
    );
    return 8 + length + Math.max(0, ...ends);
  } catch {
    return null;
  } finally {
    await handle.close();
  }
}

async function readExactly(handle: FileHandle, length: number, position: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await handle.read(buffer, 0, length, position);
  if (bytesRead < length) throw new Error('The file ends too soon');
  return buffer;
}

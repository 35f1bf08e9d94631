/** SHA-256 and length of files, read in pieces. */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

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

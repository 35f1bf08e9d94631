/** A pack's column of one integer a sample, whole in memory: class indices, groups. */
import { open } from 'node:fs/promises';

const chunkRows = 65_536;

/** `count` little-endian int64 as numbers. A shorter file leaves zeros. */
export async function readIntegers(path: string, count: number): Promise<Float64Array> {
  const values = new Float64Array(count);
  const file = await open(path, 'r');
  try {
    const chunk = Buffer.alloc(chunkRows * 8);
    for (let first = 0; first < count; ) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, first * 8);
      const found = Math.min(count - first, Math.floor(bytesRead / 8));
      if (found === 0) break;
      for (let i = 0; i < found; i++) {
        values[first + i] = chunk.readInt32LE(i * 8 + 4) * 0x1_0000_0000 + chunk.readUInt32LE(i * 8);
      }
      first += found;
    }
  } finally {
    await file.close();
  }
  return values;
}

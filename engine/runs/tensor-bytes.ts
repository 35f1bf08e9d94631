/** The bytes of our own safetensors files, tensor by tensor and in pieces: however large a file is, little of it is in memory. */
import { closeSync, openSync, readSync } from 'node:fs';

const pieceBytes = 1 << 22;

export interface StoredTensor {
  name: string;
  dtype: string;
  shape: number[];
}

/** Calls `onPiece` for each piece of each tensor, in the header's order; a piece holds whole elements. The header is trusted. */
export function readTensors(file: string, onPiece: (tensor: StoredTensor, piece: Buffer) => void): void {
  const fd = openSync(file, 'r');
  try {
    const read = (position: number, bytes: number): Buffer => {
      const piece = Buffer.alloc(bytes);
      for (let done = 0; done < bytes; ) {
        const count = readSync(fd, piece, done, bytes - done, position + done);
        if (count === 0) throw new Error(`${file} is cut short`);
        done += count;
      }
      return piece;
    };
    const header = Number(read(0, 8).readBigUInt64LE());
    const { __metadata__: _, ...tensors } = JSON.parse(read(8, header).toString('utf8')) as Record<
      string,
      { dtype: string; shape: number[]; data_offsets: [number, number] }
    >;
    for (const [name, { dtype, shape, data_offsets }] of Object.entries(tensors)) {
      const [from, to] = data_offsets;
      const tensor = { name, dtype, shape };
      if (from === to) onPiece(tensor, Buffer.alloc(0));
      for (let at = from; at < to; at += pieceBytes) {
        onPiece(tensor, read(8 + header + at, Math.min(pieceBytes, to - at)));
      }
    }
  } finally {
    closeSync(fd);
  }
}

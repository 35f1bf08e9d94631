/** A PNG file's palette indices, which libvips turns into colours: of a mask the index is the class. */
import { inflateSync } from 'node:zlib';
import { BadImage } from './bad-image.ts';
import { mostPixels } from './header.ts';
import type { Pixels } from './pixels.ts';

/** @throws BadImage */
export function pngIndices(file: Buffer): Pixels {
  const width = file.readUInt32BE(16);
  const height = file.readUInt32BE(20);
  const bits = file[24] as number;
  if (file[28] !== 0) throw new BadImage('it is an interlaced PNG file with a palette, whose indices are not read');
  const stride = Math.ceil((width * bits) / 8) + 1;
  const wanted = stride * height;
  let rows: Buffer;
  try {
    rows = inflateSync(Buffer.concat(dataChunks(file)), { maxOutputLength: Math.min(wanted + 1024, mostPixels * 2) });
  } catch (thrown) {
    throw new BadImage(`it is cut short or damaged (${(thrown as Error).message})`);
  }
  if (rows.length < wanted) throw new BadImage('it is cut short');
  const values = new Uint8Array(width * height);
  const perByte = 8 / bits;
  const mask = (1 << bits) - 1;
  let above: Buffer = Buffer.alloc(stride - 1);
  for (let y = 0, to = 0; y < height; y += 1) {
    const row = rows.subarray(y * stride + 1, (y + 1) * stride);
    unfilter(rows[y * stride] as number, row, above);
    for (let x = 0; x < width; x += 1) {
      values[to++] = ((row[Math.floor(x / perByte)] as number) >> (8 - bits * ((x % perByte) + 1))) & mask;
    }
    above = row;
  }
  return { values, height, width, channels: 1 };
}

function dataChunks(file: Buffer): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 8; at + 12 <= file.length; ) {
    const length = file.readUInt32BE(at);
    const name = file.toString('latin1', at + 4, at + 8);
    if (name === 'IEND') break;
    if (at + 12 + length > file.length) throw new BadImage('it is cut short');
    if (name === 'IDAT') chunks.push(file.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  return chunks;
}

/** Of samples of one byte at most: what is to the left is one byte back. */
function unfilter(kind: number, row: Buffer, above: Buffer): void {
  for (let i = 0; i < row.length; i += 1) {
    const left = i > 0 ? (row[i - 1] as number) : 0;
    const up = above[i] as number;
    const corner = i > 0 ? (above[i - 1] as number) : 0;
    const guess = [0, left, up, (left + up) >> 1][kind] ?? (kind === 4 ? paeth(left, up, corner) : null);
    if (guess === null) throw new BadImage('it is a damaged PNG file: a row has no known filter');
    row[i] = ((row[i] as number) + guess) & 0xff;
  }
}

function paeth(left: number, up: number, corner: number): number {
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

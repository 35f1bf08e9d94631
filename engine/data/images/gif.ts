/**
 * The first frame of a GIF file as indices of its palette: a mask's classes, and, expanded, the colours that Pillow gives, where libvips has
 * nothing for what is transparent.
 */
import { BadImage } from './bad-image.ts';
import { mostPixels } from './header.ts';

export interface GifFrame {
  /** Height × width of the whole picture. */
  indices: Uint8Array;
  width: number;
  height: number;
  /** RGB, 256 colours; those that the file lacks are black. */
  palette: Uint8Array;
  /** The index that shows what lies behind. */
  transparent: number | null;
}

/** @throws BadImage */
export function gifFrame(file: Buffer): GifFrame {
  const byte = (at: number): number => {
    const value = file[at];
    if (value === undefined) throw new BadImage('it is cut short');
    return value;
  };
  const short = (at: number) => byte(at) | (byte(at + 1) << 8);
  const [width, height] = [short(6), short(8)];
  const palette = new Uint8Array(768);
  let at = 13;
  const readPalette = (flags: number) => {
    if ((flags & 0x80) === 0) return;
    const bytes = 3 << ((flags & 7) + 1);
    byte(at + bytes - 1);
    palette.fill(0).set(file.subarray(at, at + bytes));
    at += bytes;
  };
  readPalette(byte(10));
  let transparent: number | null = null;
  for (;;) {
    const kind = byte(at++);
    if (kind === 0x3b) throw new BadImage('it is a GIF file without a picture');
    if (kind === 0x21) {
      if (byte(at) === 0xf9 && byte(at + 1) >= 4) transparent = byte(at + 2) & 1 ? byte(at + 5) : null;
      at += 1;
      while (byte(at) !== 0) at += 1 + byte(at);
      at += 1;
    } else if (kind === 0x2c) break;
  }
  const [left, top, wide, high, flags] = [short(at), short(at + 2), short(at + 4), short(at + 6), byte(at + 8)];
  at += 9;
  readPalette(flags);
  if (wide * high > mostPixels) throw new BadImage(`it says that its first frame has ${wide} × ${high} pixels`);
  const bits = byte(at++);
  const blocks: Buffer[] = [];
  for (let length = byte(at); length > 0; length = byte(at)) {
    byte(at + length);
    blocks.push(file.subarray(at + 1, at + 1 + length));
    at += 1 + length;
  }
  const frame = unpack(Buffer.concat(blocks), bits, wide * high);
  const indices = new Uint8Array(width * height).fill(transparent ?? 0);
  const rows = rowOrder(high, (flags & 0x40) !== 0);
  for (let i = 0; i < high; i += 1) {
    const y = top + (rows[i] as number);
    if (y >= height || left >= width) continue;
    indices.set(frame.subarray(i * wide, i * wide + Math.min(wide, width - left)), y * width + left);
  }
  return { indices, width, height, palette, transparent };
}

/** The row that each stored row is. */
function rowOrder(height: number, interlaced: boolean): number[] {
  const passes = interlaced
    ? [
        [0, 8],
        [4, 8],
        [2, 4],
        [1, 2],
      ]
    : [[0, 1]];
  return passes.flatMap(([from = 0, step = 1]) =>
    Array.from({ length: Math.max(0, Math.ceil((height - from) / step)) }, (_, i) => from + i * step),
  );
}

const mostCodes = 4096;

/** LZW with codes that grow to 12 bits. */
function unpack(data: Buffer, bits: number, count: number): Uint8Array {
  if (bits < 1 || bits > 11) throw new BadImage('it is a damaged GIF file');
  const out = new Uint8Array(count);
  const [clear, end] = [1 << bits, (1 << bits) + 1];
  const before = new Uint16Array(mostCodes);
  const last = new Uint8Array(mostCodes);
  const lengths = new Uint16Array(mostCodes).fill(1);
  for (let i = 0; i < clear; i += 1) last[i] = i;
  let [next, width, previous, to, at, held, value] = [end + 1, bits + 1, -1, 0, 0, 0, 0];
  while (to < count) {
    while (held < width) {
      if (at >= data.length) throw new BadImage('it is cut short');
      value |= (data[at++] as number) << held;
      held += 8;
    }
    const code = value & ((1 << width) - 1);
    value >>>= width;
    held -= width;
    if (code === end) break;
    if (code === clear) {
      [next, width, previous] = [end + 1, bits + 1, -1];
      continue;
    }
    if (code > next || (code === next && previous < 0)) throw new BadImage('it is a damaged GIF file');
    // A code that is only now being made: what came before it, and its first value again.
    const known = code < next ? code : previous;
    const length = (lengths[known] as number) + (code < next ? 0 : 1);
    let first = known;
    for (let place = to + (lengths[known] as number) - 1; place >= to; place -= 1) {
      if (place < count) out[place] = last[first] as number;
      if (place > to) first = before[first] as number;
    }
    if (code === next && to + length - 1 < count) out[to + length - 1] = last[first] as number;
    if (previous >= 0 && next < mostCodes) {
      before[next] = previous;
      last[next] = last[first] as number;
      lengths[next] = (lengths[previous] as number) + 1;
      next += 1;
      if (next === 1 << width && width < 12) width += 1;
    }
    previous = code;
    to += length;
  }
  return out;
}

/**
 * BMP files, which libvips does not read: all that Windows and OS/2 have written, with palettes, bit fields and run lengths, bottom up or top
 * down, as Pillow reads them.
 */
import { BadImage } from './bad-image.ts';

export interface BmpHeader {
  width: number;
  height: number;
  /** Its palette, if it has one, holds greys only. */
  grey: boolean;
  /** The file names bits for it. */
  alpha: boolean;
  topDown: boolean;
  bits: number;
  compression: number;
  /** Of red, green, blue and alpha. */
  masks: [number, number, number, number];
  /** RGB, three bytes a colour. */
  palette: Uint8Array;
  /** Where the pixels begin. */
  offset: number;
}

const rle8 = 1;
const rle4 = 2;
const bitFields = 3;
const alphaBitFields = 6;

/** `start`: the file's first 4096 bytes, or all. @throws BadImage */
export function readBmpHeader(start: Buffer): BmpHeader {
  if (start.length < 26) throw new BadImage('it is cut short');
  const size = start.readUInt32LE(14);
  const old = size === 12;
  if (!old && (size < 16 || size > 256)) throw new BadImage('it is a damaged BMP file');
  if (start.length < 14 + size) throw new BadImage('it is cut short');
  const whole = Buffer.alloc(256);
  start.copy(whole, 0, 14, 14 + size);
  const stored = old ? whole.readUInt16LE(6) : whole.readInt32LE(8);
  const bits = old ? whole.readUInt16LE(10) : whole.readUInt16LE(14);
  const compression = old ? 0 : whole.readUInt32LE(16);
  if (![1, 4, 8, 16, 24, 32].includes(bits)) throw new BadImage(`it is a BMP file of ${bits} bits a pixel`);
  const fields = compression === bitFields || compression === alphaBitFields;
  const known =
    compression === 0 || fields || (compression === rle8 && bits === 8) || (compression === rle4 && bits === 4);
  if (!known) throw new BadImage(`it is a BMP file with compression ${compression}, which is not read`);
  const masks = fields ? masksOf(start, whole, size, compression) : standardMasks(bits);
  const after = 14 + size + (fields && size === 40 ? (compression === bitFields ? 12 : 16) : 0);
  const palette =
    bits <= 8 ? paletteOf(start, after, old ? 3 : 4, bits, old ? 0 : whole.readUInt32LE(32)) : new Uint8Array();
  return {
    width: old ? whole.readUInt16LE(4) : whole.readInt32LE(4),
    height: Math.abs(stored),
    topDown: stored < 0,
    grey: palette.length > 0 && greyOnly(palette),
    alpha: bits > 8 && masks[3] !== 0,
    bits,
    compression,
    masks,
    palette,
    offset: start.readUInt32LE(10),
  };
}

function standardMasks(bits: number): BmpHeader['masks'] {
  return bits === 16 ? [0x7c00, 0x03e0, 0x001f, 0] : [0xff0000, 0xff00, 0xff, 0];
}

function masksOf(start: Buffer, header: Buffer, size: number, compression: number): BmpHeader['masks'] {
  const inside = size >= 52;
  const four = inside ? size >= 56 : compression === alphaBitFields;
  const place = inside ? 40 : 14 + size;
  const from = inside ? header : start;
  if (from.length < place + (four ? 16 : 12)) throw new BadImage('it is cut short');
  const at = (index: number) => from.readUInt32LE(place + 4 * index);
  return [at(0), at(1), at(2), four ? at(3) : 0];
}

function paletteOf(start: Buffer, at: number, width: number, bits: number, told: number): Uint8Array {
  const most = 1 << bits;
  const count = Math.min(told > 0 ? told : most, most);
  if (start.length < at + count * width) throw new BadImage('it is cut short');
  // Indices beyond a short palette are black.
  const palette = new Uint8Array(3 * most);
  for (let i = 0; i < count; i += 1) {
    for (let c = 0; c < 3; c += 1) palette[3 * i + c] = start[at + i * width + 2 - c] as number;
  }
  return palette;
}

function greyOnly(palette: Uint8Array): boolean {
  for (let i = 0; i < palette.length; i += 3) {
    if (palette[i] !== palette[i + 1] || palette[i] !== palette[i + 2]) return false;
  }
  return true;
}

export interface BmpPixels {
  /** Palette indices where `channels` is 1, else RGB or RGBA. */
  pixels: Uint8Array;
  channels: 1 | 3 | 4;
}

/** @throws BadImage */
export function decodeBmp(file: Buffer): BmpHeader & BmpPixels {
  const header = readBmpHeader(file.subarray(0, 4096));
  const packed = header.compression === rle8 || header.compression === rle4;
  const decoded = packed ? runLengths(file, header) : header.bits <= 8 ? indices(file, header) : colours(file, header);
  return { ...header, ...decoded };
}

/** The rows of the picture from the top, as they lie in the file. */
function* storedRows(file: Buffer, { width, height, bits, offset, topDown }: BmpHeader): Generator<Buffer> {
  const stride = Math.ceil((width * bits) / 32) * 4;
  const used = Math.ceil((width * bits) / 8);
  // The padding of the last row may be missing.
  if (file.length < offset + stride * (height - 1) + used) throw new BadImage('it is cut short');
  for (let y = 0; y < height; y += 1) {
    const at = offset + stride * (topDown ? y : height - 1 - y);
    yield file.subarray(at, at + used);
  }
}

function indices(file: Buffer, header: BmpHeader): BmpPixels {
  const { width, bits } = header;
  const pixels = new Uint8Array(width * header.height);
  const perByte = 8 / bits;
  const mask = (1 << bits) - 1;
  let to = 0;
  for (const row of storedRows(file, header)) {
    for (let x = 0; x < width; x += 1) {
      const shift = 8 - bits * ((x % perByte) + 1);
      pixels[to++] = ((row[Math.floor(x / perByte)] as number) >> shift) & mask;
    }
  }
  return { pixels, channels: 1 };
}

function colours(file: Buffer, header: BmpHeader): BmpPixels {
  const { width, height, bits, masks, alpha } = header;
  const channels = alpha ? 4 : 3;
  const pixels = new Uint8Array(width * height * channels);
  const bytes = bits / 8;
  // A value of n bits in a byte: repeated from the top, as 5 bits of ones are 255.
  const tables = masks.slice(0, channels).map((mask) => {
    const shift = mask === 0 ? 0 : 31 - Math.clz32(mask & -mask);
    return { mask, shift, most: Math.max(1, mask >>> shift) };
  });
  let to = 0;
  for (const row of storedRows(file, header)) {
    for (let x = 0; x < width; x += 1) {
      const value = row.readUIntLE(x * bytes, bytes);
      for (const { mask, shift, most } of tables) pixels[to++] = Math.floor((((value & mask) >>> shift) * 255) / most);
    }
  }
  return { pixels, channels };
}

function runLengths(file: Buffer, header: BmpHeader): BmpPixels {
  const { width, height, offset, compression, topDown } = header;
  const pixels = new Uint8Array(width * height);
  const half = compression === rle4;
  let [at, x, y] = [offset, 0, 0];
  const put = (value: number) => {
    if (x < width && y < height) pixels[(topDown ? y : height - 1 - y) * width + x] = value;
    x += 1;
  };
  const nibble = (value: number, i: number) => (half ? (i % 2 === 0 ? value >> 4 : value & 15) : value);
  while (y < height) {
    const [count, value] = [file[at], file[at + 1]];
    if (count === undefined || value === undefined) throw new BadImage('it is cut short');
    at += 2;
    if (count > 0) {
      for (let i = 0; i < count; i += 1) put(nibble(value, i));
    } else if (value === 0) {
      x = 0;
      y += 1;
    } else if (value === 1) {
      break;
    } else if (value === 2) {
      x += file[at] ?? 0;
      y += file[at + 1] ?? 0;
      at += 2;
    } else {
      const bytes = half ? Math.ceil(value / 2) : value;
      if (at + bytes > file.length) throw new BadImage('it is cut short');
      for (let i = 0; i < value; i += 1) put(nibble(file[at + (half ? i >> 1 : i)] as number, i));
      at += bytes + (bytes % 2);
    }
  }
  return { pixels, channels: 1 };
}

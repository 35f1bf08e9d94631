/**
 * What an image file says of itself before its pixels are decoded, recognised by its first bytes: nothing depends on its name. Read in a few
 * short reads, so that fifty thousand files are looked at in seconds.
 */

import { closeSync, openSync, readSync } from 'node:fs';
import sharp from 'sharp';
import { integer } from '../../contract/format.ts';
import { BadImage } from './bad-image.ts';
import { readBmpHeader } from './bmp.ts';
import { orientationIn, xmpOrientation } from './exif.ts';

export type ImageFormat = 'png' | 'jpeg' | 'webp' | 'gif' | 'bmp' | 'tiff';

export interface ImageHeader {
  format: ImageFormat;
  /** As stored: before it is turned upright. */
  width: number;
  height: number;
  /** EXIF's, 1 to 8. */
  orientation: number;
  colour: 'grey' | 'rgb' | 'cmyk' | 'palette';
  alpha: boolean;
  depth: 8 | 16 | 'float';
  /** More than one frame. */
  animated: boolean;
}

/** More pixels than this are not decoded: Pillow's limit against files that unpack to more than memory holds. */
export const mostPixels = 178_956_970;

/** One part of a file, from a few kilobytes that are read at once. */
export class HeaderBytes {
  readonly #file: number;
  #start = 0;
  #kept = Buffer.alloc(0);

  constructor(file: number) {
    this.#file = file;
  }

  /** `count` bytes from `at` on, fewer at the file's end. */
  some(at: number, count: number): Buffer {
    if (at < this.#start || at + count > this.#start + this.#kept.length) {
      const wanted = Buffer.alloc(Math.max(count, readAhead));
      this.#kept = wanted.subarray(0, readSync(this.#file, wanted, 0, wanted.length, at));
      this.#start = at;
    }
    return this.#kept.subarray(at - this.#start, at - this.#start + count);
  }

  /** @throws BadImage at the file's end */
  read(at: number, count: number): Buffer {
    const bytes = this.some(at, count);
    if (bytes.length < count) throw new BadImage('it is cut short');
    return bytes;
  }
}

const readAhead = 1024;
/** Far more steps than headers have: a file that leads in circles ends. */
const mostSteps = 100_000;

/** Null: the file is no image that can be read. @throws BadImage, or what the system says */
export async function readHeader(path: string): Promise<ImageHeader | null> {
  const file = openSync(path, 'r');
  let found: ImageHeader | 'tiff' | null;
  try {
    found = headerOf(new HeaderBytes(file));
  } finally {
    closeSync(file);
  }
  const header = found === 'tiff' ? await tiffHeader(path) : found;
  if (header) checkSize(header);
  return header;
}

function checkSize({ width, height }: ImageHeader): void {
  if (width < 1 || height < 1) throw new BadImage(`it says that it has ${width} × ${height} pixels`);
  if (width * height > mostPixels) {
    throw new BadImage(
      `it says that it has ${width} × ${height} pixels; more than ${integer(mostPixels)} are not decoded`,
    );
  }
}

/** The format that a file's first 16 bytes tell. */
export function formatOf(start: Buffer): ImageFormat | null {
  const is = (text: string, at = 0) => start.toString('latin1', at, at + text.length) === text;
  if (is('\x89PNG\r\n\x1a\n')) return 'png';
  if (is('\xff\xd8\xff')) return 'jpeg';
  if (is('GIF87a') || is('GIF89a')) return 'gif';
  if (is('RIFF') && is('WEBP', 8)) return 'webp';
  if (is('II*\0') || is('MM\0*') || is('II+\0') || is('MM\0+')) return 'tiff';
  // Two letters alone are found in texts too: behind them stand four bytes of size, four of zero and the place of the pixels.
  if (is('BM') && start.length >= 14 && start.readUInt32LE(6) === 0 && start.readUInt32LE(10) < 1 << 20) return 'bmp';
  return null;
}

function headerOf(bytes: HeaderBytes): ImageHeader | 'tiff' | null {
  switch (formatOf(bytes.some(0, 16))) {
    case 'png':
      return pngHeader(bytes);
    case 'jpeg':
      return jpegHeader(bytes);
    case 'gif':
      return gifHeader(bytes);
    case 'webp':
      return webpHeader(bytes);
    case 'bmp':
      return bmpHeader(bytes);
    case 'tiff':
      return 'tiff';
    default:
      return null;
  }
}

const plain = { orientation: 1, alpha: false, depth: 8, animated: false } as const;

function pngHeader(bytes: HeaderBytes): ImageHeader {
  const start = bytes.read(8, 25);
  if (start.toString('latin1', 4, 8) !== 'IHDR') throw new BadImage('it is a damaged PNG file: its header is missing');
  const [width, height] = [start.readUInt32BE(8), start.readUInt32BE(12)];
  const [bits, type] = [start[16] as number, start[17] as number];
  const colour = type === 3 ? 'palette' : type === 2 || type === 6 ? 'rgb' : 'grey';
  let alpha = type >= 4;
  let orientation = 1;
  for (let at = 33, step = 0; step < mostSteps; step += 1) {
    const chunk = bytes.read(at, 8);
    const length = chunk.readUInt32BE(0);
    const name = chunk.toString('latin1', 4, 8);
    if (name === 'IDAT' || name === 'IEND') break;
    if (name === 'tRNS') alpha = true;
    if (name === 'iTXt' && orientation === 1)
      orientation = xmpOrientation(bytes.some(at + 8, Math.min(length, mostExif)));
    if (name === 'eXIf') orientation = orientationIn(bytes.some(at + 8, Math.min(length, mostExif)));
    at += length + 12;
  }
  return { ...plain, format: 'png', width, height, orientation, colour, alpha, depth: bits === 16 ? 16 : 8 };
}

const mostExif = 1 << 16;

function jpegHeader(bytes: HeaderBytes): ImageHeader {
  let orientation: number | null = null;
  let xmp = 1;
  for (let at = 2, step = 0; step < mostSteps; step += 1) {
    const marker = bytes.read(at, 2).readUInt16BE(0);
    const kind = marker & 0xff;
    if (marker < 0xff00 || kind === 0xff) {
      at += 1; // fill bytes, and what some cameras leave between segments
      continue;
    }
    if (kind === 0 || kind === 1 || (kind >= 0xd0 && kind <= 0xd8)) {
      at += 2; // markers without a length
      continue;
    }
    if (kind === 0xd9 || kind === 0xda) break; // the end, or the pixels
    const length = bytes.read(at + 2, 2).readUInt16BE(0);
    if (kind >= 0xc0 && kind <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(kind)) {
      const frame = bytes.read(at + 4, 6);
      const components = frame[5] as number;
      const colour = components === 1 ? 'grey' : components === 4 ? 'cmyk' : 'rgb';
      const [height, width] = [frame.readUInt16BE(1), frame.readUInt16BE(3)];
      return { ...plain, format: 'jpeg', width, height, orientation: orientation ?? xmp, colour };
    }
    if (kind === 0xe1 && orientation === null) {
      const segment = bytes.some(at + 4, length - 2);
      if (segment.toString('latin1', 0, 6) === 'Exif\0\0') orientation = orientationIn(segment.subarray(6));
      else xmp = Math.max(xmp, xmpOrientation(segment));
    }
    at += 2 + length;
  }
  throw new BadImage('it is a damaged JPEG file: it says no size');
}

function gifHeader(bytes: HeaderBytes): ImageHeader {
  const start = bytes.read(6, 4);
  const [width, height] = [start.readUInt16LE(0), start.readUInt16LE(2)];
  // How many frames there are is known at the end of the file only.
  return { ...plain, format: 'gif', width, height, colour: 'palette', animated: true };
}

function webpHeader(bytes: HeaderBytes): ImageHeader {
  const kind = bytes.read(12, 4).toString('latin1');
  const body = bytes.read(20, 10);
  const made = (width: number, height: number, alpha: boolean): ImageHeader => ({
    ...plain,
    format: 'webp',
    width,
    height,
    colour: 'rgb',
    alpha,
  });
  if (kind === 'VP8 ') return made(body.readUInt16LE(6) & 0x3fff, body.readUInt16LE(8) & 0x3fff, false);
  if (kind === 'VP8L') {
    const bits = body.readUInt32LE(1);
    return made((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1, ((bits >>> 28) & 1) === 1);
  }
  if (kind !== 'VP8X') throw new BadImage('it is a damaged WebP file');
  const flags = body[0] as number;
  const header = made(body.readUIntLE(4, 3) + 1, body.readUIntLE(7, 3) + 1, (flags & 0x10) !== 0);
  header.animated = (flags & 0x02) !== 0;
  if (flags & 0x08) header.orientation = webpOrientation(bytes);
  return header;
}

function webpOrientation(bytes: HeaderBytes): number {
  for (let at = 12, step = 0; step < mostSteps; step += 1) {
    const chunk = bytes.some(at, 8);
    if (chunk.length < 8) break;
    const length = chunk.readUInt32LE(4);
    if (chunk.toString('latin1', 0, 4) === 'EXIF') {
      const exif = bytes.some(at + 8, Math.min(length, mostExif));
      return orientationIn(exif.toString('latin1', 0, 6) === 'Exif\0\0' ? exif.subarray(6) : exif);
    }
    at += 8 + length + (length % 2);
  }
  return 1;
}

function bmpHeader(bytes: HeaderBytes): ImageHeader {
  const { width, height, grey, alpha } = readBmpHeader(bytes.some(0, 4096));
  return { ...plain, format: 'bmp', width, height, colour: grey ? 'grey' : 'rgb', alpha };
}

const depths: Record<string, ImageHeader['depth'] | undefined> = { uchar: 8, ushort: 16, float: 'float' };

/** TIFF has too many ways to say these few things: libtiff reads them. */
async function tiffHeader(path: string): Promise<ImageHeader> {
  const found = await sharp(path, { limitInputPixels: false })
    .metadata()
    .catch(() => {
      throw new BadImage('it is a TIFF file that is damaged, cut short or of a kind that is not read');
    });
  const { width, height, depth, orientation = 1, space, hasAlpha, pages = 1 } = found;
  const known = depths[depth];
  if (known === undefined) throw new BadImage(`it is a TIFF file of ${depth} values, which are not read`);
  const colour = space === 'cmyk' ? 'cmyk' : space.startsWith('grey') || space === 'b-w' ? 'grey' : 'rgb';
  const upright = orientation >= 1 && orientation <= 8 ? orientation : 1;
  const animated = pages > 1;
  return { format: 'tiff', width, height, orientation: upright, colour, alpha: hasAlpha, depth: known, animated };
}

/**
 * Image files as pixels, by one rule each, whatever wrote them; the same for packs, previews and prediction. Values are those that Pillow's
 * `Image.open(…).convert(…)` gives, but for what it loses:
 * - EXIF orientation is applied (the caller's geometry does it, by the header's `orientation`).
 * - Colour profiles change nothing. CMYK becomes RGB by Pillow's formula. Palettes are expanded.
 * - Alpha is left out and colours stay as they are stored, as torchvision's loader does, unless RGBA is asked for; images without are opaque.
 * - 16 bits stay 16 bits; among them 8-bit values count 257 times. Floats (TIFF) must lie in 0 to 1 and become 16 bits.
 * - Of several frames or pages the first is read.
 * - A file cut short is no image, as in Pillow.
 */
import { readFile } from 'node:fs/promises';
import sharp, { type Sharp } from 'sharp';
import { BadImage } from './bad-image.ts';
import { decodeBmp } from './bmp.ts';
import { isCutShort } from './ending.ts';
import { gifFrame } from './gif.ts';
import { type ImageHeader, mostPixels } from './header.ts';
import { type ChannelName, cmykToRgb, narrowed, type Pixels, widened, withChannels } from './pixels.ts';

// Several images are decoded at once, each on one thread, and none twice.
sharp.concurrency(1);
sharp.cache(false);

export interface Wanted {
  channels: ChannelName;
  bits: 8 | 16;
}

/** Pixels as they are stored, not yet upright. @throws BadImage, and what the system says */
export async function decodeImage(path: string, header: ImageHeader, wanted: Wanted): Promise<Pixels> {
  const pixels = await stored(path, header, wanted);
  if (pixels.width !== header.width || pixels.height !== header.height) {
    throw new BadImage(`it has ${pixels.width} × ${pixels.height} pixels, but says ${header.width} × ${header.height}`);
  }
  const named = withChannels(pixels, wanted.channels);
  return wanted.bits === 16 ? widened(named) : narrowed(named);
}

async function stored(path: string, header: ImageHeader, wanted: Wanted): Promise<Pixels> {
  if (header.format === 'bmp') return expandBmp(await readFile(path));
  return header.format === 'gif' ? expandGif(await readFile(path)) : decodeBySharp(path, header, wanted);
}

function expandGif(file: Buffer): Pixels {
  const { indices, width, height, palette, transparent } = gifFrame(file);
  const channels = transparent === null ? 3 : 4;
  const values = new Uint8Array(indices.length * channels);
  indices.forEach((index, at) => {
    for (let c = 0; c < 3; c += 1) values[at * channels + c] = palette[3 * index + c] as number;
    if (channels === 4) values[at * 4 + 3] = index === transparent ? 0 : 255;
  });
  return { values, height, width, channels };
}

function expandBmp(file: Buffer): Pixels {
  const { pixels, channels, palette, grey, width, height } = decodeBmp(file);
  if (channels > 1) return { values: pixels, height, width, channels };
  const kept = grey ? 1 : 3;
  const values = new Uint8Array(pixels.length * kept);
  pixels.forEach((index, at) => {
    for (let c = 0; c < kept; c += 1) values[at * kept + c] = palette[3 * index + c] as number;
  });
  return { values, height, width, channels: kept };
}

async function decodeBySharp(path: string, header: ImageHeader, wanted: Wanted): Promise<Pixels> {
  // Of a damaged TIFF libtiff leaves pixels out; of the others "error" refuses what Pillow reads.
  const failOn = header.format === 'tiff' ? 'error' : 'truncated';
  const image = sharp(path, { failOn, ignoreIcc: true, limitInputPixels: mostPixels, page: 0 });
  const plain = wanted.channels === 'L' || (wanted.channels === 'RGB' && header.colour === 'grey');
  const { data, info } = await asStored(image, header, plain)
    .toBuffer({ resolveWithObject: true })
    .catch(() => {
      // libvips keeps one text for all threads: what it says may be of another image.
      const cut = isCutShort(path, header.format);
      const other = header.format === 'tiff' ? ', or of a kind of TIFF that is not read' : '';
      throw new BadImage(cut ? 'it is cut short' : `its pixels cannot be decoded: it is damaged${other}`);
    });
  // One that lacks its last bytes may have all its pixels by chance; Pillow refuses it all the same.
  if (header.format === 'jpeg' && isCutShort(path, 'jpeg')) throw new BadImage('it is cut short');
  const { width, height, channels } = info;
  if (header.depth === 'float') return { values: fromFloats(data), height, width, channels };
  if (header.depth === 16) return { values: wide(data), height, width, channels };
  const pixels = { values: data, height, width, channels };
  return header.colour === 'cmyk' ? cmykToRgb(pixels) : pixels;
}

/** `plain`: greys are wanted as greys, without alpha. */
function asStored(image: Sharp, { colour, depth, alpha }: ImageHeader, plain: boolean): Sharp {
  const grey = colour === 'grey' && (plain || !alpha);
  if (depth === 16 && colour === 'cmyk') throw new BadImage('it is a CMYK file of 16 bits, which is not read');
  if (depth === 16) return image.toColourspace(grey ? 'grey16' : 'rgb16').raw({ depth: 'ushort' });
  if (depth === 'float') return image.pipelineColourspace(grey ? 'b-w' : 'srgb').raw({ depth: 'float' });
  if (colour === 'cmyk') return image.pipelineColourspace('cmyk').toColourspace('cmyk').raw();
  return grey ? image.toColourspace('b-w').raw() : image.raw();
}

function wide(bytes: Buffer): Uint16Array {
  return new Uint16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

function fromFloats(bytes: Buffer): Uint16Array {
  const floats = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  return Uint16Array.from(floats, (value) => {
    if (!(value >= 0 && value <= 1)) throw new BadImage(`it holds ${value}; values of float images must lie in 0 to 1`);
    return Math.round(value * 65_535);
  });
}

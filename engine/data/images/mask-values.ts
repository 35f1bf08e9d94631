/** A mask's file as one number a pixel: grey values, or the indices of a palette. */
import { readFile } from 'node:fs/promises';
import { BadImage } from './bad-image.ts';
import { decodeBmp } from './bmp.ts';
import { decodeImage } from './decode.ts';
import { gifFrame } from './gif.ts';
import type { ImageHeader } from './header.ts';
import type { Pixels } from './pixels.ts';
import { pngIndices } from './png-indices.ts';

/** As stored, not yet upright. @throws BadImage, and what the system says */
export async function decodeMask(path: string, header: ImageHeader): Promise<Pixels> {
  if (header.format === 'png' && header.colour === 'palette') return pngIndices(await readFile(path));
  if (header.format === 'gif') {
    const { indices, height, width, palette } = gifFrame(await readFile(path));
    // Black and white are values, as of a grey image; other palettes stand for classes.
    const values = isBlackAndWhite(indices, palette) ? indices.map((index) => palette[3 * index] as number) : indices;
    return { values, height, width, channels: 1 };
  }
  if (header.format === 'bmp') {
    const { pixels, channels, width, height, grey } = decodeBmp(await readFile(path));
    if (channels === 1 && !grey) return { values: pixels, height, width, channels };
  }
  if (header.depth === 'float') throw new BadImage('it holds floats; a mask holds whole numbers');
  if (header.colour === 'grey') {
    const bits = header.depth;
    const grey = await decodeImage(path, header, { channels: 'L', bits });
    return bits === 16 ? narrowed(grey) : grey;
  }
  if (header.depth === 16 || header.colour === 'cmyk')
    throw new BadImage('it holds colours; a mask holds one number a pixel');
  return equalChannels(await decodeImage(path, header, { channels: 'RGB', bits: 8 }));
}

function isBlackAndWhite(indices: Uint8Array, palette: Uint8Array): boolean {
  return [...new Set(indices)].every((index) => {
    const [red, green, blue] = palette.subarray(3 * index, 3 * index + 3);
    return (red === 0 || red === 255) && red === green && red === blue;
  });
}

/** Instances and classes are at times stored with 16 bits although 8 would do. */
function narrowed(from: Pixels): Pixels {
  return {
    ...from,
    values: Uint8Array.from(from.values, (value) => {
      if (value > 255) throw new BadImage(`it holds the value ${value}; classes are 0 to 255`);
      return value;
    }),
  };
}

function equalChannels({ values, height, width }: Pixels): Pixels {
  const made = new Uint8Array(height * width);
  for (let i = 0; i < made.length; i += 1) {
    const value = values[3 * i] as number;
    if (values[3 * i + 1] !== value || values[3 * i + 2] !== value) {
      throw new BadImage('it holds colours; a mask is grey, or has a palette whose index is the class');
    }
    made[i] = value;
  }
  return { values: made, height, width, channels: 1 };
}

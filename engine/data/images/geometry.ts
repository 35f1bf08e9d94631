/** From an image as it is stored to the one size of its data set, as torchvision would: upright, resized, cut or padded. */
import { loadAddon } from '../../native/load.ts';
import { BadImage } from './bad-image.ts';
import { type Pixels, planes } from './pixels.ts';

export type ResizeMode = 'crop' | 'stretch' | 'pad';

/** Height and width. */
export type Size = readonly [number, number];

export interface Geometry {
  /** null: as it is. */
  size: Size | null;
  mode: ResizeMode;
  /** Of padding, one value a channel. */
  fill: readonly number[];
  /** Values are class indices: none between them is made up. */
  nearest: boolean;
}

/** Height and width once the image stands upright. */
export function uprightSize({
  width,
  height,
  orientation,
}: {
  width: number;
  height: number;
  orientation: number;
}): Size {
  return orientation > 4 ? [width, height] : [height, width];
}

/** What to resize to, and which part of that is kept: top, left, height and width. */
export function placed(
  [height, width]: Size,
  { size, mode }: Pick<Geometry, 'size' | 'mode'>,
): { resized: Size; window: readonly [number, number, number, number] } {
  if (size === null) return { resized: [height, width], window: [0, 0, height, width] };
  const [high, wide] = size;
  if (mode === 'stretch') return { resized: size, window: [0, 0, high, wide] };
  // Cut: the side that would otherwise be too short decides. Padded: the one that would be too long.
  const byHeight = width * high >= height * wide === (mode === 'crop');
  const resized: Size = byHeight
    ? [high, Math.max(1, Math.trunc((high * width) / height))]
    : [Math.max(1, Math.trunc((wide * height) / width)), wide];
  const place = mode === 'crop' ? halfToEven : Math.ceil;
  return { resized, window: [place((resized[0] - high) / 2), place((resized[1] - wide) / 2), high, wide] };
}

/** Python's `round`, by which CenterCrop places its window. */
function halfToEven(value: number): number {
  const below = Math.floor(value);
  return value - below === 0.5 ? below + (below % 2) : Math.round(value);
}

/** A more extreme shape would want more memory than the image itself. */
const mostResized = 1 << 28;

/** Channels × height × width, as little-endian bytes. */
export async function shaped(pixels: Pixels, orientation: number, geometry: Geometry): Promise<Uint8Array> {
  const { values, height, width, channels } = pixels;
  const upright = uprightSize({ height, width, orientation });
  const { resized, window } = placed(upright, geometry);
  const same = orientation === 1 && String([...resized, ...window]) === String([height, width, 0, 0, height, width]);
  if (same) return planes(pixels);
  if (resized[0] * resized[1] > mostResized) {
    throw new BadImage(`its ${upright[1]} × ${upright[0]} pixels are too narrow to be resized so`);
  }
  const bytes = values.BYTES_PER_ELEMENT as 1 | 2;
  return loadAddon().resizeImage({
    pixels: new Uint8Array(values.buffer, values.byteOffset, values.byteLength),
    height,
    width,
    channels,
    bytes,
    orientation,
    resized: [...resized],
    nearest: geometry.nearest,
    window: [...window],
    fill: Array.from(
      { length: channels },
      (_, c) => (geometry.fill[c] ?? geometry.fill[0] ?? 0) * (bytes === 2 ? 257 : 1),
    ),
  });
}

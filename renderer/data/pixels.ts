/** A sample's numbers as a picture: grey, colour, lines, bars or figures, by its shape. Pure. */

export interface ImageLayout {
  kind: 'image';
  width: number;
  height: number;
  /** How many there are; one or three are drawn. */
  channels: number;
}

export type Layout =
  | ImageLayout
  /** `count` series of `length` values; value `at` of a series stands at `start + at * step`. */
  | { kind: 'lines'; count: number; length: number; seriesStep: number; valueStep: number }
  | { kind: 'bars'; length: number }
  | { kind: 'numbers'; length: number };

/** A table of two dimensions with so few rows or columns is series side by side. */
const mostSeries = 16;
/** So few numbers are read one by one. */
const mostNumbers = 6;

export function layoutOf(dims: readonly number[]): Layout {
  const length = dims.reduce((product, size) => product * size, 1);
  if (dims.length === 2) {
    const [rows, columns] = dims as [number, number];
    if (Math.min(rows, columns) <= mostSeries && Math.max(rows, columns) > 2) {
      // PyTorch's convolutions want [channels, length], its recurrent layers [length, features]: the shorter one is what lies side by side.
      return rows <= columns
        ? { kind: 'lines', count: rows, length: columns, seriesStep: columns, valueStep: 1 }
        : { kind: 'lines', count: columns, length: rows, seriesStep: 1, valueStep: columns };
    }
  }
  const [channels, height, width] = dims.length === 2 ? [1, ...dims] : dims;
  const isPicture = (dims.length === 2 || dims.length === 3) && (height ?? 0) > 1 && (width ?? 0) > 1;
  if (isPicture) {
    return { kind: 'image', channels: channels as number, height: height as number, width: width as number };
  }
  return { kind: length <= mostNumbers ? 'numbers' : 'bars', length };
}

/** The values that are black and white: 0 and 1 where all lie between them, so that a dim picture looks dim. */
export function drawnRange([least, most]: readonly [number, number]): [number, number] {
  if (least >= 0 && most <= 1) return [0, 1];
  return least === most ? [least - 0.5, most + 0.5] : [least, most];
}

/** RGBA bytes, row by row. */
export function toPixels(
  values: ArrayLike<number>,
  { width, height, channels }: ImageLayout,
  [least, most]: readonly [number, number],
): Uint8ClampedArray<ArrayBuffer> {
  const size = width * height;
  const bytes = new Uint8ClampedArray(4 * size);
  const scale = 255 / (most - least);
  // Three channels are colours; of any other number the first is shown.
  const planes = channels === 3 ? [0, size, 2 * size] : [0, 0, 0];
  for (let at = 0; at < size; at += 1) {
    for (let channel = 0; channel < 3; channel += 1) {
      bytes[4 * at + channel] = ((values[at + (planes[channel] as number)] ?? 0) - least) * scale;
    }
    bytes[4 * at + 3] = 255;
  }
  return bytes;
}

/** Lays each position's class over a picture in its colour, the first class (the background, most often) left clear. */
export function overlay(
  bytes: Uint8ClampedArray,
  labels: ArrayLike<number>,
  colors: readonly (readonly [number, number, number])[],
): void {
  const share = 0.55;
  for (let at = 0; at < labels.length && 4 * at < bytes.length; at += 1) {
    const label = labels[at] as number;
    if (label <= 0) continue;
    const color = colors[(label - 1) % colors.length];
    if (!color) continue;
    for (let channel = 0; channel < 3; channel += 1) {
      const below = bytes[4 * at + channel] as number;
      bytes[4 * at + channel] = below * (1 - share) + (color[channel] as number) * share;
    }
  }
}

/** Bytes in base64, as thumbnails come. */
export function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

/** Least and greatest value of each of at most `columns` neighbouring groups: what a small plot can show of a long vector. */
export function toBars(values: readonly number[], columns: number): { least: number; most: number }[] {
  const count = Math.min(columns, values.length);
  return Array.from({ length: count }, (_, column) => {
    const from = Math.floor((column * values.length) / count);
    const to = Math.max(from + 1, Math.floor(((column + 1) * values.length) / count));
    let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let at = from; at < to; at += 1) {
      const value = values[at] as number;
      if (value < least) least = value;
      if (value > most) most = value;
    }
    return { least, most };
  });
}

/** Whole multiples keep pixels square and sharp; what is too large is shrunk. */
export function shownSize(width: number, height: number, wanted: number): { width: number; height: number } {
  const largest = Math.max(width, height);
  const scale = largest <= wanted ? Math.max(1, Math.floor(wanted / largest)) : wanted / largest;
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}

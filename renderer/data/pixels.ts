/** A sample's numbers as a picture: grey, colour, or bars where its shape is no picture's. Pure. */

export type Layout =
  /** `channels`: how many there are; one or three are drawn. */
  { kind: 'image'; width: number; height: number; channels: number } | { kind: 'bars'; length: number };

export function layoutOf(dims: readonly number[]): Layout {
  const length = dims.reduce((product, size) => product * size, 1);
  const [channels, height, width] = dims.length === 2 ? [1, ...dims] : dims;
  const isPicture = (dims.length === 2 || dims.length === 3) && (height ?? 0) > 1 && (width ?? 0) > 1;
  if (!isPicture) return { kind: 'bars', length };
  return { kind: 'image', channels: channels as number, height: height as number, width: width as number };
}

/** The values that are black and white: 0 and 1 where all lie between them, so that a dim picture looks dim. */
export function drawnRange([least, most]: readonly [number, number]): [number, number] {
  if (least >= 0 && most <= 1) return [0, 1];
  return least === most ? [least - 0.5, most + 0.5] : [least, most];
}

/** RGBA bytes, row by row. */
export function toPixels(
  values: readonly number[],
  { width, height, channels }: Extract<Layout, { kind: 'image' }>,
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

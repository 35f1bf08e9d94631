/** Values as colours: grey from 0 up, or two hues around 0 where there are negative ones. Pure. */

export type Rgb = readonly [number, number, number];

export interface Shades {
  /** Of what is not negative: 0 and the largest. */
  black: Rgb;
  white: Rgb;
  /** Of signed values: the middle and the two ends. */
  zero: Rgb;
  negative: Rgb;
  positive: Rgb;
  /** NaN and infinities. */
  wrong: Rgb;
}

export interface ValueRange {
  low: number;
  high: number;
}

/** Around 0 where there are negative values, else from 0 up; infinities and NaN stand aside. */
export function rangeOf(values: ArrayLike<number>): ValueRange {
  let [low, high] = [0, 0];
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low === 0) return { low: 0, high };
  const most = Math.max(-low, high);
  return { low: -most, high: most };
}

/** `rgb(12, 34, 56)` or with alpha, as browsers tell computed colours. */
export function parseRgb(color: string): Rgb {
  const [r = 0, g = 0, b = 0] = (color.match(/[\d.]+/g) ?? []).map(Number);
  return [r, g, b];
}

/** RGBA bytes of `values`, as they come. */
export function shaded(
  values: ArrayLike<number>,
  { low, high }: ValueRange,
  shades: Shades,
): Uint8ClampedArray<ArrayBuffer> {
  const bytes = new Uint8ClampedArray(4 * values.length);
  const signed = low < 0;
  const span = high > 0 ? high : 1;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    const share = Math.min(1, Math.abs(value) / span);
    const from = signed ? shades.zero : shades.black;
    const to = signed ? (value < 0 ? shades.negative : shades.positive) : shades.white;
    const wrong = !Number.isFinite(value);
    for (let channel = 0; channel < 3; channel++) {
      const start = from[channel] as number;
      bytes[4 * i + channel] = wrong
        ? (shades.wrong[channel] as number)
        : start + ((to[channel] as number) - start) * share;
    }
    bytes[4 * i + 3] = 255;
  }
  return bytes;
}

/** Whole multiples keep pixels square and sharp; what is too large is shrunk. */
export function fitted(width: number, height: number, most: { width: number; height: number }) {
  const scale = Math.min(most.width / width, most.height / height);
  const whole = scale >= 1 ? Math.floor(scale) : scale;
  return { width: Math.max(1, Math.round(width * whole)), height: Math.max(1, Math.round(height * whole)) };
}

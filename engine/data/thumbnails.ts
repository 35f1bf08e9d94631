/** Pictures made smaller for galleries: each pixel the mean of those that it stands for, as bytes. Not what the network sees. */
import type { ThumbSize } from '../contract/wire.ts';

/** null: values of these dims are no picture. */
export function thumbSize(dims: readonly number[], side: number): ThumbSize | null {
  if (dims.length !== 3) return null;
  const [channels, height, width] = dims as [number, number, number];
  if (height < 2 || width < 2) return null;
  const scale = Math.min(1, side / Math.max(height, width));
  const shrunk = (size: number) => Math.max(1, Math.round(size * scale));
  return { channels: channels === 3 ? 3 : 1, height: shrunk(height), width: shrunk(width) };
}

/** `low` becomes 0 and `high` 255; of channels that are not three the first is taken. */
export function thumbnail(
  values: Float32Array,
  [, height = 1, width = 1]: readonly number[],
  size: ThumbSize,
  [low, high]: readonly [number, number],
): Uint8Array {
  const bytes = new Uint8Array(size.channels * size.height * size.width);
  const scale = high > low ? 255 / (high - low) : 0;
  const edge = (at: number, of: number, count: number) => Math.floor((at * of) / count);
  let next = 0;
  for (let channel = 0; channel < size.channels; channel++) {
    for (let row = 0; row < size.height; row++) {
      const [top, bottom] = [edge(row, height, size.height), edge(row + 1, height, size.height)];
      for (let column = 0; column < size.width; column++) {
        const [left, right] = [edge(column, width, size.width), edge(column + 1, width, size.width)];
        let sum = 0;
        for (let y = top; y < bottom; y++) {
          const line = (channel * height + y) * width;
          for (let x = left; x < right; x++) sum += values[line + x] as number;
        }
        const mean = sum / ((bottom - top) * (right - left));
        bytes[next++] = Math.min(255, Math.max(0, Math.round((mean - low) * scale)));
      }
    }
  }
  return bytes;
}

/**
 * Classes at the positions of a picture, each pixel that of the nearest position: as bytes, 0 (the background, most often) of 0 and below
 * alone, those above 255 counted round from 1.
 */
export function labelThumbnail(
  labels: readonly number[],
  [height = 1, width = 1]: readonly number[],
  size: Pick<ThumbSize, 'height' | 'width'>,
): Uint8Array {
  const bytes = new Uint8Array(size.height * size.width);
  const middle = (at: number, of: number, count: number) => Math.min(of - 1, Math.floor(((at + 0.5) * of) / count));
  for (let row = 0; row < size.height; row++) {
    const line = middle(row, height, size.height) * width;
    for (let column = 0; column < size.width; column++) {
      const label = labels[line + middle(column, width, size.width)] as number;
      bytes[row * size.width + column] = label > 255 ? ((label - 1) % 255) + 1 : Math.max(0, label);
    }
  }
  return bytes;
}

/** Black and white: 0 and 1 where all values lie between them, so that a dim picture looks dim. */
export function thumbRange([least, most]: readonly [number, number]): [number, number] {
  return least >= 0 && most <= 1 ? [0, 1] : [least, most];
}

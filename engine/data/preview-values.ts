/** Samples as the window draws them: every value, or thumbnails of pictures that are large. */
import type { PreviewSample, ProjectPreview, ThumbSize } from '../contract/wire.ts';
import { labelThumbnail, thumbnail, thumbRange, thumbSize } from './thumbnails.ts';

export interface Shown {
  raw: Float32Array;
  transformed: Float32Array;
  sample: Omit<PreviewSample, 'raw' | 'transformed' | 'thumbs'>;
}

/**
 * `dims` of one sample before and after the transforms, `mask` those of targets that are a class at each position. `side`: thumbnails of so
 * many pixels, where the samples are pictures.
 */
export function asShown(
  shown: readonly Shown[],
  dims: { raw: readonly number[]; transformed: readonly number[]; mask?: readonly number[] },
  side: number | undefined,
): Pick<ProjectPreview, 'samples' | 'range' | 'thumbs'> {
  const range = { raw: extent(shown, 'raw'), transformed: extent(shown, 'transformed') };
  const raw = side === undefined ? null : thumbSize(dims.raw, side);
  const transformed = side === undefined ? null : thumbSize(dims.transformed, side);
  if (!raw || !transformed) {
    const samples = shown.map(({ raw, transformed, sample }) => ({
      ...sample,
      raw: plain(raw),
      transformed: plain(transformed),
    }));
    return { samples, range };
  }
  const drawn = { raw: thumbRange(range.raw), transformed: thumbRange(range.transformed) };
  const { mask } = dims;
  const over = (goal: readonly number[] | undefined, of: readonly number[], size: ThumbSize) =>
    goal && mask && liesOver(mask, dims.raw) ? base64(labelThumbnail(goal, of.slice(1), size)) : undefined;
  const samples = shown.map(({ sample: { goal, transformedGoal, ...sample }, ...values }) => {
    const [rawMask, transformedMask] = [
      over(goal, dims.raw, raw),
      over(transformedGoal, dims.transformed, transformed),
    ];
    return {
      ...sample,
      // Of masks only what is drawn.
      ...(goal && !mask ? { goal } : {}),
      raw: [],
      transformed: [],
      thumbs: {
        raw: base64(thumbnail(values.raw, dims.raw, raw, drawn.raw)),
        transformed: base64(thumbnail(values.transformed, dims.transformed, transformed, drawn.transformed)),
        ...(rawMask === undefined ? {} : { mask: rawMask }),
        ...(transformedMask === undefined ? {} : { transformedMask }),
      },
    };
  });
  return { samples, range, thumbs: { raw, transformed } };
}

const liesOver = (mask: readonly number[], [, height, width]: readonly number[]) =>
  mask.length === 2 && mask[0] === height && mask[1] === width;

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** JSON has no infinities: the largest float stands for them. */
export function plain(values: Float32Array): number[] {
  return Array.from(values, bounded);
}

const largest = 3.4028234663852886e38;
const bounded = (value: number) => Math.min(largest, Math.max(-largest, value));

function extent(shown: readonly Shown[], key: 'raw' | 'transformed'): [number, number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { [key]: values } of shown) {
    for (const value of values) {
      if (value < least) least = value;
      if (value > most) most = value;
    }
  }
  return least <= most ? [bounded(least), bounded(most)] : [0, 0];
}

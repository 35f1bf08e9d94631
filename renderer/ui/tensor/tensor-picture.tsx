/** A sample as a picture: its least value black, its greatest white, three channels as colours; of any other number the first is shown. */
import { useEffect, useRef } from 'react';
import classes from './tensor.module.css';

export interface TensorPictureProps {
  /** Channel by channel, row by row. */
  values: Float32Array;
  channels: number;
  width: number;
  height: number;
  /** CSS pixels. */
  shown: { width: number; height: number };
  label: string;
}

/** RGBA bytes. */
export function pictured(values: Float32Array, channels: number, size: number): Uint8ClampedArray<ArrayBuffer> {
  const drawn = values.subarray(0, channels === 3 ? 3 * size : size);
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of drawn) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  const scale = most > least ? 255 / (most - least) : 0;
  const bytes = new Uint8ClampedArray(4 * size);
  for (let at = 0; at < size; at++) {
    for (let channel = 0; channel < 3; channel++) {
      bytes[4 * at + channel] = ((drawn[at + (channels === 3 ? channel * size : 0)] as number) - least) * scale;
    }
    bytes[4 * at + 3] = 255;
  }
  return bytes;
}

export function TensorPicture({ values, channels, width, height, shown, label }: TensorPictureProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    context?.putImageData(new ImageData(pictured(values, channels, width * height), width, height), 0, 0);
  }, [values, channels, width, height]);
  return (
    <canvas
      ref={canvas}
      className={classes.map}
      width={width}
      height={height}
      style={shown}
      role="img"
      aria-label={label}
    />
  );
}

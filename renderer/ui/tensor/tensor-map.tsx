/** A matrix of values as a picture: one pixel a value, sharp, with the value under the pointer told. */
import { type PointerEvent, useEffect, useMemo, useRef } from 'react';
import { useLook } from '../charts/hooks.ts';
import { resolveColor } from '../theme/colors.ts';
import { parseRgb, type Shades, shaded, type ValueRange } from './shades.ts';
import classes from './tensor.module.css';

export interface TensorMapProps {
  /** Row by row. */
  values: Float32Array;
  width: number;
  height: number;
  range: ValueRange;
  /** CSS pixels. */
  shown: { width: number | string; height: number };
  /** What it shows, for who does not see it; absent: something beside it says so. */
  label?: string;
  onPoint?: (at: { row: number; column: number } | null) => void;
}

const colors: { [Name in keyof Shades]: string } = {
  black: 'light-dark(#0d0d12, #000000)',
  white: '#ffffff',
  zero: 'light-dark(#f7f7f9, #18181d)',
  negative: 'var(--series-0)',
  positive: 'var(--series-1)',
  wrong: 'light-dark(#c000c0, #ff4dff)',
};

/** As they are in this theme. */
function useShades(): (element: Element) => Shades {
  const look = useLook();
  return useMemo(() => {
    void look;
    let known: Shades | null = null;
    return (element) => {
      known ??= Object.fromEntries(
        Object.entries(colors).map(([name, color]) => [name, parseRgb(resolveColor(color, element))]),
      ) as unknown as Shades;
      return known;
    };
  }, [look]);
}

export function TensorMap({ values, width, height, range, shown, label, onPoint }: TensorMapProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const shades = useShades();
  const { low, high } = range;
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!canvas.current || !context) return;
    const parent = canvas.current.parentElement ?? document.body;
    context.putImageData(new ImageData(shaded(values, { low, high }, shades(parent)), width, height), 0, 0);
  }, [values, width, height, low, high, shades]);
  const point = (event: PointerEvent<HTMLCanvasElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const column = Math.floor(((event.clientX - box.left) / box.width) * width);
    const row = Math.floor(((event.clientY - box.top) / box.height) * height);
    onPoint?.(column >= 0 && row >= 0 && column < width && row < height ? { row, column } : null);
  };
  return (
    <canvas
      ref={canvas}
      className={classes.map}
      width={width}
      height={height}
      style={shown}
      {...(label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label })}
      {...(onPoint ? { onPointerMove: point, onPointerLeave: () => onPoint(null) } : {})}
    />
  );
}

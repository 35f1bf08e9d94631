/** One sample drawn on a canvas, its pixels as they are. */
import { useEffect, useRef } from 'react';
import classes from './data.module.css';
import { drawnRange, type Layout, shownSize, toBars, toPixels } from './pixels.ts';

const wantedSize = 84;
const barsSize = { width: 112, height: 64 };

export interface SampleViewProps {
  values: readonly number[];
  layout: Layout;
  range: readonly [number, number];
  label: string;
}

export function SampleView({ values, layout, range, label }: SampleViewProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = layout.kind === 'image' ? layout : barsSize;
  const shown = layout.kind === 'image' ? shownSize(layout.width, layout.height, wantedSize) : barsSize;
  const [least, most] = range;
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!context) return;
    if (layout.kind === 'image') {
      const pixels = toPixels(values, layout, drawnRange([least, most]));
      context.putImageData(new ImageData(pixels, layout.width, layout.height), 0, 0);
    } else paintBars(context, values, [least, most]);
  }, [values, layout, least, most]);
  return (
    <canvas
      ref={canvas}
      className={classes.canvas}
      data-kind={layout.kind}
      width={size.width}
      height={size.height}
      style={{ width: shown.width, height: shown.height }}
      role="img"
      aria-label={label}
    />
  );
}

/** From zero where zero is in sight. */
function paintBars(
  context: CanvasRenderingContext2D,
  values: readonly number[],
  [least, most]: [number, number],
): void {
  const { width, height } = barsSize;
  context.clearRect(0, 0, width, height);
  const bars = toBars(values, width);
  const low = Math.min(0, least);
  const span = Math.max(0, most) - low || 1;
  const at = (value: number) => height - ((value - low) / span) * height;
  const pitch = width / Math.max(1, bars.length);
  context.fillStyle = getComputedStyle(context.canvas).color;
  for (const [index, bar] of bars.entries()) {
    const top = at(Math.max(0, bar.most));
    const bottom = at(Math.min(0, bar.least));
    context.fillRect(index * pitch, top, Math.max(1, pitch - (pitch > 3 ? 1 : 0)), Math.max(1, bottom - top));
  }
}

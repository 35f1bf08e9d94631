/** One sample drawn as what it is: a picture with its pixels as they are, lines, bars, figures or text. */
import { type PointerEvent, useEffect, useMemo, useRef } from 'react';
import type { ThumbSize } from '../../engine/contract/wire.ts';
import { number, resolveColor, seriesCount, useLook } from '../ui/index.ts';
import { paintBars, paintLines } from './paint.ts';
import { bytesOf, drawnRange, type ImageLayout, type Layout, overlay, shownSize, toPixels } from './pixels.ts';
import classes from './sample-view.module.css';

/** What a sample's numbers are drawn from: its values, or a thumbnail of them. */
export type Drawn =
  | { values: readonly number[]; range: readonly [number, number] }
  | { thumb: string; size: ThumbSize };

export interface SampleViewProps {
  drawn: Drawn;
  layout: Layout;
  label: string;
  /** Of pictures: so many CSS pixels at most a side. */
  wanted?: number;
  /** Of plots. */
  plot?: { width: number; height: number };
  /** The class at each position of a picture, laid over it; bytes in base64 for a thumbnail. */
  mask?: string | readonly number[] | undefined;
  text?: string | undefined;
  onPoint?: ((at: { row: number; column: number } | null) => void) | undefined;
}

const thumbPlot = { width: 112, height: 64 };

export function SampleView({
  drawn,
  layout,
  label,
  wanted = 84,
  plot = thumbPlot,
  mask,
  text,
  onPoint,
}: SampleViewProps) {
  if (text !== undefined) {
    return (
      <div className={classes.text} style={{ width: plot.width, height: plot.height }} role="img" aria-label={label}>
        {text}
      </div>
    );
  }
  if ('thumb' in drawn) {
    const { thumb, size } = drawn;
    return <Picture source={thumb} layout={{ kind: 'image', ...size }} range={bytes} {...{ wanted, label, mask }} />;
  }
  const { values, range } = drawn;
  if (layout.kind === 'image') {
    return <Picture source={values} {...{ layout, range, wanted, label, mask, onPoint }} />;
  }
  if (layout.kind === 'numbers') {
    return (
      <div className={classes.numbers} style={{ width: plot.width, height: plot.height }} role="img" aria-label={label}>
        {values.map((value, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a value is its place
          <span key={at}>{number(value, 3)}</span>
        ))}
      </div>
    );
  }
  return <Plot {...{ values, range, layout, plot, label }} />;
}

const bytes = [0, 255] as const;

function Picture({
  source,
  layout,
  range: [least, most],
  wanted,
  label,
  mask,
  onPoint,
}: {
  source: string | readonly number[];
  layout: ImageLayout;
  range: readonly [number, number];
  wanted: number;
  label: string;
  mask?: SampleViewProps['mask'];
  onPoint?: SampleViewProps['onPoint'];
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const look = useLook();
  const { width, height, channels } = layout;
  const pixels = useMemo(() => {
    const values = typeof source === 'string' ? bytesOf(source) : source;
    const range = typeof source === 'string' ? bytes : drawnRange([least, most]);
    return toPixels(values, { kind: 'image', width, height, channels }, range);
  }, [source, width, height, channels, least, most]);
  const labels = useMemo(() => (typeof mask === 'string' ? bytesOf(mask) : mask), [mask]);
  useEffect(() => {
    void look;
    const context = canvas.current?.getContext('2d');
    if (!context || !canvas.current) return;
    const drawn = new Uint8ClampedArray(pixels);
    if (labels) overlay(drawn, labels, classColors(canvas.current.parentElement ?? document.body));
    context.putImageData(new ImageData(drawn, width, height), 0, 0);
  }, [pixels, width, height, labels, look]);
  const shown = shownSize(width, height, wanted);
  const point = (event: PointerEvent<HTMLCanvasElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const row = Math.floor(((event.clientY - box.top) / box.height) * height);
    const column = Math.floor(((event.clientX - box.left) / box.width) * width);
    onPoint?.(row >= 0 && column >= 0 && row < height && column < width ? { row, column } : null);
  };
  return (
    <canvas
      ref={canvas}
      className={classes.picture}
      // What is shrunk is smoothed, what is grown keeps its squares.
      data-sharp={shown.width >= width || undefined}
      width={width}
      height={height}
      style={shown}
      role="img"
      aria-label={label}
      {...(onPoint ? { onPointerMove: point, onPointerLeave: () => onPoint(null) } : {})}
    />
  );
}

function classColors(element: Element): (readonly [number, number, number])[] {
  return Array.from({ length: seriesCount }, (_, index) => {
    const [r = 0, g = 0, b = 0] = (
      resolveColor(`var(--series-${(index + 1) % seriesCount})`, element).match(/[\d.]+/g) ?? []
    ).map(Number);
    return [r, g, b] as const;
  });
}

function Plot({
  values,
  range: [least, most],
  layout,
  plot: { width, height },
  label,
}: {
  values: readonly number[];
  range: readonly [number, number];
  layout: Exclude<Layout, ImageLayout | { kind: 'numbers' }>;
  plot: { width: number; height: number };
  label: string;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const look = useLook();
  useEffect(() => {
    void look;
    const context = canvas.current?.getContext('2d');
    if (!context || !canvas.current) return;
    const sharp = window.devicePixelRatio || 1;
    canvas.current.width = Math.round(width * sharp);
    canvas.current.height = Math.round(height * sharp);
    context.scale(sharp, sharp);
    const place = canvas.current.parentElement ?? document.body;
    const color = (index: number) => resolveColor(`var(--series-${index % seriesCount})`, place);
    if (layout.kind === 'lines') paintLines(context, values, layout, [least, most], { width, height }, color);
    else paintBars(context, values, [least, most], { width, height }, color(0));
  }, [values, layout, least, most, width, height, look]);
  return <canvas ref={canvas} className={classes.plot} style={{ width, height }} role="img" aria-label={label} />;
}

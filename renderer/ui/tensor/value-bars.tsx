/** The values of a vector: a few as rows with their names, many as columns around zero on a canvas. */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useLook, useWidth } from '../charts/hooks.ts';
import { number } from '../format.ts';
import { resolveColor } from '../theme/colors.ts';
import { rangeOf } from './shades.ts';
import classes from './tensor.module.css';

export interface BarRow {
  name: string;
  value: number;
  /** What is told at the right; absent: the value. */
  told?: string;
  /** More words, quieter. */
  note?: ReactNode;
  strong?: boolean;
}

export interface BarRowsProps {
  label: string;
  rows: readonly BarRow[];
  /** A full bar; absent: the largest. */
  most?: number;
}

/** A row a value. Negative ones go to the left of a middle line. */
export function BarRows({ label, rows, most }: BarRowsProps) {
  const { low, high } = rangeOf(rows.map(({ value }) => value));
  const signed = low < 0;
  const full = most ?? (high > 0 ? high : 1);
  return (
    <ul className={classes.rows} aria-label={label} data-signed={signed || undefined}>
      {rows.map(({ name, value, told, note, strong = false }, index) => {
        const share = Number.isFinite(value) ? Math.min(1, Math.abs(value) / full) : 0;
        const width = `${(share * (signed ? 50 : 100)).toFixed(2)}%`;
        const start = signed ? (value < 0 ? `${(50 - share * 50).toFixed(2)}%` : '50%') : '0';
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a value is its place
          <li key={index} data-strong={strong || undefined}>
            <span className={classes.rowName} title={name}>
              {name}
            </span>
            <span className={classes.rowTrack} aria-hidden>
              <span
                className={classes.rowBar}
                data-negative={value < 0 || undefined}
                style={{ width, marginInlineStart: start }}
              />
            </span>
            <span className={classes.rowValue} data-wrong={!Number.isFinite(value) || undefined}>
              {told ?? number(value)}
            </span>
            {note}
          </li>
        );
      })}
    </ul>
  );
}

export interface VectorPlotProps {
  label: string;
  values: Float32Array;
  height?: number;
  onPoint?: (index: number | null) => void;
}

/** A column a value, or of neighbours the least and the greatest where they are more than there is room for. */
export function VectorPlot({ label, values, height = 120, onPoint }: VectorPlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(box);
  const look = useLook();
  const [at, setAt] = useState<number | null>(null);
  useEffect(() => {
    void look;
    const element = canvas.current;
    const context = element?.getContext('2d');
    if (!element || !context || width === 0 || !box.current) return;
    const sharp = window.devicePixelRatio || 1;
    element.width = Math.round(width * sharp);
    element.height = Math.round(height * sharp);
    const color = (name: string) => resolveColor(name, box.current as Element);
    paintColumns(context, values, {
      positive: color('var(--series-1)'),
      negative: color('var(--series-0)'),
      line: color('var(--border-strong)'),
    });
  }, [values, width, height, look]);
  const point = (clientX: number, left: number) => {
    const index = Math.floor(((clientX - left) / Math.max(1, width)) * values.length);
    const inside = index >= 0 && index < values.length ? index : null;
    setAt(inside);
    onPoint?.(inside);
  };
  return (
    <div ref={box} className={classes.plot}>
      <canvas
        ref={canvas}
        role="img"
        aria-label={label}
        style={{ width: '100%', height }}
        onPointerMove={(event) => point(event.clientX, event.currentTarget.getBoundingClientRect().left)}
        onPointerLeave={() => {
          setAt(null);
          onPoint?.(null);
        }}
      />
      {at !== null && <span className={classes.cursor} style={{ left: `${((at + 0.5) / values.length) * 100}%` }} />}
    </div>
  );
}

function paintColumns(
  context: CanvasRenderingContext2D,
  values: Float32Array,
  colors: { positive: string; negative: string; line: string },
): void {
  const { width, height } = context.canvas;
  context.clearRect(0, 0, width, height);
  const { low, high } = rangeOf(values);
  const span = high - low || 1;
  const y = (value: number) => Math.round(height - 1 - ((value - low) / span) * (height - 2));
  const zero = y(0);
  const columns = Math.min(values.length, width);
  const pitch = width / columns;
  for (let column = 0; column < columns; column++) {
    const from = Math.floor((column * values.length) / columns);
    const to = Math.max(from + 1, Math.floor(((column + 1) * values.length) / columns));
    let [least, most] = [0, 0];
    for (let i = from; i < to; i++) {
      const value = values[i] as number;
      if (!Number.isFinite(value)) continue;
      if (value < least) least = value;
      if (value > most) most = value;
    }
    const left = Math.round(column * pitch);
    const room = Math.max(1, Math.round((column + 1) * pitch) - left - (pitch >= 4 ? 1 : 0));
    context.fillStyle = colors.positive;
    if (most > 0) context.fillRect(left, y(most), room, Math.max(1, zero - y(most)));
    context.fillStyle = colors.negative;
    if (least < 0) context.fillRect(left, zero, room, Math.max(1, y(least) - zero));
  }
  context.fillStyle = colors.line;
  context.fillRect(0, zero, width, 1);
}

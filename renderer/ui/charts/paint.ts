/** Paints series on a canvas: bands, lines, gaps, and what a logarithmic axis hides. */
import { decimate, type Thinned } from './decimate.ts';
import type { Frame, LineSeries } from './model.ts';
import { firstAtLeast, type Range, scaleOf } from './scale.ts';
import { smooth } from './smooth.ts';

export interface PaintOptions {
  frame: Frame;
  /** The plot's size in CSS pixels. */
  width: number;
  height: number;
  smoothing: number;
  /** What a colour is on screen now. */
  colorOf: (color: string) => string;
  /** The series under the pointer: the others step back. */
  focus: string | null;
  /** Only what lies right of this many pixels; all unless given. */
  from?: number;
}

/** Lines begin so far left of what is painted that their ends are not seen. */
const margin = 8;

export function paint(context: CanvasRenderingContext2D, series: readonly LineSeries[], options: PaintOptions): void {
  const { frame, width, height, from = 0 } = options;
  const toX = scaleOf(frame.x, [0, width], false);
  const toY = scaleOf(frame.y, [height, 0], frame.log);
  const start = frame.x[0] + ((from - margin) / width) * (frame.x[1] - frame.x[0]);
  context.save();
  if (from > 0) {
    context.beginPath();
    context.rect(from, 0, width - from, height);
    context.clip();
  }
  context.clearRect(from, 0, width - from, height);
  context.lineJoin = 'round';
  context.lineCap = 'round';
  // Ghosts first, so that nothing given up covers what counts.
  const order = [...series].sort((a, b) => Number(b.ghost ?? false) - Number(a.ghost ?? false));
  for (const line of order) {
    const color = options.colorOf(line.color);
    const back = options.focus !== null && options.focus !== line.key;
    const strength = (line.ghost ? 0.45 : 1) * (back ? 0.25 : 1);
    // The pattern of dashes hangs on where a line begins.
    const tail = from > 0 && !line.dashed && !line.ghost ? start : Number.NEGATIVE_INFINITY;
    const all = decimate(line, frame.x);
    const thinned = tailOf(all, tail);
    const smoothed = options.smoothing > 0 && !line.ghost && !line.exact;
    context.strokeStyle = color;
    context.fillStyle = color;
    context.globalAlpha = strength * 0.13;
    if (line.min && line.max && !line.ghost) {
      band(context, thinned.x, thinned.min, thinned.max, toX, (value) => clampLog(value, frame, toY));
    }
    context.setLineDash(line.dashed ? [5, 4] : line.ghost ? [2, 3] : []);
    context.globalAlpha = strength * (smoothed ? 0.28 : 1);
    context.lineWidth = smoothed ? 1 : 1.5;
    // A ghost may be so far away that a canvas has no numbers for it.
    const within = line.ghost ? (value: number) => Math.max(-height, Math.min(2 * height, toY(value))) : toY;
    stroke(context, thinned.x, thinned.mean, toX, within, frame.log, line.sparse ?? false);
    if (smoothed) {
      const even = tailOf(decimate({ x: line.x, mean: smooth(line.mean, options.smoothing) }, frame.x), tail);
      context.globalAlpha = strength;
      context.lineWidth = 1.75;
      stroke(context, even.x, even.mean, toX, toY, frame.log, line.sparse ?? false);
    }
    context.setLineDash([]);
    context.globalAlpha = strength;
    if (line.exact && all.x.length <= mostMarked) markPoints(context, thinned, toX, toY, frame.log);
    if (!line.sparse) gapMarks(context, thinned.gaps, toX, [width, height]);
    if (frame.log) hiddenMarks(context, thinned.x, thinned.mean, toX, [width, height]);
  }
  context.restore();
}

/** The points from `start` on, and the one before them. */
function tailOf(thinned: Thinned, start: number): Thinned {
  const first = firstAtLeast(thinned.x, start) - 1;
  if (first <= 0) return thinned;
  const { x, mean, min, max, gaps } = thinned;
  return { x: x.subarray(first), mean: mean.subarray(first), min: min.subarray(first), max: max.subarray(first), gaps };
}

function clampLog(value: number, frame: Frame, toY: (value: number) => number): number {
  return toY(frame.log && value <= 0 ? frame.y[0] : value);
}

type ToPixel = (value: number) => number;

function band(
  context: CanvasRenderingContext2D,
  x: Float64Array,
  min: Float64Array,
  max: Float64Array,
  toX: ToPixel,
  toY: ToPixel,
): void {
  let start = -1;
  for (let index = 0; index <= x.length; index++) {
    const there = index < x.length && Number.isFinite(min[index]) && Number.isFinite(max[index]);
    if (there && start < 0) start = index;
    if (there || start < 0) continue;
    context.beginPath();
    for (let at = start; at < index; at++) context.lineTo(toX(x[at] as number), toY(max[at] as number));
    for (let at = index - 1; at >= start; at--) context.lineTo(toX(x[at] as number), toY(min[at] as number));
    context.fill();
    start = -1;
  }
}

function stroke(
  context: CanvasRenderingContext2D,
  x: Float64Array,
  values: Float64Array,
  toX: ToPixel,
  toY: ToPixel,
  log: boolean,
  sparse: boolean,
): void {
  const lone: number[] = [];
  let run = 0;
  context.beginPath();
  for (let index = 0; index <= x.length; index++) {
    const value = values[index] ?? Number.NaN;
    if (index < x.length && Number.isFinite(value) && !(log && value <= 0)) {
      const [left, top] = [toX(x[index] as number), toY(value)];
      if (run === 0) context.moveTo(left, top);
      else context.lineTo(left, top);
      run++;
      continue;
    }
    if (sparse && index < x.length && !Number.isFinite(value)) continue;
    // A point between two gaps has no line to be seen by.
    if (run === 1) lone.push(index - 1);
    run = 0;
  }
  context.stroke();
  if (sparse && lone.length === 0) return;
  for (const index of lone) dot(context, toX(x[index] as number), toY(values[index] as number), 2.5);
}

/** More marks than these would be a line of dots. */
export const mostMarked = 60;

function markPoints(
  context: CanvasRenderingContext2D,
  { x, mean }: { x: Float64Array; mean: Float64Array },
  toX: ToPixel,
  toY: ToPixel,
  log: boolean,
): void {
  for (const [index, value] of mean.entries()) {
    if (Number.isFinite(value) && !(log && value <= 0)) dot(context, toX(x[index] as number), toY(value), 2.5);
  }
}

function dot(context: CanvasRenderingContext2D, left: number, top: number, radius: number): void {
  if (!Number.isFinite(left) || !Number.isFinite(top)) return;
  context.beginPath();
  context.arc(left, top, radius, 0, 2 * Math.PI);
  context.fill();
}

/** A small cross on the axis at each place where values are not finite; at most one in three pixels. */
function gapMarks(
  context: CanvasRenderingContext2D,
  gaps: readonly number[],
  toX: ToPixel,
  [width, height]: Range,
): void {
  let last = Number.NEGATIVE_INFINITY;
  context.lineWidth = 1.5;
  context.beginPath();
  for (const gap of gaps) {
    const left = toX(gap);
    if (left < 0 || left > width || left - last < 6) continue;
    last = left;
    const top = height - 6;
    context.moveTo(left - 3, top - 3);
    context.lineTo(left + 3, top + 3);
    context.moveTo(left + 3, top - 3);
    context.lineTo(left - 3, top + 3);
  }
  context.stroke();
}

/** A small arrow to below at the axis where a logarithmic axis cannot show a value. */
function hiddenMarks(
  context: CanvasRenderingContext2D,
  x: Float64Array,
  values: Float64Array,
  toX: ToPixel,
  [width, height]: Range,
): void {
  let last = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < x.length; index++) {
    if (!((values[index] as number) <= 0)) continue;
    const left = toX(x[index] as number);
    if (left < 0 || left > width || left - last < 7) continue;
    last = left;
    context.beginPath();
    context.moveTo(left - 3.5, height - 7);
    context.lineTo(left + 3.5, height - 7);
    context.lineTo(left, height - 1);
    context.fill();
  }
}

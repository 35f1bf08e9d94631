/** Where a run's values stand on a chart's x axis: by step, epoch or time of training. Pure, on typed arrays. */
import type { Series } from '../state/live.ts';
import { figureOf } from './quantities.ts';

export const axisKinds = ['step', 'epoch', 'time'] as const;
export type AxisKind = (typeof axisKinds)[number];

type EpochRow = Readonly<Record<string, unknown>>;

export function xOf(series: Series, axis: AxisKind): Float64Array {
  return series[axis];
}

/** Index of the first value that is at least `wanted`, in an array that does not fall. */
export function firstFrom(sorted: ArrayLike<number>, wanted: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The value of `to` where `from` is `at`: between two points on the line from one to the other, beyond the ends the end's. */
export function translate(at: number, from: ArrayLike<number>, to: ArrayLike<number>): number | null {
  if (from.length === 0) return null;
  const next = firstFrom(from, at);
  if (next === 0) return to[0] as number;
  if (next === from.length) return to[next - 1] as number;
  const [x0, x1] = [from[next - 1] as number, from[next] as number];
  const [y0, y1] = [to[next - 1] as number, to[next] as number];
  return x1 === x0 ? y1 : y0 + ((at - x0) / (x1 - x0)) * (y1 - y0);
}

export interface EpochPoints {
  x: number[];
  y: number[];
}

interface Grown {
  points: EpochPoints;
  /** Epochs that they are of, and the last of these. */
  count: number;
  last: EpochRow;
}

/** By the first epoch of a run, then by axis and name. */
const known = new WeakMap<EpochRow, Map<string, Grown>>();

/**
 * One point an epoch, standing at the epoch's last step. Values that an epoch does not have are left out, those that are not finite are NaN.
 * The answered lists grow with the run: thousands of short epochs are not gone through at every frame.
 */
export function epochPoints(epochs: readonly EpochRow[], name: string, axis: AxisKind, series: Series): EpochPoints {
  const [first] = epochs;
  // Where an epoch stands in time is known better as values come.
  if (!first || axis === 'time') return addPoints({ x: [], y: [] }, epochs, name, axis, series);
  const ofRun = known.get(first) ?? new Map<string, Grown>();
  known.set(first, ofRun);
  const key = `${axis} ${name}`;
  const before = ofRun.get(key);
  const grows = before && before.count <= epochs.length && epochs[before.count - 1] === before.last;
  const points = grows ? before.points : { x: [], y: [] };
  addPoints(points, epochs.slice(grows ? before.count : 0), name, axis, series);
  ofRun.set(key, { points, count: epochs.length, last: epochs.at(-1) as EpochRow });
  return points;
}

function addPoints(
  points: EpochPoints,
  epochs: readonly EpochRow[],
  name: string,
  axis: AxisKind,
  series: Series,
): EpochPoints {
  let seconds = 0;
  for (const row of epochs) {
    seconds += figureOf(row.seconds) ?? 0;
    const y = figureOf(row[name]);
    const x = placeOf(row, axis, series, seconds);
    if (y === null || x === null) continue;
    points.x.push(x);
    points.y.push(Number.isFinite(y) ? y : Number.NaN);
  }
  return points;
}

function placeOf(row: EpochRow, axis: AxisKind, series: Series, seconds: number): number | null {
  if (axis === 'epoch') return figureOf(row.epoch);
  const step = figureOf(row.step);
  if (axis === 'step' || step === null) return step;
  return series.buckets > 0 ? translate(step, series.step, series.time) : seconds;
}

/** A stretch of the x axis as steps, both included; null where it holds none. */
export function stepsWithin(
  range: readonly [number, number],
  axis: AxisKind,
  series: Series,
): { from: number; to: number } | null {
  const last = series.step.at(-1);
  if (last === undefined) return null;
  const x = xOf(series, axis);
  const start = axis === 'step' ? range[0] : translate(range[0], x, series.step);
  const end = axis === 'step' ? range[1] : translate(range[1], x, series.step);
  if (start === null || end === null) return null;
  const from = Math.max(1, Math.floor(Math.min(start, end)));
  const to = Math.min(last, Math.ceil(Math.max(start, end)));
  return from <= to ? { from, to } : null;
}

/** Where steps stand on the axis: marks of checkpoints and resumes. */
export function placeOfStep(step: number, axis: AxisKind, series: Series): number | null {
  return axis === 'step' ? step : translate(step, series.step, xOf(series, axis));
}

/** Samples a second from one point to the next, over windows of at least `share` of the whole, so that the clock's grain does not show. */
export function throughput(series: Series, samplesPerStep: number, share = 0.02): Float64Array {
  const { step, time, buckets } = series;
  const out = new Float64Array(buckets).fill(Number.NaN);
  if (buckets < 2) return out;
  const span = ((time[buckets - 1] as number) - (time[0] as number)) * share;
  let start = 0;
  for (let index = 1; index < buckets; index++) {
    while (start + 1 < index && (time[index] as number) - (time[start + 1] as number) >= span) start += 1;
    const seconds = (time[index] as number) - (time[start] as number);
    if (seconds <= 0) continue;
    out[index] = (((step[index] as number) - (step[start] as number)) / seconds) * samplesPerStep;
  }
  return out;
}

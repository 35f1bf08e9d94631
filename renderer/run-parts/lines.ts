/** A run's series, epochs and ghosts as lines of a chart. Pure; arrays of the series are passed on, not copied. */
import type { Ghost, Series } from '../state/live.ts';
import type { LineSeries } from '../ui/index.ts';
import { type AxisKind, epochPoints, throughput, xOf } from './axes.ts';
import { figureOf, quantity } from './quantities.ts';
import { type NamedRun, runColor } from './run-color.ts';

export interface RunCurves {
  series: Series;
  epochs: readonly Readonly<Record<string, unknown>>[];
  ghosts: readonly Ghost[];
  /** A part of the steps, closer: drawn in the place of all. */
  detail?: Series | null;
}

export interface LineColors {
  train: string;
  val: string;
}

const ghostColor = 'var(--text-3)';

/** Training step by step with its band, validation epoch by epoch, and what was given up by resumes, faint. */
export function quantityLines(curves: RunCurves, key: string, axis: AxisKind, colors: LineColors): LineSeries[] {
  const { label } = quantity(key);
  const ghosts = curves.ghosts.flatMap((ghost, index) =>
    partLines(ghost, key, axis, { train: ghostColor, val: ghostColor }).map((line) => ({
      ...line,
      key: `ghost ${index} ${line.key}`,
      label: `${line.label}, given up`,
      ghost: true,
    })),
  );
  const lines = partLines(curves, key, axis, colors);
  // A quantity of the step alone needs no part in its name.
  const [only] = lines;
  return [...ghosts, ...(lines.length === 1 && only?.key === key ? [{ ...only, label }] : lines)];
}

function partLines(
  { series, epochs, detail }: Omit<RunCurves, 'ghosts'>,
  key: string,
  axis: AxisKind,
  colors: LineColors,
): LineSeries[] {
  const lines: LineSeries[] = [];
  const name = series.columns.has(key) ? key : `train_${key}`;
  const train =
    stepLine(detail ?? series, name, axis, colors.train) ?? epochLine(epochs, name, axis, series, colors.train);
  if (train) lines.push({ ...train, label: 'Training' });
  const val = epochLine(epochs, `val_${key}`, axis, series, colors.val);
  if (val) lines.push({ ...val, label: 'Validation' });
  return lines;
}

/** A column of the series; null where the run has none. */
function stepLine(series: Series, name: string, axis: AxisKind, color: string): LineSeries | null {
  const band = series.columns.get(name);
  if (!band || series.buckets === 0) return null;
  const line = { key: name, label: name, color, x: xOf(series, axis), mean: band.mean };
  // A bucket of one step is its own minimum and maximum.
  return series.size > 1 ? { ...line, min: band.min, max: band.max } : line;
}

export function epochLine(
  epochs: RunCurves['epochs'],
  name: string,
  axis: AxisKind,
  series: Series,
  color: string,
): LineSeries | null {
  const { x, y } = epochPoints(epochs, name, axis, series);
  return x.length > 0 ? { key: name, label: name, color, x, mean: y, exact: true } : null;
}

/** A value by its name (`val_loss`, `lr`), of a run among several: step by step where that is told, else epoch by epoch. */
export function valueLine(run: NamedRun, curves: RunCurves, name: string, axis: AxisKind): LineSeries | null {
  const color = runColor(run);
  const { series, epochs, detail } = curves;
  const line = stepLine(detail ?? series, name, axis, color) ?? epochLine(epochs, name, axis, series, color);
  return line && { ...line, key: run.name, label: run.name };
}

/** Runs whose colours happen to be the same are told apart by dashes. */
export function apart(lines: readonly LineSeries[]): LineSeries[] {
  const used = new Set<string>();
  return lines.map((line) => {
    const dashed = used.has(line.color);
    used.add(line.color);
    return dashed ? { ...line, dashed } : line;
  });
}

/** One run among several, by its validation where it ran, else by its training, which is told then. */
export function runLine(run: NamedRun, curves: RunCurves, key: string, axis: AxisKind): LineSeries | null {
  const { epochs, series } = curves;
  const color = runColor(run);
  const val = epochLine(epochs, `val_${key}`, axis, series, color);
  if (val) return { ...val, key: run.name, label: run.name };
  const train = valueLine(run, curves, `train_${key}`, axis);
  return train && { ...train, label: `${run.name} (training)` };
}

/** Samples a second; null before there are two points. */
export function throughputLine(
  series: Series,
  samplesPerStep: number | null,
  axis: AxisKind,
  color: string,
): LineSeries | null {
  if (samplesPerStep === null || series.buckets < 2) return null;
  const mean = throughput(series, samplesPerStep);
  return { key: 'samples_per_second', label: 'Training', color, x: xOf(series, axis), mean, sparse: true };
}

/** Bytes that lie on each other, from the bottom up. */
export interface MemoryPart {
  label: string;
  values: Float64Array;
}

export interface MemoryCurves {
  x: ArrayLike<number>;
  parts: MemoryPart[];
}

/**
 * Tensors, what the allocator keeps for the next ones, and, on the host, the rest of the process; chunk by chunk where the series tells it, else
 * epoch by epoch. null: the run tells none.
 */
export function memoryCurves(
  { series, epochs }: Pick<RunCurves, 'series' | 'epochs'>,
  onHost: boolean,
  axis: AxisKind,
): MemoryCurves | null {
  const column = (name: string) => series.columns.get(`memory_${name}`)?.max;
  const allocated = column('allocated');
  if (allocated && series.buckets > 1) {
    return { x: xOf(series, axis), parts: stack(allocated, column('reserved'), onHost ? column('rss') : undefined) };
  }
  const ofEpochs = (name: string) =>
    Float64Array.from(
      epochs,
      ({ memory }) => figureOf((memory as Record<string, unknown> | undefined)?.[name]) ?? Number.NaN,
    );
  const tensors = ofEpochs('allocated');
  if (!tensors.some(Number.isFinite)) return null;
  const x = epochPoints(epochs, 'epoch', axis, series).x;
  return { x, parts: stack(tensors, ofEpochs('reserved'), onHost ? ofEpochs('rss') : undefined) };
}

function stack(
  tensors: Float64Array,
  reserved: Float64Array | undefined,
  process: Float64Array | undefined,
): MemoryPart[] {
  const above = (values: Float64Array, below: Float64Array) =>
    values.map((value, index) => Math.max(0, value - (below[index] as number)));
  const held = reserved?.map((value, index) => Math.max(value, tensors[index] as number)) ?? tensors;
  const kept = above(held, tensors);
  return [
    { label: 'Tensors', values: tensors },
    ...(kept.some((value) => value > 0) ? [{ label: 'Cached', values: kept }] : []),
    ...(process ? [{ label: 'Rest of the process', values: above(process, held) }] : []),
  ];
}

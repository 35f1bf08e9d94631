/** What a line chart shows, worked out from its series: ranges, ticks, what is hidden, and a sentence that says it. Pure. */
import { firstAtLeast, linearTicks, logTicks, paddedRange, type Range, steadyRange } from './scale.ts';

export interface LineSeries {
  key: string;
  label: string;
  /** Any CSS colour, also `var(…)`. */
  color: string;
  /** Rising. */
  x: ArrayLike<number>;
  mean: ArrayLike<number>;
  /** Drawn as a band behind the mean. */
  min?: ArrayLike<number> | undefined;
  max?: ArrayLike<number> | undefined;
  dashed?: boolean;
  /** What was computed and given up: faint and dashed. */
  ghost?: boolean;
  /** NaN means that there is no value: the line goes on to the next one and nothing is marked. */
  sparse?: boolean;
  /** Points that each stand for something, such as an epoch: marked while they are few, and never smoothed. */
  exact?: boolean;
}

/** Something that happened at an x. */
export interface ChartMarker {
  x: number;
  label: string;
  tone?: 'calm' | 'ok' | 'warn' | 'bad';
}

export interface Frame {
  x: Range;
  y: Range;
  xTicks: number[];
  yTicks: number[];
  log: boolean;
  /** Points that a logarithmic axis cannot show. */
  hidden: number;
  /** Values that are not finite. */
  gaps: number;
  empty: boolean;
}

export interface FrameOptions {
  log: boolean;
  /** Fixed or zoomed range of x; null: all. */
  domain: Range | null;
  live: boolean;
  xTickCount: number;
  yTickCount: number;
  /** Fixed limits of y. */
  yDomain?: readonly [number | null, number | null] | undefined;
  /** x counts things. */
  wholeX: boolean;
}

function extentX(series: readonly LineSeries[]): Range | null {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { x, mean } of series) {
    const last = Math.min(x.length, mean.length) - 1;
    if (last < 0) continue;
    low = Math.min(low, x[0] as number);
    high = Math.max(high, x[last] as number);
  }
  return low <= high ? [low, high] : null;
}

/** The range of the values within `x`, of their bands too, and how many cannot be shown. */
function extentY(series: readonly LineSeries[], x: Range, log: boolean) {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let [hidden, gaps] = [0, 0];
  for (const line of series) {
    const end = Math.min(line.mean.length, firstAtLeast(line.x, x[1] + Number.EPSILON * Math.abs(x[1])) + 1);
    for (let index = firstAtLeast(line.x, x[0]); index < end; index++) {
      if ((line.x[index] as number) > x[1]) break;
      const value = line.mean[index] as number;
      if (!Number.isFinite(value)) {
        if (!line.sparse) gaps++;
        continue;
      }
      if (log && value <= 0) {
        hidden++;
        continue;
      }
      const least = line.min?.[index] ?? value;
      const most = line.max?.[index] ?? value;
      low = Math.min(low, Number.isFinite(least) && (!log || least > 0) ? least : value);
      high = Math.max(high, Number.isFinite(most) ? most : value);
    }
  }
  return { low, high, hidden, gaps };
}

export function frameOf(series: readonly LineSeries[], options: FrameOptions): Frame {
  const { log, live } = options;
  const extent = extentX(series);
  let x: Range = options.domain ?? extent ?? [0, 1];
  // Between the points of an axis with one there is nothing to tell.
  const single = x[0] === x[1] ? x[0] : null;
  if (single !== null) x = [single - 0.5, single + 0.5];
  // Room for what comes before the axes are drawn again.
  else if (live && !options.domain) x = [x[0], steadyRange([x[0], x[1] + (x[1] - x[0]) * 0.01], 40)[1]];
  // Marked points at the ends are not cut.
  else if (!options.domain && series.some(({ exact }) => exact)) {
    const air = (x[1] - x[0]) * 0.01;
    x = [x[0] - air, x[1] + air];
  }
  const all = extentY(series, x, log);
  // What was given up may have diverged: it is cut where it leaves what counts, and decides only where it is alone.
  const counting = series.filter(({ ghost }) => !ghost);
  const counted = counting.length < series.length ? extentY(counting, x, log) : all;
  const { low, high } = counted.low <= counted.high ? counted : all;
  const { hidden, gaps } = all;
  // While a run goes on, axes that change with every value would have to be drawn as often, and would never stand still.
  const padded = live ? steadyRange(paddedRange(low, high, log), 20, log) : paddedRange(low, high, log);
  const y: Range = [options.yDomain?.[0] ?? padded[0], options.yDomain?.[1] ?? padded[1]];
  return {
    x,
    y,
    xTicks: single === null ? linearTicks(x, options.xTickCount, options.wholeX) : [single],
    yTicks: log ? logTicks(y, options.yTickCount) : linearTicks(y, options.yTickCount),
    log,
    hidden,
    gaps,
    empty: extent === null,
  };
}

export function lastFinite(values: ArrayLike<number>): number {
  for (let index = values.length - 1; index >= 0; index--) {
    if (Number.isFinite(values[index])) return values[index] as number;
  }
  return Number.NaN;
}

/** What the chart shows, for those who do not see it. */
export function summary(
  title: string,
  series: readonly LineSeries[],
  xFormat: (value: number) => string,
  yFormat: (value: number) => string,
): string {
  const extent = extentX(series);
  if (!extent) return `${title}: no values yet.`;
  const lines = series.map(({ label, mean, x }) => {
    let [low, high, at] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
    for (let index = 0; index < mean.length; index++) {
      const value = mean[index] as number;
      if (value < low) at = index;
      if (Number.isFinite(value)) [low, high] = [Math.min(low, value), Math.max(high, value)];
    }
    if (low > high) return `${label}: no finite values`;
    return `${label}: last ${yFormat(lastFinite(mean))}, lowest ${yFormat(low)} at ${xFormat(x[at] as number)}, highest ${yFormat(high)}`;
  });
  return `${title}, from ${xFormat(extent[0])} to ${xFormat(extent[1])}. ${lines.join('. ')}.`;
}

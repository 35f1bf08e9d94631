/** Amounts on top of each other over time, under a limit: memory by category. */
import { type PointerEvent, type ReactNode, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { number } from '../format.ts';
import { Axes, type AxesFrame, type Margins } from './axes.tsx';
import classes from './chart.module.css';
import { textWidth, useColors, useLook, useWidth } from './hooks.ts';
import { paintStack } from './paint-stack.ts';
import { linearTicks, nearest, scaleOf, tickFormat } from './scale.ts';

export interface AreaSeries {
  key: string;
  label: string;
  color: string;
  /** One a place of `x`; NaN counts as nothing. */
  values: ArrayLike<number>;
}

export interface AreaChartProps {
  title: string;
  x: ArrayLike<number>;
  /** From the bottom to the top. */
  series: readonly AreaSeries[];
  xLabel?: string;
  xFormat?: (value: number) => string;
  yFormat?: (value: number) => string;
  /** Ticks of y; round decimal numbers unless given (sizes of memory have their own). */
  yTicks?: readonly number[] | undefined;
  limit?: { value: number; label: string } | undefined;
  height?: number;
  hideTitle?: boolean;
  actions?: ReactNode;
  empty?: ReactNode;
}

/** More points than an area of this kind can show. */
const mostPoints = 400;
const plain = (value: number) => number(value, 6);

/** What is drawn: at most `mostPoints` places, and for each series the amount and what it reaches on top of those below. */
interface Stack {
  x: number[];
  values: number[][];
  tops: number[][];
}

function stackOf(x: ArrayLike<number>, series: readonly AreaSeries[]): Stack {
  const every = Math.max(1, Math.ceil(x.length / mostPoints));
  const places: number[] = [];
  // The newest is always among them.
  for (let at = 0; at < x.length; at += every) places.push(at + every >= x.length ? x.length - 1 : at);
  const values = series.map((each) =>
    places.map((at) => (Number.isFinite(each.values[at]) ? (each.values[at] as number) : 0)),
  );
  const sums = places.map(() => 0);
  const tops = values.map((row) => {
    for (const [index, value] of row.entries()) sums[index] = (sums[index] as number) + value;
    return [...sums];
  });
  return { x: places.map((at) => x[at] as number), values, tops };
}

export function AreaChart({
  title,
  x,
  series,
  xLabel = 'step',
  xFormat,
  yFormat = plain,
  yTicks,
  limit,
  height = 180,
  hideTitle = false,
  actions,
  empty = 'No values yet',
}: AreaChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(box);
  const colorOf = useColors(box, useLook());
  const [pointed, setPointed] = useState<number | null>(null);
  const stack = useMemo(() => stackOf(x, series), [x, series]);
  const sums = stack.tops.at(-1) ?? [];
  const peak = sums.reduce((most, sum) => Math.max(most, sum), 0);
  // A limit far above would press everything flat: it is named in the head instead.
  const near = limit !== undefined && limit.value <= peak * 4;
  const top = Math.max(peak, near ? limit.value : 0, Number.MIN_VALUE) * 1.06;
  const ticks = yTicks?.filter((each) => each <= top) ?? linearTicks([0, top], Math.max(2, Math.floor(height / 44)));
  const left = Math.ceil(Math.max(24, ...ticks.map((each) => textWidth(yFormat(each)))) / 8) * 8 + 10;
  const margins = useMemo<Margins>(() => ({ top: 8, right: 12, bottom: 24, left }), [left]);
  const [first, last] = [stack.x[0] ?? 0, stack.x.at(-1) ?? 1];
  const xTicks = linearTicks([first, last], Math.max(2, Math.floor(width / 90)), true);
  const xText = xFormat ?? tickFormat(xTicks);
  const plotWidth = Math.max(0, width - margins.left - margins.right);
  const plotHeight = height - margins.top - margins.bottom;
  const frame: AxesFrame = {
    x: first === last ? [first - 0.5, last + 0.5] : [first, last],
    y: [0, top],
    xTicks,
    yTicks: ticks,
    log: false,
  };
  // After every render, before the browser shows it; a new look has new colours.
  useLayoutEffect(() => {
    const element = canvas.current;
    const context = element?.getContext('2d');
    if (!element || !context) return;
    const sharp = devicePixelRatio;
    const pixels = [Math.round(plotWidth * sharp), Math.round(plotHeight * sharp)] as const;
    if (element.width !== pixels[0] || element.height !== pixels[1]) [element.width, element.height] = pixels;
    context.setTransform(sharp, 0, 0, sharp, 0, 0);
    const colors = series.map(({ color }) => colorOf(color));
    paintStack(context, stack, { x: frame.x, y: frame.y, width: plotWidth, height: plotHeight, colors });
  });

  const point = (event: PointerEvent<HTMLElement>) => {
    const share = (event.clientX - event.currentTarget.getBoundingClientRect().left) / plotWidth;
    setPointed(frame.x[0] + Math.min(1, Math.max(0, share)) * (frame.x[1] - frame.x[0]));
  };
  const at = pointed === null ? -1 : nearest(stack.x, pointed);
  const limitTop = limit && near ? scaleOf(frame.y, [plotHeight, 0], false)(limit.value) + margins.top : null;
  const newest = sums.length - 1;
  const over = limit !== undefined && peak > limit.value;
  return (
    <figure className={classes.chart}>
      <figcaption className={classes.head}>
        {!hideTitle && <span className={classes.title}>{title}</span>}
        <span className={classes.legend}>
          {series.map(({ key, label, color }, index) => (
            <span key={key} className={classes.legendItem}>
              <span className={classes.tipSwatch} style={{ background: color }} aria-hidden />
              <span className={classes.legendLabel}>{label}</span>
              <span className={classes.legendValue}>
                {newest < 0 ? '–' : yFormat(stack.values[index]?.[newest] as number)}
              </span>
            </span>
          ))}
        </span>
        <span className={classes.tools}>
          {limit && (
            <span className={classes.remark} data-over={over || undefined}>
              {limit.label} {yFormat(limit.value)}
            </span>
          )}
          {actions}
        </span>
      </figcaption>
      <div
        ref={box}
        className={classes.plotBox}
        style={{ height }}
        role="img"
        aria-label={`${title}: now ${yFormat(sums[newest] ?? 0)}, at most ${yFormat(peak)}${limit ? `, ${limit.label} ${yFormat(limit.value)}` : ''}.`}
      >
        {width > 0 && newest >= 0 && (
          <>
            <Axes frame={frame} width={width} height={height} margins={margins} xFormat={xText} yFormat={yFormat} />
            <canvas
              ref={canvas}
              className={classes.canvas}
              style={{ left: margins.left, top: margins.top, width: plotWidth, height: plotHeight }}
            />
            <div
              className={classes.overlay}
              style={{ left: margins.left, top: margins.top, width: plotWidth, height: plotHeight }}
              onPointerMove={point}
              onPointerLeave={() => setPointed(null)}
            >
              {at >= 0 && (
                <AreaTip
                  stack={stack}
                  at={at}
                  left={scaleOf(frame.x, [0, plotWidth], false)(stack.x[at] as number)}
                  width={plotWidth}
                  series={series}
                  head={`${xLabel} ${xText(stack.x[at] as number)}`}
                  yFormat={yFormat}
                />
              )}
            </div>
          </>
        )}
        {newest < 0 && <div className={classes.empty}>{empty}</div>}
        {limitTop !== null && (
          <div className={classes.limitLine} data-over={over || undefined} style={{ top: limitTop, left, right: 12 }} />
        )}
      </div>
    </figure>
  );
}

interface AreaTipProps {
  stack: Stack;
  at: number;
  /** Where the crosshair stands in the plot, and how wide that is. */
  left: number;
  width: number;
  series: readonly AreaSeries[];
  head: string;
  yFormat: (value: number) => string;
}

function AreaTip({ stack, at, left, width, series, head, yFormat }: AreaTipProps) {
  const amount = (rows: number[][], index: number) => yFormat(rows[index]?.[at] ?? 0);
  return (
    <>
      <div className={classes.crosshair} style={{ left }} />
      <div
        className={classes.tip}
        data-sums
        style={left > width / 2 ? { right: width - left + 12 } : { left: left + 12 }}
      >
        <div className={classes.tipHead}>{head}</div>
        <div className={classes.tipRows}>
          {series
            .map(({ key, label, color }, index) => (
              <div key={key} className={classes.tipRow}>
                <span className={classes.tipSwatch} style={{ background: color }} aria-hidden />
                <span className={classes.tipLabel}>{label}</span>
                <span className={classes.tipValue}>{amount(stack.values, index)}</span>
              </div>
            ))
            .reverse()}
          <div className={classes.tipRow}>
            <span />
            <span className={classes.tipLabel}>together</span>
            <span className={classes.tipValue}>{amount(stack.tops, series.length - 1)}</span>
          </div>
        </div>
      </div>
    </>
  );
}

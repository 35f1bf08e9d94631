/** Grid and axes of a chart: ranges and ticks are given, nothing is found out from data. */
import { memo } from 'react';
import classes from './chart.module.css';
import { textWidth } from './hooks.ts';
import type { Frame } from './model.ts';
import { scaleOf, tickFormat } from './scale.ts';

export interface Margins {
  top: number;
  right: number;
  bottom: number;
  left: number;
}

export type AxesFrame = Pick<Frame, 'x' | 'y' | 'xTicks' | 'yTicks' | 'log'>;

export interface AxesProps {
  frame: AxesFrame;
  width: number;
  height: number;
  margins: Margins;
  /** Without, ticks are written with the decimals that tell them apart. */
  xFormat: ((value: number) => string) | undefined;
  yFormat: ((value: number) => string) | undefined;
}

const tickLength = 4;
/** Between two labels of the horizontal axis. */
const leastGap = 8;

function AxesOf({ frame, width, height, margins, xFormat, yFormat }: AxesProps) {
  const { x, y, xTicks, yTicks, log } = frame;
  const { x: xText, y: yText } = tickTexts(frame, xFormat, yFormat);
  const [right, bottom] = [width - margins.right, height - margins.bottom];
  const toX = scaleOf(x, [margins.left, right], false);
  const toY = scaleOf(y, [bottom, margins.top], log);
  return (
    <svg className={classes.axes} width={width} height={height} aria-hidden>
      <g className={classes.gridLines}>
        {yTicks.map((tick) => (
          <line key={tick} x1={margins.left} x2={right} y1={toY(tick)} y2={toY(tick)} />
        ))}
      </g>
      <g data-axis="y" className={classes.yTexts}>
        {yTicks.map((tick) => (
          <text key={tick} x={margins.left - 6} y={toY(tick)} dy="0.355em">
            {yText(tick)}
          </text>
        ))}
      </g>
      <g className={classes.axisLines}>
        <line x1={margins.left} x2={right} y1={bottom} y2={bottom} />
        {xTicks.map((tick) => (
          <line key={tick} x1={toX(tick)} x2={toX(tick)} y1={bottom} y2={bottom + tickLength} />
        ))}
      </g>
      <g data-axis="x" className={classes.xTexts}>
        {placed(xTicks, xText, toX, width).map(({ tick, text, at }) => (
          <text key={tick} x={at} y={bottom + 2 * tickLength} dy="0.71em">
            {text}
          </text>
        ))}
      </g>
    </svg>
  );
}

/** Labels of the horizontal axis that have room, the last before others; none is cut at the chart's edges. */
function placed(
  ticks: readonly number[],
  write: (value: number) => string,
  toX: (value: number) => number,
  width: number,
): { tick: number; text: string; at: number }[] {
  const kept: { tick: number; text: string; at: number }[] = [];
  let free = Number.POSITIVE_INFINITY;
  for (const tick of ticks.toReversed()) {
    const text = write(tick);
    const half = textWidth(text) / 2;
    const at = Math.max(half, Math.min(toX(tick), width - half));
    if (at + half > free) continue;
    free = at - half - leastGap;
    kept.unshift({ tick, text, at });
  }
  return kept;
}

export function tickTexts(frame: AxesFrame, xFormat: AxesProps['xFormat'], yFormat: AxesProps['yFormat']) {
  return { x: xFormat ?? tickFormat(frame.xTicks), y: yFormat ?? tickFormat(frame.yTicks, frame.log) };
}

const sameNumbers = (a: readonly number[], b: readonly number[]) =>
  a.length === b.length && a.every((value, index) => value === b[index]);

/** Whether the axes of both look alike. */
export function sameAxes(a: AxesFrame, b: AxesFrame): boolean {
  return a.log === b.log && (['x', 'y', 'xTicks', 'yTicks'] as const).every((part) => sameNumbers(a[part], b[part]));
}

/** Drawn anew only where they look different. */
export const Axes = memo(
  AxesOf,
  (was, is) =>
    was.width === is.width &&
    was.height === is.height &&
    was.margins === is.margins &&
    was.xFormat === is.xFormat &&
    was.yFormat === is.yFormat &&
    sameAxes(was.frame, is.frame),
);

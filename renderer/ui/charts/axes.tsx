/** Grid and axes of a chart, by recharts: ranges and ticks are given, nothing is found out from data. */
import { memo } from 'react';
import { CartesianGrid, LineChart, XAxis, YAxis } from 'recharts';
import type { Frame } from './model.ts';
import { tickFormat } from './scale.ts';

export interface Margins {
  top: number;
  right: number;
  bottom: number;
  left: number;
}

const tick = { fill: 'var(--text-3)', fontSize: 12 };

/** A logarithmic axis is a linear one of exponents, so that recharts and the canvas place every value alike. */
const scaled = (value: number, log: boolean) => (log ? Math.log10(value) : value);

export interface AxesProps {
  frame: Frame;
  width: number;
  height: number;
  margins: Margins;
  /** Without, ticks are written with the decimals that tell them apart. */
  xFormat: ((value: number) => string) | undefined;
  yFormat: ((value: number) => string) | undefined;
}

function AxesOf({ frame, width, height, margins, xFormat, yFormat }: AxesProps) {
  const { x, y, xTicks, yTicks, log } = frame;
  const { x: xText, y: yText } = tickTexts(frame, xFormat, yFormat);
  const low = scaled(y[0], log);
  const high = scaled(y[1], log);
  const ends = [
    { x: x[0], y: low },
    { x: x[1], y: high },
  ];
  return (
    <LineChart
      width={width}
      height={height}
      data={ends}
      margin={{ top: margins.top, right: margins.right, bottom: 0, left: 0 }}
      accessibilityLayer={false}
      style={{ pointerEvents: 'none' }}
    >
      <CartesianGrid vertical={false} syncWithTicks stroke="var(--chart-grid)" />
      <XAxis
        dataKey="x"
        type="number"
        domain={[x[0], x[1]]}
        ticks={xTicks}
        interval="preserveStartEnd"
        height={margins.bottom}
        tick={tick}
        tickFormatter={xText}
        tickSize={4}
        tickMargin={4}
        stroke="var(--chart-axis)"
        allowDataOverflow
      />
      <YAxis
        dataKey="y"
        type="number"
        domain={[low, high]}
        ticks={yTicks.map((value) => scaled(value, log))}
        interval={0}
        width={margins.left}
        tick={tick}
        tickFormatter={(value: number) => yText(log ? 10 ** value : value)}
        tickLine={false}
        axisLine={false}
        tickMargin={6}
        allowDataOverflow
      />
    </LineChart>
  );
}

export function tickTexts(frame: Frame, xFormat: AxesProps['xFormat'], yFormat: AxesProps['yFormat']) {
  return { x: xFormat ?? tickFormat(frame.xTicks), y: yFormat ?? tickFormat(frame.yTicks, frame.log) };
}

const sameNumbers = (a: readonly number[], b: readonly number[]) =>
  a.length === b.length && a.every((value, index) => value === b[index]);

/** Recharts takes milliseconds for what has not changed as well: axes are drawn anew only where they look different. */
export const Axes = memo(
  AxesOf,
  (was, is) =>
    was.width === is.width &&
    was.height === is.height &&
    was.margins === is.margins &&
    was.xFormat === is.xFormat &&
    was.yFormat === is.yFormat &&
    was.frame.log === is.frame.log &&
    (['x', 'y', 'xTicks', 'yTicks'] as const).every((part) => sameNumbers(was.frame[part], is.frame[part])),
);

/** Amounts on top of each other over time, under a limit: memory by category. */
import { type ReactNode, useMemo, useRef } from 'react';
import { Area, CartesianGrid, ComposedChart, Tooltip, type TooltipContentProps, XAxis, YAxis } from 'recharts';
import { number } from '../format.ts';
import classes from './chart.module.css';
import { textWidth, useLook, useWidth } from './hooks.ts';
import { linearTicks, scaleOf, tickFormat } from './scale.ts';

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
const tick = { fill: 'var(--text-3)', fontSize: 12 };
const plain = (value: number) => number(value, 6);

type Row = { x: number } & Record<string, number>;

function rowsOf(x: ArrayLike<number>, series: readonly AreaSeries[]): Row[] {
  const every = Math.max(1, Math.ceil(x.length / mostPoints));
  const rows: Row[] = [];
  for (let index = 0; index < x.length; index += every) {
    // The newest is always among them.
    const at = index + every >= x.length ? x.length - 1 : index;
    const row: Row = { x: x[at] as number };
    for (const { key, values } of series) {
      const value = values[at] as number;
      row[`v:${key}`] = Number.isFinite(value) ? value : 0;
    }
    rows.push(row);
  }
  return rows;
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
  const width = useWidth(box);
  useLook();
  const rows = useMemo(() => rowsOf(x, series), [x, series]);
  const sum = (row: Row) => series.reduce((total, { key }) => total + (row[`v:${key}`] as number), 0);
  const peak = Math.max(0, ...rows.map(sum));
  // A limit far above would press everything flat: it is named in the head instead.
  const near = limit !== undefined && limit.value <= peak * 4;
  const top = Math.max(peak, near ? limit.value : 0, Number.MIN_VALUE) * 1.06;
  const ticks = yTicks?.filter((each) => each <= top) ?? linearTicks([0, top], Math.max(2, Math.floor(height / 44)));
  const left = Math.ceil(Math.max(24, ...ticks.map((each) => textWidth(yFormat(each)))) / 8) * 8 + 10;
  const [first, last] = [rows[0]?.x ?? 0, rows.at(-1)?.x ?? 1];
  const xTicks = linearTicks([first, last], Math.max(2, Math.floor(width / 90)), true);
  const xText = xFormat ?? tickFormat(xTicks);
  const plotHeight = height - 32;
  const limitTop = limit && near ? scaleOf([0, top], [plotHeight, 0], false)(limit.value) + 8 : null;
  const newest = rows.at(-1);
  const total = newest ? sum(newest) : 0;
  const over = limit !== undefined && peak > limit.value;
  return (
    <figure className={classes.chart}>
      <figcaption className={classes.head}>
        {!hideTitle && <span className={classes.title}>{title}</span>}
        <span className={classes.legend}>
          {series.map(({ key, label, color }) => (
            <span key={key} className={classes.legendItem}>
              <span className={classes.tipSwatch} style={{ background: color }} aria-hidden />
              <span className={classes.legendLabel}>{label}</span>
              <span className={classes.legendValue}>{newest ? yFormat(newest[`v:${key}`] as number) : '–'}</span>
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
        aria-label={`${title}: now ${yFormat(total)}, at most ${yFormat(peak)}${limit ? `, ${limit.label} ${yFormat(limit.value)}` : ''}.`}
      >
        {width > 0 && rows.length > 0 && (
          <ComposedChart
            width={width}
            height={height}
            data={rows}
            margin={{ top: 8, right: 12, bottom: 0, left: 0 }}
            accessibilityLayer={false}
          >
            <CartesianGrid vertical={false} syncWithTicks stroke="var(--chart-grid)" />
            <XAxis
              dataKey="x"
              type="number"
              domain={first === last ? [first - 0.5, last + 0.5] : [first, last]}
              ticks={xTicks}
              height={24}
              tick={tick}
              tickFormatter={xText}
              tickSize={4}
              tickMargin={4}
              stroke="var(--chart-axis)"
              allowDataOverflow
            />
            <YAxis
              type="number"
              domain={[0, top]}
              ticks={ticks}
              interval={0}
              width={left}
              tick={tick}
              tickFormatter={yFormat}
              tickLine={false}
              axisLine={false}
              tickMargin={6}
              allowDataOverflow
            />
            {series.map(({ key, color }) => (
              <Area
                key={key}
                dataKey={`v:${key}`}
                stackId="all"
                stroke={color}
                strokeWidth={1}
                fill={color}
                fillOpacity={0.32}
                isAnimationActive={false}
                activeDot={false}
              />
            ))}
            <Tooltip
              isAnimationActive={false}
              cursor={{ stroke: 'var(--text-3)', strokeWidth: 1 }}
              content={(tip) => <AreaTip tip={tip} series={series} xLabel={xLabel} xText={xText} yFormat={yFormat} />}
            />
          </ComposedChart>
        )}
        {rows.length === 0 && <div className={classes.empty}>{empty}</div>}
        {limitTop !== null && (
          <div className={classes.limitLine} data-over={over || undefined} style={{ top: limitTop, left, right: 12 }} />
        )}
      </div>
    </figure>
  );
}

function AreaTip({
  tip,
  series,
  xLabel,
  xText,
  yFormat,
}: {
  tip: Pick<TooltipContentProps, 'active' | 'payload'>;
  series: readonly AreaSeries[];
  xLabel: string;
  xText: (value: number) => string;
  yFormat: (value: number) => string;
}) {
  const row = tip.payload?.[0]?.payload as Row | undefined;
  if (!tip.active || !row) return null;
  const total = series.reduce((sum, { key }) => sum + (row[`v:${key}`] as number), 0);
  return (
    <div className={classes.tip} data-free>
      <div className={classes.tipHead}>
        {xLabel} {xText(row.x)}
      </div>
      <div className={classes.tipRows}>
        {[...series].reverse().map(({ key, label, color }) => (
          <div key={key} className={classes.tipRow}>
            <span className={classes.tipSwatch} style={{ background: color }} aria-hidden />
            <span className={classes.tipLabel}>{label}</span>
            <span className={classes.tipValue}>{yFormat(row[`v:${key}`] as number)}</span>
          </div>
        ))}
        <div className={classes.tipRow}>
          <span />
          <span className={classes.tipLabel}>together</span>
          <span className={classes.tipValue}>{yFormat(total)}</span>
        </div>
      </div>
    </div>
  );
}

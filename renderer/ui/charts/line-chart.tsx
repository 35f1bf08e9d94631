/**
 * Lines over steps, epochs or time. Axes and legend are drawn by React, twice a second at most while a run goes on; the lines are painted on
 * a canvas at most once a frame, through `update`, without React.
 */
import { IconTable, IconZoomReset } from '@tabler/icons-react';
import {
  type ReactNode,
  type Ref,
  startTransition,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { IconButton } from '../basics/buttons.tsx';
import { Skeleton } from '../basics/skeleton.tsx';
import { integer, number } from '../format.ts';
import { resolveColor } from '../theme/colors.ts';
import { Axes, type Margins, tickTexts } from './axes.tsx';
import classes from './chart.module.css';
import { ChartTable } from './chart-table.tsx';
import { textWidth, useLook, useOnScreen, useWidth } from './hooks.ts';
import { Legend } from './legend.tsx';
import { type ChartMarker, type Frame, frameOf, type LineSeries, summary } from './model.ts';
import { Overlay } from './overlay.tsx';
import { paint } from './paint.ts';
import { type Range, scaleOf } from './scale.ts';

export interface LineChartHandle {
  /** New values: painted with the next frame; axes and legend follow within half a second. */
  update: (series: readonly LineSeries[]) => void;
}

export interface LineChartProps {
  /** What the chart is of; its accessible name, and its heading unless `hideTitle`. */
  title: string;
  series: readonly LineSeries[];
  ref?: Ref<LineChartHandle> | undefined;
  xLabel?: string;
  yLabel?: string;
  xFormat?: (value: number) => string;
  yFormat?: (value: number) => string;
  logY?: boolean;
  /** From 0 to below 1, as TensorBoard's. */
  smoothing?: number;
  height?: number;
  /** The run goes on: axes keep a little room at the right. */
  live?: boolean;
  /** The range of x that is shown; the chart's own zoom unless given. */
  domain?: Range | null | undefined;
  /** Fixed limits of y; null where the data decides. */
  yDomain?: readonly [number | null, number | null] | undefined;
  /** Told when a range is drawn with the pointer; null: all again. */
  onZoom?: ((range: Range | null) => void) | undefined;
  markers?: readonly ChartMarker[];
  /** x counts whole things (steps). */
  wholeX?: boolean;
  hideTitle?: boolean;
  /** Small: neither legend nor tools. */
  compact?: boolean;
  /** At the right of the head. */
  actions?: ReactNode;
  /** Shown while there is nothing: what will be. */
  empty?: ReactNode;
  loading?: boolean;
}

/** Where each line ends, in pixels from the left. */
function endsOf(series: readonly LineSeries[], { x }: Frame, width: number): number[] {
  const toX = scaleOf(x, [0, width], false);
  return series.map((line) => toX(Math.min(line.x[line.x.length - 1] ?? x[0], x[1])));
}

const redrawMs = 500;
const spreadMs = 120;
const plain = (value: number) => number(value, 6);

export function LineChart(props: LineChartProps) {
  const { title, series, ref, logY = false, smoothing = 0, height = 240, live = false, markers = [] } = props;
  const {
    xLabel = 'step',
    yLabel,
    wholeX = true,
    xFormat = wholeX ? integer : plain,
    yFormat = plain,
    compact = false,
  } = props;
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(box);
  const look = useLook();
  // `latest` is what is painted, `shown` what axes and legend were drawn from; they differ for half a second at most.
  const latest = useRef(series);
  const [shown, setShown] = useState(series);
  const [given, setGiven] = useState(series);
  const [ownZoom, setOwnZoom] = useState<Range | null>(null);
  const [off, setOff] = useState<ReadonlySet<string>>(new Set());
  const [focus, setFocus] = useState<string | null>(null);
  const [tabled, setTabled] = useState(false);
  if (given !== series) {
    setGiven(series);
    setShown(series);
  }
  const zoom = props.domain === undefined ? ownZoom : props.domain;
  const visible = useMemo(() => shown.filter(({ key }) => !off.has(key)), [shown, off]);

  const frame = useMemo(
    () =>
      frameOf(visible, {
        log: logY,
        domain: zoom,
        live,
        xTickCount: Math.max(2, Math.floor(width / 90)),
        yTickCount: Math.max(2, Math.floor(height / 44)),
        yDomain: props.yDomain,
        wholeX,
      }),
    [visible, logY, zoom, live, width, height, props.yDomain, wholeX],
  );
  const ticks = useMemo(() => tickTexts(frame, props.xFormat, props.yFormat), [frame, props.xFormat, props.yFormat]);
  const left =
    Math.ceil(
      Math.max(24, compact ? 0 : textWidth(xLabel), ...frame.yTicks.map((tick) => textWidth(ticks.y(tick)))) / 8,
    ) *
      8 +
    10;
  const margins = useMemo<Margins>(() => ({ top: 8, right: 12, bottom: 24, left }), [left]);
  const plot = {
    width: Math.max(0, width - margins.left - margins.right),
    height: height - margins.top - margins.bottom,
  };

  const state = useRef({ frame, plot, smoothing, off, focus });
  const colors = useRef(new Map<string, string>());
  const painted = useRef<number[]>([]);
  const onScreen = useOnScreen(box, () => setShown(latest.current));
  const draw = useCallback(() => {
    const element = canvas.current;
    const { frame: within, plot: size, ...now } = state.current;
    if (!element || size.width === 0) return;
    const sharp = devicePixelRatio;
    const pixels = [Math.round(size.width * sharp), Math.round(size.height * sharp)] as const;
    if (element.width !== pixels[0] || element.height !== pixels[1]) [element.width, element.height] = pixels;
    const context = element.getContext('2d');
    if (!context) return;
    context.setTransform(sharp, 0, 0, sharp, 0, 0);
    const colorOf = (color: string) => {
      const known = colors.current.get(color) ?? resolveColor(color, element.parentElement ?? document.body);
      colors.current.set(color, known);
      return known;
    };
    const lines = latest.current.filter(({ key }) => !now.off.has(key));
    painted.current = endsOf(latest.current, within, size.width);
    paint(context, lines, { frame: within, ...size, smoothing: now.smoothing, colorOf, focus: now.focus });
  }, []);

  // A new look has new colours.
  useLayoutEffect(() => {
    void look;
    colors.current.clear();
  }, [look]);
  useLayoutEffect(() => {
    latest.current = series;
  }, [series]);
  // After every render, before the browser shows it: axes and lines never disagree.
  useLayoutEffect(() => {
    state.current = { frame, plot, smoothing, off, focus };
    draw();
  });

  const pending = useRef({ frame: 0, timer: 0, drawn: 0 });
  useEffect(() => {
    const waiting = pending.current;
    return () => {
      cancelAnimationFrame(waiting.frame);
      clearTimeout(waiting.timer);
      waiting.timer = 0;
    };
  }, []);
  useImperativeHandle(
    ref,
    () => ({
      update: (next) => {
        latest.current = next;
        if (!onScreen.current) return;
        const waiting = pending.current;
        // A long run adds less than a pixel a frame: painting that cost the training on the same cores dear, and nobody saw it.
        const { frame: within, plot: size } = state.current;
        const ends = endsOf(next, within, size.width);
        if (ends.some((end, index) => !(Math.abs(end - (painted.current[index] ?? Number.NaN)) < 1))) {
          cancelAnimationFrame(waiting.frame);
          waiting.frame = requestAnimationFrame(draw);
        }
        if (waiting.timer !== 0) return;
        // Charts of one run are told at once: each takes a moment of its own, so that no frame bears all of them.
        const wait = Math.max(0, redrawMs - (performance.now() - waiting.drawn)) + Math.random() * spreadMs;
        waiting.timer = window.setTimeout(() => {
          waiting.timer = 0;
          waiting.drawn = performance.now();
          startTransition(() => setShown(latest.current));
        }, wait);
      },
    }),
    [draw, onScreen],
  );

  const zoomTo = (range: Range | null) => {
    setOwnZoom(range);
    props.onZoom?.(range);
  };
  const toggle = (key: string, alone: boolean) => {
    const keys = shown.map((line) => line.key);
    setOff((was) => {
      if (alone)
        return keys.every((each) => each === key || was.has(each))
          ? new Set()
          : new Set(keys.filter((each) => each !== key));
      const next = new Set(was);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  };
  const describe = () => summary(title, visible, xFormat, yFormat);

  return (
    <figure className={classes.chart} data-compact={compact || undefined}>
      <figcaption className={classes.head}>
        {props.hideTitle !== true && (
          <span className={classes.title}>
            {title}
            {yLabel !== undefined && <span className={classes.axisLabel}> {yLabel}</span>}
          </span>
        )}
        {!compact && (
          <Legend series={shown} off={off} yFormat={props.yFormat ?? number} onToggle={toggle} onFocus={setFocus} />
        )}
        <span className={classes.tools}>
          {frame.log && frame.hidden > 0 && (
            <span
              className={classes.remark}
              title="A logarithmic axis has no place for them; arrows mark where they are."
            >
              {frame.hidden.toLocaleString('en-US')} ≤ 0 hidden
            </span>
          )}
          {frame.gaps > 0 && (
            <span className={classes.remark} title="Crosses mark where values are not finite.">
              {frame.gaps.toLocaleString('en-US')} not finite
            </span>
          )}
          {zoom !== null && (
            <IconButton label="Show all (double click)" icon={IconZoomReset} size={24} onClick={() => zoomTo(null)} />
          )}
          {!compact && !frame.empty && (
            <IconButton
              label="Show as table"
              icon={IconTable}
              size={24}
              active={tabled}
              onClick={() => setTabled(!tabled)}
            />
          )}
          {props.actions}
        </span>
      </figcaption>
      <div ref={box} className={classes.plotBox} style={{ height }}>
        {props.loading === true && frame.empty ? (
          <Skeleton height={height} />
        ) : (
          width > 0 && (
            <>
              <div aria-hidden>
                <Axes
                  frame={frame}
                  width={width}
                  height={height}
                  margins={margins}
                  xFormat={props.xFormat}
                  yFormat={props.yFormat}
                />
              </div>
              <canvas
                ref={canvas}
                className={classes.canvas}
                style={{ left: margins.left, top: margins.top, width: plot.width, height: plot.height }}
                aria-hidden
              />
              <Overlay
                describe={describe}
                latest={latest}
                off={off}
                frame={frame}
                margins={margins}
                plot={plot}
                smoothing={smoothing}
                markers={markers}
                xLabel={xLabel}
                xFormat={xFormat}
                yFormat={yFormat}
                onZoom={zoomTo}
              />
              {frame.empty && <div className={classes.empty}>{props.empty ?? 'No values yet'}</div>}
              {!compact && !frame.empty && (
                <span className={classes.xLabel} style={{ width: margins.left - 12 }} aria-hidden>
                  {xLabel}
                </span>
              )}
            </>
          )
        )}
      </div>
      {tabled && (
        <ChartTable
          title={title}
          series={visible}
          range={frame.x}
          xLabel={xLabel}
          xFormat={xFormat}
          yFormat={yFormat}
        />
      )}
    </figure>
  );
}

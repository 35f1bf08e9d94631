/**
 * Lines over steps, epochs or time. React draws what stands still; new values come through `update` and are painted on a canvas, once a
 * frame at most. Axes and figures follow twice a second at most, and React is asked only where axes look different.
 */
import {
  type ReactNode,
  type Ref,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { Skeleton } from '../basics/skeleton.tsx';
import { integer, number } from '../format.ts';
import { Axes, type Margins, sameAxes, tickTexts } from './axes.tsx';
import classes from './chart.module.css';
import { ChartTable } from './chart-table.tsx';
import { ChartTools } from './chart-tools.tsx';
import { drawNow, inNextFrame, notInNextFrame } from './frame-turn.ts';
import { textWidth, useColors, useLook, useOnScreen, useWidth } from './hooks.ts';
import { Legend, sameLegend, tellNewest } from './legend.tsx';
import { type ChartMarker, type Frame, type FrameOptions, frameOf, type LineSeries, summary } from './model.ts';
import { Overlay, type OverlayHandle } from './overlay.tsx';
import { paint } from './paint.ts';
import { type Range, scaleOf } from './scale.ts';
import { changedFrom, type PaintedLine, paintedLines } from './tail.ts';

export interface LineChartHandle {
  /** New values: painted with the next frame; axes and figures follow within half a second. */
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
  /** Of the newest value beside its line's name, where that is not `yFormat`: so that its width stays. */
  tellFormat?: (value: number) => string;
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

/** Axes and figures change at most once in this time, those of all charts at once… */
const settleMs = 500;
const beatOf = (now: number) => Math.floor(now / settleMs);
/** …and where no further values come, this long after the last. */
const restMs = 1000;
/** The whole picture is painted anew at least this often, if anything of it is. */
const wholeMs = 2000;
/** Lines reach so far beyond their points. */
const lineMargin = 2;
const plain = (value: number) => number(value, 6);
const noMarkers: readonly ChartMarker[] = [];

export function LineChart(props: LineChartProps) {
  const { title, series, ref, logY = false, smoothing = 0, height = 240, live = false, markers = noMarkers } = props;
  const {
    xLabel = 'step',
    yLabel,
    wholeX = true,
    xFormat = wholeX ? integer : plain,
    yFormat = plain,
    compact = false,
    yDomain,
  } = props;
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const picture = useRef<HTMLDivElement>(null);
  const legend = useRef<HTMLSpanElement>(null);
  const overlay = useRef<OverlayHandle>(null);
  const width = useWidth(box);
  const look = useLook();
  // `latest` is what is painted, `shown` what React drew from; they differ in nothing that React draws for half a second at most.
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

  const options = useMemo<FrameOptions>(
    () => ({
      log: logY,
      domain: zoom,
      live,
      xTickCount: Math.max(2, Math.floor(width / 90)),
      yTickCount: Math.max(2, Math.floor(height / 44)),
      yDomain,
      wholeX,
    }),
    [logY, zoom, live, width, height, yDomain, wholeX],
  );
  const frame = useMemo(() => frameOf(visible, options), [visible, options]);
  const ticks = useMemo(() => tickTexts(frame, props.xFormat, props.yFormat), [frame, props.xFormat, props.yFormat]);
  const left =
    Math.ceil(
      Math.max(24, compact ? 0 : textWidth(xLabel), ...frame.yTicks.map((tick) => textWidth(ticks.y(tick)))) / 8,
    ) *
      8 +
    10;
  const margins = useMemo<Margins>(() => ({ top: 8, right: 12, bottom: 24, left }), [left]);
  const plot = useMemo(
    () => ({
      width: Math.max(0, width - margins.left - margins.right),
      height: height - margins.top - margins.bottom,
    }),
    [width, height, margins],
  );

  const now = {
    title,
    shown,
    frame,
    options,
    plot,
    smoothing,
    off,
    focus,
    tabled,
    xFormat,
    yFormat,
    told: props.tellFormat ?? props.yFormat,
  };
  const state = useRef(now);
  const colorOf = useColors(box, look);
  const painted = useRef({ ends: [] as number[], lines: [] as PaintedLine[], whole: 0 });
  /** `tail`: only what has changed since, where that is at the lines' ends. */
  const draw = useCallback(
    (tail: boolean) => {
      const element = canvas.current;
      const { frame: within, plot: size, off: without, ...how } = state.current;
      if (!element || size.width === 0) return;
      const sharp = devicePixelRatio;
      const pixels = [Math.round(size.width * sharp), Math.round(size.height * sharp)] as const;
      const resized = element.width !== pixels[0] || element.height !== pixels[1];
      if (resized) [element.width, element.height] = pixels;
      const context = element.getContext('2d');
      if (!context) return;
      context.setTransform(sharp, 0, 0, sharp, 0, 0);
      const lines = latest.current.filter(({ key }) => !without.has(key));
      const before = painted.current;
      const now = performance.now();
      const toX = scaleOf(within.x, [0, size.width], false);
      // Now and then all of it: a throughput is measured over ever longer stretches, so that its past changes, too.
      const partly = tail && !resized && how.options.domain === null && now - before.whole < wholeMs;
      const changed = partly ? changedFrom(before.lines, lines, toX) - lineMargin : 0;
      if (changed >= size.width) return;
      const from = Math.max(0, Math.floor(changed * sharp) / sharp);
      painted.current = {
        ends: endsOf(latest.current, within, size.width),
        lines: paintedLines(lines),
        whole: from > 0 ? before.whole : now,
      };
      paint(context, lines, { frame: within, ...size, smoothing: how.smoothing, colorOf, focus: how.focus, from });
    },
    [colorOf],
  );
  /** What changes with every value goes past React. */
  const tell = useCallback(() => {
    const { title: name, off: without, xFormat: x, yFormat: y, told = number } = state.current;
    const lines = latest.current.filter(({ key }) => !without.has(key));
    if (legend.current) tellNewest(legend.current, latest.current, told);
    picture.current?.setAttribute('aria-label', summary(name, lines, x, y));
    overlay.current?.refresh();
  }, []);

  useLayoutEffect(() => {
    latest.current = series;
  }, [series]);
  // After every render, before the browser shows it: axes and lines never disagree.
  useLayoutEffect(() => {
    state.current = now;
    draw(false);
    tell();
  });

  const settled = useRef(0);
  /** Axes and figures for what is painted; answers what React has to draw for it. */
  const settle = useCallback(() => {
    settled.current = beatOf(performance.now());
    const { shown: drawn, frame: before, options: how, off: without, tabled: asTable } = state.current;
    const lines = latest.current.filter(({ key }) => !without.has(key));
    const after = frameOf(lines, how);
    const same =
      !asTable &&
      sameAxes(before, after) &&
      (['hidden', 'gaps', 'empty'] as const).every((part) => before[part] === after[part]) &&
      sameLegend(drawn, latest.current);
    if (!same) return () => setShown(latest.current);
    tell();
    return null;
  }, [tell]);
  const settleNow = useCallback(() => drawNow([settle() ?? []].flat()), [settle]);

  const onScreen = useOnScreen(box, settleNow);
  const rest = useRef(0);
  const turn = useCallback(() => {
    // The first value is drawn with its axes: there are none yet to paint it between.
    const due = state.current.frame.empty || beatOf(performance.now()) !== settled.current;
    const redraw = due ? settle() : null;
    if (redraw) return redraw; // and all is painted with it
    // A long run adds less than a pixel a frame: painting that cost the training on the same cores dear, and nobody saw it.
    const { frame: within, plot: size } = state.current;
    const ends = endsOf(latest.current, within, size.width);
    if (ends.some((end, index) => !(Math.abs(end - (painted.current.ends[index] ?? Number.NaN)) < 1))) draw(true);
    return null;
  }, [draw, settle]);
  useEffect(
    () => () => {
      notInNextFrame(turn);
      clearTimeout(rest.current);
    },
    [turn],
  );
  useImperativeHandle(
    ref,
    () => ({
      update: (next) => {
        latest.current = next;
        if (!onScreen.current) return;
        inNextFrame(turn);
        clearTimeout(rest.current);
        rest.current = window.setTimeout(settleNow, restMs);
      },
    }),
    [turn, settleNow, onScreen],
  );

  const { onZoom } = props;
  const zoomTo = useCallback(
    (range: Range | null) => {
      setOwnZoom(range);
      onZoom?.(range);
    },
    [onZoom],
  );
  const showAll = useCallback(() => zoomTo(null), [zoomTo]);
  const showTable = useCallback(() => setTabled((was) => !was), []);
  const toggle = useCallback((key: string, alone: boolean) => {
    const keys = latest.current.map((line) => line.key);
    setOff((was) => {
      if (alone)
        return keys.every((each) => each === key || was.has(each))
          ? new Set()
          : new Set(keys.filter((each) => each !== key));
      const next = new Set(was);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  }, []);

  return (
    <figure className={classes.chart} data-compact={compact || undefined}>
      <figcaption className={classes.head}>
        {props.hideTitle !== true && (
          <span className={classes.title}>
            {title}
            {yLabel !== undefined && <span className={classes.axisLabel}> {yLabel}</span>}
          </span>
        )}
        {!compact && <Legend ref={legend} series={shown} off={off} onToggle={toggle} onFocus={setFocus} />}
        <span className={classes.tools}>
          <ChartTools
            hidden={frame.log ? frame.hidden : 0}
            gaps={frame.gaps}
            zoomed={zoom !== null}
            onShowAll={showAll}
            tabled={compact || frame.empty ? null : tabled}
            onTable={showTable}
          />
          {props.actions}
        </span>
      </figcaption>
      <div ref={box} className={classes.plotBox} style={{ height }}>
        {props.loading === true && frame.empty ? (
          <Skeleton height={height} />
        ) : (
          width > 0 && (
            <>
              <Axes
                frame={frame}
                width={width}
                height={height}
                margins={margins}
                xFormat={props.xFormat}
                yFormat={props.yFormat}
              />
              <canvas
                ref={canvas}
                className={classes.canvas}
                style={{ left: margins.left, top: margins.top, width: plot.width, height: plot.height }}
                aria-hidden
              />
              <Overlay
                ref={overlay}
                picture={picture}
                title={title}
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

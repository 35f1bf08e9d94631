/** What lies over a chart's lines: the crosshair with exact numbers, the range that is drawn to zoom, markers of events. */
import {
  type KeyboardEvent,
  memo,
  type PointerEvent,
  type Ref,
  type RefObject,
  useImperativeHandle,
  useRef,
  useState,
} from 'react';
import type { Margins } from './axes.tsx';
import classes from './chart.module.css';
import type { ChartMarker, Frame, LineSeries } from './model.ts';
import { nearest, type Range, scaleOf } from './scale.ts';
import { smooth } from './smooth.ts';

export interface OverlayHandle {
  /** There are new values: the crosshair, if there is one, tells them. */
  refresh: () => void;
}

export interface OverlayProps {
  ref: Ref<OverlayHandle>;
  /** The element that stands for the chart: whoever knows the newest values describes them in its label. */
  picture: RefObject<HTMLDivElement | null>;
  title: string;
  latest: RefObject<readonly LineSeries[]>;
  off: ReadonlySet<string>;
  frame: Frame;
  margins: Margins;
  plot: { width: number; height: number };
  smoothing: number;
  markers: readonly ChartMarker[];
  xLabel: string;
  xFormat: (value: number) => string;
  yFormat: (value: number) => string;
  onZoom: (range: Range | null) => void;
}

interface Reading {
  key: string;
  label: string;
  color: string;
  value: number;
  smoothed: number | null;
  band: Range | null;
  /** Where the value stands, if not at the crosshair. */
  place: number | null;
}

/** Shorter drags are clicks. */
const shortestDrag = 5;

export const Overlay = memo(function Overlay(props: OverlayProps) {
  const { frame, margins, plot } = props;
  const [at, setAt] = useState<number | null>(null);
  const [, drawAgain] = useState(0);
  const pointed = at !== null;
  useImperativeHandle(props.ref, () => ({ refresh: () => pointed && drawAgain((times) => times + 1) }), [pointed]);
  const [drag, setDrag] = useState<Range | null>(null);
  const from = useRef<number | null>(null);
  const [low, high] = frame.x;
  const toX = scaleOf(frame.x, [0, plot.width], false);
  const valueAt = (pixel: number) => low + (pixel / plot.width) * (high - low);
  const pixelOf = (event: PointerEvent<HTMLElement>) =>
    Math.min(plot.width, Math.max(0, event.clientX - event.currentTarget.getBoundingClientRect().left));
  const lines = props.latest.current.filter(({ key }) => !props.off.has(key));
  // The crosshair stands where some series has a value.
  const snapped = at === null ? null : snap(lines, at, frame.x);

  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      if (at === null) props.onZoom(null);
      setAt(null);
      return;
    }
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const first = lines.find(({ x }) => x.length > 0);
    if (step === undefined || !first) return;
    event.preventDefault();
    // The first press goes to the end from which it comes.
    const index = nearest(first.x, snapped ?? (step > 0 ? low : high));
    const by = snapped === null ? 0 : step * (event.shiftKey ? 10 : 1);
    const next = first.x[Math.min(first.x.length - 1, Math.max(0, index + by))];
    if (next !== undefined && next >= low && next <= high) setAt(next);
  };

  return (
    <div
      ref={props.picture}
      className={classes.overlay}
      style={{ left: margins.left, top: margins.top, width: plot.width, height: plot.height }}
      role="img"
      aria-label={props.title}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a picture that is also read with the arrow keys
      tabIndex={0}
      onPointerDown={(event) => {
        if (event.button !== 0 || frame.empty) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        from.current = pixelOf(event);
      }}
      onPointerMove={(event) => {
        const pixel = pixelOf(event);
        setAt(valueAt(pixel));
        if (from.current !== null && Math.abs(pixel - from.current) >= shortestDrag) setDrag([from.current, pixel]);
      }}
      onPointerUp={() => {
        if (drag) props.onZoom([valueAt(Math.min(...drag)), valueAt(Math.max(...drag))]);
        from.current = null;
        setDrag(null);
      }}
      onPointerCancel={() => {
        from.current = null;
        setDrag(null);
      }}
      onPointerLeave={() => setAt(null)}
      onBlur={() => setAt(null)}
      onDoubleClick={() => props.onZoom(null)}
      onKeyDown={press}
    >
      {props.markers
        .filter(({ x }) => x >= low && x <= high)
        .map(({ x, label, tone = 'calm' }) => (
          <Marker key={`${x} ${label}`} label={label} tone={tone} left={toX(x)} width={plot.width} />
        ))}
      {drag && <div className={classes.drag} style={{ left: Math.min(...drag), width: Math.abs(drag[1] - drag[0]) }} />}
      {snapped !== null && !drag && <Crosshair {...props} lines={lines} at={snapped} left={toX(snapped)} />}
    </div>
  );
});

/** (Its label is no tooltip of the kit: these cost more than the whole chart, and axes move them twice a second.) */
function Marker({
  label,
  tone,
  left,
  width,
}: {
  label: string;
  tone: NonNullable<ChartMarker['tone']>;
  left: number;
  width: number;
}) {
  const [pointed, setPointed] = useState(false);
  return (
    <div
      className={classes.marker}
      data-tone={tone}
      style={{ left }}
      onPointerEnter={() => setPointed(true)}
      onPointerLeave={() => setPointed(false)}
    >
      {pointed && (
        <div className={classes.markerLabel} style={left > width / 2 ? { right: 12 } : { left: 12 }}>
          {label}
        </div>
      )}
    </div>
  );
}

/** The place nearest to `wanted` at which a series has a point in sight. */
function snap(lines: readonly LineSeries[], wanted: number, [low, high]: Range): number | null {
  let best: number | null = null;
  for (const { x } of lines) {
    const place = x[nearest(x, wanted)];
    if (place === undefined || place < low || place > high) continue;
    if (best === null || Math.abs(place - wanted) < Math.abs(best - wanted)) best = place;
  }
  return best;
}

function readings(lines: readonly LineSeries[], at: number, smoothing: number, reach: number): Reading[] {
  return lines.flatMap((line) => {
    const index = nearest(line.x, at);
    if (index < 0) return [];
    const place = line.x[index] as number;
    // Series of another rhythm count as far as they are the nearest there is.
    const spacing = Math.max(place - (line.x[index - 1] ?? place), (line.x[index + 1] ?? place) - place);
    if (Math.abs(place - at) > Math.max(reach, spacing / 2)) return [];
    const value = line.mean[index] as number;
    const [least, most] = [line.min?.[index], line.max?.[index]];
    return {
      key: line.key,
      label: line.label,
      color: line.color,
      value,
      smoothed: smoothing > 0 && !line.ghost && !line.exact ? (smooth(line.mean, smoothing)[index] as number) : null,
      band: least !== undefined && most !== undefined && most > least ? [least, most] : null,
      place: place === at ? null : place,
    };
  });
}

function Crosshair({
  lines,
  at,
  left,
  plot,
  frame,
  smoothing,
  xLabel,
  xFormat,
  yFormat,
}: OverlayProps & { lines: readonly LineSeries[]; at: number; left: number }) {
  const toX = scaleOf(frame.x, [0, plot.width], false);
  const toY = scaleOf(frame.y, [plot.height, 0], frame.log);
  const read = readings(lines, at, smoothing, (frame.x[1] - frame.x[0]) / 100);
  const flipped = left > plot.width / 2;
  return (
    <>
      <div className={classes.crosshair} style={{ left }} />
      {read.map(({ key, color, value, smoothed, place }) => {
        const top = toY(smoothed ?? value);
        if (!Number.isFinite(top) || top < 0 || top > plot.height) return null;
        const beside = place === null ? left : toX(place);
        return <div key={key} className={classes.point} style={{ left: beside, top, background: color }} />;
      })}
      <div
        className={classes.tip}
        style={flipped ? { right: plot.width - left + 12 } : { left: left + 12 }}
        aria-live="polite"
      >
        <div className={classes.tipHead}>
          {xLabel} {xFormat(at)}
        </div>
        <div className={classes.tipRows}>
          {read.map(({ key, label, color, value, smoothed, band, place }) => (
            <div key={key} className={classes.tipRow}>
              <span className={classes.tipSwatch} style={{ background: color }} aria-hidden />
              <span className={classes.tipLabel}>
                {label}
                {place !== null && <span className={classes.tipMore}> at {xFormat(place)}</span>}
              </span>
              <span className={classes.tipValue}>{yFormat(value)}</span>
              <span className={classes.tipMore}>
                {smoothed !== null && `smoothed ${yFormat(smoothed)}`}
                {smoothed !== null && band && ' · '}
                {band && `${yFormat(band[0])} – ${yFormat(band[1])}`}
              </span>
            </div>
          ))}
        </div>
      </div>
    </>
  );
}

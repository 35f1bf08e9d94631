/** The whole stack at its edge, for one that is longer than the view: every layer a line, what is in sight a window that can be dragged. */
import { type PointerEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { StackView } from '../state/stack-rows.ts';
import { resolveColor, useLook } from '../ui/index.ts';
import styles from './overview.module.css';
import { type Mark, stackMarks } from './stack-marks.ts';
import { labelOf, nameOf } from './words.ts';

export interface OverviewProps {
  view: StackView;
  scroller: RefObject<HTMLDivElement | null>;
}

/** Shown from this many times the view's height on: less is seen at a glance. */
const longFrom = 1.25;
/** Drawn when the rows have rested so long: it takes no part in the typing of a number. */
const restMs = 400;

/**
 * For the pointer alone: the tree beside it is the same stack, and lists every layer for who does not see it. The strip's room is
 * always there, so that nothing moves when it comes.
 */
export function Overview({ view, scroller }: OverviewProps) {
  const strip = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const sight = useRef<HTMLDivElement>(null);
  const latest = useRef(view);
  const redraw = useRef(() => {});
  const [long, setLong] = useState(false);
  const look = useLook();

  // biome-ignore lint/correctness/useExhaustiveDependencies: another look has other colours and pixels
  useLayoutEffect(() => {
    latest.current = view;
    redraw.current();
  }, [view, look]);

  useEffect(() => {
    const area = scroller.current;
    const content = area?.firstElementChild;
    if (!area || !content) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const draw = () => {
      setLong(area.scrollHeight > longFrom * area.clientHeight);
      placeSight(area, strip.current, sight.current);
      if (canvas.current) paint(canvas.current, area, latest.current);
    };
    redraw.current = () => {
      clearTimeout(timer);
      timer = setTimeout(draw, restMs);
    };
    const follow = () => placeSight(area, strip.current, sight.current);
    const sizes = new ResizeObserver(() => redraw.current());
    for (const element of [area, content]) sizes.observe(element);
    area.addEventListener('scroll', follow, { passive: true });
    draw();
    return () => {
      clearTimeout(timer);
      redraw.current = () => {};
      sizes.disconnect();
      area.removeEventListener('scroll', follow);
    };
  }, [scroller]);

  const grab = (down: PointerEvent<HTMLDivElement>) => {
    const area = scroller.current;
    const frame = sight.current;
    if (down.button !== 0 || !area || !frame) return;
    down.preventDefault();
    const box = down.currentTarget.getBoundingClientRect();
    const shown = frame.getBoundingClientRect();
    const inside = down.clientY >= shown.top && down.clientY <= shown.bottom;
    // Taken where it is held; elsewhere the window comes with its middle.
    const held = inside ? down.clientY - shown.top : shown.height / 2;
    const go = (y: number) => {
      area.scrollTop = ((y - box.top - held) / box.height) * area.scrollHeight;
    };
    const target = down.currentTarget;
    target.setPointerCapture(down.pointerId);
    if (!inside) go(down.clientY);
    const move = (event: globalThis.PointerEvent) => go(event.clientY);
    const end = () => {
      target.removeEventListener('pointermove', move);
      target.removeEventListener('lostpointercapture', end);
    };
    target.addEventListener('pointermove', move);
    target.addEventListener('lostpointercapture', end);
  };

  /** Without a render, and read only while the pointer is at the strip. */
  const tellLayer = ({ clientY, currentTarget }: PointerEvent<HTMLDivElement>) => {
    const area = scroller.current;
    if (!area) return;
    const box = currentTarget.getBoundingClientRect();
    const y =
      ((clientY - box.top) / box.height) * area.scrollHeight + area.getBoundingClientRect().top - area.scrollTop;
    const at = [...area.querySelectorAll('[data-row]')].findIndex((element) => {
      const each = element.getBoundingClientRect();
      return y >= each.top && y < each.bottom;
    });
    const row = latest.current.rows[at];
    currentTarget.title = row?.type === 'layer' ? nameOf(row.layer) || labelOf(row.kind) : '';
  };

  return (
    <div
      ref={strip}
      className={styles.strip}
      data-long={long || undefined}
      aria-hidden
      onPointerDown={grab}
      onPointerMove={tellLayer}
      onWheel={(event) => scroller.current?.scrollBy({ top: event.deltaY })}
    >
      <canvas ref={canvas} className={styles.canvas} />
      <div ref={sight} className={styles.sight} />
    </div>
  );
}

/** Without a render: the window goes with the scrolling itself. */
function placeSight(area: HTMLElement, strip: HTMLElement | null, sight: HTMLElement | null): void {
  if (!strip || !sight || area.scrollHeight === 0) return;
  const by = strip.clientHeight / area.scrollHeight;
  sight.style.transform = `translateY(${area.scrollTop * by}px)`;
  sight.style.height = `${Math.max(8, area.clientHeight * by)}px`;
}

function paint(canvas: HTMLCanvasElement, area: HTMLElement, { rows, scale }: StackView): void {
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const context = canvas.getContext('2d');
  if (!context || width === 0 || height === 0) return;
  const sharpness = window.devicePixelRatio;
  canvas.width = Math.round(width * sharpness);
  canvas.height = Math.round(height * sharpness);
  context.scale(sharpness, sharpness);
  const start = area.getBoundingClientRect().top - area.scrollTop;
  const boxes = [...area.querySelectorAll('[data-row]')].map((element) => {
    const box = element.getBoundingClientRect();
    return { top: box.top - start, height: box.height };
  });
  const colors = new Map<string, string>();
  const colorOf = (name: string) => {
    const known = colors.get(name) ?? resolveColor(`var(--${name})`, canvas.parentElement ?? document.body);
    colors.set(name, known);
    return known;
  };
  /** The right edge is the problems' own. */
  const gutter = 4;
  for (const mark of stackMarks(rows, boxes, scale, area.scrollHeight, height)) {
    drawMark(context, mark, width - gutter - 1, colorOf);
    if (mark.problem === null) continue;
    context.globalAlpha = 1;
    context.fillStyle = colorOf(mark.problem === 'error' ? 'bad' : 'warn');
    context.fillRect(width - gutter, mark.y - 1, gutter, Math.max(4, Math.min(10, mark.height)));
  }
}

function drawMark(
  context: CanvasRenderingContext2D,
  mark: Mark,
  width: number,
  colorOf: (name: string) => string,
): void {
  context.globalAlpha = mark.dimmed ? 0.3 : mark.head ? 0.55 : 0.85;
  context.fillStyle = colorOf(`cat-${mark.category ?? 'shape'}`);
  // A block's head is a hairline: its layers fill what is below it.
  const tall = mark.head ? Math.min(2, mark.height) : mark.height;
  context.fillRect(mark.from * width, mark.y, (mark.to - mark.from) * width, tall);
}

/** Two areas with a border that can be dragged; the side's width is kept from one start to the next. */
import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from 'react';
import classes from './splitter.module.css';

export interface SplitterProps {
  main: ReactNode;
  /** null: there is none now. */
  aside: ReactNode | null;
  /** Names the border for assistive technology. */
  label: string;
  /** Under which the width is kept. */
  storageKey: string;
  side?: 'left' | 'right';
  initial?: number;
  min?: number;
  max?: number;
}

function kept(key: string, initial: number): number {
  try {
    const width = Number(localStorage.getItem(`gradloom.${key}`));
    return Number.isFinite(width) && width > 0 ? width : initial;
  } catch {
    return initial;
  }
}

function keep(key: string, width: number): void {
  try {
    localStorage.setItem(`gradloom.${key}`, String(width));
  } catch {
    // A browser that keeps nothing: the width lasts until the page is left.
  }
}

export function Splitter({
  main,
  aside,
  label,
  storageKey,
  side = 'right',
  initial = 340,
  min = 240,
  max = 640,
}: SplitterProps) {
  const [width, setWidth] = useState(() => kept(storageKey, initial));
  const bounded = Math.round(Math.min(max, Math.max(min, width)));
  const change = (next: number) => {
    const wanted = Math.round(Math.min(max, Math.max(min, next)));
    setWidth(wanted);
    keep(storageKey, wanted);
  };
  const grow = side === 'right' ? -1 : 1;

  const drag = (down: PointerEvent<HTMLElement>) => {
    if (down.button !== 0) return;
    down.preventDefault();
    const handle = down.currentTarget;
    const from = down.clientX;
    handle.setPointerCapture(down.pointerId);
    const move = (event: globalThis.PointerEvent) => change(bounded + (event.clientX - from) * grow);
    const end = () => {
      handle.removeEventListener('pointermove', move);
      handle.removeEventListener('lostpointercapture', end);
    };
    handle.addEventListener('pointermove', move);
    handle.addEventListener('lostpointercapture', end);
  };
  const press = (event: KeyboardEvent) => {
    const step = event.shiftKey ? 64 : 16;
    const to: Record<string, number> = {
      ArrowLeft: bounded - step * grow,
      ArrowRight: bounded + step * grow,
      Home: min,
      End: max,
    };
    const next = to[event.key];
    if (next === undefined) return;
    event.preventDefault();
    change(next);
  };

  const sideArea = aside !== null && (
    <div className={classes.aside} style={{ width: bounded }}>
      {aside}
    </div>
  );
  return (
    <div className={classes.splitter}>
      {side === 'left' && sideArea}
      {side === 'right' && <div className={classes.main}>{main}</div>}
      {aside !== null && (
        // biome-ignore lint/a11y/useSemanticElements: a separator that can be moved is no <hr>
        <div
          role="separator"
          className={classes.handle}
          aria-label={`Width of ${label}`}
          aria-orientation="vertical"
          aria-valuenow={bounded}
          aria-valuemin={min}
          aria-valuemax={max}
          tabIndex={0}
          onPointerDown={drag}
          onDoubleClick={() => change(initial)}
          onKeyDown={press}
        />
      )}
      {side === 'right' && sideArea}
      {side === 'left' && <div className={classes.main}>{main}</div>}
    </div>
  );
}

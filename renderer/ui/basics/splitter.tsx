/** Two areas with a border that can be dragged; the side's width is kept from one start to the next. In little room the side is a drawer. */
import { type KeyboardEvent, type PointerEvent, type ReactNode, useEffect, useRef, useState } from 'react';
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
  /** How much of both the side takes at most: in a narrow window, or a magnified one, it gives way before the main part becomes useless. */
  share?: number;
  /** The side lies over the main part, and only while it is open. */
  drawer?: { open: boolean; onClose: () => void } | undefined;
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
  share = 0.4,
  drawer,
}: SplitterProps) {
  const [width, setWidth] = useState(() => kept(storageKey, initial));
  const bounded = Math.round(Math.min(max, Math.max(min, width)));
  const change = (next: number) => {
    const wanted = Math.round(Math.min(max, Math.max(min, next)));
    setWidth(wanted);
    keep(storageKey, wanted);
  };
  const grow = side === 'right' ? -1 : 1;
  const sideElement = useRef<HTMLDivElement>(null);
  /** As it is seen: where the side gives way, less than what is kept. */
  const shownWidth = () => sideElement.current?.offsetWidth || bounded;

  const drag = (down: PointerEvent<HTMLElement>) => {
    if (down.button !== 0) return;
    down.preventDefault();
    const handle = down.currentTarget;
    const from = down.clientX;
    const before = shownWidth();
    handle.setPointerCapture(down.pointerId);
    const move = (event: globalThis.PointerEvent) => change(before + (event.clientX - from) * grow);
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
      ArrowLeft: shownWidth() - step * grow,
      ArrowRight: shownWidth() + step * grow,
      Home: min,
      End: max,
    };
    const next = to[event.key];
    if (next === undefined) return;
    event.preventDefault();
    change(next);
  };

  const opened = drawer?.open === true;
  useEffect(() => {
    if (!opened) return;
    const before = document.activeElement;
    const element = sideElement.current;
    if (!element?.contains(before)) element?.focus({ preventScroll: true });
    return () => {
      // Where the drawer was opened from: nobody is left in what is hidden.
      if (element?.contains(document.activeElement) && before instanceof HTMLElement) before.focus();
    };
  }, [opened]);

  const sideArea = aside !== null && (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes what lies over the page
    <div
      ref={sideElement}
      tabIndex={drawer ? -1 : undefined}
      className={classes.aside}
      style={{ width: bounded, ...(drawer ? {} : { maxWidth: `${share * 100}%` }) }}
      data-drawer={drawer ? side : undefined}
      hidden={drawer?.open === false}
      onKeyDown={(event) => {
        if (drawer && event.key === 'Escape') drawer.onClose();
      }}
    >
      {aside}
    </div>
  );
  // Whoever goes on in the main part has done with the drawer.
  const mainArea = (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only hears of the focus
    <div className={classes.main} onFocus={opened ? drawer.onClose : undefined}>
      {main}
    </div>
  );
  return (
    <div className={classes.splitter} data-drawers={drawer !== undefined || undefined}>
      {side === 'left' && sideArea}
      {side === 'right' && mainArea}
      {opened && <div className={classes.scrim} aria-hidden onPointerDown={drawer.onClose} />}
      {aside !== null && !drawer && (
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
      {side === 'left' && mainArea}
    </div>
  );
}

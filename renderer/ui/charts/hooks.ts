/** What charts watch: their width, the colours of the theme, the sharpness of the screen. */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { resolveColor } from '../theme/colors.ts';

/** The element's inner width in CSS pixels; 0 until it is laid out. */
export function useWidth(ref: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    setWidth(element.clientWidth);
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
  return width;
}

/** Whether the element can be seen in its scrolled page; `onEnter` is called when it comes into sight. */
export function useOnScreen(ref: RefObject<HTMLElement | null>, onEnter: () => void): RefObject<boolean> {
  const onScreen = useRef(true);
  const enter = useRef(onEnter);
  useEffect(() => {
    enter.current = onEnter;
  });
  useEffect(() => {
    const element = ref.current;
    if (!element || typeof IntersectionObserver === 'undefined') return;
    const observer = new IntersectionObserver((entries) => {
      const entered = entries.at(-1)?.isIntersecting === true;
      if (entered && !onScreen.current) enter.current();
      onScreen.current = entered;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
  return onScreen;
}

/** Changes when colours on a canvas must be read anew, or its pixels have another size. */
export function useLook(): number {
  const [look, setLook] = useState(0);
  useEffect(() => {
    const change = () => setLook((was) => was + 1);
    const observer = new MutationObserver(change);
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-mantine-color-scheme'] });
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', change);
    // Labels have been measured in another font until ours is there.
    document.fonts?.addEventListener('loadingdone', change);
    return () => {
      document.fonts?.removeEventListener('loadingdone', change);
      observer.disconnect();
      scheme.removeEventListener('change', change);
    };
  }, []);
  const sharpness = typeof devicePixelRatio === 'undefined' ? 1 : devicePixelRatio;
  useEffect(() => {
    const screen = matchMedia(`(resolution: ${sharpness}dppx)`);
    const change = () => setLook((was) => was + 1);
    screen.addEventListener('change', change, { once: true });
    return () => screen.removeEventListener('change', change);
  }, [sharpness]);
  return look;
}

/** What colours are on the canvas of a box; asked for once a look, since the answer costs a layout. */
export function useColors(box: RefObject<HTMLElement | null>, look: number): (color: string) => string {
  const known = useRef(new Map<string, string>());
  // Before whatever paints after the same render.
  useLayoutEffect(() => {
    void look;
    known.current.clear();
  }, [look]);
  return useCallback(
    (color) => {
      const resolved = known.current.get(color) ?? resolveColor(color, box.current ?? document.body);
      known.current.set(color, resolved);
      return resolved;
    },
    [box],
  );
}

let measuring: CanvasRenderingContext2D | null | undefined;

/** How wide a tick's label is. */
export function textWidth(text: string): number {
  if (measuring === undefined) {
    measuring = typeof document === 'undefined' ? null : document.createElement('canvas').getContext('2d');
  }
  if (!measuring) return text.length * 7;
  measuring.font = '12px "Inter Variable", sans-serif';
  // Figures are tabular on screen: each is as wide as a zero.
  return measuring.measureText(text.replace(/\d/g, '0')).width;
}

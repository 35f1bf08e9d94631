/** How much room the window has: in little of it the parts of a page take turns. */
import { useCallback, useSyncExternalStore } from 'react';

/** In a narrower window the sides of a page are drawers: at 200 % in a window of 1,440 pixels. */
export const leastSides = 860;

/** Whether the window is at least so wide. */
export function useRoom(width: number): boolean {
  // A magnified window's width need not be whole.
  const query = `(max-width: ${width - 0.02}px)`;
  const subscribe = useCallback(
    (changed: () => void) => {
      const media = window.matchMedia(query);
      media.addEventListener('change', changed);
      return () => media.removeEventListener('change', changed);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => !window.matchMedia(query).matches);
}

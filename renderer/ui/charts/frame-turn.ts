/** One turn of painting for all charts of the window: whatever has changed reaches the screen in the same frame. */
import { flushSync } from 'react-dom';

/** Paints; answers what React has to draw besides, if anything. */
type Work = () => (() => void) | null;

const due = new Set<Work>();
let asked = false;

function paintAll(): void {
  asked = false;
  const works = [...due];
  due.clear();
  drawNow(works.flatMap((work) => work() ?? []));
}

/** Lets React draw all of it at once, before the frame is shown. */
export function drawNow(changes: readonly (() => void)[]): void {
  if (changes.length === 0) return;
  flushSync(() => {
    for (const change of changes) change();
  });
}

/** Calls `work` before the next frame is shown, once however often it is asked for. */
export function inNextFrame(work: Work): void {
  due.add(work);
  if (asked) return;
  asked = true;
  requestAnimationFrame(paintAll);
}

export function notInNextFrame(work: Work): void {
  due.delete(work);
}

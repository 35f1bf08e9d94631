/** One turn of painting for all charts of the window: whatever has changed reaches the screen in the same frame. */

const due = new Set<() => void>();
let asked = false;

function paintAll(): void {
  asked = false;
  const works = [...due];
  due.clear();
  for (const work of works) work();
}

/** Calls `work` before the next frame is shown, once however often it is asked for. */
export function inNextFrame(work: () => void): void {
  due.add(work);
  if (asked) return;
  asked = true;
  requestAnimationFrame(paintAll);
}

export function notInNextFrame(work: () => void): void {
  due.delete(work);
}

/** Where the keyboard goes on when what had it is gone. */

const pauseMs = 50;
const patienceMs = 3000;

/** Focuses what `selector` names once it is there, unless the keyboard is somewhere else by then. */
export function goOnAt(selector: string): void {
  const end = Date.now() + patienceMs;
  const before = document.activeElement;
  const look = () => {
    const focused = document.activeElement;
    const nowhere = focused === null || focused === document.body;
    // What has it now, or a dialog that is closing, keeps it until it is gone.
    if (!nowhere && focused !== before && focused.closest('[role=dialog]') === null) return;
    const target = nowhere ? document.querySelector<HTMLElement>(selector) : null;
    if (target) return target.focus();
    if (Date.now() < end) setTimeout(look, pauseMs);
  };
  setTimeout(look, pauseMs);
}

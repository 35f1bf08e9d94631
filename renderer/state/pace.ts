/**
 * How often new values are shown. The cores that draw are those that train: a window takes a small share of one, however long a frame of it
 * takes on this machine. What a frame costs is measured, and the next one waits accordingly.
 */

/** Of the window's own thread; what Chromium does besides for the same frame is about as much again. */
const share = 0.03;
const slowestMs = 300;
/** Every so many frames one is measured: to ask when it is done costs a little, too. */
const every = 4;
/** Of the last so many measured, the least counts: the others were interrupted by something else. */
const remembered = 4;

export class Pace {
  #costs: number[] = [];
  #frames = 0;

  /** Milliseconds from one frame to the next; 0 while nothing is known. */
  get interval(): number {
    return this.#costs.length === 0 ? 0 : Math.round(Math.min(slowestMs, Math.min(...this.#costs) / share));
  }

  /** A frame begins: its values are about to be taken and painted. Answers the function to be called once they are taken. */
  begin(): () => void {
    this.#frames += 1;
    if (this.#frames % every !== 1 || document.hidden) return () => {};
    const began = performance.now();
    let taken = 0;
    // Before whatever the charts ask for, so that it is the first in the frame.
    requestAnimationFrame(() => {
      const start = performance.now();
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        this.#costs = [...this.#costs, taken + performance.now() - start].slice(-remembered);
        port1.close();
      };
      port2.postMessage(null);
    });
    return () => {
      taken = performance.now() - began;
    };
  }
}

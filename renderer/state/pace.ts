/**
 * How often new values are shown. The cores that draw are those that train: a window takes a small share of them, however much a frame costs
 * on this machine. What a frame costs is measured, and the next one waits accordingly: ten frames a second where cores are many or drawing is
 * cheap, three at worst.
 */

/** Of each core that there is. */
const share = 0.016;
/** What other threads and processes do for a frame (composition, the network, the engine's answer); it cannot be measured from here. */
const besidesMs = 4;
const slowestMs = 300;
/** Every so many frames one is measured: to ask when it is done costs a little, too. */
const every = 4;
/** Of the last so many measured, the least counts: the others were interrupted by something else. */
const remembered = 4;

/** Milliseconds from one frame to the next, by what frames cost the window's own thread; 0 while nothing is known. */
export function intervalFor(costs: readonly number[], cores: number): number {
  if (costs.length === 0) return 0;
  return Math.round(Math.min(slowestMs, (Math.min(...costs) + besidesMs) / (share * cores)));
}

export class Pace {
  #costs: number[] = [];
  #frames = 0;

  get interval(): number {
    return intervalFor(this.#costs, navigator.hardwareConcurrency || 1);
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

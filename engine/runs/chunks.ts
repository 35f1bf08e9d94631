/** How many steps to ask for at once, so that a chunk lasts about 50–100 ms. Results never depend on it. */

const targetSeconds = 0.075;
/** A first guess may be far off (caches are cold): grow by no more than this at a time. */
const growth = 4;

export class ChunkSize {
  #steps = 1;

  /** At most `left`: never over an epoch's end. */
  next(left: number): number {
    return Math.min(this.#steps, left);
  }

  /** A chunk of `steps` took `seconds`. */
  took(steps: number, seconds: number): void {
    if (steps < 1) return;
    const fitting = Math.floor((targetSeconds * steps) / Math.max(seconds, 1e-6));
    // A short rest of an epoch says how long a step takes, but not that larger chunks were tried.
    const largest = Math.max(this.#steps, steps) * growth;
    this.#steps = Math.max(1, Math.min(fitting, largest));
  }
}

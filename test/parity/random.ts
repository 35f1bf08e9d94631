/** A small seeded generator (mulberry32), so that a seed names the same networks everywhere and for ever. */

/** Numbers from 0 to below 1. */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What makers of random networks ask for. */
export class Dice {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = generator(seed);
  }

  chance(share: number): boolean {
    return this.#random() < share;
  }

  /** Both ends included. */
  int(low: number, high: number): number {
    return low + Math.floor(this.#random() * (high - low + 1));
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.int(0, choices.length - 1)] as T;
  }
}

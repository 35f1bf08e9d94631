/** Random numbers of toy problems: the generator sfc32 (Chris Doty-Humphrey), the same on every machine; normal ones by Box and Muller. */
export class Generator {
  #a = 0;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number) {
    this.#b = seed >>> 0;
    this.#c = Math.floor(seed / 2 ** 32) >>> 0;
    for (let i = 0; i < 15; i++) this.#next();
  }

  #next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return sum >>> 0;
  }

  /** From 0 up to, not including, 1; 53 bits. */
  uniform(): number {
    return ((this.#next() >>> 5) * 2 ** 26 + (this.#next() >>> 6)) / 2 ** 53;
  }

  /** Of mean 0 and deviation 1. */
  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.uniform()));
    return radius * Math.cos(2 * Math.PI * this.uniform());
  }

  /** A permutation, by Fisher and Yates. */
  order(count: number): Uint32Array {
    const order = Uint32Array.from({ length: count }, (_, i) => i);
    for (let i = count - 1; i > 0; i--) {
      const other = Math.floor(this.uniform() * (i + 1));
      const held = order[i] as number;
      order[i] = order[other] as number;
      order[other] = held;
    }
    return order;
  }
}

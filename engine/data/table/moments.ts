/** Count, mean, deviation, range and median of numbers as they come: Welford's way, in one order, so that equal data give equal bits. */
import type { columnScales } from '../../contract/sources/table.ts';

export class Moments {
  count = 0;
  mean = 0;
  min = Number.POSITIVE_INFINITY;
  max = Number.NEGATIVE_INFINITY;
  missing = 0;
  #squares = 0;
  readonly #values: number[] | null;

  /** `keep`: the median will be asked for. */
  constructor(keep: boolean) {
    this.#values = keep ? [] : null;
  }

  add(value: number): void {
    this.count++;
    const delta = value - this.mean;
    this.mean += delta / this.count;
    this.#squares += delta * (value - this.mean);
    if (value < this.min) this.min = value;
    if (value > this.max) this.max = value;
    this.#values?.push(value);
  }

  /** Of the population, as scikit-learn's StandardScaler takes it; 1 where all values are equal. */
  get std(): number {
    const std = this.count > 0 ? Math.sqrt(this.#squares / this.count) : 0;
    // What is left of equal values after rounding is no deviation.
    return this.min === this.max || !(std > 0) ? 1 : std;
  }

  get median(): number {
    const sorted = Float64Array.from(this.#values ?? []).sort();
    const half = sorted.length >> 1;
    if (sorted.length === 0) return 0;
    if (sorted.length % 2 === 1) return sorted[half] as number;
    return ((sorted[half - 1] as number) + (sorted[half] as number)) / 2;
  }

  /** A scaled value is (value − shift) / scale. */
  scaling(scale: (typeof columnScales)[number]): { shift: number; scale: number } {
    if (scale === 'none' || this.count === 0) return { shift: 0, scale: 1 };
    if (scale === 'standard') return { shift: this.mean, scale: this.std };
    return { shift: this.min, scale: this.max > this.min ? this.max - this.min : 1 };
  }
}

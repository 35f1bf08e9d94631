/** The smallest and largest different values of a column, and where they stand. */
import type { PartFacts, Sample } from './check.ts';
import type { Robust } from './column-sample.ts';

const kept = 8;
/** Of each value, so many samples are remembered. */
const mostSamples = 50;

export interface Extreme {
  value: number;
  count: number;
  samples: Sample[];
}

export class Extremes {
  /** Smallest first, and largest first. */
  readonly #low: Extreme[] = [];
  readonly #high: Extreme[] = [];

  add(value: number, part: PartFacts, index: number): void {
    if (!Number.isFinite(value)) return;
    insert(this.#low, value, 1, part, index);
    insert(this.#high, value, -1, part, index);
  }

  /** Values that are `far` spreads from the median and at least `alone` times as far as the next one on their side. */
  beyond({ median, spread }: Robust, far: number, alone: number): Extreme[] {
    return [this.#low, this.#high].flatMap((side) => {
      const distance = (at: number) => Math.abs((side[at] as Extreme).value - median) / spread;
      for (let cut = side.length - 1; cut > 0; cut--) {
        if (distance(cut - 1) >= far && distance(cut - 1) >= alone * Math.max(1, distance(cut)))
          return side.slice(0, cut);
      }
      return [];
    });
  }
}

function insert(side: Extreme[], value: number, sign: 1 | -1, part: PartFacts, index: number): void {
  const last = side.at(-1);
  if (side.length === kept && last && sign * value > sign * last.value) return;
  let at = 0;
  while (at < side.length && sign * (side[at] as Extreme).value < sign * value) at++;
  const there = side[at];
  if (there?.value === value) {
    there.count++;
    if (there.samples.length < mostSamples) there.samples.push({ part, index });
    return;
  }
  side.splice(at, 0, { value, count: 1, samples: [{ part, index }] });
  if (side.length > kept) side.pop();
}

/** What the samples' values look like: mean, spread, histogram. Pure. */

export interface Spread {
  mean: number;
  /** Of the population. */
  std: number;
  least: number;
  most: number;
}

type Values = readonly (readonly number[])[];

/** null where there are no values. */
export function spreadOf(samples: Values): Spread | null {
  let [count, mean, squares] = [0, 0, 0];
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const sample of samples) {
    for (const value of sample) {
      count += 1;
      const apart = value - mean;
      mean += apart / count;
      squares += apart * (value - mean);
      if (value < least) least = value;
      if (value > most) most = value;
    }
  }
  return count === 0 ? null : { mean, std: Math.sqrt(squares / count), least, most };
}

/** How many values lie in each of `bins` equal parts of the range. */
export function histogram(samples: Values, [least, most]: readonly [number, number], bins: number): number[] {
  const counts = new Array<number>(bins).fill(0);
  const width = most - least;
  for (const sample of samples) {
    for (const value of sample) {
      const bin = width > 0 ? Math.floor(((value - least) / width) * bins) : 0;
      const at = Math.min(bins - 1, Math.max(0, bin));
      counts[at] = (counts[at] as number) + 1;
    }
  }
  return counts;
}

/** Three digits are all that a few samples can tell. */
const rounded = (value: number) => Number(value.toPrecision(3));

/**
 * Normalize's numbers that would bring these samples to mean 0 and deviation 1: one a channel where there are three, else one for all.
 * null where the values do not differ.
 */
export function normalizeFrom(samples: Values, dims: readonly number[]): { mean: number[]; std: number[] } | null {
  const channels = dims.length === 3 && dims[0] === 3 ? 3 : 1;
  const spreads = Array.from({ length: channels }, (_, channel) =>
    spreadOf(
      samples.map((sample) => {
        const size = sample.length / channels;
        return sample.slice(channel * size, (channel + 1) * size);
      }),
    ),
  );
  const found = spreads.filter((spread) => spread !== null && rounded(spread.std) > 0) as Spread[];
  if (found.length < channels) return null;
  return { mean: found.map(({ mean }) => rounded(mean)), std: found.map(({ std }) => rounded(std)) };
}

/** The rule of the learning-rate range test: when it stops, and what its curve suggests. Pure numbers, as Lightning and fastai compute them. */

/** Weight of the past in the smoothed loss. */
const beta = 0.98;
/** The test stops when the smoothed loss is this many times the best one. */
const divergence = 4;
/** Steps at the beginning and the end of the curve that suggest nothing. */
const skipBegin = 10;
const skipEnd = 1;

/** The learning rates of `steps` steps, each the same factor above the one before. */
export function sweep(min: number, max: number, steps: number): number[] {
  return Array.from({ length: steps }, (_, i) => (i === steps - 1 ? max : min * (max / min) ** (i / (steps - 1))));
}

/** Smooths losses as they come, and says when it is enough. */
export class Smoothing {
  readonly values: number[] = [];
  #mean = 0;
  #best = Number.POSITIVE_INFINITY;

  /** Adds a loss; answers whether the test is to go on. */
  add(loss: number): boolean {
    this.#mean = beta * this.#mean + (1 - beta) * loss;
    const smoothed = this.#mean / (1 - beta ** (this.values.length + 1));
    this.values.push(smoothed);
    const diverged = this.values.length > 1 && smoothed > divergence * this.#best;
    this.#best = Math.min(this.#best, smoothed);
    return !diverged;
  }
}

export interface Suggestion {
  lr: number | null;
  reason: string;
}

/**
 * The rate at which the smoothed loss falls most steeply (over the logarithm of the rate), or why the curve does not say. Only the descent
 * before the first clear rise counts: after a peak the loss falls steeply too, and that is no rate to train with.
 */
export function suggest(lr: readonly number[], loss: readonly number[], smoothed: readonly number[]): Suggestion {
  const none = (reason: string): Suggestion => ({ lr: null, reason });
  const values = smoothed.slice(skipBegin, smoothed.length - skipEnd);
  if (values.length < 3) {
    return none(
      `The loss diverged after ${smoothed.length} steps, too few to see where it falls: begin with a smaller rate (min).`,
    );
  }
  const scatter = deviation(loss.slice(0, skipBegin));
  if (Math.max(...values) - Math.min(...values) <= scatter) {
    return none(
      'The loss hardly changes over all of these rates, no more than from batch to batch: go up to a larger rate (max), or take more steps.',
    );
  }
  const descent = firstDescent(values, scatter);
  if (Math.max(...descent) - (descent.at(-1) as number) <= scatter) {
    return descent.length < values.length / 4
      ? none('The loss only rises: even the smallest rate is too large. Begin with a smaller one (min).')
      : none(
          'Before it rises, the loss never falls by more than it scatters from batch to batch: take more steps, or larger batches.',
        );
  }
  const slopes = gradient(values).slice(0, descent.length);
  const steepest = slopes.indexOf(Math.min(...slopes));
  return {
    lr: lr[skipBegin + steepest] as number,
    reason:
      'Steepest descent: where the smoothed loss, before it first rises, falls fastest over the logarithm of the rate.',
  };
}

/** Up to the lowest value that comes before the first rise by more than `scatter`. */
function firstDescent(values: readonly number[], scatter: number): number[] {
  let lowest = 0;
  for (const [i, value] of values.entries()) {
    if (value > (values[lowest] as number) + scatter) break;
    if (value < (values[lowest] as number)) lowest = i;
  }
  return values.slice(0, lowest + 1);
}

/** numpy.gradient: central differences, one-sided at the ends. */
function gradient(values: readonly number[]): number[] {
  const at = (i: number) => values[i] as number;
  const last = values.length - 1;
  return values.map((_, i) =>
    i === 0 ? at(1) - at(0) : i === last ? at(last) - at(last - 1) : (at(i + 1) - at(i - 1)) / 2,
  );
}

function deviation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}

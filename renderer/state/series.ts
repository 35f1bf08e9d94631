/** A run's values in typed arrays, as they come over the wire and as they grow. */
import type { SeriesWire } from '../../engine/contract/api.ts';

/** One quantity over the buckets: bucket i stands for `size` neighbouring steps. NaN: the bucket has no value. */
export interface Band {
  min: Float64Array;
  mean: Float64Array;
  max: Float64Array;
}

export interface Series {
  buckets: number;
  /** Steps a bucket. */
  size: number;
  step: Float64Array;
  /** Fractional. */
  epoch: Float64Array;
  /** Seconds of training so far. */
  time: Float64Array;
  columns: ReadonlyMap<string, Band>;
}

const emptySeries: Series = {
  buckets: 0,
  size: 1,
  step: new Float64Array(),
  epoch: new Float64Array(),
  time: new Float64Array(),
  columns: new Map(),
};

const axes = 3;

export function readSeries({ columns, buckets, size, values: text }: SeriesWire): Series {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const values = new Float64Array(bytes.buffer);
  const column = (index: number) => values.subarray(index * buckets, (index + 1) * buckets);
  return {
    buckets,
    size,
    step: column(0),
    epoch: column(1),
    time: column(2),
    columns: new Map(
      columns.map((name, index) => {
        const first = axes + 3 * index;
        return [name, { min: column(first), mean: column(first + 1), max: column(first + 2) }];
      }),
    ),
  };
}

/** Series that grow at their end, many times a second: in arrays with room for what is to come, of which `series` shows the part in use. */
export class GrowingSeries {
  series = emptySeries;
  #capacity = 0;
  #room: Series = emptySeries;

  /** All that there is. What was handed out before stays as it was. */
  replace(whole: Series): void {
    this.#capacity = 0;
    this.#room = whole;
    this.series = whole;
  }

  /** `tail` takes the place of everything from bucket `from` on, in the same arrays. */
  splice(from: number, tail: Series): void {
    const end = from + tail.buckets;
    const names = [...tail.columns.keys()].filter((name) => !this.#room.columns.has(name));
    if (end > this.#capacity || names.length > 0) this.#makeRoom(Math.max(2 * end, 256), names);
    const { step, epoch, time, columns } = this.#room;
    step.set(tail.step, from);
    epoch.set(tail.epoch, from);
    time.set(tail.time, from);
    const used = (values: Float64Array) => values.subarray(0, end);
    const shown = new Map<string, Band>();
    for (const [name, { min, mean, max }] of columns) {
      const more = tail.columns.get(name);
      for (const [values, rest] of [
        [min, more?.min],
        [mean, more?.mean],
        [max, more?.max],
      ] as const) {
        if (rest) values.set(rest, from);
        else values.fill(Number.NaN, from, end);
      }
      shown.set(name, { min: used(min), mean: used(mean), max: used(max) });
    }
    const { size } = tail;
    this.series = { buckets: end, size, step: used(step), epoch: used(epoch), time: used(time), columns: shown };
  }

  #makeRoom(capacity: number, more: readonly string[]): void {
    const { size, buckets, step, epoch, time, columns } = this.series;
    const larger = (values: Float64Array | undefined) => {
      const room = new Float64Array(capacity).fill(Number.NaN);
      if (values) room.set(values);
      return room;
    };
    this.#capacity = capacity;
    this.#room = {
      buckets,
      size,
      step: larger(step),
      epoch: larger(epoch),
      time: larger(time),
      columns: new Map(
        [...columns.keys(), ...more].map((name) => {
          const band = columns.get(name);
          return [name, { min: larger(band?.min), mean: larger(band?.mean), max: larger(band?.max) }];
        }),
      ),
    };
  }
}

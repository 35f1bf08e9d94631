/** The values of a run step by step, in columns that grow, and their thinning to buckets of a power of two: a finished bucket never changes. */
import { fromNum, type Num } from '../contract/events.ts';

export const axes = ['step', 'epoch', 'time'] as const;
export type Axis = (typeof axes)[number];

/** Points that are summed up once and for all: larger buckets are made of these. */
const block = 64;
const firstCapacity = 1024;

/** Numbers of a column, non-finite ones as words. */
export type Values = number | ArrayLike<Num>;

function grown(values: Float64Array, capacity: number): Float64Array {
  const larger = new Float64Array(capacity);
  larger.set(values);
  return larger;
}

function copy(from: ArrayLike<Num>, to: Float64Array, start: number, end: number): void {
  for (let i = start; i < end; i += 1) {
    const value = from[i - start];
    to[i] = typeof value === 'number' ? value : value === undefined ? Number.NaN : fromNum(value);
  }
}

/** Minimum, maximum, sum and count of points that have a value. */
type Summary = [min: number, max: number, sum: number, count: number];

class Column {
  values: Float64Array;
  /** Four numbers a block, of the blocks that are full. */
  #blocks: Float64Array = new Float64Array();
  #full = 0;

  constructor(capacity: number) {
    this.values = new Float64Array(capacity);
  }

  grow(capacity: number): void {
    this.values = grown(this.values, capacity);
  }

  cut(length: number): void {
    this.#full = Math.min(this.#full, Math.floor(length / block));
  }

  /** Puts minimum, mean and maximum of the points from `start` to `end` at `at` of each; NaN where there are none. */
  summarise(start: number, end: number, [mins, means, maxs]: Out, at: number): void {
    const summary: Summary = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 0];
    const [first, last] = [Math.ceil(start / block), Math.floor(end / block)];
    if (first < last) {
      this.#sumUp(last);
      this.#add(start, first * block, summary);
      for (let i = 4 * first; i < 4 * last; i += 4) {
        summary[0] = Math.min(summary[0], this.#blocks[i] as number);
        summary[1] = Math.max(summary[1], this.#blocks[i + 1] as number);
        summary[2] += this.#blocks[i + 2] as number;
        summary[3] += this.#blocks[i + 3] as number;
      }
      this.#add(last * block, end, summary);
    } else this.#add(start, end, summary);
    const [min, max, sum, count] = summary;
    mins[at] = count > 0 ? min : Number.NaN;
    means[at] = count > 0 ? sum / count : Number.NaN;
    maxs[at] = count > 0 ? max : Number.NaN;
  }

  #sumUp(blocks: number): void {
    if (4 * blocks > this.#blocks.length) {
      this.#blocks = grown(this.#blocks, Math.max(4 * blocks, 2 * this.#blocks.length));
    }
    for (; this.#full < blocks; this.#full += 1) {
      const summary: Summary = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 0];
      this.#add(this.#full * block, (this.#full + 1) * block, summary);
      this.#blocks.set(summary, 4 * this.#full);
    }
  }

  #add(start: number, end: number, summary: Summary): void {
    let [min, max, sum, count] = summary;
    for (let i = start; i < end; i += 1) {
      const value = this.values[i] as number;
      if (Number.isNaN(value)) continue;
      if (value < min) min = value;
      if (value > max) max = value;
      sum += value;
      count += 1;
    }
    summary[0] = min;
    summary[1] = max;
    summary[2] = sum;
    summary[3] = count;
  }
}

type Out = readonly [min: Float64Array, mean: Float64Array, max: Float64Array];

export interface Thinned {
  columns: string[];
  buckets: number;
  size: number;
  /** Axes, then minimum, mean and maximum of each column; `buckets` values each. */
  values: Float64Array<ArrayBuffer>;
}

export class Columns {
  #length = 0;
  #capacity = firstCapacity;
  readonly #axes: Record<Axis, Float64Array> = {
    step: new Float64Array(firstCapacity),
    epoch: new Float64Array(firstCapacity),
    time: new Float64Array(firstCapacity),
  };
  readonly #columns = new Map<string, Column>();

  get length(): number {
    return this.#length;
  }

  /** In the order in which they have appeared. */
  get names(): string[] {
    return [...this.#columns.keys()];
  }

  axis(name: Axis, index: number): number {
    return this.#axes[name][index] ?? Number.NaN;
  }

  /** Appends points. `values`: what each column has for them, one number for all or one each; a column that is not named has none. */
  append(points: Record<Axis, ArrayLike<number>>, values: Iterable<[string, Values]>): void {
    const start = this.#length;
    const end = start + points.step.length;
    this.#reserve(end);
    for (const name of axes) copy(points[name], this.#axes[name], start, end);
    const named = new Set<Column>();
    for (const [name, given] of values) {
      let column = this.#columns.get(name);
      if (!column) {
        column = new Column(this.#capacity);
        column.values.fill(Number.NaN, 0, start);
        this.#columns.set(name, column);
      }
      named.add(column);
      if (typeof given === 'number') column.values.fill(given, start, end);
      else copy(given, column.values, start, end);
    }
    for (const column of this.#columns.values()) if (!named.has(column)) column.values.fill(Number.NaN, start, end);
    this.#length = end;
  }

  /** How many points have a step up to `step`. Steps rise. */
  countUpTo(step: number): number {
    let [low, high] = [0, this.#length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#axes.step[middle] as number) <= step) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Takes what lies beyond the first `length` points away and answers it. */
  cut(length: number): Columns {
    const beyond = new Columns();
    const part = (values: Float64Array) => values.subarray(length, this.#length);
    const { step, epoch, time } = this.#axes;
    beyond.append(
      { step: part(step), epoch: part(epoch), time: part(time) },
      [...this.#columns].map(([name, { values }]) => [name, part(values)]),
    );
    this.#length = length;
    for (const column of this.#columns.values()) column.cut(length);
    return beyond;
  }

  /** The smallest power of two at which `count` points make at most `buckets`. */
  static sizeFor(count: number, buckets: number): number {
    let size = 1;
    while (Math.ceil(count / size) > buckets) size *= 2;
    return size;
  }

  /** Buckets of `size` points, from bucket `from` on, of the points from `start` to `end`. A bucket stands where its last point stands. */
  thin(size: number, from = 0, start = 0, end: number = this.#length): Thinned {
    const buckets = Math.max(0, Math.ceil((end - start) / size) - from);
    const values = new Float64Array((axes.length + 3 * this.#columns.size) * buckets);
    const part = (index: number) => values.subarray(index * buckets, (index + 1) * buckets);
    const first = (bucket: number) => start + (from + bucket) * size;
    for (const [index, name] of axes.entries()) {
      const out = part(index);
      for (let b = 0; b < buckets; b += 1) out[b] = this.#axes[name][Math.min(end, first(b + 1)) - 1] as number;
    }
    for (const [index, column] of [...this.#columns.values()].entries()) {
      const at = axes.length + 3 * index;
      const out: Out = [part(at), part(at + 1), part(at + 2)];
      for (let b = 0; b < buckets; b += 1) column.summarise(first(b), Math.min(end, first(b + 1)), out, b);
    }
    return { columns: this.names, buckets, size, values };
  }

  #reserve(length: number): void {
    if (length <= this.#capacity) return;
    while (this.#capacity < length) this.#capacity *= 2;
    for (const name of axes) this.#axes[name] = grown(this.#axes[name], this.#capacity);
    for (const column of this.#columns.values()) column.grow(this.#capacity);
  }
}

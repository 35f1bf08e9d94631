/** Rows of a table that are kept for what needs all values of a column at once: medians, and what predicts the target. */
import type { InputColumn } from '../open-source.ts';
import { type Patient, type Row, splitBit } from './check.ts';

/** Evenly spaced over the rows that train. */
const mostRows = 20_000;
const mostValues = 8_000_000;
/** Of a normal distribution, the standard deviation over the median of deviations. */
const madScale = 1.4826;

export interface Robust {
  median: number;
  /** What deviations mostly are. */
  spread: number;
}

export class ColumnSample {
  readonly columns: InputColumn[];
  readonly #step: number;
  readonly #width: number;
  readonly #values: Float32Array;
  /** Class of each kept row; NaN: none. */
  readonly labels: Float64Array;
  /** Place of each kept row in its part, and its target where that is of numbers. */
  readonly positions: Float64Array;
  readonly targets: Float32Array[] = [];
  count = 0;
  #seen = 0;

  constructor({ columns, dims, parts }: Patient) {
    this.columns = columns;
    this.#width = dims[0] ?? 0;
    const train = parts.find(({ name }) => name === 'train')?.count ?? 0;
    const most = Math.min(mostRows, Math.max(100, Math.floor(mostValues / Math.max(1, this.#width))));
    this.#step = Math.max(1, Math.ceil(train / most));
    const rows = Math.ceil(train / this.#step);
    this.#values = new Float32Array(rows * this.#width);
    this.labels = new Float64Array(rows);
    this.positions = new Float64Array(rows);
  }

  look(row: Row): void {
    if (!(row.splits & splitBit.train) || this.#seen++ % this.#step > 0) return;
    this.#values.set(row.values(), this.count * this.#width);
    this.labels[this.count] = row.part.labels?.[row.index] ?? Number.NaN;
    this.positions[this.count] = row.index;
    if (row.part.labels === null && row.target.length > 0) this.targets.push(row.targetValues().slice());
    this.count++;
  }

  /** The values at one place of the input. */
  at(place: number): Float32Array {
    return Float32Array.from({ length: this.count }, (_, row) => this.#values[row * this.#width + place] as number);
  }

  /** A column as one number a row: of a category, which of its values it is; -1: none. */
  codes({ at, width }: InputColumn): Float32Array {
    if (width === 1) return this.at(at);
    return Float32Array.from({ length: this.count }, (_, row) => {
      const start = row * this.#width + at;
      const own = this.#values.subarray(start, start + width);
      const highest = own.indexOf(Math.max(...own));
      return (own[highest] as number) > 0 ? highest : -1;
    });
  }

  /** null: a column of few values, in which nothing is far away. */
  robust(column: number): Robust | null {
    const { at } = this.columns[column] as InputColumn;
    const sorted = this.at(at).filter(Number.isFinite).sort();
    if (sorted.length < 20) return null;
    const median = sorted[sorted.length >> 1] as number;
    const deviations = sorted.map((value) => Math.abs(value - median)).sort();
    const spread = madScale * (deviations[deviations.length >> 1] as number);
    return spread > 0 ? { median, spread } : null;
  }
}

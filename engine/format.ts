/** Numbers, sizes, times and tables as people read them. */
import { fromNum, type Num } from './contract/events.ts';
import { metricOfKey } from './contract/metrics.ts';

export { bytes, capital, dims, integer, plural, seconds } from './contract/format.ts';

export function loss(value: Num): string {
  const number = fromNum(value);
  return Number.isFinite(number) && Math.abs(number) < 1e4 ? number.toFixed(4) : String(Number(number.toPrecision(5)));
}

/** With so many significant digits at most, and no zeros behind them: learning rates, factors. */
export function short(value: number, digits: number): string {
  return String(Number(value.toPrecision(digits))).replace('e+', 'e');
}

/** 0.9312 is 93.12 %. */
export function percent(value: Num): string {
  const number = fromNum(value);
  return Number.isFinite(number) ? `${(number * 100).toFixed(2)} %` : String(number);
}

/** Aligned columns: text to the left, those in `right` (positions) to the right. */
export function table(rows: string[][], right: number[] = []): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          right.includes(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** `accuracy` of an epoch's `val_accuracy`, as people read it: shares as percentages. */
export function metric(name: string, value: Num): string {
  return metricOfKey(name.replace(/^(train|val)_/, ''))?.share ? percent(value) : loss(value);
}

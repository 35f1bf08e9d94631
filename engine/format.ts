/** Numbers, sizes, times and tables as people read them. */
import { fromNum, type Num } from './contract/events.ts';

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

export function integer(value: number): string {
  return whole.format(value);
}

export function loss(value: Num): string {
  const number = fromNum(value);
  return Number.isFinite(number) && Math.abs(number) < 1e4 ? number.toFixed(4) : String(Number(number.toPrecision(5)));
}

/** 0.9312 is 93.12 %. */
export function percent(value: Num): string {
  const number = fromNum(value);
  return Number.isFinite(number) ? `${(number * 100).toFixed(2)} %` : String(number);
}

export function bytes(value: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  let left = value;
  for (; left >= 1024 && unit < units.length - 1; unit++) left /= 1024;
  return `${unit === 0 ? left : left.toFixed(1)} ${units[unit]}`;
}

export function seconds(value: number): string {
  if (value < 10) return `${value.toFixed(1)} s`;
  if (value < 100) return `${value.toFixed(0)} s`;
  const all = Math.round(value);
  const [hours, minutes] = [Math.floor(all / 3600), Math.floor((all % 3600) / 60)];
  const two = (part: number) => String(part).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(all % 60)} h` : `${minutes}:${two(all % 60)} min`;
}

/** `1×28×28`; a single number has no dimensions. */
export function dims(shape: number[]): string {
  return shape.length === 0 ? 'scalar' : shape.join('×');
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${integer(count)} ${count === 1 ? one : many}`;
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
  return /(^|_)loss$/.test(name) || Math.abs(fromNum(value)) > 1 ? loss(value) : percent(value);
}

/** Axes: ranges that hold the data, ticks that people can read, and the way from values to pixels. Pure. */

export type Range = readonly [number, number];

/** The step 1, 2 or 5 times a power of ten that divides `span` into at most about `count` parts. */
function niceStep(span: number, count: number): number {
  const rough = span / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const lead = rough / power;
  return (lead <= 1.0001 ? 1 : lead <= 2.0001 ? 2 : lead <= 5.0001 ? 5 : 10) * power;
}

/** Round numbers within the range, both ends included where they are round. `whole`: integers only (steps, epochs). */
export function linearTicks([low, high]: Range, count: number, whole = false): number[] {
  const span = high - low;
  // So close together that doubles can hardly tell them apart there are no round numbers between.
  const close = !(span > Math.max(Math.abs(low), Math.abs(high)) * 1e-9);
  if (close || !Number.isFinite(span)) return Number.isFinite(low) ? [low] : [];
  const step = whole ? Math.max(1, niceStep(span, count)) : niceStep(span, count);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  // By multiples rather than sums, so that no error adds up; the division undoes 3 · 0.1 = 0.30000000000000004.
  const inverse = step < 1 ? Math.round(1 / step) : 0;
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => {
    const multiple = first + index;
    const tick = inverse > 0 && Number.isSafeInteger(inverse) ? multiple / inverse : multiple * step;
    return tick === 0 ? 0 : tick;
  });
}

/** Powers of ten within the range; with 2 and 5 between them where they are few, evenly spaced numbers where there is hardly one. */
export function logTicks([low, high]: Range, count: number): number[] {
  if (!(low > 0) || !(high > low)) return low > 0 ? [low] : [];
  const [from, to] = [Math.log10(low), Math.log10(high)];
  const decades = Math.floor(to + 1e-9) - Math.ceil(from - 1e-9) + 1;
  if (to - from < 1) {
    const between = multiples(from, to, [1, 2, 5]).filter((tick) => tick >= low * 0.9999 && tick <= high * 1.0001);
    return between.length >= 3 ? between : linearTicks([low, high], Math.min(count, 5)).filter((tick) => tick > 0);
  }
  const leads = decades * 3 <= count + 1 ? [1, 2, 5] : decades * 2 <= count + 1 ? [1, 3] : [1];
  const every = Math.max(1, Math.ceil(decades / Math.max(1, count)));
  return multiples(from, to, leads)
    .filter((tick) => tick >= low * 0.9999 && tick <= high * 1.0001)
    .filter((tick) => every === 1 || Math.round(Math.log10(tick)) % every === 0);
}

function multiples(from: number, to: number, leads: readonly number[]): number[] {
  const all: number[] = [];
  for (let power = Math.floor(from); power <= Math.ceil(to); power++) {
    for (const lead of leads) all.push(Number(`${lead}e${power}`));
  }
  return all;
}

/** A range that holds low to high with some air; from zero where the data is near it. */
export function paddedRange(low: number, high: number, log: boolean): Range {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return log ? [0.1, 1] : [0, 1];
  if (log) {
    if (low === high) return [low / 2, high * 2];
    const air = (Math.log10(high) - Math.log10(low)) * 0.04;
    return [10 ** (Math.log10(low) - air), 10 ** (Math.log10(high) + air)];
  }
  if (low === high) {
    const air = low === 0 ? 1 : Math.abs(low) * 0.1;
    return low === 0 ? [0, 1] : [low - air, high + air];
  }
  const span = high - low;
  const below = low >= 0 && low < span * 0.35 ? 0 : low - span * 0.05;
  const above = high <= 0 && -high < span * 0.35 ? 0 : high + span * 0.05;
  return [below, above];
}

/** The range rounded outwards, to round steps of which about `parts` make it up: it stays the same while values in it change a little. */
export function steadyRange([low, high]: Range, parts: number, log = false): Range {
  if (log) {
    if (!(low > 0)) return [low, high];
    const [from, to] = steadyRange([Math.log10(low), Math.log10(high)], parts);
    return [10 ** from, 10 ** to];
  }
  if (!(high > low)) return [low, high];
  const step = niceStep(high - low, parts);
  // Ends that are round already stay where they are, whatever the last digit of a quotient says.
  return [Math.floor(low / step + 1e-9) * step, Math.ceil(high / step - 1e-9) * step];
}

/** From values to pixels. */
export function scaleOf([low, high]: Range, [start, end]: Range, log: boolean): (value: number) => number {
  const to = log ? Math.log10 : (value: number) => value;
  const [from, span] = [to(low), to(high) - to(low) || 1];
  return (value) => start + ((to(value) - from) / span) * (end - start);
}

/** How ticks are written: all with as many decimals as the finest needs, large and tiny ones by exponent. */
export function tickFormat(ticks: readonly number[], log = false): (value: number) => string {
  const largest = Math.max(...ticks.map(Math.abs), 0);
  const gaps = ticks.slice(1).map((tick, index) => Math.abs(tick - (ticks[index] as number)));
  const finest = gaps.length > 0 ? Math.min(...gaps) : largest;
  if (log || largest >= 1e6 || (largest > 0 && largest < 1e-3)) return compact;
  const places = Math.max(0, Math.min(8, -Math.floor(Math.log10(finest || 1) + 1e-9)));
  return (value) =>
    value.toLocaleString('en-US', { minimumFractionDigits: places, maximumFractionDigits: places }).replace('-', '−');
}

function compact(value: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  const sign = value < 0 ? '−' : '';
  if (size >= 1e-3 && size < 1e4) return `${sign}${Number(size.toPrecision(6))}`;
  for (const [unit, name] of [
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
  ] as const) {
    if (size >= unit && size < 1e12) return `${sign}${Number((size / unit).toPrecision(4))}${name}`;
  }
  const [mantissa, exponent] = size.toExponential().split('e');
  return `${sign}${Number(Number(mantissa).toPrecision(3))}e${Number(exponent)}`;
}

/** The place of the value nearest to `wanted` in a rising list; −1 where it is empty. */
export function nearest(x: ArrayLike<number>, wanted: number): number {
  if (x.length === 0) return -1;
  const after = firstAtLeast(x, wanted);
  if (after === 0) return 0;
  if (after === x.length) return x.length - 1;
  return wanted - (x[after - 1] as number) <= (x[after] as number) - wanted ? after - 1 : after;
}

/** The place of the first value that is not below `wanted` in a rising list. */
export function firstAtLeast(x: ArrayLike<number>, wanted: number): number {
  let [low, high] = [0, x.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((x[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

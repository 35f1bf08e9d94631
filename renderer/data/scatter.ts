/** Samples as points: where they stand in a plot, and which is nearest to the pointer. Pure. */

export interface Points {
  x: Float64Array;
  y: Float64Array;
  /** Of the class; -1: none. */
  group: Int32Array;
  range: { x: [number, number]; y: [number, number] };
}

function extent(values: Float64Array): [number, number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  if (!(least <= most)) return [0, 1];
  const edge = (most - least || 1) * 0.04;
  return [least - edge, most + edge];
}

/** Of two inputs, or of one input and what is to be answered to it. */
export function pointsOf(
  samples: readonly { raw: readonly number[]; target: number | null; goal?: readonly number[] }[],
): Points {
  const x = Float64Array.from(samples, ({ raw }) => raw[0] ?? 0);
  const y = Float64Array.from(samples, ({ raw, goal }) => raw[1] ?? goal?.[0] ?? 0);
  const group = Int32Array.from(samples, ({ target }) => target ?? -1);
  return { x, y, group, range: { x: extent(x), y: extent(y) } };
}

/** Within `reach` pixels of the place; null: none. */
export function nearestPoint(
  { x, y, range }: Points,
  at: { x: number; y: number },
  size: { width: number; height: number },
  reach = 16,
): number | null {
  const [toX, toY] = [placed(range.x, size.width), placed(range.y, size.height)];
  let [best, distance] = [null as number | null, reach * reach];
  for (let i = 0; i < x.length; i += 1) {
    const [dx, dy] = [toX(x[i] as number) - at.x, size.height - toY(y[i] as number) - at.y];
    const apart = dx * dx + dy * dy;
    if (apart <= distance) [best, distance] = [i, apart];
  }
  return best;
}

export type Way = 'left' | 'right' | 'up' | 'down';

/** The nearest point that lies more that way than aside, as the plot shows them; null: there is none. */
export function pointTowards(
  { x, y, range }: Points,
  from: number,
  way: Way,
  size: { width: number; height: number },
): number | null {
  const [toX, toY] = [placed(range.x, size.width), placed(range.y, size.height)];
  const [fromX, fromY] = [toX(x[from] as number), toY(y[from] as number)];
  const sign = way === 'left' || way === 'down' ? -1 : 1;
  let [best, distance] = [null as number | null, Number.POSITIVE_INFINITY];
  for (let i = 0; i < x.length; i += 1) {
    const [dx, dy] = [toX(x[i] as number) - fromX, toY(y[i] as number) - fromY];
    const [on, aside] = way === 'left' || way === 'right' ? [sign * dx, dy] : [sign * dy, dx];
    const apart = dx * dx + dy * dy;
    if (on > 0 && Math.abs(aside) <= on && apart < distance) [best, distance] = [i, apart];
  }
  return best;
}

export const placed =
  ([least, most]: readonly [number, number], size: number) =>
  (value: number) =>
    ((value - least) / (most - least)) * size;

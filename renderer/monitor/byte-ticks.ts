/** Ticks of an axis of memory: round in units of 1024. Pure. */

/** From zero to `top` at most, in at most about `count` steps of 1, 2, 5, 10… 512 of a unit. */
export function byteTicks(top: number, count: number): number[] {
  if (!(top > 0)) return [0];
  const rough = top / Math.max(1, count);
  const unit = 1024 ** Math.max(0, Math.floor(Math.log(rough) / Math.log(1024)));
  const step = (steps.find((each) => each * unit >= rough) ?? 1024) * unit;
  return Array.from({ length: Math.floor(top / step + 1e-9) + 1 }, (_, index) => index * step);
}

const steps = [1, 2, 5, 10, 20, 50, 100, 128, 256, 512];

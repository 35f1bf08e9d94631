/** What measured peaks say about the estimates of a device: by how much they were off, and how sure the corrected figure is. */
import { z } from 'zod';

/** One network measured on a device. */
export const memoryObservationSchema = z.object({
  device: z.string(),
  /** Says which network, with its settings, whatever the batch size. */
  network: z.string(),
  batch_size: z.number(),
  /** Bytes of tensors at the highest moment. */
  estimated: z.number(),
  measured: z.number(),
  /** Not measured with this batch size, but carried on to it from smaller ones. */
  carried: z.boolean().exactOptional(),
});
export type MemoryObservation = z.infer<typeof memoryObservationSchema>;

export const memoryCorrectionSchema = z.object({
  device: z.string(),
  /** Networks that it was learned from; 1 where this very network has been measured. */
  networks: z.number(),
  /** Whether this very network has been measured there. */
  same: z.boolean(),
  /** The estimate times this is what to expect. */
  factor: z.number(),
  /** Share by which the corrected estimates of the device were off, at most in nine of ten. */
  residual: z.number(),
});
export type MemoryCorrection = z.infer<typeof memoryCorrectionSchema>;

/** How far the estimate of nine of ten networks is off before anything was measured, and how many measurements that is worth. */
const prior = 0.1;
const priorWorth = 3;
/** Below these no residual is told: of this very network, and of others while they are few. */
const leastOfSame = 0.03;
const fewNetworks = 3;
/** Networks of sizes within this factor of each other are alike. */
const alikeWithin = 4;

/** `estimated`: of the network asked for. The newest are last; null: nothing was measured on the device. */
export function correctionOf(
  observations: readonly MemoryObservation[],
  {
    device,
    network,
    batch_size,
    estimated,
  }: Pick<MemoryObservation, 'device' | 'network' | 'batch_size' | 'estimated'>,
): MemoryCorrection | null {
  const there = observations.filter((one) => one.device === device && one.estimated > 0 && one.measured > 0);
  const latest = new Map(there.map((one) => [one.network, one]));
  const own = latest.get(network);
  if (own) {
    const exact = there.findLast((one) => one.network === network && one.batch_size === batch_size && !one.carried);
    if (exact) return { device, networks: 1, same: true, factor: ratioOf(exact), residual: leastOfSame };
    const factor = ratioOf(own);
    // Of one's own network only other batch sizes can tell how far to trust it.
    const off = apart(there.filter((one) => one.network === network).map(ratioOf), factor);
    const residual = off.length > 1 ? quantile(off, 0.9) : Math.abs(factor - 1);
    return { device, networks: 1, same: true, factor, residual: Math.max(leastOfSame, residual) };
  }
  if (latest.size === 0) return null;
  const others = [...latest.values()];
  // What a network of another size takes beside its estimate may be a fixed amount as well as a share: it counts the less.
  const weighted = others.map((one) => {
    const share = (ratioOf(one) - 1) * alikeness(one.estimated, estimated);
    return { ratio: 1 + share, left: Math.abs(ratioOf(one) - 1 - share) };
  });
  const factor = quantile(
    weighted.map(({ ratio }) => ratio).sort((a, b) => a - b),
    0.5,
  );
  const off = weighted.map(({ ratio, left }) => Math.abs(ratio / factor - 1) + left).sort((a, b) => a - b);
  const count = others.length;
  const spread = (priorWorth * prior ** 2 + count * quantile(off, 0.9) ** 2) / (priorWorth + count);
  const residual = Math.max(Math.sqrt(spread * (1 + 1 / count)), count < fewNetworks ? prior : 0);
  return { device, networks: count, same: false, factor, residual };
}

/** 1: what was learned of the one size holds for the other; towards 0 the more they differ. */
function alikeness(a: number, b: number): number {
  return a > 0 && b > 0 ? Math.min(1, (alikeWithin * Math.min(a, b)) / Math.max(a, b)) : 0;
}

function apart(ratios: readonly number[], factor: number): number[] {
  return ratios.map((ratio) => Math.abs(ratio / factor - 1)).sort((a, b) => a - b);
}

/** Its residual in per cent, for people: rounded up, but not for what arithmetic leaves behind (100 · 0.07 is more than 7). */
export function percentOff({ residual }: MemoryCorrection): number {
  return Math.max(1, Math.ceil(Number((100 * residual).toFixed(3))));
}

const ratioOf = ({ measured, estimated }: MemoryObservation) => measured / estimated;

/** Of sorted values, between neighbours where it falls between. */
function quantile(values: readonly number[], share: number): number {
  const at = (values.length - 1) * share;
  const [low, high] = [values[Math.floor(at)] as number, values[Math.ceil(at)] as number];
  return low + (high - low) * (at - Math.floor(at));
}

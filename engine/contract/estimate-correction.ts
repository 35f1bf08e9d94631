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

/** The newest are last; null: nothing was measured on the device. */
export function correctionOf(
  observations: readonly MemoryObservation[],
  device: string,
  network: string,
): MemoryCorrection | null {
  const there = observations.filter((one) => one.device === device && one.estimated > 0 && one.measured > 0);
  const latest = new Map(there.map((one) => [one.network, one.measured / one.estimated]));
  if (latest.size === 0) return null;
  const ratios = [...latest.values()].sort((a, b) => a - b);
  const middle = quantile(ratios, 0.5);
  const own = latest.get(network);
  const factor = own ?? middle;
  // Of one's own network only other batch sizes can tell how far to trust it.
  const others = own === undefined ? ratios : there.filter((one) => one.network === network).map(ratioOf);
  const off = others.map((ratio) => Math.abs(ratio / factor - 1)).sort((a, b) => a - b);
  return {
    device,
    networks: own === undefined ? latest.size : 1,
    same: own !== undefined,
    factor,
    residual: others.length > 1 ? quantile(off, 0.9) : Math.abs(factor - 1),
  };
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

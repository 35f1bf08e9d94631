/** The transforms computed here for single samples, as libtorch computes them for batches: in 32-bit floats, bit for bit. */
import { GradloomError } from '../contract/errors.ts';

type Apply = (args: Record<string, unknown>, values: Float32Array, dims: readonly number[]) => Float32Array;

const kinds: Record<string, Apply> = {
  Normalize(args, values, dims) {
    const mean = args.mean as number[];
    const std = args.std as number[];
    const channels = dims[0] ?? 1;
    const area = values.length / channels;
    const { fround } = Math;
    return values.map((value, i) => {
      const channel = Math.floor(i / area);
      const m = fround(mean[mean.length === 1 ? 0 : channel] as number);
      const s = fround(std[std.length === 1 ? 0 : channel] as number);
      return fround(fround(value - m) / s);
    });
  },
};

export function applyTransform(
  { kind, args }: { kind: string; args: Record<string, unknown> },
  values: Float32Array,
  dims: readonly number[],
): Float32Array {
  const apply = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (!apply) throw new GradloomError('NOT_SUPPORTED', `The transform ${kind} cannot be shown`);
  return apply(args, values, dims);
}

/** Which losses and metrics go with the targets of the data, and why others do not. Pure. */
import type { LossKind } from '../../engine/contract/losses.ts';
import type { MetricKind } from '../../engine/contract/metrics.ts';
import { type TargetKind, targetWords } from '../../engine/contract/tensors.ts';

/** null: it goes with them, or they are not known. */
export function unfit({ targets }: Pick<LossKind | MetricKind, 'targets'>, target: TargetKind | null): string | null {
  if (target === null || targets.includes(target)) return null;
  const wanted = targets.map((kind) => targetWords[kind]);
  const last = wanted.pop();
  return `For targets that are ${wanted.length > 0 ? `${wanted.join(', ')} or ` : ''}${last}`;
}

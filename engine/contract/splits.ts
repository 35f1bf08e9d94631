/** How many samples each split has: the arithmetic of `data.split`, shared by the plan and by what draws the samples. */
import type { SplitCounts } from './plan-types.ts';
import type { ResolvedSplit } from './project-types.ts';
import type { DataFacts } from './tensors.ts';

/** Validation samples drawn from `count` of them. */
function validationShare(count: number, fraction: number): number {
  return Math.round(count * fraction);
}

/**
 * Samples in training, validation and test. Stratified: each class gives its rounded share. `val: "test"` makes validation and test the
 * source's own test part (0 where it has none).
 */
export function splitCounts(facts: DataFacts, split: ResolvedSplit): SplitCounts {
  const { parts, target } = facts;
  const test = parts.test ?? null;
  if (split.val === 'test') return { train: parts.train, val: test ?? 0, test };
  const fraction = split.val;
  const counts = split.stratify && target.kind === 'class' ? target.counts : undefined;
  const val = (counts ?? [parts.train]).reduce((sum, count) => sum + validationShare(count, fraction), 0);
  return { train: parts.train - val, val, test };
}

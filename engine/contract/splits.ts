/** How many samples each split has: the arithmetic of `data.split`, shared by the plan and by what draws the samples. */
import type { SplitCounts } from './plan-types.ts';
import type { DrawnSplit, ResolvedProject, ResolvedSplit } from './project-types.ts';
import type { DataFacts } from './tensors.ts';

/** Validation samples drawn from `count` of them. */
export function validationShare(count: number, fraction: number): number {
  return Math.round(count * fraction);
}

/**
 * Samples in training, validation and test. `val: "val"` and `"test"` validate with a part of the source's own (0 where it has none).
 * Stratified or not, as many samples validate: the classes of data that is only drawn by a run need not be known. Where whole groups
 * validate, a run's numbers are as near to these as the groups' sizes allow.
 */
export function splitCounts({ parts }: DataFacts, split: ResolvedSplit): SplitCounts {
  const test = parts.test ?? null;
  if (typeof split.val === 'string') return { train: parts.train, val: parts[split.val] ?? 0, test };
  const val = validationShare(parts.train, split.val);
  return { train: parts.train - val, val, test };
}

/** What a source whose encoding is fitted on the samples that train has to draw; null: all of the training part trains. */
export function drawnSplit(
  { val, seed, stratify, unsaid }: ResolvedSplit,
  parts: { val?: unknown },
): DrawnSplit | null {
  return typeof val === 'string' || val === 0 || (unsaid && parts.val) ? null : { val, seed, stratify };
}

/**
 * Stratified: how many of each class validate, by as many as each has. Each gives its share, rounded down; of what is then left of the whole's
 * share, the classes get one each whose own was cut most, the first of equals first.
 */
export function validationByClass(counts: ReadonlyMap<number, number>, fraction: number): Map<number, number> {
  const classes = [...counts].sort(([a], [b]) => a - b);
  const total = classes.reduce((sum, [, count]) => sum + count, 0);
  // 0.29 · 100 is 28.999…: what is a whole number but for that is one.
  const whole = (share: number) => Math.floor(share + 1e-9);
  const given = new Map(classes.map(([label, count]) => [label, whole(count * fraction)]));
  let left = validationShare(total, fraction) - [...given.values()].reduce((sum, share) => sum + share, 0);
  const cut = (count: number) => count * fraction - whole(count * fraction);
  for (const [label] of classes.sort(([, a], [, b]) => cut(b) - cut(a))) {
    if (left <= 0) break;
    given.set(label, (given.get(label) as number) + 1);
    left--;
  }
  return given;
}

/** Where the part that judges at the end also picks the best checkpoint, which makes its score a little too good: what a person is told. */
export function chosenByTest({ data, training }: ResolvedProject): string | null {
  const { monitor } = training.checkpoint;
  if (data.split.val !== 'test' || !monitor.startsWith('val_')) return null;
  return `The test part validates, so it also picks the best checkpoint (by ${monitor})`;
}

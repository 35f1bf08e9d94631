/** What a sample is called, and what it is to be. Pure. */
import type { PartName, TargetType } from '../../engine/contract/tensors.ts';
import type { PreviewSample } from '../../engine/contract/wire.ts';
import { number } from '../ui/index.ts';

/** As marks name it. */
export const markName = ({ name, index }: Pick<PreviewSample, 'name' | 'index'>) => name ?? String(index);

const mostFigures = 3;

/** Its class, its labels or its numbers in a few characters; null: they cannot be told so. */
export function captionOf({ target, goal }: Pick<PreviewSample, 'target' | 'goal'>, of: TargetType): string | null {
  if (of.kind === 'class') return target === null ? null : (of.classes[target] ?? String(target));
  if (!goal) return null;
  if (of.kind === 'multi_label') {
    const on = of.classes.filter((_, index) => (goal[index] ?? 0) > 0);
    return on.length === 0 ? 'no label' : on.join(', ');
  }
  if (of.kind === 'vector' && goal.length <= mostFigures) return goal.map((value) => number(value, 3)).join(', ');
  return null;
}

/** A class that is called by a digit is meant by it; else digits count the classes from 1. */
export function labelOf(key: string, names: readonly string[]): string | undefined {
  if (!/^[0-9]$/.test(key)) return undefined;
  return names.some((name) => /^[0-9]$/.test(name)) ? names.find((name) => name === key) : names[Number(key) - 1];
}

/** The class at each position of a picture, to be laid over it: numbers, or the bytes of a thumbnail. */
export function maskOf(
  { goal, transformedGoal, thumbs }: Pick<PreviewSample, 'goal' | 'transformedGoal' | 'thumbs'>,
  which: 'raw' | 'transformed',
  of: TargetType,
): string | readonly number[] | undefined {
  if (of.kind !== 'mask') return undefined;
  // Without transforms that move it a mask stays as it is.
  if (thumbs) return which === 'raw' ? thumbs.mask : (thumbs.transformedMask ?? thumbs.mask);
  return which === 'raw' ? goal : (transformedGoal ?? goal);
}

export const splitWords = { train: 'Training', val: 'Validation', test: 'Test' } as const;

/** What a sample is used for. */
export function splitsText(splits: readonly PartName[]): string {
  return splits.length === 0 ? 'none: it is left out' : splits.map((split) => splitWords[split]).join(' and ');
}

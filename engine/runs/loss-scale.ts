/** Loss scaling as the trainer sees it: steps count attempts, and what is planned by real steps stands still while attempts are skipped. */
import type { StepsResult } from '../contract/native.ts';

/** Attempts that were skipped because a gradient overflowed. */
export function skippedSteps({ columns: { skipped } }: StepsResult): number {
  return skipped?.reduce((sum, flag) => sum + flag, 0) ?? 0;
}

/** For each attempt of a chunk the value it was made with, from values by real steps. */
export function byAttempt(values: readonly number[], { steps, columns: { skipped } }: StepsResult): number[] {
  let real = 0;
  return Array.from({ length: steps }, (_, attempt) => {
    const value = values[real] as number;
    if (skipped?.[attempt] !== 1) real += 1;
    return value;
  });
}

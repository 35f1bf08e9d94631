/** Samples by class in a split. */
import type { SplitName } from '../split.ts';
import { type Patient, splitBit } from './check.ts';

/** In the class map's order; labels beyond it are not counted. */
export function classCounts({ classes, parts }: Pick<Patient, 'classes' | 'parts'>, split: SplitName): number[] {
  const counts = (classes ?? []).map(() => 0);
  for (const { labels, splits, count } of parts) {
    if (!labels) continue;
    for (let index = 0; index < count; index++) {
      const label = labels[index] as number;
      if ((splits[index] as number) & splitBit[split] && label >= 0 && label < counts.length)
        counts[label] = (counts[label] as number) + 1;
    }
  }
  return counts;
}

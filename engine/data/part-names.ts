/** What people call the parts of a data set, in any case: of folders, files, arrays and the values of a table's column. */
import type { PartName } from '../contract/tensors.ts';

const partNames: Readonly<Record<PartName, readonly string[]>> = {
  train: ['train', 'training', 'trn', 'tr'],
  val: ['val', 'valid', 'validation', 'dev', 'eval', 'evaluation'],
  test: ['test', 'testing', 'tst', 'te', 't10k', 'holdout'],
};

/** The part that a name stands for; null: none. */
export function partOf(name: string): PartName | null {
  const lower = name.trim().toLowerCase();
  for (const [part, names] of Object.entries(partNames)) if (names.includes(lower)) return part as PartName;
  return null;
}

/** The part that a word of a name stands for: `my_data-train.csv`, `evalSet`; of several the first in the parts' order. */
export function partInName(name: string): PartName | null {
  const found = wordsOf(name).map(partOf);
  return (Object.keys(partNames) as PartName[]).find((part) => found.includes(part)) ?? null;
}

/** The words of a name, in small letters. */
export function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
}

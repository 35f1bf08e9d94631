/** How many samples of each class train, validate and test, as far as it is known before a run. Pure. */
import type { SplitShare } from '../../engine/contract/data/doctor.ts';
import type { ResolvedSplit } from '../../engine/contract/project-types.ts';
import { validationByClass } from '../../engine/contract/splits.ts';
import type { DataFacts } from '../../engine/contract/tensors.ts';

export interface ClassShare {
  name: string;
  train: number;
  /** null: not known by class. */
  val: number | null;
  test: number | null;
}

/** `checked`: what a check of the data has counted. null: the targets are no classes, or nobody has counted them. */
export function classShares(
  { target }: Pick<DataFacts, 'target'>,
  split: ResolvedSplit | null,
  checked: readonly SplitShare[] | null,
): ClassShare[] | null {
  if (target.kind !== 'class') return null;
  const counted = (name: SplitShare['name']) => checked?.find((share) => share.name === name)?.classes ?? null;
  const [train, val, test] = [counted('train'), counted('val'), counted('test')];
  const at = (counts: readonly number[] | null, index: number) => (counts === null ? null : (counts[index] ?? 0));
  const { counts } = target;
  // Marks may have been put since: the data's own counts know of them.
  const drawsVal = typeof split?.val === 'number' && split.val > 0;
  const holds =
    !counts || counts.every((count, index) => count === (train?.[index] ?? 0) + (drawsVal ? (val?.[index] ?? 0) : 0));
  if (train && holds) {
    return target.classes.map((name, index) => ({
      name,
      train: train[index] ?? 0,
      val: at(val, index),
      test: at(test, index),
    }));
  }
  if (!counts) return null;
  const drawn =
    split && typeof split.val === 'number' && split.val > 0 && split.stratify
      ? validationByClass(new Map(counts.map((count, index) => [index, count])), split.val)
      : null;
  return target.classes.map((name, index) => {
    const count = counts[index] ?? 0;
    const validates = drawn?.get(index) ?? null;
    return { name, train: count - (validates ?? 0), val: validates, test: null };
  });
}

/** Which samples validate: drawn in memory from labels, groups and a seed; usable before anything is packed. */
import { GradloomError } from '../contract/errors.ts';
import type { Addon } from '../contract/native.ts';
import type { DrawnSplit } from '../contract/project.ts';
import { validationByClass } from '../contract/splits.ts';
import { chooseGroups } from './draw-groups.ts';

/** Numbers of one part's samples, by position; they may be typed arrays. */
export interface Drawable {
  count: number;
  /** Class indices; null or absent: the targets are no classes. */
  labels?: ArrayLike<number> | null;
  /** Samples with one number stay together. */
  groups?: ArrayLike<number> | null;
  /** Positions that take part in nothing. */
  excluded?: Iterable<number>;
}

/** Positions, ascending. */
export interface Drawn {
  train: Uint32Array;
  val: Uint32Array;
}

/**
 * Divides one part into training and validation as `settings` say (`val` a fraction, 0: all train). Walks the order
 * `torch.randperm(count, seed)`: a sample validates while its class (or the whole) still wants some; what is excluded is passed over, so that
 * leaving out one sample moves few others. Of groups, whole ones validate: see `chooseGroups`. Every division of samples is made here.
 * Throws PROJECT_INVALID where the fraction leaves none to train or to validate.
 */
export function drawSplit(
  { count, labels, groups, excluded }: Drawable,
  settings: DrawnSplit,
  randperm: Addon['randperm'],
): Drawn {
  const out = new Uint8Array(count);
  for (const index of excluded ?? []) if (index >= 0 && index < count) out[index] = 1;
  const included = count - out.reduce((sum, each) => sum + each, 0);
  if (settings.val === 0) return divide(out, new Uint8Array(count));
  const strata = settings.stratify ? (labels ?? null) : null;
  const validates = groups
    ? chooseGroups({ count, strata, groups, out }, settings, randperm)
    : chooseSamples({ count, strata, out }, settings, randperm);
  const drawn = divide(out, validates);
  if (drawn.val.length === 0 || drawn.train.length === 0) {
    const empty = drawn.val.length === 0 ? 'validation' : 'training';
    const together = groups ? 'Samples of one group stay together, and there is one group only. ' : '';
    throw new GradloomError(
      'PROJECT_INVALID',
      `data.split.val ${settings.val} of ${included} samples leaves none for ${empty}.`,
      { hint: `${together}Choose another fraction.`, path: 'data.split.val' },
    );
  }
  return drawn;
}

function chooseSamples(
  { count, strata, out }: { count: number; strata: ArrayLike<number> | null; out: Uint8Array },
  { val, seed }: { val: number; seed: number },
  randperm: Addon['randperm'],
): Uint8Array {
  const sizes = new Map<number, number>();
  for (let index = 0; index < count; index++) {
    if (out[index]) continue;
    const label = strata ? (strata[index] as number) : 0;
    sizes.set(label, (sizes.get(label) ?? 0) + 1);
  }
  const wanted = validationByClass(sizes, val);
  const validates = new Uint8Array(count);
  for (const index of randperm(count, seed)) {
    if (out[index]) continue;
    const label = strata ? (strata[index] as number) : 0;
    const left = wanted.get(label) as number;
    if (left === 0) continue;
    wanted.set(label, left - 1);
    validates[index] = 1;
  }
  return validates;
}

function divide(out: Uint8Array, validates: Uint8Array): Drawn {
  const lists = { train: new Uint32Array(out.length), val: new Uint32Array(out.length) };
  let [t, v] = [0, 0];
  for (let index = 0; index < out.length; index++) {
    if (out[index]) continue;
    if (validates[index]) lists.val[v++] = index;
    else lists.train[t++] = index;
  }
  return { train: lists.train.slice(0, t), val: lists.val.slice(0, v) };
}

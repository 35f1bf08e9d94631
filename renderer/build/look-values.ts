/** A layer's values as they are shown: cut into maps, ranked as an answer, with the words that belong to them. Pure. */
import type { LookedLayer, LookForm } from '../../engine/contract/look.ts';
import { integer } from '../ui/index.ts';

export const unitWords: Record<LookForm, { one: string; many: string }> = {
  vector: { one: 'value', many: 'values' },
  channels: { one: 'channel', many: 'channels' },
  positions: { one: 'feature', many: 'features' },
  maps: { one: 'channel', many: 'channels' },
};

/** What the network's last layer tells apart. */
export interface Classes {
  names: readonly string[];
  /** The sample's own. */
  target: number | null;
}

const mostClasses = 12;

/** The last two dimensions are maps; volumes are cut into slices. */
export function mapsOf({ values, shape }: LookedLayer, numbers: Float32Array) {
  const dims = values?.shape ?? shape;
  const [height = 1, width = 1] = dims.slice(-2);
  const size = width * height;
  const count = size === 0 ? 0 : numbers.length / size;
  const maps = Array.from({ length: count }, (_, index) => numbers.subarray(index * size, (index + 1) * size));
  return { maps, width, height };
}

/** Which values are not shown; null: all are. */
export function thinningWords({ values, form }: LookedLayer): string | null {
  const steps = values?.steps ?? [];
  if (steps.every((step) => step === 1)) return null;
  const names = form === 'vector' ? ['value'] : form === 'maps' ? [] : ['row', 'column'];
  const told = steps.flatMap((step, dim) => {
    if (step === 1) return [];
    const last = dim - steps.length;
    const name = names[dim] ?? (last === -1 ? 'column' : last === -2 ? 'row' : 'channel');
    return [`${ordinal(step)} ${name}`];
  });
  return `Too large to show whole: every ${told.join(' and every ')} is here. The figures above are of all values.`;
}

function ordinal(step: number): string {
  const tail = step % 100;
  const ending = tail >= 11 && tail <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][step % 10] ?? 'th');
  return `${integer(step)}${ending}`;
}

export function softmax(values: ArrayLike<number>): number[] {
  const all = Array.from(values);
  const most = Math.max(...all);
  const powers = all.map((value) => Math.exp(value - most));
  const total = powers.reduce((sum, value) => sum + value, 0);
  return powers.map((value) => value / total);
}

/** In the classes' order where they are few, else the likeliest and the sample's own. */
export function answerOf(logits: Float32Array, { names, target }: Classes) {
  const rows = softmax(logits).map((probability, index) => ({
    index,
    name: names[index] ?? String(index),
    probability,
    logit: logits[index] as number,
  }));
  if (rows.length <= mostClasses) return { rows, more: 0 };
  const ranked = [...rows].sort((a, b) => b.probability - a.probability);
  const likely = ranked.slice(0, mostClasses);
  const own = target === null || likely.some(({ index }) => index === target) ? [] : rows.slice(target, target + 1);
  return { rows: [...likely, ...own], more: rows.length - likely.length - own.length };
}

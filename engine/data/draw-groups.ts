/** Which groups of samples validate: whole ones, as near to the fraction as their sizes allow, the classes' shares kept as well as that goes. */
import type { Addon } from '../contract/native.ts';
import { validationByClass, validationShare } from '../contract/splits.ts';

/** A search over sums of sizes costs groups × samples; beyond this the first groups are taken as they come, and the search ends it. */
const mostCells = 2e7;
/** Exchanges of two groups are tried while they are this few. */
const mostPairs = 4e6;
const mostRounds = 20;

interface Groups {
  /** Index of each sample's group; groups are numbered by their numbers, ascending. */
  of: Uint32Array;
  sizes: Uint32Array;
}

/**
 * Groups are taken in the order `torch.randperm(groups, seed)`, numbered by ascending group. Without classes (or with one), the sum of the
 * chosen is as near to the fraction as any choice of groups comes. With classes, groups are chosen that bring each class near to its share.
 * At least one validates and one trains, where there are two. Answers 1 for each sample that validates.
 */
export function chooseGroups(
  data: { count: number; strata: ArrayLike<number> | null; groups: ArrayLike<number>; out: Uint8Array },
  { val, seed }: { val: number; seed: number },
  randperm: Addon['randperm'],
): Uint8Array {
  const groups = numbered(data);
  const order = [...randperm(groups.sizes.length, seed)].filter((group) => groups.sizes[group]);
  const chosen =
    order.length < 2
      ? []
      : data.strata
        ? byClasses(order, groups, { ...data, strata: data.strata }, val)
        : bySize(order, groups, val);
  const taken = new Uint8Array(groups.sizes.length);
  for (const group of chosen) taken[group] = 1;
  return Uint8Array.from({ length: data.count }, (_, index) =>
    data.out[index] ? 0 : (taken[groups.of[index] as number] as number),
  );
}

/** Excluded samples number their groups, so that an exclusion does not change the order; they count as no samples. */
function numbered({ count, groups, out }: { count: number; groups: ArrayLike<number>; out: Uint8Array }): Groups {
  const numbers = Float64Array.from(new Set(Array.from({ length: count }, (_, i) => groups[i] as number))).sort();
  const at = new Map([...numbers].map((number, index) => [number, index]));
  const of = new Uint32Array(count);
  const sizes = new Uint32Array(numbers.length);
  for (let index = 0; index < count; index++) {
    const group = at.get(groups[index] as number) as number;
    of[index] = group;
    if (!out[index]) sizes[group] = (sizes[group] as number) + 1;
  }
  return { of, sizes };
}

/** A choice of at least one group and not all, the sum of its sizes as near to the fraction as any such choice comes. */
function bySize(order: readonly number[], { sizes }: Groups, fraction: number): number[] {
  const total = order.reduce((sum, group) => sum + (sizes[group] as number), 0);
  return nearestSum(order, sizes, Math.max(1, validationShare(total, fraction)), { least: 1, most: total - 1 });
}

/** A choice whose sum is nearest to the wanted one, of equally near the smaller, built of the groups that come first. */
function nearestSum(
  order: readonly number[],
  sizes: Uint32Array,
  wanted: number,
  { least, most }: { least: number; most: number },
): number[] {
  const size = (group: number) => sizes[group] as number;
  const largest = order.reduce((found, group) => Math.max(found, size(group)), 0);
  const chosen: number[] = [];
  let [left, from] = [wanted, 0];
  // What is left for the search is at least the largest group, so that any of the others may still be part of it.
  for (; from < order.length && (order.length - from) * left > mostCells; from++) {
    const group = order[from] as number;
    if (left - size(group) < largest) break;
    left -= size(group);
    chosen.push(group);
  }
  const done = wanted - left;
  const top = Math.min(most - done, left + largest);
  const rest = order.slice(from, from + Math.max(64, Math.floor(mostCells / (top + 1))));
  // last[s]: 1 + the place in `rest` of the group that first completed a sum of s; those before it completed what it added to.
  const last = new Uint32Array(Math.max(0, top) + 1);
  let reach = 0;
  for (const [place, group] of rest.entries()) {
    const step = size(group);
    reach = Math.min(top, reach + step);
    for (let sum = reach; sum >= step; sum--) {
      if (last[sum] === 0 && (sum === step || last[sum - step])) last[sum] = place + 1;
    }
    if (last[left]) break;
  }
  let nearest: number | null = done >= least ? 0 : null;
  for (let sum = 1; sum <= top; sum++) {
    if (last[sum] && (nearest === null || Math.abs(sum - left) < Math.abs(nearest - left))) nearest = sum;
  }
  for (let sum = nearest ?? 0; sum > 0; ) {
    const group = rest[(last[sum] as number) - 1] as number;
    chosen.push(group);
    sum -= size(group);
  }
  return chosen;
}

/** Deviations from the classes' shares and from the whole's, in samples. */
class Balance {
  readonly #left: Float64Array;
  #whole: number;
  readonly #content: Map<number, number>[];

  /** `left`: what each class still wants; `content`: of each group, its samples by class. */
  constructor(left: Float64Array, content: Map<number, number>[]) {
    this.#left = left;
    this.#whole = left.reduce((sum, each) => sum + each, 0);
    this.#content = content;
  }

  /** How much the deviation shrinks when these groups are added (1) or taken away (-1). */
  gain(moves: readonly (readonly [group: number, sign: number])[]): number {
    const changes = new Map<number, number>();
    let whole = 0;
    for (const [group, sign] of moves) {
      for (const [label, count] of this.#content[group] as Map<number, number>) {
        changes.set(label, (changes.get(label) ?? 0) + sign * count);
        whole += sign * count;
      }
    }
    let gain = Math.abs(this.#whole) - Math.abs(this.#whole - whole);
    for (const [label, change] of changes) {
      const left = this.#left[label] as number;
      gain += Math.abs(left) - Math.abs(left - change);
    }
    return gain;
  }

  apply(group: number, sign: number): void {
    for (const [label, count] of this.#content[group] as Map<number, number>) {
      this.#left[label] = (this.#left[label] as number) - sign * count;
      this.#whole -= sign * count;
    }
  }
}

/** Each group counts for the class that it has most of, and each class gives its share of them; then groups are moved while that helps. */
function byClasses(
  order: readonly number[],
  { of, sizes }: Groups,
  { count, strata, out }: { count: number; strata: ArrayLike<number>; out: Uint8Array },
  fraction: number,
): number[] {
  const totals = new Map<number, number>();
  const content = Array.from(sizes, () => new Map<number, number>());
  for (let index = 0; index < count; index++) {
    if (out[index]) continue;
    const label = strata[index] as number;
    const own = content[of[index] as number] as Map<number, number>;
    own.set(label, (own.get(label) ?? 0) + 1);
    totals.set(label, (totals.get(label) ?? 0) + 1);
  }
  const left = new Float64Array(Math.max(-1, ...totals.keys()) + 1);
  for (const [label, wanted] of validationByClass(totals, fraction)) left[label] = wanted;
  const balance = new Balance(left, content);
  const taken = new Set<number>();
  const most = (own: Map<number, number>) => [...own].reduce((best, each) => (each[1] > best[1] ? each : best))[0];
  const byMost = new Map<number, number[]>();
  for (const group of order) {
    const label = most(content[group] as Map<number, number>);
    const others = byMost.get(label);
    if (others) others.push(group);
    else byMost.set(label, [group]);
  }
  const move = (group: number) => {
    const sign = taken.has(group) ? -1 : 1;
    balance.apply(group, sign);
    if (sign === 1) taken.add(group);
    else taken.delete(group);
  };
  for (const own of byMost.values()) {
    const total = own.reduce((sum, group) => sum + (sizes[group] as number), 0);
    // One class takes all of its groups only where that leaves others.
    const limits = { least: 0, most: byMost.size === 1 ? total - 1 : total };
    for (const group of nearestSum(own, sizes, validationShare(total, fraction), limits)) move(group);
  }
  if (taken.size === order.length) move(order.at(-1) as number);
  const may = (added: number, removed: number) => {
    const after = taken.size + added - removed;
    return after >= 1 && after < order.length;
  };
  for (let round = 0, moved = true; moved && round < mostRounds; round++) {
    moved = false;
    for (const group of order) {
      const sign = taken.has(group) ? -1 : 1;
      if (balance.gain([[group, sign]]) <= 0 || !may(sign === 1 ? 1 : 0, sign === 1 ? 0 : 1)) continue;
      move(group);
      moved = true;
    }
    if (moved || order.length ** 2 > mostPairs) continue;
    for (const inside of [...taken]) {
      const better = order.find(
        (group) => !taken.has(group) && balance.gain([[inside, -1], [group, 1]]) > 0, // biome-ignore format: one pair
      );
      if (better === undefined) continue;
      move(inside);
      move(better);
      moved = true;
    }
  }
  if (taken.size > 0) return [...taken];
  const gain = (group: number) => balance.gain([[group, 1]]);
  return [order.reduce((best, group) => (gain(group) > gain(best) ? group : best))];
}

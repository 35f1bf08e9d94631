/** Which samples of a part are looked at: all in turn, or those of a class, with a name, with a mark. */
import type { Mark } from '../contract/data/marks.ts';
import type { PartName } from '../contract/tensors.ts';
import type { SplitName } from './split.ts';

export interface WantedSamples {
  part: PartName;
  start: number;
  count: number;
  /** Only samples of this class. */
  class?: number;
  /** Only samples whose name holds this, capital letters or not. */
  search?: string;
  /** Only marked ones. */
  marked?: boolean;
  /** These, whatever else is asked for. */
  indices?: number[];
  /** Only samples of this split. */
  within?: SplitName;
  /** Whether each is told with its splits. */
  splits?: boolean;
  /** Pictures as thumbnails of so many pixels a side, without their values. */
  thumbs?: number;
}

export interface Chosen {
  positions: number[];
  /** How many there are in all. */
  total: number;
}

export interface PartSamples {
  size: number;
  /** null: targets are no classes. */
  labels: Uint32Array | null;
  nameOf(index: number): string;
  marks: ReadonlyMap<string, Mark>;
  /** Where a split is asked for. */
  splitsOf?: ((index: number) => readonly SplitName[]) | null;
}

/** Reads names only where they count. */
export function chooseSamples(wanted: WantedSamples, { size, labels, nameOf, marks, splitsOf }: PartSamples): Chosen {
  const { start, count, class: only, marked = false, indices, within } = wanted;
  if (indices) {
    const positions = indices.filter((index) => index < size);
    return { positions, total: positions.length };
  }
  const search = wanted.search?.toLowerCase() ?? '';
  const ofClass = only === undefined || labels === null ? null : only;
  // Which they are is not known yet.
  if (within !== undefined && !splitsOf) return { positions: [], total: 0 };
  const ofSplit = within ?? null;
  if (ofClass === null && ofSplit === null && search === '' && !marked) {
    const end = Math.min(size, start + count);
    return { positions: Array.from({ length: Math.max(0, end - start) }, (_, at) => start + at), total: size };
  }
  const fits = (at: number): boolean => {
    if (ofClass !== null && labels?.[at] !== ofClass) return false;
    if (ofSplit !== null && !splitsOf?.(at).includes(ofSplit)) return false;
    if (search === '' && !marked) return true;
    const name = nameOf(at);
    return (!marked || marks.has(name)) && (search === '' || name.toLowerCase().includes(search));
  };
  const positions: number[] = [];
  let total = 0;
  for (let at = 0; at < size; at += 1) {
    if (!fits(at)) continue;
    if (total >= start && positions.length < count) positions.push(at);
    total += 1;
  }
  return { positions, total };
}

/** Of one part, by the names of their samples. */
export function marksByName(marks: readonly Mark[], part: PartName): Map<string, Mark> {
  return new Map(marks.filter((mark) => mark.part === part).map((mark) => [mark.sample, mark]));
}

/** What a folded block holds, for whoever does not see it: kinds in their order, blocks with theirs. Pure. */
import { blockRef } from './stack.ts';
import { blockList, kindOf, lanesOf, layersAt, type Path } from './stack-paths.ts';

export interface Inside {
  kind: string;
  /** Of a `Repeat`. */
  times?: number;
  /** Its lists: one, or each branch's. */
  lanes: readonly (readonly Inside[])[];
}

/** A block that uses itself has a problem of its own, but is looked into all the same. */
const deepest = 16;

export function insideOf(project: unknown, lists: readonly Path[], depth = 0): Inside['lanes'] {
  return lists.map((list) =>
    layersAt(project, list).map((layer, index) => {
      const path = [...list, index];
      const ref = blockRef(layer);
      const own = ref === null ? lanesOf(layer).map(({ key }) => [...path, ...key]) : [blockList(ref)];
      const lanes = own.length === 0 || depth >= deepest ? [] : insideOf(project, own, depth + 1);
      const times = (layer as { times?: unknown } | null)?.times;
      const kind = kindOf(layer);
      return {
        kind,
        lanes,
        ...(kind === 'Repeat' && typeof times === 'number' ? { times } : {}),
      };
    }),
  );
}

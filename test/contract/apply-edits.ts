/** What edits mean, on values: the measure for edits of text. */
import type { Edit } from '../../engine/contract/problems.ts';

type Node = { [key: string | number]: unknown } | unknown[];

/** The value after the edits; the value given is left as it is. */
export function applyEdits(value: unknown, edits: readonly Edit[]): unknown {
  const root = structuredClone(value) as Node;
  for (const { op, path, value: given } of edits) {
    let at = root as Record<string | number, Node>;
    for (const key of path.slice(0, -1)) {
      if (!Object.hasOwn(at, key)) at[key] = {};
      at = at[key] as Record<string | number, Node>;
    }
    const last = path.at(-1) as string | number;
    if (op === 'insert') (at as unknown as unknown[]).splice(last as number, 0, structuredClone(given));
    else if (op === 'set') at[last] = structuredClone(given) as Node;
    else if (op === 'rename') {
      const entries = Object.entries(at).map(([key, each]) => [key === last ? given : key, each] as const);
      for (const [key] of Object.entries(at)) delete at[key];
      Object.assign(at, Object.fromEntries(entries));
    } else if (Array.isArray(at)) at.splice(last as number, 1);
    else delete at[last];
  }
  return root;
}

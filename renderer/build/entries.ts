/** What the palette offers: the kinds of layers by category, the project's own blocks, those used lately; found by a few letters. */
import { layerKinds } from '../../engine/contract/layers/index.ts';
import type { LayerCategory } from '../../engine/contract/layers/kind.ts';
import type { ElementType } from '../../engine/contract/tensors.ts';
import { fuzzy } from '../ui/basics/fuzzy.ts';
import { categories } from './categories.ts';
import { alsoCalled, everyday, stemOf } from './kind-words.ts';

export interface Entry {
  /** The kind, or `Block:<name>` for a block of the project; what a drag carries after `new:`. */
  id: string;
  kind: string;
  /** A block of the project that it uses. */
  block: string | null;
  label: string;
  help: string;
  category: LayerCategory;
}

/** Kinds that are one in one, two and three dimensions share a row of the palette. */
export interface Family {
  id: string;
  /** What the row says: `Conv`, `ReLU`. */
  name: string;
  label: string;
  /** The one without a number in its name. */
  plain: Entry | null;
  sized: { rank: 1 | 2 | 3; entry: Entry }[];
  category: LayerCategory;
}

export interface EntryGroup {
  label: string;
  category: LayerCategory | null;
  families: Family[];
  /** The rarer ones, shown when asked for. */
  more: Family[];
}

/** What comes in where a layer would be added; null while unknown. */
export interface Here {
  rank: number;
  dtype: ElementType;
}

const kindEntries: readonly Entry[] = layerKinds.map(({ kind, label, help, category }) => ({
  id: kind,
  kind,
  block: null,
  label: kind === 'Block' ? 'New named block' : label,
  help,
  category,
}));

export function entriesWith(blocks: readonly string[]): Entry[] {
  const own = blocks.map((name) => ({
    id: `Block:${name}`,
    kind: 'Block',
    block: name,
    label: name,
    help: `Uses the block “${name}” of this project, with weights of its own.`,
    category: 'block' as const,
  }));
  return [...kindEntries, ...own];
}

const wanted = new Map(
  layerKinds.map(({ kind, takes = 'floats', category, examples }) => {
    const { rank } = stemOf(kind);
    // Examples of a kind name every rank that it takes where that matters; dense layers, norms by position and activations take any. A kind
    // in 1, 2 or 3 dimensions fits data of just so many: taken for a batch of its own, an image would pass a 3d pool, over its channels.
    const picky = category === 'conv' || category === 'pool' || category === 'sequence';
    const ranks = rank !== null ? [rank + 1] : picky ? examples.map(({ input }) => input.length) : [];
    return [kind, { takes, ranks: new Set(kind === 'BatchNorm1d' ? [1, 2] : ranks) }];
  }),
);

/** Whether a kind takes what comes in; null: nothing is known. */
export function fits(kind: string, here: Here | null): boolean | null {
  const row = wanted.get(kind);
  if (!here || !row) return null;
  if (row.takes !== 'any' && (row.takes === 'floats') !== (here.dtype === 'float32')) return false;
  return row.ranks.size === 0 || row.ranks.has(here.rank);
}

/** What fits comes before what does not; of kinds of which nothing is known those for images. */
function fitScore(kind: string, here: Here | null): number {
  const fitting = fits(kind, here);
  if (fitting === false) return -30;
  return fitting === null && (stemOf(kind).rank ?? 2) !== 2 ? -1 : 0;
}

/**
 * By kind, then label, then other words; a word that is there as it was typed beats letters that only come in its order. A kind's whole
 * name is that kind, whatever comes in: who types it gets to know why it does not fit.
 */
export function findEntries(query: string, entries: readonly Entry[], here: Here | null = null): Entry[] {
  const typed = query.trim().toLowerCase();
  const scored = entries.flatMap((entry, index) => {
    const { kind, block, label, category } = entry;
    const group = categories.find((each) => each.category === category)?.label ?? '';
    const others = block === null ? [label, label.replace('isation', 'ization'), ...(alsoCalled(kind) ?? [])] : [];
    const score = Math.max(
      fuzzy(query, block ?? kind)?.score ?? -Infinity,
      ...others.map((text) => (fuzzy(query, text)?.score ?? -Infinity) - 20),
      (fuzzy(query, group)?.score ?? -Infinity) - 60,
    );
    if (score === -Infinity) return [];
    return [{ entry, index, score: (block ?? kind).toLowerCase() === typed ? 1000 : score + fitScore(kind, here) }];
  });
  const best = Math.min(160, Math.max(...scored.map(({ score }) => score)));
  return scored
    .filter(({ score }) => best < 90 || score > best - 110)
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .map(({ entry }) => entry);
}

function familiesOf(entries: readonly Entry[]): Family[] {
  const found = new Map<string, Family>();
  const kinds = new Set(entries.map(({ kind }) => kind));
  for (const entry of entries) {
    const { stem, rank } = stemOf(entry.kind);
    const alone =
      rank === null || (!kinds.has(stem) && ![1, 2, 3].some((each) => each !== rank && kinds.has(`${stem}${each}d`)));
    const name = entry.block ?? (alone ? entry.kind : stem);
    const id = entry.block === null ? name : entry.id;
    const family = found.get(id) ?? {
      id,
      name,
      label: entry.label.replace(/ [123]D$/, ''),
      plain: null,
      sized: [],
      category: entry.category,
    };
    found.set(id, family);
    if (alone) family.plain = entry;
    else family.sized.push({ rank, entry });
  }
  return [...found.values()];
}

/** What a click on a family's name adds: the plain one, else the one that fits what comes in. */
export function memberFor({ plain, sized }: Family, here: Here | null): Entry {
  const fitting = sized.find(({ entry }) => fits(entry.kind, here) === true);
  const usual = fitting ?? sized.find(({ rank }) => rank === 2) ?? sized[0];
  return plain ?? (usual as { entry: Entry }).entry;
}

/** So few more are shown at once. */
const fewMore = 3;

/** All entries by category, with those used lately on top. */
export function groupEntries(entries: readonly Entry[], recent: readonly string[]): EntryGroup[] {
  const lately = recent
    .flatMap((id) => entries.find((entry) => entry.id === id) ?? [])
    .map((entry) => ({
      id: `recent:${entry.id}`,
      name: entry.block ?? entry.kind,
      label: entry.label,
      plain: entry,
      sized: [],
      category: entry.category,
    }));
  return [
    ...(lately.length > 0 ? [{ label: 'Recently used', category: null, families: lately, more: [] }] : []),
    ...categories.map(({ category, label }) => {
      const all = familiesOf(entries.filter((entry) => entry.category === category));
      const common = all.filter(({ id }) => everyday(id) || id.startsWith('Block:'));
      const more = all.filter((family) => !common.includes(family));
      return common.length === 0 || more.length <= fewMore
        ? { label, category, families: all, more: [] }
        : { label, category, families: common, more };
    }),
  ].filter(({ families }) => families.length > 0);
}

/** How many kinds a group or its rest holds. */
export function countKinds(families: readonly Family[]): number {
  return families.reduce((total, { plain, sized }) => total + sized.length + (plain ? 1 : 0), 0);
}

/** What the palette offers: the kinds of layers by category, the project's own blocks, those used lately; found by a few letters. */
import { layerKinds } from '../../engine/contract/layers/index.ts';
import type { LayerCategory } from '../../engine/contract/layers/kind.ts';
import { search } from '../ui/basics/fuzzy.ts';
import { categories } from './layer-icons.tsx';

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

export interface EntryGroup {
  label: string;
  category: LayerCategory | null;
  entries: Entry[];
}

const alsoCalled: { [kind: string]: string[] } = {
  Linear: ['dense', 'fully connected', 'fc', 'mlp'],
  Conv2d: ['cnn', 'conv2d'],
  AdaptiveAvgPool2d: ['global average pooling', 'gap'],
  BatchNorm2d: ['bn'],
  LayerNorm: ['ln'],
  SiLU: ['swish'],
  Sigmoid: ['logistic'],
  Flatten: ['reshape'],
  Residual: ['skip', 'resnet', 'add'],
  Parallel: ['branches', 'concat', 'inception', 'split'],
  Repeat: ['loop', 'times'],
  Block: ['named block', 'reuse'],
};

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

export function findEntries(query: string, entries: readonly Entry[]): Entry[] {
  return search(query, entries, ({ kind, block, label, category }) => [
    block ?? kind,
    label,
    categories.find((each) => each.category === category)?.label ?? '',
    ...(block === null ? (alsoCalled[kind] ?? []) : []),
  ]);
}

/** All entries by category, with those used lately on top. */
export function groupEntries(entries: readonly Entry[], recent: readonly string[]): EntryGroup[] {
  const lately = recent.flatMap((id) => entries.find((entry) => entry.id === id) ?? []);
  return [
    ...(lately.length > 0 ? [{ label: 'Recently used', category: null, entries: lately }] : []),
    ...categories.map(({ category, label }) => ({
      label,
      category,
      entries: entries.filter((entry) => entry.category === category),
    })),
  ].filter(({ entries: each }) => each.length > 0);
}

const recentKey = 'gradloom.build.recent';
const mostRecent = 4;

export function readRecent(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(recentKey) ?? '[]');
    return Array.isArray(kept) ? kept.filter((id) => typeof id === 'string').slice(0, mostRecent) : [];
  } catch {
    return [];
  }
}

export function addRecent(recent: readonly string[], id: string): string[] {
  const next = [id, ...recent.filter((each) => each !== id)].slice(0, mostRecent);
  try {
    localStorage.setItem(recentKey, JSON.stringify(next));
  } catch {
    // A browser that keeps nothing: the list lasts until the page is left.
  }
  return next;
}

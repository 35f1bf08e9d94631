/** Rules of the project file that forbid what PyTorch would do: all of them, each with its reason. */

import type { Network } from '../layers-run.ts';
import type { Layer } from '../plan-stacks.ts';

interface Rule {
  why: string;
  /** Whether a layer, wherever it stands in the network, breaks it; `problems`: what the plan says of the network. */
  broken(layer: Layer, problems: readonly string[]): boolean;
}

const rules: Rule[] = [
  {
    why: 'a dimension has at least one value: an empty tensor can teach nothing',
    broken: ({ out_features, out_channels, output_size }) =>
      [out_features, out_channels, output_size].flat().some((size) => size === 0),
  },
  {
    why: 'no dimension of a layer is the batch, not even where nothing comes of it (Flatten of the batch with itself)',
    broken: ({ kind }, problems) => kind === 'Flatten' && says(problems, 'it is the batch'),
  },
  {
    why: 'to one value PyTorch averages over the last two dimensions of any rank, and to no other size: its documents say images',
    broken: ({ kind, output_size }, problems) =>
      kind === 'AdaptiveAvgPool2d' &&
      [output_size].flat().every((size) => size === 1) &&
      says(problems, 'wants images'),
  },
];

/** Why the project file forbids the network although PyTorch would take it; null: no rule does. Besides these, samples never mix (layers.py). */
export function forbidden({ layers, blocks }: Network, problems: readonly string[]): string | null {
  const all = [...layers, ...Object.values(blocks).flatMap((block) => block.layers)].flatMap(inside);
  return rules.find(({ broken }) => all.some((layer) => broken(layer, problems)))?.why ?? null;
}

function says(problems: readonly string[], words: string): boolean {
  return problems.some((problem) => problem.includes(words));
}

function inside(layer: Layer): Layer[] {
  const lists = [layer.layers, layer.shortcut, ...(Array.isArray(layer.branches) ? layer.branches : [])];
  return [layer, ...lists.flatMap((list) => (Array.isArray(list) ? (list as Layer[]).flatMap(inside) : []))];
}

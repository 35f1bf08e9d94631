/** Rules of the project file that forbid what PyTorch would do: all of them, each with its reason. */

import { dimsOf, type Network } from '../layers-run.ts';
import type { Layer } from '../plan-stacks.ts';

interface Rule {
  why: string;
  /**
   * Whether a layer, wherever it stands in the network, breaks it; `problems`: what the plan says of the network; `mixed`: in PyTorch padding
   * gets into the answer of a layer that is refused for that.
   */
  broken(layer: Layer, problems: readonly string[], mixed: boolean, network: Network): boolean;
}

/** Of one or more sides behind channels. */
const ofChannels =
  /^((Max|Avg|LP|AdaptiveAvg|AdaptiveMax)Pool\dd|Global(Avg|Max)Pool|Conv(Transpose)?1d|InstanceNorm1d|\w+Pad\dd|Upsample)$/;

const rules: Rule[] = [
  {
    why: 'a dimension has at least one value: an empty tensor can teach nothing',
    broken: ({ out_features, out_channels, output_size }) =>
      [out_features, out_channels, output_size].flat().some((size) => size === 0),
  },
  {
    why: 'an epsilon guards against a division by zero: none is below zero',
    broken: ({ eps }) => typeof eps === 'number' && eps < 0,
  },
  {
    why: 'no dimension of a layer is the batch, not even where nothing comes of it (Flatten of the batch with itself)',
    broken: ({ kind }, problems) => ['Flatten', 'Unflatten'].includes(kind) && says(problems, 'it is the batch'),
  },
  {
    why: 'to one value PyTorch averages over the last dimensions of any rank, and to no other size: its documents name the ranks',
    broken: ({ kind, output_size }, problems) =>
      /^AdaptiveAvgPool[23]d$/.test(kind) &&
      [output_size].flat().every((size) => size === 1) &&
      says(problems, 'wants (images|volumes)'),
  },
  {
    why: 'a border is one width or all of them: fewer than its kind has sides PyTorch takes for the last sides alone',
    broken: ({ kind, padding }) =>
      /Pad\dd$/.test(kind) && Array.isArray(padding) && padding.length !== 2 * Number(kind.at(-2)),
  },
  {
    why: 'no border around the batch, not even one without width',
    broken: ({ kind, padding }, problems) =>
      /Pad\dd$/.test(kind) && [padding].flat().includes(0) && says(problems, 'wants (sequences|images|volumes)'),
  },
  {
    why: 'wrapped around is only what is left: where more is asked for PyTorch copies values that it has not written yet',
    broken: ({ kind }, problems) => kind.startsWith('CircularPad') && says(problems, 'can add at most'),
  },
  {
    why: 'padding never gets into an answer unnoticed: what would mix it in is refused behind a mask',
    broken: (_layer, problems, mixed) => mixed && says(problems, 'would mix padding'),
  },
  {
    why: 'a sequence of vectors is no signal of as many channels as it has positions: what works on channels is refused behind a mask, even where it leaves channels apart',
    broken: ({ kind }, problems) => ofChannels.test(kind) && says(problems, `${kind} would mix padding`),
  },
  {
    why: 'what moves positions or joins them to features is refused behind a mask, even where there is nothing to move',
    broken: ({ kind }, problems) =>
      ['Flatten', 'Unflatten', 'Permute', 'ChannelShuffle'].includes(kind) &&
      says(problems, `${kind} would mix padding`),
  },
  {
    why: 'a mask is one of padding, although in a sequence of one position nothing is padding',
    broken: (_layer, problems, _mixed, { input }) => dimsOf(input)[0] === 1 && says(problems, 'would mix padding'),
  },
  {
    why: 'without channels nothing is shuffled or unfolded, not even by one, which leaves samples apart',
    broken: ({ kind, upscale_factor, downscale_factor, kernel_size }, problems) =>
      (kind.startsWith('Pixel') || kind === 'Unfold') &&
      [upscale_factor ?? downscale_factor ?? kernel_size].flat().every((each) => each === 1) &&
      says(problems, 'wants images'),
  },
];

/** Why the project file forbids the network although PyTorch would take it; null: no rule does. Besides these, samples never mix (layers.py). */
export function forbidden(network: Network, problems: readonly string[], mixed: boolean): string | null {
  const { layers, blocks } = network;
  const all = [...layers, ...Object.values(blocks).flatMap((block) => block.layers)].flatMap(inside);
  return rules.find(({ broken }) => all.some((layer) => broken(layer, problems, mixed, network)))?.why ?? null;
}

function says(problems: readonly string[], words: string): boolean {
  return problems.some((problem) => new RegExp(words).test(problem));
}

function inside(layer: Layer): Layer[] {
  const lists = [layer.layers, layer.shortcut, ...(Array.isArray(layer.branches) ? layer.branches : [])];
  return [layer, ...lists.flatMap((list) => (Array.isArray(list) ? (list as Layer[]).flatMap(inside) : []))];
}

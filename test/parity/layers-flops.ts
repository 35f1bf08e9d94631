/** Which part of a layer's FLOPs PyTorch's own counter (torch.utils.flop_counter) sees: convolutions and products of matrices. */
import { product } from '../../engine/contract/layers/kind.ts';
import type { Plan, PlannedLayer } from '../../engine/contract/plan.ts';

/** Shapes of the layer's own tensors, by their names within it. */
type Shapes = { [name: string]: number[] };

type Part = (layer: PlannedLayer, shapes: Shapes) => number;

const all: Part = ({ flops }) => flops;

/** Products with the weights at each position; its rows count `gates + 5` further operations a value of the state. */
const recurrent =
  (gates: number): Part =>
  ({ flops }, shapes) => {
    const matrices = Object.values(shapes).filter(({ length }) => length === 2);
    const inputs = Object.entries(shapes).filter(([name]) => name.startsWith('rnn.weight_ih'));
    const weights = matrices.reduce((sum, shape) => sum + product(shape), 0);
    const states = inputs.reduce((sum, [, [rows = 0]]) => sum + rows / gates, 0);
    const length = flops / (2 * weights + states * (gates + 5));
    return 2 * length * weights;
  };

/** Besides attention and its two Linears a layer counts 12 operations a value and one an inner value. */
const transformer: Part = ({ flops, output }, shapes) => {
  const inner = Object.entries(shapes).filter(([name]) => name.endsWith('linear1.weight'));
  const last = 'norm.weight' in shapes ? 5 * product(output) : 0;
  const others = inner.map(([, [width = 0]]) => 12 * product(output) + (output[0] as number) * width);
  return flops - last - others.reduce((sum, each) => sum + each, 0);
};

/** Kinds that are not here multiply no matrices, or in ways that the counter does not see. */
const parts: { readonly [kind: string]: Part } = {
  Linear: all,
  ...Object.fromEntries(['Conv', 'ConvTranspose'].flatMap((kind) => [1, 2, 3].map((rank) => [`${kind}${rank}d`, all]))),
  DepthwiseSeparableConv2d: all,
  PatchEmbedding: all,
  // Besides the two layers it averages, weights and applies two functions.
  SqueezeExcite: (_layer, shapes) => 4 * product(shapes['fc1.weight'] as number[]),
  RNN: recurrent(1),
  GRU: recurrent(3),
  // One operator of its own does all of it, unless there are projections.
  LSTM: (layer, shapes) => ('rnn.weight_hr_l0' in shapes ? recurrent(4)(layer, shapes) : 0),
  MultiheadAttention: all,
  TransformerEncoderLayer: transformer,
  TransformerEncoder: transformer,
};

export function matrixFlops({ layers, tensors }: Plan): number {
  const of = (list: readonly PlannedLayer[]): number =>
    list.reduce((total, layer) => {
      const prefix = `${layer.path}.`;
      const own = tensors.filter(({ name }) => name.startsWith(prefix));
      const shapes = Object.fromEntries(own.map(({ name, shape }) => [name.slice(prefix.length), shape]));
      const inside = (layer.children ?? []).reduce((sum, child) => sum + of(child.layers), 0);
      return total + (parts[layer.kind]?.(layer, shapes) ?? 0) + inside;
    }, 0);
  return of(layers);
}

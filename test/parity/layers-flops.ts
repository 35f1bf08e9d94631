/**
 * Our FLOPs beside what others count: one table of how they differ. Ours are of one sample's forward pass, a multiply-add as 2, a bias as
 * nothing, and every operation of a layer is counted; `gradloom layers KIND` tells each formula.
 */
import { product } from '../../engine/contract/layers/kind.ts';
import type { PlannedLayer } from '../../engine/contract/plan.ts';

type Count = (layer: PlannedLayer) => number;

interface Counts {
  /** torch.utils.flop_counter: of convolutions and products of matrices, a multiply-add as 2. */
  matrix: Count;
  /** fvcore: of a few operators, a multiply-add as 1; norms by rough factors; products inside attention and recurrent layers not. */
  fvcore: Count;
  /** torchinfo: each weight and bias once a sample, of convolutions once an output position, whatever is done with it. */
  torchinfo: Count;
}

const number = ({ args }: PlannedLayer, name: string) => args[name] as number;
const values: Count = ({ output }) => product(output);
const none: Count = () => 0;
const halved: Count = ({ flops }) => flops / 2;
const all: Count = ({ flops }) => flops;
const once: Count = ({ parameters }) => parameters;

/** Positions of a convolution's output. */
const positions: Count = ({ output }) => product(output.slice(1));
const convolved: Count = (layer) => layer.parameters * positions(layer);

/** Where the padding is a word, the convolution is an operator that fvcore does not know, unless another border is laid around before. */
const unlessWord: Count = (layer) =>
  typeof layer.args.padding === 'string' && layer.args.padding_mode === 'zeros' ? 0 : halved(layer);

/** Four operations a value, five with what is learned: "just a rough estimate". */
const rough: Count = (layer) => (layer.parameters > 0 ? 5 : 4) * values(layer);

/** Weights of nn.RNN and kin are counted at each position. */
const everyPosition: Count = ({ parameters, input }) => parameters * (input[0] as number);

const layersOf: Count = ({ args }) => (args.num_layers ?? 1) as number;

/** Products with the weights at each position: all but what the rows count for gates and states. */
const recurrent =
  (gates: number): Count =>
  (layer) => {
    const { args, flops } = layer;
    const [directions, length] = [args.bidirectional ? 2 : 1, layer.input[0] as number];
    return flops - length * layersOf(layer) * directions * (gates + 5) * number(layer, 'hidden_size');
  };

/** Normalisations of a transformer: two a layer, and the last one. */
const norms: Count = (layer) => 2 * layersOf(layer) + (layer.args.norm ? 1 : 0);

/** Besides products a transformer's layer counts activation, two sums and two normalisations. */
const products: Count = (layer) => {
  const { args, flops, input } = layer;
  const inner = 'dim_feedforward' in args ? (input[0] as number) * number(layer, 'dim_feedforward') : null;
  return inner === null
    ? flops
    : flops - layersOf(layer) * (inner + 2 * values(layer)) - 5 * norms(layer) * values(layer);
};

/** Projections, and the small network of a transformer; not scores and sums of attention, over as many keys as there are. */
const projected: Count = (layer) => {
  const { args, input } = layer;
  const [length, features] = input as [number, number];
  const keys = length + Number(args.add_bias_kv ?? false) + Number(args.add_zero_attn ?? false);
  return (products(layer) - layersOf(layer) * 4 * length * keys * features) / 2;
};

const transformer: Partial<Counts> = {
  matrix: products,
  fvcore: (layer) => projected(layer) + 5 * norms(layer) * values(layer),
  // The weights of attention are not those of a layer that is called.
  torchinfo(layer) {
    const features = layer.output[1] as number;
    const attention = 4 * features ** 2 + (layer.args.bias ? 4 * features : 0);
    return layer.parameters - layersOf(layer) * attention;
  },
};

const ranks = [1, 2, 3] as const;
const ofRanks = (family: string, counts: Partial<Counts>) =>
  Object.fromEntries(ranks.map((rank) => [`${family}${rank}d`, counts]));

/** Kinds that are not here: nothing of them is counted elsewhere, but weights once by torchinfo. */
const table: { readonly [kind: string]: Partial<Counts> } = {
  Linear: { matrix: all, fvcore: halved },
  ...ofRanks('Conv', { matrix: all, fvcore: unlessWord, torchinfo: convolved }),
  ...ofRanks('ConvTranspose', { matrix: all, fvcore: halved, torchinfo: convolved }),
  DepthwiseSeparableConv2d: { matrix: all, fvcore: halved, torchinfo: convolved },
  PatchEmbedding: {
    matrix: all,
    fvcore: halved,
    torchinfo: ({ parameters, output }) => parameters * (output[0] as number),
  },
  SqueezeExcite: {
    matrix: (layer) => 4 * number(layer, 'input_channels') * number(layer, 'squeeze_channels'),
    // The two layers, and a mean as one operation a value.
    fvcore: (layer) => 2 * number(layer, 'input_channels') * number(layer, 'squeeze_channels') + values(layer),
  },
  ...ofRanks('BatchNorm', {
    // In evaluation a factor and an offset; without running statistics they are found there, too.
    fvcore: (layer) => (layer.args.track_running_stats ? (layer.parameters > 0 ? 2 : 1) * values(layer) : rough(layer)),
  }),
  ...ofRanks('InstanceNorm', { fvcore: rough }),
  LayerNorm: { fvcore: rough },
  GroupNorm: { fvcore: rough },
  // Two modes of images, by their outputs' values, and area, which is adaptive pooling.
  Upsample: {
    fvcore(layer) {
      if (layer.output.length !== 3) return 0;
      const { mode } = layer.args;
      return mode === 'area'
        ? product(layer.input)
        : mode === 'nearest'
          ? values(layer)
          : mode === 'bilinear'
            ? 4 * values(layer)
            : 0;
    },
  },
  AdaptiveAvgPool2d: { fvcore: ({ input }) => product(input) },
  RNN: { matrix: recurrent(1), torchinfo: everyPosition },
  GRU: { matrix: recurrent(3), torchinfo: everyPosition },
  // One operator of its own does all of it, unless there are projections.
  LSTM: { matrix: (layer) => (number(layer, 'proj_size') > 0 ? recurrent(4)(layer) : 0), torchinfo: everyPosition },
  MultiheadAttention: { matrix: all, fvcore: projected, torchinfo: none },
  TransformerEncoderLayer: transformer,
  TransformerEncoder: transformer,
};

const standard: Counts = { matrix: none, fvcore: none, torchinfo: once };

/** What the counter should say of all layers, blocks' own included. */
export function countBy(counter: keyof Counts, layers: readonly PlannedLayer[]): number {
  return layers.reduce((total, layer) => {
    if (layer.children) return total + layer.children.reduce((sum, child) => sum + countBy(counter, child.layers), 0);
    return total + (table[layer.kind]?.[counter] ?? standard[counter])(layer);
  }, 0);
}

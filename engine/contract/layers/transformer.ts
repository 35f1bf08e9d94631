/** Transformer blocks: attention, then a small network at each position, each with a shortcut around it and a normalisation. */
import { choice, flag, integer, number } from '../fields.ts';
import type { Json } from '../native.ts';
import type { PlannedTensor } from '../plan-types.ts';
import type { Values } from '../report.ts';
import { attentionCost, attentionFlops, attentionTensors, causal, checkHeads } from './attention.ts';
import { transformerOnCpu } from './attention-cpu.ts';
import { type LayerContext, type LayerExample, layerKind, parameter, type Resolved } from './kind.ts';
import { pythonCall } from './python.ts';
import { sequenceDims } from './sequence.ts';
import { definitionOf, masksPiece, maskWords, unseenPiece, withWords } from './sequence-python.ts';

const torchParams = {
  nhead: integer({ label: 'Heads', help: 'Attentions side by side, each with its share of the features.' }),
  dim_feedforward: integer({
    label: 'Inner features',
    help: 'Width of the small network at each position.',
    unit: 'features',
    default: 2048,
  }),
  dropout: number({
    label: 'Dropout',
    help: 'Share of values that training sets to 0, in attention and behind each part.',
    min: 0,
    max: 1,
    default: 0.1,
  }),
  activation: choice(['relu', 'gelu'], {
    label: 'Activation',
    help: 'The function inside the small network.',
    default: 'relu',
  }),
  layer_norm_eps: number({
    label: 'Epsilon',
    help: "Added to the normalisations' variance for stability.",
    min: 0,
    default: 1e-5,
  }),
  norm_first: flag({
    label: 'Normalise first',
    help: 'Normalises before attention and network, not after their sums: deep stacks train more easily.',
    default: false,
  }),
  bias: flag({ label: 'Bias', help: 'Adds learned values in projections and normalisations.', default: true }),
};

const layerParams = { ...torchParams, causal };

const encoderParams = {
  num_layers: integer({
    label: 'Layers',
    help: 'As many, each with weights of its own; at first all alike, as in PyTorch.',
    max: 1000,
  }),
  ...layerParams,
  norm: flag({ label: 'Last normalisation', help: 'Normalises once more behind the last layer.', default: false }),
};

type Layer = Values<typeof layerParams>;

function normTensors(prefix: string, features: number, bias: boolean): PlannedTensor[] {
  return ['weight', ...(bias ? ['bias'] : [])].map((name) => parameter(`${prefix}.${name}`, [features]));
}

function layerTensors(prefix: string, features: number, { dim_feedforward, bias }: Layer): PlannedTensor[] {
  const linear = (name: string, out: number, from: number) => [
    parameter(`${prefix}${name}.weight`, [out, from]),
    ...(bias ? [parameter(`${prefix}${name}.bias`, [out])] : []),
  ];
  return [
    ...attentionTensors(`${prefix}self_attn.`, features, bias),
    ...linear('linear1', dim_feedforward, features),
    ...linear('linear2', features, dim_feedforward),
    ...normTensors(`${prefix}norm1`, features, bias),
    ...normTensors(`${prefix}norm2`, features, bias),
  ];
}

/** Operations of one sample in one layer, and bytes kept besides the input. */
function layerCost([length, features]: [number, number], given: Layer): { flops: number; bytes: number } {
  const { nhead: heads, dim_feedforward, dropout, activation } = given;
  const attention = attentionCost({ length, features, heads, dropout });
  const values = length * features;
  const inner = length * dim_feedforward;
  return {
    flops: attention.flops + 4 * values * dim_feedforward + inner + 12 * values,
    bytes:
      attention.bytes +
      4 *
        // What each normalisation reads (the first may read the input itself) and answers, and its two statistics a position.
        (3 * values +
          4 * length +
          inner * (activation === 'gelu' ? 2 : 1) +
          (dropout > 0 ? 2 * values + inner * (activation === 'gelu' ? 1 : 2) : 0)),
  };
}

function resolveLayers(kind: string, given: Layer, layers: number, context: LayerContext): Resolved | null {
  const sequence = sequenceDims(kind, context);
  if (!sequence) return null;
  const [, d_model] = sequence;
  if (!checkHeads('nhead', given.nhead, d_model, context)) return null;
  const { flops, bytes } = layerCost(sequence, given);
  const output = 4 * sequence[0] * d_model;
  return {
    args: { d_model, mask: context.input.mask, ...given },
    output: sequence,
    flops: layers * flops,
    random: given.dropout > 0,
    // What goes from layer to layer is kept as each next one's input.
    keeps: { input: true, bytes: layers * bytes + (layers - 1) * output },
  };
}

const layerFlops = `${attentionFlops} + 4 · L · E · dim_feedforward + L · dim_feedforward + 12 · L · E`;
const counted = 'attention over the S positions seen, the network, then activation, sums and normalisations';

function layerCall(callee: string, args: Record<string, Json>): string {
  return pythonCall(callee, torchParams, args, ['d_model', 'nhead']);
}

const masked = ({ causal: isCausal, mask }: Record<string, Json>) => isCausal === true || mask !== null;

/** A subclass whose forward hides what must not be seen from the class that it extends. */
function maskedPiece(name: string, init: string): string {
  return `class Masked${name}(nn.${name}):
    """nn.${name} that hides later positions or padding."""

    def __init__(self, *args, causal=False, mask=None, **kwargs):
        super().__init__(*args, ${init}, **kwargs)
        self.causal, self.mask = causal, mask

    def forward(self, x):
        return super().forward(x, *unseen(self, x))`;
}

const layerExamples: LayerExample[] = [
  { params: { nhead: 2, dim_feedforward: 8, dropout: 0 }, input: [5, 4], output: [5, 4] },
  { params: { nhead: 2, dim_feedforward: 6, activation: 'gelu', norm_first: true }, input: [4, 6], output: [4, 6] },
  {
    params: { nhead: 1, dim_feedforward: 8, dropout: 0.3, bias: false, causal: true, layer_norm_eps: 0.001 },
    input: [5, 4],
    output: [5, 4],
  },
];

export const transformerKinds = [
  layerKind({
    kind: 'TransformerEncoderLayer',
    label: 'Transformer layer',
    category: 'sequence',
    free: true,
    onCpu: transformerOnCpu,
    help: 'Attention, then a small network at each position. With causal attention it is the layer of a GPT.',
    params: layerParams,
    derived: ['d_model', 'mask'],
    mask: 'keeps',
    formula: '[L, E] → [L, E]',
    flopsFormula: `${layerFlops} (${counted})`,
    resolve(given, context) {
      const resolved = resolveLayers('TransformerEncoderLayer', given, 1, context);
      return resolved && { ...resolved, tensors: layerTensors('', resolved.args.d_model as number, given) };
    },
    definition: definitionOf(masksPiece, unseenPiece, maskedPiece('TransformerEncoderLayer', 'batch_first=True')),
    python: (args) =>
      masked(args)
        ? withWords(layerCall('MaskedTransformerEncoderLayer', args), maskWords(args))
        : withWords(layerCall('nn.TransformerEncoderLayer', args), ', batch_first=True'),
    examples: layerExamples,
  }),
  layerKind({
    kind: 'TransformerEncoder',
    label: 'Transformer',
    category: 'sequence',
    free: true,
    onCpu: transformerOnCpu,
    help: 'Transformer layers one after the other.',
    params: encoderParams,
    derived: ['d_model', 'mask'],
    mask: 'keeps',
    formula: '[L, E] → [L, E]',
    flopsFormula: `num_layers · (${layerFlops}) + norm · 5 · n (${counted}; norm 1 where there is one at the end)`,
    resolve(given, context) {
      const { num_layers, norm } = given;
      const resolved = resolveLayers('TransformerEncoder', given, num_layers, context);
      if (!resolved) return null;
      const features = resolved.args.d_model as number;
      const [length] = context.input.dims as [number];
      const repeated = Array.from({ length: num_layers }, (_, index) =>
        layerTensors(`layers.${index}.`, features, given),
      );
      return {
        ...resolved,
        tensors: [...repeated.flat(), ...(norm ? normTensors('norm', features, given.bias) : [])],
        flops: (resolved.flops as number) + (norm ? 5 * length * features : 0),
        keeps: {
          input: true,
          bytes: (resolved.keeps?.bytes as number) + (norm ? 4 * length * features + 8 * length : 0),
        },
      };
    },
    definition: definitionOf(masksPiece, unseenPiece, maskedPiece('TransformerEncoder', 'enable_nested_tensor=False')),
    python(args) {
      const layer = withWords(layerCall('nn.TransformerEncoderLayer', args), ', batch_first=True');
      const { d_model, layer_norm_eps, bias, norm, num_layers } = args;
      const words = [...(layer_norm_eps === 1e-5 ? [] : [`eps=${layer_norm_eps}`]), ...(bias ? [] : ['bias=False'])];
      const last = norm ? `, norm=nn.LayerNorm(${[d_model, ...words].join(', ')})` : '';
      const call = `TransformerEncoder(${layer}, ${num_layers}${last})`;
      return masked(args)
        ? withWords(`Masked${call}`, maskWords(args))
        : withWords(`nn.${call}`, ', enable_nested_tensor=False');
    },
    examples: [
      ...layerExamples.map(({ params, ...shapes }) => ({ ...shapes, params: { num_layers: 2, ...params } })),
      {
        params: { num_layers: 2, nhead: 2, dim_feedforward: 8, norm_first: true, norm: true, bias: false, dropout: 0 },
        input: [5, 4],
        output: [5, 4],
      },
    ],
  }),
];

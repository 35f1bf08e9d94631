/** Attention of a sequence to itself. */
import { flag, integer, number } from '../fields.ts';
import type { PlannedTensor } from '../plan-types.ts';
import { attentionOnCpu } from './attention-cpu.ts';
import { type LayerContext, layerKind, nearestDivisor, parameter } from './kind.ts';
import { pythonCall } from './python.ts';
import { sequenceDims } from './sequence.ts';
import { definitionOf, masksPiece, maskWords, unseenPiece, withWords } from './sequence-python.ts';

export const causal = flag({
  label: 'Causal',
  help: 'Each position sees only itself and those before it, as a network that predicts the next token must.',
  default: false,
});

const params = {
  num_heads: integer({ label: 'Heads', help: 'Attentions side by side, each with its share of the features.' }),
  dropout: number({
    label: 'Dropout',
    help: 'Share of the attention weights that training sets to 0.',
    min: 0,
    max: 1,
    default: 0,
  }),
  bias: flag({ label: 'Bias', help: 'Adds learned values to the projections.', default: true }),
  add_bias_kv: flag({
    label: 'Learned position',
    help: 'Adds one learned key and value to those of the sequence.',
    default: false,
  }),
  add_zero_attn: flag({
    label: 'Empty position',
    help: 'Adds a key and value of zeros, so that attention may go nowhere.',
    default: false,
  }),
  causal,
};

/** Heads must share the features evenly; false after reporting that they do not. */
export function checkHeads(key: string, heads: number, features: number, context: LayerContext): boolean {
  if (features % heads === 0) return true;
  const nearest = nearestDivisor(features, heads);
  context.refuse(
    'NOT_DIVISIBLE',
    key,
    `${heads} heads do not divide the ${features} features of the sequence`,
    'Use a number of heads that divides the features, or other features before it.',
    [context.set(`Set ${key} to ${nearest}`, { [key]: nearest })],
  );
  return false;
}

/** Tensors of nn.MultiheadAttention, in its order. */
export function attentionTensors(prefix: string, features: number, bias: boolean, biasKv = false): PlannedTensor[] {
  return [
    parameter(`${prefix}in_proj_weight`, [3 * features, features]),
    ...(bias ? [parameter(`${prefix}in_proj_bias`, [3 * features])] : []),
    ...(biasKv ? ['k', 'v'].map((of) => parameter(`${prefix}bias_${of}`, [1, 1, features])) : []),
    parameter(`${prefix}out_proj.weight`, [features, features]),
    ...(bias ? [parameter(`${prefix}out_proj.bias`, [features])] : []),
  ];
}

interface Sizes {
  length: number;
  features: number;
  heads: number;
  dropout: number;
  /** Keys beyond those of the sequence. */
  extra?: number;
}

/** Operations of one sample, and bytes kept besides the input. */
export function attentionCost({ length, features, heads, dropout, extra = 0 }: Sizes): {
  flops: number;
  bytes: number;
} {
  const values = length * features;
  const scores = heads * length * (length + extra);
  // The projections (one tensor), copies of keys and values where there are extra ones, and what goes into the last projection.
  const projected = 4 * values + (extra > 0 ? 2 * (length + extra) * features : 0);
  return {
    flops: 8 * values * features + 4 * length * (length + extra) * features,
    // Fused, each row's normaliser is kept; with dropout the scaled queries and keys, the weights, their mask and their product.
    bytes: 4 * (projected + (dropout === 0 ? heads * length : 2 * values + 3 * scores)),
  };
}

/** S: the positions that each one sees. */
export const attentionFlops = '8 · L · E · E + 4 · L · S · E';

export const attentionKinds = [
  layerKind({
    kind: 'MultiheadAttention',
    label: 'Self-attention',
    category: 'sequence',
    free: true,
    onCpu: attentionOnCpu,
    help: 'Each position gathers from all others what matters to it: multi-head attention of the sequence to itself.',
    params,
    derived: ['embed_dim', 'mask'],
    mask: 'keeps',
    formula: '[L, E] → [L, E]',
    flopsFormula: `${attentionFlops} (projections, then scores and sums over the S positions seen; softmax not counted, as in torch.utils.flop_counter)`,
    resolve(given, context) {
      const sequence = sequenceDims('MultiheadAttention', context);
      if (!sequence) return null;
      const [length, embed_dim] = sequence;
      const { num_heads, dropout, bias, add_bias_kv, add_zero_attn } = given;
      if (!checkHeads('num_heads', num_heads, embed_dim, context)) return null;
      const extra = Number(add_bias_kv) + Number(add_zero_attn);
      const { flops, bytes } = attentionCost({ length, features: embed_dim, heads: num_heads, dropout, extra });
      return {
        args: { embed_dim, mask: context.input.mask, ...given },
        output: sequence,
        tensors: attentionTensors('', embed_dim, bias, add_bias_kv),
        flops,
        keeps: { input: true, bytes },
        random: dropout > 0,
      };
    },
    definition: definitionOf(
      masksPiece,
      unseenPiece,
      `class SelfAttention(nn.MultiheadAttention):
    """Attention of a sequence to itself."""

    def __init__(self, *args, causal=False, mask=None, **kwargs):
        super().__init__(*args, batch_first=True, **kwargs)
        self.causal, self.mask = causal, mask

    def forward(self, x):
        later, padding = unseen(self, x)
        return super().forward(x, x, x, key_padding_mask=padding, need_weights=False, attn_mask=later)[0].contiguous()`,
    ),
    python(args) {
      const { causal: _, ...own } = params;
      return withWords(pythonCall('SelfAttention', own, args, ['embed_dim', 'num_heads']), maskWords(args));
    },
    examples: [
      { params: { num_heads: 2 }, input: [5, 4], output: [5, 4] },
      { params: { num_heads: 3, bias: false, causal: true }, input: [4, 6], output: [4, 6] },
      { params: { num_heads: 2, dropout: 0.3, causal: true }, input: [5, 4], output: [5, 4] },
      { params: { num_heads: 1, add_bias_kv: true, add_zero_attn: true, causal: true }, input: [3, 4], output: [3, 4] },
      { params: { num_heads: 4, add_bias_kv: true, dropout: 0.2 }, input: [3, 8], output: [3, 8] },
    ],
  }),
];

/** Grids of layers that read sequences: of tokens, and of features [length, features]. */
import type { Grid } from './grid.ts';

const tokens = [5, 1, 9, [2, 3], [3, 2, 2]].map((dims) => ({ dims: [dims].flat(), tokens: 6 }));
const floats = [[4], [3, 4]];
/** With three tokens every third position is padding: at either end, within, a few samples throughout. */
const masked = [
  { dims: [6], tokens: 3, masked: 8 },
  { dims: [9], tokens: 4, masked: 4 },
];
const sequences = [[5, 8], ...masked, [1, 8], [4, 12], [7, 6], [3, 1], [8], [3, 4, 8], { dims: [5], tokens: 6 }];

const padding_idx = [undefined, null, 0, 2, -1, 5, 6, -7];
const table = { num_embeddings: [6, 9, 1], embedding_dim: [4, 1, 7, 0] };
const norms = {
  max_norm: [undefined, null, 1, 0.5],
  norm_type: [undefined, 1, 3],
  scale_grad_by_freq: [undefined, true, false],
};

const state = {
  hidden_size: [4, 1, 7, 0],
  num_layers: [undefined, 1, 2, 3, 0],
  bias: [undefined, true, false],
  dropout: [undefined, 0, 0.4, 1, 1.2, -0.1],
  bidirectional: [undefined, true, false],
  output: [undefined, 'sequence', 'last', 'first'],
};

const attention = {
  dropout: [undefined, 0, 0.3, 1, 1.5],
  bias: [undefined, true, false],
  causal: [undefined, true, false],
};

const transformer = {
  nhead: [2, 1, 4, 3, 5, 0],
  dim_feedforward: [8, 1, 20, undefined],
  dropout: [0, undefined, 0.3, 1, 1.5],
  activation: [undefined, 'relu', 'gelu', 'tanh'],
  layer_norm_eps: [undefined, 1e-3],
  norm_first: [undefined, true, false],
  bias: [undefined, true, false],
  causal: [undefined, true, false],
};

export const sequenceGrids: { [kind: string]: Grid } = {
  Embedding: {
    params: { ...table, padding_idx, ...norms, mask_padding: [undefined, false, true] },
    inputs: [...tokens, ...floats],
    more: [
      [
        { padding_idx: 2, mask_padding: true },
        { dims: [5], tokens: 6 },
      ],
    ],
  },
  EmbeddingBag: {
    params: { ...table, ...norms, mode: [undefined, 'sum', 'mean', 'max', 'min'], padding_idx },
    inputs: [...tokens, ...floats],
    more: (['sum', 'mean', 'max'] as const).map((mode) => [
      { mode, padding_idx: 2 },
      { dims: [5], tokens: 6 },
    ]),
  },
  RNN: { params: { ...state, nonlinearity: [undefined, 'tanh', 'relu', 'gelu'] }, inputs: sequences },
  LSTM: { params: { ...state, proj_size: [undefined, 0, 2, 3, 4, 9, -1] }, inputs: sequences, combinations: 60 },
  GRU: { params: state, inputs: sequences },
  MultiheadAttention: {
    params: {
      num_heads: [2, 1, 4, 3, 8, 0, -2],
      ...attention,
      add_bias_kv: [undefined, true, false],
      add_zero_attn: [undefined, true, false],
    },
    inputs: sequences,
  },
  TransformerEncoderLayer: { params: transformer, inputs: sequences },
  TransformerEncoder: {
    params: { num_layers: [2, 1, 3, 0], ...transformer, norm: [undefined, true, false] },
    inputs: sequences,
  },
  PatchEmbedding: {
    params: {
      embedding_dim: [4, 1, 6, 0],
      patch_size: [2, 1, 3, 4, [2, 3], [4, 1], 7, 0],
      bias: [undefined, true, false],
    },
    inputs: [
      [3, 4, 6],
      [1, 4, 4],
      [2, 12, 12],
      [3, 5, 6],
      [4, 6],
      [2, 2, 4, 4],
    ],
  },
  ClassToken: { params: {}, inputs: sequences },
  PositionalEmbedding: { params: { std: [undefined, 1, 0, -1] }, inputs: sequences },
  SinusoidalEncoding: { params: { base: [undefined, 100, 1, 0, -5] }, inputs: sequences },
  TakePosition: { params: { position: [undefined, 0, 1, -1, -2, 4, -5, 5, -6] }, inputs: sequences },
  MeanOverSequence: { params: {}, inputs: sequences },
};

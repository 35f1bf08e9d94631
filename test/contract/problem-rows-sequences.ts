/** Faults of sequences: tables of tokens, recurrent layers, attention, patches, and masks of padding on their way. */
import type { Json } from '../../engine/contract/native.ts';
import type { DataFacts } from '../../engine/contract/tensors.ts';
import { digits, flatten, type JsonProject, linear, projectWith } from './cases.ts';
import type { Row } from './problem-rows.ts';

const tokens = (dims: number[]): DataFacts => ({ ...digits, input: { dims, dtype: 'int64', tokens: 65 } });
const numbers = (dims: number[]): DataFacts => ({ ...digits, input: { dims, dtype: 'float32' } });
const embedding = (more: JsonProject = {}) => ({ kind: 'Embedding', num_embeddings: 65, embedding_dim: 8, ...more });
const masked = embedding({ padding_idx: 0, mask_padding: true });
const head = [{ kind: 'TakePosition', position: -1 }, linear(10)];
const mixes = (kind: string) =>
  `${kind} would mix padding into its answer: it cannot leave out the positions that layer 0 marks`;

const row = (name: string, facts: DataFacts, layers: Json[], problems: string[]): Row => ({
  name,
  project: projectWith(layers),
  facts,
  problems,
});

export const sequenceRows: { [group: string]: Row[] } = {
  'tables of tokens': [
    row('that fit', tokens([12]), [embedding(), ...head], []),
    row(
      'too few rows',
      tokens([12]),
      [embedding({ num_embeddings: 60 }), ...head],
      [
        'BAD_VALUE model.layers.0.num_embeddings: The data has 65 different tokens, but the table of Embedding has only 60 rows',
      ],
    ),
    row(
      'a padding token without a row',
      tokens([12]),
      [embedding({ padding_idx: 65 }), ...head],
      ['BAD_VALUE model.layers.0.padding_idx: There is no token 65 in a table of 65'],
    ),
    row(
      'a mask without a padding token',
      tokens([12]),
      [embedding({ mask_padding: true }), ...head],
      ['BAD_VALUE model.layers.0.mask_padding: mask_padding is set, but there is no padding token'],
    ),
    row(
      'a mask of rows and columns',
      tokens([3, 12]),
      [masked, flatten, linear(10)],
      ['WRONG_RANK model.layers.0.mask_padding: Padding can be masked in sequences [length] but not in [3, 12]'],
    ),
    row(
      'a bag of rows and columns',
      tokens([3, 12]),
      [{ kind: 'EmbeddingBag', num_embeddings: 65, embedding_dim: 8 }, linear(10)],
      ['WRONG_RANK model.layers.0: EmbeddingBag wants sequences of tokens [length] but receives [3, 12]'],
    ),
    row(
      'a bag of maxima that scales',
      tokens([12]),
      [
        { kind: 'EmbeddingBag', num_embeddings: 65, embedding_dim: 8, mode: 'max', scale_grad_by_freq: true },
        linear(10),
      ],
      ['BAD_VALUE model.layers.0.scale_grad_by_freq: scale_grad_by_freq does not go with mode "max"'],
    ),
    row(
      'tokens without a table',
      tokens([12]),
      [linear(10)],
      ['WRONG_DTYPE model.layers.0: Linear calculates with floating-point numbers but receives integers (int64)'],
    ),
    row(
      'a table for numbers',
      numbers([12]),
      [embedding(), ...head],
      [
        'WRONG_DTYPE model.layers.0: Embedding wants integers, indices of its table, but receives floating-point numbers',
      ],
    ),
    row(
      'a table for what a table answers',
      tokens([12]),
      [embedding(), embedding(), ...head],
      [
        'WRONG_DTYPE model.layers.1: Embedding wants integers, indices of its table, but receives floating-point numbers',
      ],
    ),
  ],
  sequences: [
    row(
      'a recurrent layer on images',
      numbers([3, 4, 5]),
      [{ kind: 'LSTM', hidden_size: 4, output: 'last' }, linear(10)],
      ['WRONG_RANK model.layers.0: LSTM wants sequences [length, features] but receives [3, 4, 5]'],
    ),
    row(
      'a projection as large as the state',
      tokens([12]),
      [embedding(), { kind: 'LSTM', hidden_size: 4, proj_size: 4, output: 'last' }, linear(10)],
      ['BAD_VALUE model.layers.1.proj_size: proj_size must be smaller than hidden_size, but 4 is not smaller than 4'],
    ),
    ...[
      { kind: 'MultiheadAttention', num_heads: 3 },
      { kind: 'TransformerEncoderLayer', nhead: 3 },
      { kind: 'TransformerEncoder', nhead: 3, num_layers: 2 },
    ].map((layer) =>
      row(
        `heads that do not divide the features: ${layer.kind}`,
        tokens([12]),
        [embedding(), layer, ...head],
        [
          `NOT_DIVISIBLE model.layers.1.${'nhead' in layer ? 'nhead' : 'num_heads'}: 3 heads do not divide the 8 features of the sequence`,
        ],
      ),
    ),
    row(
      'patches that do not divide the image',
      digits,
      [{ kind: 'PatchEmbedding', patch_size: 5, embedding_dim: 8 }, ...head],
      ['NOT_DIVISIBLE model.layers.0.patch_size: Patches of 5 do not divide images of 28×28'],
    ),
    row(
      'positions of a vector',
      numbers([28]),
      [{ kind: 'PositionalEmbedding' }, linear(10)],
      ['WRONG_RANK model.layers.0: PositionalEmbedding wants sequences [length, features] but receives [28]'],
    ),
    row(
      'a position behind the end',
      tokens([12]),
      [embedding(), { kind: 'TakePosition', position: 12 }, linear(10)],
      [
        'BAD_VALUE model.layers.1.position: There is no position 12 in a sequence of 12: they are 0 to 11, from the end -1 to -12',
      ],
    ),
  ],
  masks: [
    row(
      'that are used',
      tokens([12]),
      [masked, { kind: 'LSTM', hidden_size: 4 }, { kind: 'LayerNorm' }, { kind: 'MeanOverSequence' }, linear(10)],
      [],
    ),
    ...(
      [
        ['Conv1d', { kind: 'Conv1d', out_channels: 3, kernel_size: 3 }, '1'],
        ['Flatten', flatten, '1'],
        ['Softmax', { kind: 'Softmax', dim: 1 }, '1'],
        ['Permute', { kind: 'Permute', dims: [0, 2, 1] }, '1'],
        ['Parallel', { kind: 'Parallel', branches: [[], []], dim: 1 }, '1'],
        [
          'Conv1d',
          { kind: 'Residual', layers: [{ kind: 'Conv1d', out_channels: 12, kernel_size: 3, padding: 1 }] },
          '1.layers.0',
        ],
      ] as const
    ).map(([kind, layer, place]) =>
      row(
        `${kind} at ${place}`,
        tokens([12]),
        [masked, layer as Json, flatten, linear(10)],
        [`WRONG_MASK model.layers.${place}: ${mixes(kind)}`],
      ),
    ),
  ],
};

/** Tables of vectors, looked up by tokens. */
import { z } from 'zod';
import { choice, field, flag, integer, largestSize, number } from '../fields.ts';
import { insertEdit, removeEdit } from '../report.ts';
import { fix, type LayerContext, layerKind, parameter, showDims } from './kind.ts';
import { pythonCall } from './python.ts';
import { definitionOf, masksPiece, maskWords, withWords } from './sequence-python.ts';

const shared = {
  num_embeddings: integer({ label: 'Tokens', help: 'Rows of the table: how many different tokens there are.' }),
  embedding_dim: integer({ label: 'Features', help: 'Values that describe each token.', unit: 'features' }),
};

/** `filled`: what becomes of the token. */
const paddingIdx = (filled: string) =>
  field(z.number().int().min(-largestSize).max(largestSize).nullable(), {
    label: 'Padding token',
    help: `The token that only fills sequences up; ${filled}. null: there is none.`,
    control: 'integer',
    expected: 'a token of the table (negative: from its end), or null',
    default: null,
  });

const norms = {
  max_norm: field(z.number().nullable(), {
    label: 'Largest norm',
    help: 'Rows that are longer are scaled down to it when they are used; null: never.',
    control: 'number',
    expected: 'a number, or null',
    default: null,
  }),
  norm_type: number({
    label: 'Norm',
    help: 'The p of the norm that max_norm bounds.',
    default: 2,
    idle: ({ max_norm }) => (typeof max_norm === 'number' ? null : 'No norm is bounded.'),
  }),
  scale_grad_by_freq: flag({
    label: 'Scale by frequency',
    help: "Divides each row's gradient by how often its token stands in the batch.",
    default: false,
    idle: ({ mode }) => (mode === 'max' ? 'It does not go with mode "max".' : null),
  }),
};

const embeddingParams = { ...shared, padding_idx: paddingIdx('its row is not trained'), ...norms };
const maskedParams = {
  ...embeddingParams,
  mask_padding: flag({
    label: 'Mask padding',
    help: 'Tells the layers behind it which positions hold the padding token, so that they leave them out of account.',
    default: false,
  }),
};

const bagParams = {
  ...shared,
  ...norms,
  mode: choice(['sum', 'mean', 'max'], { label: 'Mode', help: 'How the vectors become one.', default: 'mean' }),
  padding_idx: paddingIdx('it does not count'),
};

interface Table {
  num_embeddings: number;
  embedding_dim: number;
  padding_idx: number | null;
}

const tableSizes = ['num_embeddings', 'embedding_dim'];

function fromStart({ num_embeddings, padding_idx }: Table): number | null {
  return padding_idx !== null && padding_idx < 0 ? padding_idx + num_embeddings : padding_idx;
}

function weightOf({ num_embeddings, embedding_dim }: Table) {
  return parameter('weight', [num_embeddings, embedding_dim]);
}

/** What PyTorch asserts of a table, and that it has a row for each of the data's tokens. */
function checkTable(kind: string, { num_embeddings, padding_idx }: Table, context: LayerContext): boolean {
  const { tokens } = context.input;
  if (tokens !== undefined && tokens > num_embeddings) {
    context.refuse(
      'BAD_VALUE',
      'num_embeddings',
      `The data has ${tokens} different tokens, but the table of ${kind} has only ${num_embeddings} rows`,
      'The table needs a row for each token.',
      [context.set(`Set num_embeddings to ${tokens}`, { num_embeddings: tokens })],
    );
    return false;
  }
  if (padding_idx !== null && (padding_idx >= num_embeddings || padding_idx < -num_embeddings)) {
    context.refuse(
      'BAD_VALUE',
      'padding_idx',
      `There is no token ${padding_idx} in a table of ${num_embeddings}`,
      `Use one from 0 to ${num_embeddings - 1}.`,
      [
        context.set('Set padding_idx to 0', { padding_idx: 0 }),
        fix('Have no padding', removeEdit([...context.place, 'padding_idx'])),
      ],
    );
    return false;
  }
  return true;
}

export const embeddingKinds = [
  layerKind({
    kind: 'Embedding',
    label: 'Embedding',
    category: 'sequence',
    free: true,
    help: 'Looks each token up in a table of learned vectors: the first layer of networks that read tokens.',
    params: maskedParams,
    derived: ['mask'],
    argNames: [...Object.keys(embeddingParams), 'mask'],
    takes: 'integers',
    formula: '[…] → […, embedding_dim]',
    flopsFormula: '0',
    resolve({ mask_padding, ...given }, context) {
      const { embedding_dim, padding_idx } = given;
      const { dims } = context.input;
      if (!checkTable('Embedding', given, context)) return null;
      if (mask_padding && padding_idx === null) {
        return context.refuse(
          'BAD_VALUE',
          'mask_padding',
          'mask_padding is set, but there is no padding token',
          'Say which token is padding.',
          [
            context.set('Set padding_idx to 0', { padding_idx: 0 }),
            fix('Mask nothing', removeEdit([...context.place, 'mask_padding'])),
          ],
        );
      }
      if (mask_padding && dims.length !== 1) {
        return context.refuse(
          'WRONG_RANK',
          'mask_padding',
          `Padding can be masked in sequences [length] but not in ${showDims(dims)}`,
          'Mask nothing here.',
          [fix('Mask nothing', removeEdit([...context.place, 'mask_padding']))],
        );
      }
      const mask = mask_padding ? context.path : null;
      return {
        args: { ...given, padding_idx: fromStart(given), mask },
        output: [...dims, embedding_dim],
        mask,
        tensors: [weightOf(given)],
        keeps: { input: true },
      };
    },
    definition: definitionOf(
      masksPiece,
      `class PaddedEmbedding(nn.Embedding):
    """An embedding that tells later layers which positions are padding."""

    def __init__(self, *args, mask, **kwargs):
        super().__init__(*args, **kwargs)
        self.mask = mask

    def forward(self, tokens):
        padding = tokens == self.padding_idx
        masks[self.mask] = padding & ~padding.all(1, keepdim=True)  # a sample of padding alone is taken as it is
        return super().forward(tokens)`,
    ),
    python: (args) =>
      withWords(
        pythonCall(args.mask === null ? 'nn.Embedding' : 'PaddedEmbedding', embeddingParams, args, tableSizes),
        maskWords(args),
      ),
    examples: [
      { params: { num_embeddings: 7, embedding_dim: 4 }, input: [5], output: [5, 4] },
      { params: { num_embeddings: 7, embedding_dim: 3, padding_idx: -7 }, input: [2, 3], output: [2, 3, 3] },
      {
        params: { num_embeddings: 4, embedding_dim: 4, max_norm: 1, norm_type: 1, scale_grad_by_freq: true },
        input: [6],
        output: [6, 4],
      },
      {
        params: { num_embeddings: 4, embedding_dim: 4, padding_idx: 2, mask_padding: true },
        input: [6],
        output: [6, 4],
      },
    ],
  }),
  layerKind({
    kind: 'EmbeddingBag',
    label: 'Embedding bag',
    category: 'sequence',
    free: true,
    help: 'Looks all tokens of a sequence up and answers their mean, sum or maximum: a bag of words.',
    params: bagParams,
    takes: 'integers',
    formula: '[L] → [embedding_dim]',
    flopsFormula: 'L · n',
    resolve(given, context) {
      const { embedding_dim, mode, scale_grad_by_freq } = given;
      const { dims } = context.input;
      if (!checkTable('EmbeddingBag', given, context)) return null;
      const [length, ...more] = dims;
      if (length === undefined || more.length > 0) {
        return context.refuse(
          'WRONG_RANK',
          null,
          `EmbeddingBag wants sequences of tokens [length] but receives ${showDims(dims)}`,
          'Flatten the tokens before it.',
          more.length > 0 ? [fix('Insert Flatten before it', insertEdit(context.place, { kind: 'Flatten' }))] : [],
        );
      }
      if (mode === 'max' && scale_grad_by_freq) {
        return context.refuse(
          'BAD_VALUE',
          'scale_grad_by_freq',
          'scale_grad_by_freq does not go with mode "max"',
          'Use one of the two.',
          [
            fix('Do not scale', removeEdit([...context.place, 'scale_grad_by_freq'])),
            context.set('Use mode "mean"', { mode: 'mean' }),
          ],
        );
      }
      const integers = 8 * (length + 2 + (mode === 'max' ? embedding_dim : 0));
      return {
        args: { ...given, padding_idx: fromStart(given) },
        output: [embedding_dim],
        tensors: [weightOf(given)],
        flops: length * embedding_dim,
        // To which bag each token belongs, each bag's start and size, and for maxima where they were found.
        keeps: { input: true, bytes: integers, integers },
        // Their sums on the way; for the gradient of sums and means the tokens are sorted.
        workspace: { forward: 8 * length, unkept: 16 * length, backward: mode === 'max' ? 0 : 24 * length },
      };
    },
    python: (args) => pythonCall('nn.EmbeddingBag', bagParams, args, tableSizes),
    examples: [
      { params: { num_embeddings: 7, embedding_dim: 4 }, input: [5], output: [4] },
      { params: { num_embeddings: 7, embedding_dim: 3, mode: 'sum', padding_idx: 1 }, input: [5], output: [3] },
      { params: { num_embeddings: 5, embedding_dim: 3, mode: 'max' }, input: [4], output: [3] },
      {
        params: { num_embeddings: 5, embedding_dim: 3, max_norm: 1, scale_grad_by_freq: true, padding_idx: -1 },
        input: [6],
        output: [3],
      },
    ],
  }),
];

/** Masks of padding in the plan: which layers take one along, which use it, and what is said where one would be lost. */
import { expect, test } from 'vitest';
import { type Plan, planProject } from '../../engine/contract/plan.ts';
import { applyEdits } from './apply-edits.ts';

const embedding = { kind: 'Embedding', num_embeddings: 9, embedding_dim: 4, padding_idx: 0, mask_padding: true };

function projectOf(layers: object[], shape = [6]) {
  const source = { kind: 'random', shape, tokens: 9, classes: 3, samples: 20 };
  return { gradloom: 1, data: { source, split: { val: 0 } }, model: { layers }, training: {} };
}

/** From a sequence to one vector, and from that to as many values as the sequence had. */
const ending = [
  { kind: 'MeanOverSequence' },
  { kind: 'Linear', out_features: 24 },
  { kind: 'Unflatten', dim: 1, unflattened_size: [6, 4] },
];

const plan = (layers: object[], shape?: number[]): Plan => planProject(projectOf(layers, shape), null);

const problems = (made: Plan) => made.problems.filter(({ severity }) => severity === 'error');

/** Masks that layers got, by kind. */
const masks = ({ layers }: Plan) =>
  Object.fromEntries(layers.flatMap(({ kind, args }) => ('mask' in args ? [[kind, args.mask]] : [])));

test('a mask goes through layers of single positions to the one that uses it, and ends there', () => {
  const made = plan([
    embedding,
    { kind: 'PositionalEmbedding' },
    { kind: 'Residual', layers: [{ kind: 'LayerNorm' }, { kind: 'Linear', out_features: 4 }] },
    { kind: 'Repeat', times: 2, layers: [{ kind: 'ReLU' }, { kind: 'Dropout' }] },
    { kind: 'GRU', hidden_size: 4 },
    { kind: 'LSTM', hidden_size: 3, output: 'last' },
    { kind: 'Flatten' },
    { kind: 'Linear', out_features: 3 },
  ]);
  expect(problems(made)).toEqual([]);
  expect(masks(made)).toEqual({ Embedding: '0', GRU: '0', LSTM: '0' });
});

test('layers that reshape what belongs to a position hand it on', () => {
  const made = plan([
    embedding,
    { kind: 'Unflatten', dim: 2, unflattened_size: [2, 2] },
    { kind: 'Permute', dims: [0, 1, 3, 2] },
    { kind: 'Flatten', start_dim: 2 },
    { kind: 'Softmax', dim: -1 },
    { kind: 'GLU' },
    { kind: 'MeanOverSequence' },
  ]);
  expect(problems(made).filter(({ code }) => code === 'WRONG_MASK')).toEqual([]);
  expect(masks(made)).toEqual({ Embedding: '0', MeanOverSequence: '0' });
});

test('a class token makes it longer', () => {
  const made = plan([
    embedding,
    { kind: 'ClassToken' },
    { kind: 'TransformerEncoderLayer', nhead: 2 },
    { kind: 'TakePosition' },
    { kind: 'Linear', out_features: 3 },
  ]);
  expect(problems(made)).toEqual([]);
  expect(masks(made)).toEqual({ Embedding: '0', ClassToken: '0', TransformerEncoderLayer: '1', TakePosition: '1' });
});

test('without mask_padding there is none', () => {
  const { mask_padding, ...unmasked } = embedding;
  const made = plan([unmasked, { kind: 'LSTM', hidden_size: 3, output: 'last' }]);
  expect(problems(made)).toEqual([]);
  expect(masks(made)).toEqual({ Embedding: null, LSTM: null });
});

test.each<[string, object[]]>([
  ['Flatten', [{ kind: 'Flatten' }]],
  ['Flatten behind a class token', [{ kind: 'ClassToken' }, { kind: 'Flatten' }]],
  ['Unflatten of the positions', [{ kind: 'Unflatten', dim: 1, unflattened_size: [2, 3] }, { kind: 'Flatten' }]],
  ['Permute of the positions', [{ kind: 'Permute', dims: [0, 2, 1] }, { kind: 'Flatten' }]],
  ['Softmax over the positions', [{ kind: 'Softmax', dim: 1 }, { kind: 'Flatten' }]],
  ['LayerNorm over the positions', [{ kind: 'LayerNorm', normalized_shape: [6, 4] }, { kind: 'Flatten' }]],
  ['a join along the positions', [{ kind: 'Parallel', branches: [[], [{ kind: 'ReLU' }]] }, { kind: 'Flatten' }]],
  [
    'a join along the positions, counted from the end',
    [
      { kind: 'Parallel', branches: [[], [{ kind: 'ReLU' }]], dim: -2 },
      { kind: 'GRU', hidden_size: 3, output: 'last' },
    ],
  ],
  ['a sum with what has ended the sequence', [{ kind: 'Residual', layers: ending }, { kind: 'Flatten' }]],
  ['a layer in a block', [{ kind: 'Residual', layers: [{ kind: 'Flatten' }, { kind: 'Linear', out_features: 4 }] }]],
])('%s would mix padding into the answer: the fix lets it count', (_, layers) => {
  const all = [embedding, ...layers];
  const [problem] = problems(plan(all));
  expect(problem).toMatchObject({ code: 'WRONG_MASK' });
  expect(problem?.message).toMatch(/would mix padding into its answer/);
  const [fix] = problem?.fixes ?? [];
  expect(fix?.label).toMatch(/^Let padding count like any token/);
  const mended = planProject(applyEdits(projectOf(all), fix?.edits ?? []) as ReturnType<typeof projectOf>, null);
  expect(problems(mended).filter(({ code }) => code === 'WRONG_MASK')).toEqual([]);
});

test('a mask that comes about within a join is told by its own layer', () => {
  const { mask_padding, ...unmasked } = embedding;
  const [problem] = problems(plan([{ kind: 'Parallel', branches: [[unmasked], [embedding]], join: 'add' }]));
  expect(problem?.message).toMatch(/layer 0\.branches\.1\.0 marks$/);
  expect(problem?.fixes[0]?.label).toBe('Let padding count like any token');
});

test('padding is of sequences of tokens, and needs a token', () => {
  expect(problems(plan([{ ...embedding, padding_idx: null }]))[0]).toMatchObject({
    path: 'model.layers.0.mask_padding',
    fixes: [{ label: 'Set padding_idx to 0' }, { label: 'Mask nothing' }],
  });
  expect(problems(plan([embedding], [2, 6]))[0]).toMatchObject({
    code: 'WRONG_RANK',
    fixes: [{ label: 'Mask nothing' }],
  });
});

test('a table has a row for each token of the data', () => {
  const [problem] = problems(plan([{ ...embedding, num_embeddings: 8 }, { kind: 'MeanOverSequence' }]));
  expect(problem).toMatchObject({
    path: 'model.layers.0.num_embeddings',
    message: 'The data has 9 different tokens, but the table of Embedding has only 8 rows',
    fixes: [{ label: 'Set num_embeddings to 9' }, { label: 'Remove this Embedding' }],
  });
});

/** Sums and products that are broadcast: shapes, operations, what the backward pass keeps, lines, memory, fixes where they do not go together. */
import { describe, expect, test } from 'vitest';
import { type PlannedLayer, planProject } from '../../engine/contract/plan.ts';
import { explainLayer } from '../../engine/contract/plan-explain.ts';
import { conv, digits, flatten, head, linear, projectWith } from './cases.ts';

const pooled = { kind: 'AdaptiveAvgPool2d', output_size: 1 };
const rows = { kind: 'AdaptiveAvgPool2d', output_size: [null, 1] };
const columns = { kind: 'AdaptiveAvgPool2d', output_size: [1, null] };
const gate = [pooled, conv(1, { kernel_size: 1 }), { kind: 'Sigmoid' }];
const n = 28 * 28;

/** The last but the head of a network on digits. */
function planOf(layers: object[]) {
  const made = planProject(projectWith([...layers, ...head] as never), digits);
  const layer = made.layers[layers.length - 1];
  if (!layer) throw new Error(JSON.stringify(made.problems));
  return { ...made, layer, lines: explainLayer(layer, made.tensors) };
}

const parallel = (join: string, ...branches: object[][]) => ({ kind: 'Parallel', join, branches });
/** What the layer counts besides the layers inside it. */
const own = (key: 'flops' | 'activation_bytes', layer: PlannedLayer) =>
  (layer.children ?? []).flatMap(({ layers }) => layers).reduce((left, inner) => left - inner[key], layer[key]);

describe('one sample’s shape', () => {
  test.each<[string, object, number[], number]>([
    ['a gate beside the features', parallel('multiply', [], gate), [1, 28, 28], n],
    ['a gate first', parallel('multiply', gate, []), [1, 28, 28], n],
    ['a row and a column', parallel('add', [rows], [columns]), [1, 28, 28], n],
    ['channels that were one', parallel('add', [], [conv(4, { padding: 1 })]), [4, 28, 28], 4 * n],
    ['small ones first', parallel('multiply', [pooled], [pooled], [rows], []), [1, 28, 28], 1 + 28 + n],
    ['a shortcut of one channel', { kind: 'Residual', layers: [conv(4, { padding: 1 })] }, [4, 28, 28], 4 * n],
    ['what the whole image says, added to it', { kind: 'Residual', layers: gate }, [1, 28, 28], n],
  ])('%s', (_, layer, output, flops) => {
    const made = planOf([layer]);
    expect(made.problems).toEqual([]);
    expect(made.layer.output).toEqual(output);
    expect(own('flops', made.layer)).toBe(flops);
  });

  test('the lines tell what is broadcast', () => {
    expect(planOf([parallel('multiply', [], gate)]).lines.shape).toEqual([
      'branch 0: [1, 28, 28]',
      'branch 1: [1, 1, 1], broadcast to [1, 28, 28]',
    ]);
    expect(planOf([{ kind: 'Residual', layers: [conv(4, { padding: 1 })] }]).lines.shape).toEqual([
      'layers: [4, 28, 28]',
      'shortcut: [1, 28, 28], broadcast to [4, 28, 28]',
    ]);
  });
});

describe('what is kept for the backward pass', () => {
  const first = conv(4, { padding: 1 });
  const [all, small] = [4 * 4 * n, 4 * 4];

  test.each<[string, object, number]>([
    ['a sum keeps nothing', parallel('add', [], [rows]), 0],
    ['each factor at its own size', parallel('multiply', [], [pooled]), all + small],
    [
      'products between, as large as they are',
      parallel('multiply', [pooled], [pooled, { kind: 'Tanh' }], []),
      small + small + all,
    ],
  ])('%s', (_, layer, bytes) => {
    expect(own('activation_bytes', planOf([first, layer]).layer)).toBe(bytes);
  });

  test('a factor beside what does not train is not kept', () => {
    // The digits themselves are no activation, and have no gradient for which the convolution would be needed.
    const { layer } = planOf([parallel('multiply', [], [conv(4, { padding: 1 })])]);
    expect(layer.activation_bytes).toBe(0);
    const trained = planOf([first, parallel('multiply', [], [conv(4, { padding: 1 })])]);
    expect(trained.layer.activation_bytes).toBe(2 * all);
  });
});

test('a product with one number for each row takes less memory than one with as many numbers', () => {
  const memory = (out_features: number) =>
    planOf([
      flatten,
      linear(4096),
      { kind: 'Unflatten', dim: 1, unflattened_size: [64, 64] },
      parallel('multiply', [], [linear(out_features)]),
    ]).memory;
  const [spread, alike] = [memory(1), memory(64)];
  expect(alike.activations - spread.activations).toBe(256 * 4 * 64 * 63);
  expect(spread.total).toBeLessThan(alike.total);
});

test('each branch is joined as soon as it has answered: of a sum no more than two terms are there at once', () => {
  const branch = [conv(16, { padding: 1 })];
  const held = (count: number) => {
    const { memory } = planOf([parallel('add', ...Array.from({ length: count }, () => branch))]);
    return memory.phases.forward - memory.weights - memory.optimizer;
  };
  expect(held(4)).toBe(held(2));
  expect(held(3)).toBe(held(2));
});

describe('padding', () => {
  const embedding = { kind: 'Embedding', num_embeddings: 9, embedding_dim: 4, padding_idx: 0, mask_padding: true };
  const source = { kind: 'random', shape: [6], tokens: 9, classes: 3, samples: 20 };
  const summary = [{ kind: 'MeanOverSequence' }, linear(4), { kind: 'Unflatten', dim: 1, unflattened_size: [1, 4] }];
  const plan = (layers: object[]) =>
    planProject(
      { gradloom: 1, data: { source, split: { val: 0 } }, model: { layers: [embedding, ...layers] }, training: {} },
      null,
    );

  test.each<[string, object]>([
    ['a product', parallel('multiply', [], summary)],
    ['a product the other way round', parallel('multiply', summary, [])],
    ['a sum', { kind: 'Residual', layers: summary }],
    ['a sum with a shortcut', { kind: 'Residual', layers: [{ kind: 'Tanh' }], shortcut: summary }],
  ])('%s with one vector for the whole sequence keeps its mask', (_, layer) => {
    const made = plan([layer, { kind: 'MeanOverSequence' }, linear(3)]);
    expect(made.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(made.layers[1]).toMatchObject({ output: [6, 4], mask: '0' });
    expect(made.layers[2]?.args.mask).toBe('0');
  });
});

test('tokens multiplied beyond what can be counted are too many for any table', () => {
  const source = { kind: 'random', shape: [6], tokens: 9, classes: 3, samples: 20 };
  const square = parallel('multiply', [], []);
  const bag = { kind: 'EmbeddingBag', num_embeddings: 6, embedding_dim: 4 };
  const layers = [{ kind: 'Repeat', times: 12, layers: [square] }, bag, linear(3)];
  const { problems } = planProject({ gradloom: 1, data: { source }, model: { layers }, training: {} }, null);
  expect(problems[0]).toMatchObject({ severity: 'error', path: 'model.layers.1.num_embeddings' });
});

describe('fixes', () => {
  const fixes = (layer: object) =>
    planProject(projectWith([conv(4, { padding: 1 }), layer, ...head] as never), digits).problems[0]?.fixes.map(
      ({ label }) => label,
    );

  test('one number for each channel is brought beside the channels', () => {
    const flat = [pooled, flatten, linear(4), { kind: 'Sigmoid' }];
    expect(fixes(parallel('multiply', [], flat))?.[0]).toBe('Unflatten branch 1 to [4, 1, 1]');
  });
});

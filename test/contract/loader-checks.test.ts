/** Problems of the loader's settings: samplers without classes, sequences that cannot be cut, and what their fixes do. */
import { describe, expect, test } from 'vitest';
import { planProject } from '../../engine/contract/plan.ts';
import { editProject } from '../../engine/contract/project.ts';

const tokens = { kind: 'random', shape: [20], classes: 3, tokens: 30 };
const embedding = { kind: 'Embedding', num_embeddings: 30, embedding_dim: 8 };
const masked = { ...embedding, padding_idx: 0, mask_padding: true };
const mean = { kind: 'MeanOverSequence' };
const head = { kind: 'Linear', out_features: 3 };

function planOf(loader: object, layers: object[], source: object = tokens) {
  const project = { gradloom: 1, data: { source, loader }, model: { layers } };
  return { project, plan: planProject(project, null) };
}

const lines = ({ plan }: ReturnType<typeof planOf>) =>
  plan.problems.map(({ severity, code, path, message }) => `${severity} ${code} ${path}: ${message}`);

/** The project after the first fix of its first problem. */
function mended({ project, plan }: ReturnType<typeof planOf>, fix = 0) {
  const edits = plan.problems[0]?.fixes[fix]?.edits ?? [];
  return planProject(JSON.parse(editProject(JSON.stringify(project), edits)), null);
}

describe('samplers', () => {
  const images = { kind: 'random', shape: [8], classes: 3 };
  const numbers = { kind: 'random', shape: [8], classes: null, target_shape: [3] };

  test('go with classes', () => {
    expect(planOf({ sampler: 'balanced' }, [head], images).plan.problems).toEqual([]);
    expect(planOf({ sampler: 'weighted', class_weights: [1, 0, 2.5] }, [head], images).plan.problems).toEqual([]);
  });

  test('of targets without classes are refused', () => {
    const found = planOf({ sampler: 'balanced' }, [head], numbers);
    expect(lines(found)).toContain(
      'error TARGET_MISMATCH data.loader.sampler: The sampler balanced draws samples by their class, but the targets of this data are no single classes',
    );
  });

  test.each([
    [{}, 'The sampler weighted needs the weights of the classes, and there are none'],
    [{ class_weights: [1, 2] }, 'There are 2 weights for 3 classes'],
    [{ class_weights: [0, 0, 0] }, 'No class that has samples has a weight above 0, so that none could be drawn'],
  ])('weights %j are refused', (given, message) => {
    const found = planOf({ sampler: 'weighted', ...given }, [head], images);
    expect(lines(found)).toEqual([`error BAD_VALUE data.loader.class_weights: ${message}`]);
    for (const fix of [0, 1]) expect(mended(found, fix).problems).toEqual([]);
  });

  test('an unknown one is refused with the names there are', () => {
    expect(lines(planOf({ sampler: 'fair' }, [head], images))).toEqual([
      'error BAD_VALUE data.loader.sampler: Expected one of "shuffle", "balanced", "weighted" for sampler but received "fair"',
    ]);
  });
});

describe('batches of like length', () => {
  const on = { bucket_by_length: true };

  test('are cut at the padding token, as far as the network goes', () => {
    expect(planOf(on, [masked, mean, head])).toMatchObject({
      plan: { problems: [], cut: { padding: 0, shortest: 1 } },
    });
    expect(planOf({}, [masked, mean, head]).plan.cut).toBeNull();
    const bag = { kind: 'EmbeddingBag', num_embeddings: 30, embedding_dim: 8, padding_idx: -1 };
    expect(planOf(on, [bag, head])).toMatchObject({ plan: { problems: [], cut: { padding: 29, shortest: 1 } } });
  });

  test('are cut less where a layer wants some positions', () => {
    const conv = { kind: 'Conv1d', out_channels: 4, kernel_size: 5 };
    const layers = [{ ...embedding, padding_idx: 0 }, { kind: 'Permute', dims: [0, 2, 1] }, conv];
    const found = planOf(on, [...layers, { kind: 'AdaptiveAvgPool1d', output_size: 1 }, { kind: 'Flatten' }, head]);
    expect(found.plan.cut).toEqual({ padding: 0, shortest: 5 });
    expect(lines(found).filter((line) => line.startsWith('error'))).toEqual([]);
  });

  test.each([
    [
      'a network of one length',
      [{ ...embedding, padding_idx: 0 }, { kind: 'Flatten' }, head],
      /cannot take shorter sequences: of 19 tokens/,
    ],
    ['no padding token', [embedding, mean, head], /the Embedding at model.layers.0 has no padding_idx/],
  ])('%s: refused, and mended by leaving them whole', (_name, layers, message) => {
    const found = planOf(on, layers);
    const problem = found.plan.problems.find(({ path }) => path === 'data.loader.bucket_by_length');
    expect(problem).toMatchObject({ severity: 'error' });
    expect(problem?.message).toMatch(message);
    expect(found.plan.cut).toBeNull();
    const off = problem?.fixes.at(-1)?.edits ?? [];
    const after = planProject(JSON.parse(editProject(JSON.stringify(found.project), off)), null);
    expect(after.problems.filter(({ path }) => path === 'data.loader.bucket_by_length')).toEqual([]);
  });

  test('that are no sequences of tokens are refused', () => {
    const floats = planOf(on, [head], { kind: 'random', shape: [20], classes: 3 });
    expect(lines(floats)).toEqual([
      'error WRONG_DTYPE data.loader.bucket_by_length: Only sequences of tokens have a length to be grouped by',
    ]);
    expect(mended(floats).problems).toEqual([]);
    const next = { kind: 'random', shape: [20], target: 'next_token', classes: 30 };
    expect(lines(planOf(on, [embedding, { ...head, out_features: 30 }], next)).join()).toContain(
      'TARGET_MISMATCH data.loader.bucket_by_length',
    );
  });

  test('without a mask are warned of, and the fix masks', () => {
    const found = planOf(on, [{ ...embedding, padding_idx: 0 }, mean, head]);
    expect(found.plan.problems.map(({ severity, code }) => `${severity} ${code}`)).toEqual(['warning WRONG_MASK']);
    expect(found.plan.cut).toEqual({ padding: 0, shortest: 1 });
    expect(mended(found).problems).toEqual([]);
  });
});

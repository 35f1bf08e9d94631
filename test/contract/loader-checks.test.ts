/** Problems of the loader's settings: samplers without classes, sequences that cannot be cut, and what their fixes do. */
import { describe, expect, test, vi } from 'vitest';
import { planProject } from '../../engine/contract/plan.ts';
import { StackPlanner } from '../../engine/contract/plan-stack.ts';
import { editProject } from '../../engine/contract/project.ts';
import type { Project } from '../../engine/contract/project-types.ts';
import type { DataFacts } from '../../engine/contract/tensors.ts';

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

  test.each([2, 3, 6, 9, 17])(
    'are cut to no fewer than %i positions where the network wants so many',
    (kernel_size) => {
      const conv = { kind: 'Conv1d', out_channels: 4, kernel_size };
      const layers = [{ ...embedding, padding_idx: 0 }, { kind: 'Permute', dims: [0, 2, 1] }, conv];
      const ends = [{ kind: 'AdaptiveAvgPool1d', output_size: 1 }, { kind: 'Flatten' }, head];
      const { cut } = planOf(on, [...layers, ...ends]).plan;
      const tried = [1, 2, 3, 4, 5, 7, 8, 16, 19].find((size) => size >= kernel_size);
      expect(cut?.shortest).toBe(tried);
    },
  );

  test('are looked into once a network, whatever else is edited', () => {
    const planned = vi.spyOn(StackPlanner.prototype, 'model');
    const layers = [{ ...masked, embedding_dim: 11 }, mean, head];
    const count = (loader: object) => {
      planned.mockClear();
      expect(planOf({ ...on, ...loader }, layers).plan.cut).toEqual({ padding: 0, shortest: 1 });
      return planned.mock.calls.length;
    };
    expect(count({})).toBe(3); // whole, one position less, one position
    expect(count({ batch_size: 7 })).toBe(1);
    planned.mockRestore();
  });
});

describe('the token that is padding', () => {
  const facts: DataFacts = {
    input: { dims: [20], dtype: 'int64', tokens: 30, padding: 0 },
    target: { kind: 'class', classes: ['a', 'b', 'c'] },
    parts: { train: 100 },
  };
  const plan = (project: Project) => planProject(project, facts);
  const project = (layer: object, loader: object = {}) => ({
    gradloom: 1,
    data: { source: { kind: 'text_labels', path: 'texts.csv' }, loader },
    model: { layers: [layer, mean, head] },
  });
  const wrong = ({ problems }: ReturnType<typeof plan>) => problems.filter(({ code }) => code === 'WRONG_MASK');

  test('is the one of the data: another one is warned of, and the fix sets it', () => {
    for (const loader of [{}, { bucket_by_length: true }]) {
      const given = project({ ...masked, padding_idx: 3 }, loader);
      const found = wrong(plan(given));
      expect(found).toMatchObject([
        {
          severity: 'warning',
          path: 'model.layers.0.padding_idx',
          message: 'The Embedding takes token 3 for padding, but the data fills sequences up with token 0',
        },
      ]);
      const edits = found[0]?.fixes[0]?.edits ?? [];
      expect(wrong(plan(JSON.parse(editProject(JSON.stringify(given), edits))))).toEqual([]);
    }
  });

  test('counted from the end is the same token; a layer without one, and data without one, say nothing', () => {
    expect(wrong(plan(project({ ...masked, padding_idx: -30 })))).toEqual([]);
    expect(wrong(plan(project(embedding)))).toEqual([]);
    expect(wrong(planOf({}, [{ ...masked, padding_idx: 3 }, mean, head]).plan)).toEqual([]);
  });
});

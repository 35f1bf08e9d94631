/** Layers that do not fit each other or the targets: what is offered, in order, and that each offer makes the whole network right. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../engine/contract/native.ts';
import { planProject } from '../../engine/contract/plan.ts';
import type { DataFacts, TargetType } from '../../engine/contract/tensors.ts';
import { applyEdits } from './apply-edits.ts';
import { conv, digits, flatten, head, linear, projectWith, relu } from './cases.ts';

const classes = digits.target;
const data = (dims: number[], target: TargetType = classes): DataFacts => ({
  input: { dims, dtype: 'float32' },
  target,
  parts: { train: 900, test: 100 },
});
const mask: TargetType = { kind: 'mask', dims: [28, 28], classes: ['a', 'b'] };
const picture: TargetType = { kind: 'vector', dims: [1, 28, 28] };
const tokens = (target: TargetType = classes, known = true): DataFacts => ({
  input: { dims: [28], dtype: 'int64', ...(known ? { tokens: 65 } : {}) },
  target,
  parts: { train: 900, test: 100 },
});
const next: TargetType = { kind: 'next_token', dims: [28], tokens: 65 };
const embedding = (more = {}) => ({ kind: 'Embedding', num_embeddings: 65, embedding_dim: 8, ...more });
const masked = embedding({ padding_idx: 0, mask_padding: true });
const lstm = (more = {}) => ({ kind: 'LSTM', hidden_size: 16, ...more });
const conv1 = { kind: 'Conv1d', out_channels: 4, kernel_size: 3 };
const pool = { kind: 'MaxPool2d', kernel_size: 2 };
const residual = (layers: Json[], more = {}) => ({ kind: 'Residual', layers, ...more });
const parallel = (branches: Json[][], more = {}) => ({ kind: 'Parallel', branches, ...more });

interface Case {
  layers: Json[];
  blocks?: { [name: string]: { layers: Json[] } };
  facts?: DataFacts;
  /** Labels; the layer's removal comes after them. */
  offers: string[];
}

const cases: { [group: string]: { [name: string]: Case } } = {
  'another number of dimensions': {
    'a convolution behind a Flatten': {
      layers: [flatten, conv(4), ...head],
      offers: ['Remove the Flatten before it', 'Insert Unflatten to [1, 28, 28] before it'],
    },
    'a convolution of a Linear layer’s answer': {
      layers: [flatten, linear(128), conv(4), ...head],
      offers: ['Insert Unflatten to [2, 8, 8] before it'],
    },
    'a 2D convolution of one dimension less': {
      layers: [conv(4), ...head],
      facts: data([28, 28]),
      offers: ['Use Conv1d', 'Insert Unflatten to [1, 28, 28] before it'],
    },
    'a 2D convolution of one more': {
      layers: [conv(4), ...head],
      facts: data([2, 8, 28, 28]),
      offers: ['Use Conv3d', 'Insert Flatten to [16, 28, 28] before it', 'Insert Flatten to [2, 8, 784] before it'],
    },
    'a 1D norm of images': {
      layers: [{ kind: 'BatchNorm1d' }, ...head],
      facts: data([3, 28, 28]),
      offers: ['Use BatchNorm2d', 'Insert Flatten to [3, 784] before it', 'Insert Flatten to [84, 28] before it'],
    },
  },
  'what does not divide': {
    'groups, further up': {
      layers: [conv(10), { kind: 'BatchNorm2d' }, relu, { kind: 'GroupNorm', num_groups: 4 }, ...head],
      offers: ['Set num_groups to 5', 'Set out_channels of the Conv2d before it to 12'],
    },
    'groups of a convolution': {
      layers: [conv(10), conv(8, { groups: 4 }), ...head],
      offers: ['Set groups to 2', 'Set out_channels of the Conv2d before it to 12'],
    },
    'heads, further up': {
      layers: [
        embedding({ embedding_dim: 10 }),
        { kind: 'PositionalEmbedding' },
        { kind: 'TransformerEncoderLayer', nhead: 4 },
        { kind: 'MeanOverSequence' },
        linear(10),
      ],
      facts: tokens(),
      offers: ['Set nhead to 5', 'Set embedding_dim of the Embedding before it to 12'],
    },
    'channels of a shuffle': {
      layers: [conv(10), relu, { kind: 'PixelShuffle', upscale_factor: 3 }, ...head],
      offers: ['Set upscale_factor to 1', 'Set out_channels of the Conv2d before it to 18'],
    },
  },
  repetitions: {
    'one too many': {
      layers: [{ kind: 'Repeat', times: 6, layers: [conv(8), pool] }, ...head],
      offers: ['Repeat it 3 times only'],
    },
  },
  'branches and shortcuts': {
    'a convolution that shrinks beside the input': {
      layers: [parallel([[], [conv(2)]]), ...head],
      offers: ['Set padding "same" in branch 1', 'Bring branch 1 to [2, 28, 28]', 'Flatten all branches'],
    },
    'a pooling beside a convolution': {
      layers: [parallel([[conv(4, { padding: 1 })], [pool]]), ...head],
      offers: ['Bring branch 1 to [1, 28, 28]', 'Flatten all branches'],
    },
    'a sum of several shapes': {
      layers: [
        parallel([[conv(4, { padding: 1 })], [conv(6, { padding: 1, stride: 2 })], []], { join: 'add' }),
        ...head,
      ],
      offers: ['Bring branch 1 to [4, 28, 28] and branch 2 to [4, 28, 28]'],
    },
    'a sum that could be a row': {
      layers: [flatten, parallel([[linear(4)], [linear(6)]], { join: 'add' }), linear(10)],
      offers: ['Bring branch 1 to [4]', 'Join them by concat'],
    },
    'joined along the wrong dimension': {
      layers: [parallel([[conv(4, { padding: 1 })], [conv(2, { padding: 1 })]], { dim: 2 }), ...head],
      offers: ['Bring branch 1 to [4, 28, 28]', 'Join along dim 1'],
    },
    'a shortcut around a Linear layer': {
      layers: [flatten, residual([linear(40)]), linear(10)],
      offers: ['Project the input (shortcut "auto")', 'Set out_features of its last layer to 784'],
    },
    'a shortcut around convolutions that shrink': {
      layers: [conv(8), residual([conv(8), conv(8)]), ...head],
      offers: ['Set padding "same" in the layers', 'Let the shortcut bring the input to [8, 22, 22]'],
    },
    'a shortcut around a Flatten': {
      layers: [residual([flatten], { shortcut: 'auto' }), linear(10)],
      offers: ['Let the shortcut bring the input to [784]'],
    },
  },
  sequences: {
    'a recurrent layer on grey images': {
      layers: [lstm({ output: 'last' }), linear(10)],
      offers: [
        'Insert Flatten before it: all but the last dimension become positions',
        'Insert Flatten and Permute (points as a sequence) before it',
      ],
    },
    'attention behind convolutions': {
      layers: [conv(8), { kind: 'TransformerEncoderLayer', nhead: 4 }, ...head],
      facts: data([3, 32, 32]),
      offers: ['Insert Flatten and Permute (points as a sequence) before it'],
    },
    'a recurrent layer on a vector': {
      layers: [lstm({ output: 'last' }), linear(10)],
      facts: data([28]),
      offers: ['Insert Unflatten to [28, 1] before it'],
    },
    'patches of a vector': {
      layers: [flatten, { kind: 'PatchEmbedding', embedding_dim: 16, patch_size: 7 }, ...head],
      offers: ['Remove the Flatten before it', 'Insert Unflatten to [1, 28, 28] before it'],
    },
    'a window longer than what stands for the length': {
      layers: [embedding(), { ...conv1, kernel_size: 9 }, ...head],
      facts: tokens(),
      offers: ['Set kernel_size to 8', 'Set padding to 1', 'Insert Permute (dimensions 1 and 2 exchanged) before it'],
    },
    'a shortcut around the end of a sequence': {
      layers: [embedding(), residual([lstm({ output: 'last' })]), linear(10)],
      facts: tokens(),
      offers: ['Let the shortcut bring the input to [16]'],
    },
  },
  tokens: {
    'a Linear layer of tokens': {
      layers: [linear(65)],
      facts: tokens(next),
      offers: ['Insert Embedding of 65 tokens before it'],
    },
    'a 1D convolution of tokens': {
      layers: [conv1, ...head],
      facts: tokens(),
      offers: [
        'Insert Embedding of 65 tokens and Permute (dimensions 1 and 2 exchanged) before it',
        'Insert Embedding of 65 tokens before it',
      ],
    },
    'a 2D convolution of tokens': {
      layers: [conv(4), ...head],
      facts: tokens(),
      offers: ['Insert Embedding of 65 tokens and Unflatten to [1, 28, 32] before it'],
    },
    'tokens of an unknown number': { layers: [linear(10)], facts: tokens(classes, false), offers: [] },
    'a table for numbers': {
      layers: [embedding(), linear(10)],
      facts: data([28]),
      offers: ['Use Linear with 8 outputs'],
    },
    'padding in a convolution': {
      layers: [masked, conv1, ...head],
      facts: tokens(),
      offers: ['Let padding count like any token'],
    },
    'padding that is flattened': {
      layers: [masked, ...head],
      facts: tokens(),
      offers: ['Let padding count like any token', 'Use MeanOverSequence'],
    },
  },
  'one problem behind the other': {
    'a convolution of three values': {
      layers: [flatten, linear(3), conv(4), ...head],
      offers: [
        'Insert Unflatten to [3, 1, 1] before it, and set kernel_size to 1',
        'Insert Unflatten to [3, 1, 1] before it, and set padding to 1',
      ],
    },
    'groups of a convolution of a vector': {
      layers: [flatten, linear(50), conv(8, { groups: 4 }), ...head],
      offers: ['Insert Unflatten to [2, 5, 5] before it, and set groups to 2'],
    },
    'a fix that would only move the problem is none': {
      layers: [flatten, conv(4), { kind: 'MaxPool2d', kernel_size: 2 }, ...head],
      offers: ['Remove the Flatten before it', 'Insert Unflatten to [1, 28, 28] before it'],
    },
  },
  'named blocks': {
    'on several shapes: what helps everywhere': {
      layers: [conv(12), { kind: 'Block', ref: 'a' }, conv(10), { kind: 'Block', ref: 'a' }, ...head],
      blocks: { a: { layers: [{ kind: 'GroupNorm', num_groups: 5 }] } },
      offers: [],
    },
    'behind a padded sequence, which the trial keeps': {
      layers: [{ kind: 'Identity', disabled: true }, masked, { kind: 'Block', ref: 'a' }, ...head],
      blocks: {
        a: {
          layers: [
            { kind: 'LSTM', hidden_size: 8 },
            { kind: 'GroupNorm', num_groups: 3 },
          ],
        },
      },
      facts: tokens(),
      offers: [
        'Set num_groups to 2, and let padding count like any token',
        'Set num_groups to 2, and insert MeanOverSequence before it',
      ],
    },
  },
  'no layers': {
    'for a picture’s class': { layers: [], offers: ['Add Flatten and Linear', 'Add GlobalAvgPool and Linear'] },
    'for a vector’s class': { layers: [], facts: data([8]), offers: ['Add a Linear layer with 10 outputs'] },
    'for a mask': {
      layers: [],
      facts: data([3, 28, 28], mask),
      offers: ['Add a Conv2d layer with 2 channels', 'Add Upsample to [28, 28] and Conv2d'],
    },
    'for a class of tokens': {
      layers: [],
      facts: tokens(),
      offers: ['Add Embedding, MeanOverSequence and Linear'],
    },
    'for next tokens': { layers: [], facts: tokens(next), offers: ['Add Embedding, LSTM and Linear'] },
    'for a picture of a vector': {
      layers: [],
      facts: data([8], picture),
      offers: ['Add Linear and Unflatten to [1, 28, 28]'],
    },
  },
  answers: {
    'a picture for a class': {
      layers: [conv(10)],
      offers: ['Append Flatten and Linear', 'Append GlobalAvgPool'],
    },
    'a mask that convolutions shrank': {
      layers: [conv(2)],
      facts: data([3, 28, 28], mask),
      offers: [
        'Set padding "same" in layer 0',
        'Append Upsample to [28, 28]',
        'Append Upsample to [28, 28] and Conv2d',
      ],
    },
    'a mask of a transposed convolution, of too few classes': {
      layers: [
        { kind: 'Conv2d', out_channels: 8, kernel_size: 2, stride: 2 },
        { kind: 'ConvTranspose2d', out_channels: 1, kernel_size: 2, stride: 2 },
      ],
      facts: data([3, 28, 28], mask),
      offers: ['Set out_channels of layer 1 to 2'],
    },
    'a mask at half the size, of other classes': {
      layers: [conv(10, { stride: 2, padding: 1 })],
      facts: data([3, 28, 28], mask),
      offers: ['Append Upsample to [28, 28] and Conv2d'],
    },
    'a sequence for a class': {
      layers: [embedding(), lstm(), linear(10)],
      facts: tokens(),
      offers: [
        'Let layer 1 (LSTM) answer its last position only',
        'Insert MeanOverSequence before layer 2',
        'Insert TakePosition (the last position) before layer 2',
        'Insert Flatten before layer 2',
      ],
    },
    'a sequence for a class, with padding': {
      layers: [masked, linear(5)],
      facts: tokens(),
      offers: [
        'Insert MeanOverSequence before layer 1, and set out_features of layer 1 to 10',
        'Insert TakePosition (the last position) before layer 1, and set out_features of layer 1 to 10',
        'Append MeanOverSequence and Linear',
        'Append TakePosition (the last position) and Linear',
      ],
    },
    'nothing behind a recurrent layer': {
      layers: [embedding(), lstm()],
      facts: tokens(),
      offers: [
        'Let layer 1 (LSTM) answer its last position only, and append Linear',
        'Append MeanOverSequence and Linear',
        'Append TakePosition (the last position) and Linear',
        'Append Flatten and Linear',
      ],
    },
    'a class token that nobody takes': {
      layers: [{ kind: 'PatchEmbedding', embedding_dim: 16, patch_size: 7 }, { kind: 'ClassToken' }, linear(10)],
      offers: [
        'Insert TakePosition (the class token) before layer 2',
        'Insert MeanOverSequence before layer 2',
        'Insert Flatten before layer 2',
        'Append TakePosition (the class token) and Linear',
      ],
    },
    'one position for next tokens': {
      layers: [embedding(), lstm({ output: 'last' }), linear(65)],
      facts: tokens(next),
      offers: ['Let layer 1 (LSTM) answer every position'],
    },
    'a mean for next tokens': {
      layers: [embedding(), lstm(), { kind: 'MeanOverSequence' }, linear(60)],
      facts: tokens(next),
      offers: ['Remove layer 2 (MeanOverSequence), and set out_features of layer 3 to 65'],
    },
    'too few scores for next tokens': {
      layers: [embedding(), lstm()],
      facts: tokens(next),
      offers: ['Append a Linear layer with 65 outputs'],
    },
    'a vector for a picture': {
      layers: [flatten, linear(32), relu, linear(784)],
      facts: data([1, 28, 28], picture),
      offers: ['Append Unflatten to [1, 28, 28]'],
    },
    'a short vector for a picture': {
      layers: [flatten, linear(32)],
      facts: data([1, 28, 28], picture),
      offers: ['Append Linear and Unflatten to [1, 28, 28]'],
    },
  },
};

/** The layer's place, of a problem at it or at a key of it. */
function layerOf(path: string): (string | number)[] {
  const steps = path.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  return steps.slice(0, steps.findLastIndex((step) => typeof step === 'number') + 1);
}

for (const [group, list] of Object.entries(cases)) {
  describe(group, () => {
    test.each(Object.entries(list))('%s', (_name, { layers, blocks, facts = digits, offers }) => {
      const loss = { kind: facts.target.kind === 'vector' ? 'MSELoss' : 'CrossEntropyLoss' };
      const project = projectWith(layers, { model: { layers, ...(blocks ? { blocks } : {}) }, training: { loss } });
      const errors = (given: unknown) =>
        planProject(given as typeof project, facts).problems.filter(({ severity }) => severity === 'error');
      const [problem, ...others] = errors(project);
      expect(others).toEqual([]);
      const fixes = [...(problem?.fixes ?? [])];
      // A layer that is at fault, and not the only one, can be done without.
      if (layers.length > 1 && problem?.code !== 'OUTPUT_MISMATCH') {
        const removal = fixes.pop();
        expect(removal?.label).toMatch(/^Remove this \w+( and its \d+ layers?)?$/);
        expect(removal?.edits).toEqual([{ op: 'remove', path: layerOf(problem?.path ?? '') }]);
      }
      // One that holds others is taken apart before.
      const unwrap = fixes.filter(({ label }) => /^Unwrap this \w+$/.test(label));
      expect(unwrap).toEqual(problem?.code === 'JOIN_MISMATCH' ? fixes.slice(-1) : []);
      expect(fixes.filter((each) => !unwrap.includes(each)).map(({ label }) => label)).toEqual(offers);
      for (const { label, edits } of fixes) {
        const after = errors(applyEdits(project, edits)).map(({ message }) => message);
        expect(after, label).toEqual([]);
      }
    });
  });
}

test('where there is too much to try, what is offered still helps', () => {
  const branch = [conv(8), relu, { kind: 'GroupNorm', num_groups: 7 }, relu];
  // As read from a file: no layer stands in two places.
  const project = JSON.parse(
    JSON.stringify(projectWith([parallel(Array.from({ length: 300 }, () => branch)), ...head])),
  ) as ReturnType<typeof projectWith>;
  const { problems } = planProject(project as never, digits);
  expect(problems).toHaveLength(300);
  const labels = problems.map(({ fixes }) => fixes.map(({ label }) => label));
  expect(labels[0]).toEqual([
    'Set num_groups to 8',
    'Set out_channels of the Conv2d before it to 14',
    'Remove this GroupNorm',
  ]);
  // What was not tried is not offered.
  expect(labels.at(-1)).toEqual(['Remove this GroupNorm']);
  for (const { path, fixes } of [problems[0], problems[150], problems[299]] as typeof problems) {
    for (const { edits } of fixes) {
      const after = planProject(applyEdits(project, edits) as never, digits).problems;
      expect(after.filter((each) => each.path === path)).toEqual([]);
    }
  }
});

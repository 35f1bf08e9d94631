/** Faults of single layers and of blocks. */
import type { Json } from '../../engine/contract/native.ts';
import { conv, digits, flatten, head, type JsonProject, linear, projectWith, relu } from './cases.ts';
import type { Row } from './problem-rows.ts';

const withBlocks = (layers: Json[], blocks: JsonProject) => ({ ...projectWith([]), model: { layers, blocks } });

export const layerRows: { [group: string]: Row[] } = {
  layers: [
    { name: 'none', project: projectWith([]), problems: ['EMPTY_MODEL model.layers: The network has no layers'] },
    {
      name: 'all disabled',
      project: projectWith([{ ...flatten, disabled: true }]),
      problems: ['EMPTY_MODEL model.layers: All layers are disabled'],
    },
    {
      name: 'without weights',
      project: projectWith([flatten, { kind: 'Identity' }]),
      facts: { ...digits, input: { dims: [10], dtype: 'float32' } },
      problems: ['EMPTY_MODEL model.layers: The network has no weights: there is nothing to learn'],
    },
    {
      name: 'a disabled one does not count',
      project: projectWith([{ kind: 'Conv9d', disabled: true }, ...head]),
      problems: [],
    },
    {
      name: 'unknown kind',
      project: projectWith([{ kind: 'linear', out_features: 10 }]),
      problems: ['UNKNOWN_KIND model.layers.0.kind: There is no layer of kind "linear"'],
    },
    {
      name: 'no kind',
      project: projectWith([{}, 'x']),
      problems: [
        'MISSING_VALUE model.layers.0.kind: The layer has no kind',
        'BAD_VALUE model.layers.1: Expected an object with a kind for layer but received "x"',
      ],
    },
    {
      name: 'missing and mistyped parameters',
      project: projectWith([{ kind: 'Conv2d', kernel_size: '3' }]),
      problems: [
        'MISSING_VALUE model.layers.0.out_channels: out_channels is missing: expected an integer ≥ 1',
        'BAD_VALUE model.layers.0.kernel_size: Expected an integer ≥ 1 or [height, width] of such integers for kernel_size but received "3"',
      ],
    },
    {
      name: 'typed sizes that follow by themselves',
      project: projectWith([flatten, { ...linear(10), in_features: 700 }]),
      problems: [
        "(warning) UNKNOWN_KEY model.layers.1.in_features: in_features is not read: it follows from the layer's input",
      ],
    },
    {
      name: 'misspelt parameter',
      project: projectWith([flatten, { ...linear(10), Bias: false }]),
      problems: ['(warning) UNKNOWN_KEY model.layers.1.Bias: The key "Bias" is not known here and has no effect'],
    },
    {
      name: 'convolution on vectors',
      project: projectWith([flatten, conv(4)]),
      problems: ['WRONG_RANK model.layers.1: Conv2d wants images [channels, height, width] but receives [784]'],
    },
    {
      name: 'pooling on vectors',
      project: projectWith([flatten, { kind: 'MaxPool2d', kernel_size: 2 }, linear(10)]),
      problems: ['WRONG_RANK model.layers.1: MaxPool2d wants images [channels, height, width] but receives [784]'],
    },
    {
      name: 'window too large',
      project: projectWith([conv(4, { kernel_size: 31, padding: 1 }), ...head]),
      problems: [
        'EMPTY_OUTPUT model.layers.0.kernel_size: The window of Conv2d spans 31 in height but its input has only 28 and 1 of padding on each side',
      ],
    },
    {
      name: 'pooled away',
      project: projectWith([
        { kind: 'AvgPool2d', kernel_size: [28, 20] },
        { kind: 'MaxPool2d', kernel_size: 2 },
        ...head,
      ]),
      problems: [
        'EMPTY_OUTPUT model.layers.1.kernel_size: The window of MaxPool2d spans 2 in height but its input has only 1',
      ],
    },
    {
      name: 'pooling with much padding',
      project: projectWith([{ kind: 'MaxPool2d', kernel_size: [2, 4], padding: 2 }, ...head]),
      problems: [
        'BAD_VALUE model.layers.0.padding: The padding of MaxPool2d may be at most half its window: [1,2], but it is 2',
      ],
    },
    {
      name: 'groups of the input',
      project: projectWith([conv(4), conv(9, { groups: 3 }), ...head]),
      problems: ['NOT_DIVISIBLE model.layers.1.groups: 3 groups do not divide in_channels, which is 4'],
    },
    {
      name: 'groups of the output',
      project: projectWith([conv(4), conv(6, { groups: 4 }), ...head]),
      problems: ['NOT_DIVISIBLE model.layers.1.groups: 4 groups do not divide out_channels, which is 6'],
    },
    {
      name: 'same padding with a stride',
      project: projectWith([conv(4, { padding: 'same', stride: 2 }), ...head]),
      problems: ['BAD_VALUE model.layers.0.padding: padding "same" needs stride 1, but the stride is 2'],
    },
    {
      name: 'reflection beyond the image',
      project: projectWith([conv(4, { padding: 28, padding_mode: 'reflect' }), ...head]),
      problems: [
        'BAD_VALUE model.layers.0.padding: With padding_mode "reflect" the padding may be at most the input\'s size minus 1, 27, but it is 28',
      ],
    },
    {
      name: 'normalized shape',
      project: projectWith([{ kind: 'LayerNorm', normalized_shape: [28, 27] }, ...head]),
      problems: [
        'BAD_VALUE model.layers.0.normalized_shape: normalized_shape [28, 27] is not how the input [1, 28, 28] ends',
      ],
    },
    {
      name: 'softmax over the batch',
      project: projectWith([flatten, { kind: 'Softmax', dim: 0 }, linear(10)]),
      problems: [
        'BAD_VALUE model.layers.1.dim: Softmax cannot run over dim 0 of [784]: it is the batch, and samples must not mix',
      ],
    },
    {
      name: 'flatten outside',
      project: projectWith([{ kind: 'Flatten', start_dim: 5 }, linear(10)]),
      problems: [
        'BAD_VALUE model.layers.0.start_dim: start_dim 5 does not fit [1, 28, 28]: with the batch the tensor has 4 dimensions, 0 to 3',
      ],
    },
    {
      name: 'flatten backwards',
      project: projectWith([{ kind: 'Flatten', start_dim: 3, end_dim: 2 }, linear(10)]),
      problems: ['BAD_VALUE model.layers.0.start_dim: start_dim 3 comes after end_dim 2 in [1, 28, 28]'],
    },
  ],
  blocks: [
    {
      name: 'shortcut of another shape',
      project: projectWith([{ kind: 'Residual', layers: [conv(4, { stride: 2, padding: 1 })] }, ...head]),
      problems: [
        'JOIN_MISMATCH model.layers.0.shortcut: The layers turn [1, 28, 28] into [4, 14, 14], which cannot be added to the input',
      ],
    },
    {
      name: 'no projection',
      project: projectWith([{ kind: 'Residual', layers: [flatten], shortcut: 'auto' }, ...head]),
      problems: [
        'JOIN_MISMATCH model.layers.0.shortcut: The layers turn [1, 28, 28] into [784], which cannot be added to the input, and no single projection makes it so',
      ],
    },
    {
      name: 'own shortcut of another shape',
      project: projectWith([flatten, { kind: 'Residual', layers: [linear(4)], shortcut: [linear(5)] }, linear(10)]),
      problems: [
        'JOIN_MISMATCH model.layers.1.shortcut: The layers answer [4] and the shortcut [5], which cannot be added',
      ],
    },
    {
      name: 'branches that do not fit',
      project: projectWith([{ kind: 'Parallel', branches: [[], [conv(2)]] }, ...head]),
      problems: [
        'JOIN_MISMATCH model.layers.0.branches: Branch 0 answers [1, 28, 28] and branch 1 [2, 26, 26]: to join them along dim 1 all other dimensions must be equal',
      ],
    },
    {
      name: 'a sum of branches that do not fit',
      project: projectWith([{ kind: 'Parallel', join: 'add', branches: [[flatten], []] }, ...head]),
      problems: [
        'JOIN_MISMATCH model.layers.0.branches: Branch 0 answers [784] and branch 1 [1, 28, 28]: to add them they must have as many dimensions',
      ],
    },
    {
      name: 'a product of branches of which the last does not fit',
      project: projectWith([
        {
          kind: 'Parallel',
          join: 'multiply',
          branches: [
            [{ kind: 'AdaptiveAvgPool2d', output_size: 1 }],
            [],
            [{ kind: 'AdaptiveAvgPool2d', output_size: 2 }],
          ],
        },
        ...head,
      ]),
      problems: [
        'JOIN_MISMATCH model.layers.0.branches: Branch 1 answers [1, 28, 28] and branch 2 [1, 2, 2]: to multiply them sizes must be equal, or 1 in one',
      ],
    },
    {
      name: 'joined along the batch',
      project: projectWith([{ kind: 'Parallel', dim: 0, branches: [[], []] }, ...head]),
      problems: [
        'BAD_VALUE model.layers.0.dim: Branches of [1, 28, 28] cannot be joined along dim 0: it is the batch, and samples must not mix',
      ],
    },
    {
      name: 'a fault inside is reported once, at its place',
      project: projectWith([
        { kind: 'Repeat', times: 3, layers: [{ kind: 'Residual', layers: [{ kind: 'Conv2d', out_channels: 1 }] }] },
        ...head,
      ]),
      problems: [
        'MISSING_VALUE model.layers.0.layers.0.layers.0.kernel_size: kernel_size is missing: expected an integer ≥ 1 or [height, width] of such integers',
      ],
    },
    {
      name: 'a repetition that shrinks too far',
      project: projectWith([{ kind: 'Repeat', times: 6, layers: [{ kind: 'MaxPool2d', kernel_size: 2 }] }, ...head]),
      problems: [
        'EMPTY_OUTPUT model.layers.0.layers.0.kernel_size: The window of MaxPool2d spans 2 in height but its input has only 1',
      ],
    },
    {
      name: 'too many layers',
      project: projectWith([
        { kind: 'Repeat', times: 1000, layers: [{ kind: 'Repeat', times: 1000, layers: [relu] }] },
        ...head,
      ]),
      problems: [
        'BAD_VALUE model.layers.0.layers.0.layers.0: With its repetitions and blocks the network has more than 10000 layers',
      ],
    },
    ...[[], [{ kind: 'ReLU', disabled: true }]].map((layers) => ({
      name: `too many rounds of ${layers.length === 0 ? 'nothing' : 'what is disabled'}`,
      project: projectWith([
        { kind: 'Repeat', times: 1000, layers: [{ kind: 'Repeat', times: 1000, layers }] },
        ...head,
      ]),
      problems: [
        'BAD_VALUE model.layers.0.layers.0: With its repetitions and blocks the network has more than 10000 layers',
      ],
    })),
    {
      name: 'unknown block',
      project: withBlocks([{ kind: 'Block', ref: 'towr' }, ...head], { tower: { layers: [relu] } }),
      problems: ['BAD_VALUE model.layers.0.ref: There is no block "towr" in model.blocks'],
    },
    {
      name: 'a block in itself',
      project: withBlocks([{ kind: 'Block', ref: 'a' }, ...head], {
        a: { layers: [{ kind: 'Block', ref: 'b' }] },
        b: { layers: [relu, { kind: 'Block', ref: 'a' }] },
      }),
      problems: ['BAD_VALUE model.blocks.b.layers.1.ref: The block contains itself: "a" → "b" → "a"'],
    },
    {
      name: 'a fault in a block',
      project: withBlocks([{ kind: 'Block', ref: 'a' }, { kind: 'Block', ref: 'a' }, ...head], {
        a: { layers: [{ kind: 'Dropout', p: 2 }] },
      }),
      problems: ['BAD_VALUE model.blocks.a.layers.0.p: Expected a number ≥ 0 and ≤ 1 for p but received 2'],
    },
    {
      name: 'a fault in a block that nothing uses',
      project: withBlocks(head, { a: { layers: [{ kind: 'Dropout', p: 2 }] }, b: 3 }),
      problems: [
        '(warning) BAD_VALUE model.blocks.a.layers.0.p: Expected a number ≥ 0 and ≤ 1 for p but received 2',
        '(warning) BAD_VALUE model.blocks.b: Expected an object for the block "b" but received 3',
      ],
    },
  ],
};

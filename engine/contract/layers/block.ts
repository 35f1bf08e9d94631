/** Layers made of lists of layers. */
import { z } from 'zod';
import { choice, field, integer, text } from '../fields.ts';
import type { Json } from '../native.ts';
import { broadcast, foldCosts, joined, joinedNumbers, jointMask, masksOf, showSpread } from './joins.ts';
import {
  type Dims,
  type LayerContext,
  layerKind,
  type Resolved,
  type Stack,
  sameDims,
  sampleDim,
  showDims,
} from './kind.ts';
import { projection } from './projection.ts';

const list = z.array(z.unknown());

const layersField = field(list, {
  label: 'Layers',
  help: 'The layers inside, in order.',
  control: 'layers',
  expected: 'a list of layers',
});

const residualParams = {
  layers: layersField,
  shortcut: field(z.union([z.literal('auto'), list, z.null()]), {
    label: 'Shortcut',
    help: 'What is added to the layers\' output: absent: the input itself; "auto": the input, projected where shapes differ; or layers. Of the two sizes of a dimension one may be 1: it is broadcast.',
    control: 'shortcut',
    expected: '"auto", a list of layers, or null for the input itself',
    default: null,
  }),
};

const parallelParams = {
  branches: field(z.array(list).min(1), {
    label: 'Branches',
    help: 'Lists of layers that all receive the input; an empty one hands it on.',
    control: 'branches',
    expected: 'a list of one or more lists of layers',
  }),
  join: choice(['concat', 'add', 'multiply'], {
    label: 'Join',
    help: "How the branches' outputs become one. Added or multiplied, a size of 1 is broadcast to the others': [8, 1, 1] scales each channel of [8, 28, 28].",
    default: 'concat',
  }),
  dim: integer({
    label: 'Dimension',
    help: 'Along which outputs are put one after the other (concat); the batch is 0.',
    min: -9,
    max: 9,
    default: 1,
    idle: ({ join }) => (join === 'concat' ? null : 'Sums and products have no dimension.'),
  }),
};

const repeatParams = {
  times: integer({ label: 'Times', help: 'How often; each repetition has its own weights.', max: 1000 }),
  layers: layersField,
};

const blockParams = {
  ref: text({ label: 'Block', help: 'Name of a block of model.blocks; each use has its own weights.' }),
};

function shortcutOf(shortcut: unknown, main: Stack, output: Dims, context: LayerContext): readonly unknown[] | null {
  if (Array.isArray(shortcut)) return shortcut;
  const { dims } = context.input;
  if (sameDims(dims, output)) return [];
  const projected = projection(dims, output, main.layers);
  if (shortcut === 'auto' && projected) return [projected];
  if (broadcast([dims, output])) return [];
  return context.refuse(
    'JOIN_MISMATCH',
    'shortcut',
    `The layers turn ${showDims(dims)} into ${showDims(output)}, which cannot be added to ${
      shortcut === 'auto' ? 'the input, and no single projection makes it so' : 'the input'
    }`,
    projected
      ? 'Let the shortcut project the input, or keep the shape inside.'
      : 'Keep the shape inside, or give the shortcut layers.',
    projected ? [context.set('Project the input (shortcut "auto")', { shortcut: 'auto' })] : [],
  );
}

const residualClass = `class Residual(nn.Module):
    def __init__(self, layers, shortcut):
        super().__init__()
        self.layers = layers
        self.shortcut = shortcut

    def forward(self, x):
        return self.layers(x) + self.shortcut(x)
`;

const parallelClass = `class Parallel(nn.Module):
    def __init__(self, branches, join="concat", dim=1):
        super().__init__()
        self.branches = nn.ModuleList(branches)
        self.join = join
        self.dim = dim

    def forward(self, x):
        outputs = [branch(x) for branch in self.branches]
        if self.join == "concat":
            return torch.cat(outputs, self.dim)
        result = outputs[0]
        for other in outputs[1:]:
            result = result + other if self.join == "add" else result * other
        return result
`;

const blockClass = `class Block(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = layers

    def forward(self, x):
        return self.layers(x)
`;

export const blockKinds = [
  layerKind({
    kind: 'Residual',
    label: 'Residual',
    category: 'block',
    free: true,
    takes: 'any',
    help: 'Adds the input to what the layers inside make of it, so that deep stacks still learn.',
    params: residualParams,
    argNames: [],
    formula: 'layers(x) + shortcut(x)',
    explain: (_args, _input, output, [layers = [], shortcut = []]) => [
      `layers: ${showSpread(layers, output)}`,
      `shortcut: ${showSpread(shortcut, output)}`,
    ],
    flopsFormula: 'n (the sum) besides its layers',
    resolve({ layers, shortcut }, context): Resolved | null {
      const main = context.stack('layers', layers, ['layers']);
      if (!main.flow) {
        if (Array.isArray(shortcut)) context.stack('shortcut', shortcut, ['shortcut']);
        return null;
      }
      const { dims } = main.flow;
      const aside = shortcutOf(shortcut, main, dims, context);
      if (!aside) return null;
      const side = context.stack('shortcut', aside, ['shortcut']);
      if (!side.flow) return null;
      const output = broadcast([dims, side.flow.dims]);
      if (!output) {
        return context.refuse(
          'JOIN_MISMATCH',
          'shortcut',
          `The layers answer ${showDims(dims)} and the shortcut ${showDims(side.flow.dims)}, which cannot be added`,
          'Make the shortcut answer the same shape, or let it be found: "auto".',
          projection(context.input.dims, dims, main.layers) || broadcast([context.input.dims, dims])
            ? [context.set('Use shortcut "auto"', { shortcut: 'auto' })]
            : [],
        );
      }
      const children = [main, side];
      const mask = jointMask(children, false);
      // Where one of them has ended the sequence, the padding that the other brings along would be marked no more.
      if (mask === undefined) return context.refuseMask('Residual', main.flow.mask ?? side.flow.mask);
      return {
        args: {},
        output,
        ...joinedNumbers(children, 'add'),
        mask,
        ...foldCosts(children, 'add'),
        children,
        overwrites: sameDims(dims, output),
      };
    },
    stacks: ({ layers, shortcut }) => [
      { key: ['layers'], layers },
      ...(Array.isArray(shortcut) ? [{ key: ['shortcut'], layers: shortcut }] : []),
    ],
    definition: residualClass,
    python: (_args, [layers = '', shortcut = '']) => `Residual(${layers}, ${shortcut})`,
    examples: [
      { params: { layers: [{ kind: 'Linear', out_features: 6 }, { kind: 'Tanh' }] }, input: [6], output: [6] },
      {
        params: {
          layers: [{ kind: 'Conv2d', out_channels: 4, kernel_size: 3, stride: 2, padding: 1 }],
          shortcut: 'auto',
        },
        input: [2, 7, 8],
        output: [4, 4, 4],
      },
      {
        params: { layers: [{ kind: 'Conv1d', out_channels: 4, kernel_size: 3, stride: 2 }], shortcut: 'auto' },
        input: [2, 7],
        output: [4, 3],
      },
      {
        params: {
          layers: [{ kind: 'Conv3d', out_channels: 3, kernel_size: [1, 2, 3], stride: [1, 2, 1] }],
          shortcut: 'auto',
        },
        input: [2, 3, 4, 3],
        output: [3, 3, 2, 1],
      },
      { params: { layers: [{ kind: 'Linear', out_features: 3 }], shortcut: 'auto' }, input: [6], output: [3] },
      {
        params: {
          layers: [{ kind: 'Linear', out_features: 3 }],
          shortcut: [{ kind: 'Linear', out_features: 3 }, { kind: 'ReLU' }],
        },
        input: [6],
        output: [3],
      },
    ],
  }),
  layerKind({
    kind: 'Parallel',
    label: 'Parallel',
    category: 'block',
    takes: 'any',
    help: 'Gives its input to several branches and joins what they answer.',
    params: parallelParams,
    argNames: ['join', 'dim'],
    formula: 'concat: sizes along dim add up; add, multiply: as the branches, sizes of 1 broadcast',
    explain({ join, dim }, _input, output, branches) {
      const each = branches.map(
        (dims, index) => `branch ${index}: ${join === 'concat' ? showDims(dims) : showSpread(dims, output)}`,
      );
      const found = join === 'concat' ? sampleDim(dim as number, output) : null;
      if (!found || 'wrong' in found) return each;
      const sizes = branches.map((dims) => dims[found.at]);
      return [...each, `dimension ${found.at + 1}: ${sizes.join(' + ')} = ${output[found.at]}`];
    },
    flopsFormula: 'concat 0; add, multiply: n of each sum or product, (branches − 1) of them; besides its layers',
    resolve({ branches, join, dim }, context) {
      const stacks = branches.map((layers, index) => ({
        ...context.stack(`branches.${index}`, layers, ['branches', index]),
        name: String(index),
      }));
      if (stacks.some((stack) => !stack.flow)) return null;
      const output = joined(stacks, join, dim, context);
      if (!output) return null;
      const found = sampleDim(dim, output);
      const mask = jointMask(stacks, join === 'concat' && 'at' in found && found.at === 0);
      if (mask === undefined)
        return context.refuseMask(
          'Parallel',
          masksOf(stacks).find((each) => each !== null),
        );
      return {
        args: { join, dim },
        output,
        ...joinedNumbers(stacks, join),
        mask,
        ...(join === 'concat' ? { passesGradient: true } : foldCosts(stacks, join)),
        children: stacks,
      };
    },
    stacks: ({ branches }) => branches.map((layers, index) => ({ key: ['branches', index], layers })),
    definition: parallelClass,
    python: ({ join, dim }, children) =>
      `Parallel([${children.join(', ')}], join=${JSON.stringify(join as Json)}, dim=${dim})`,
    examples: [
      {
        params: {
          branches: [
            [{ kind: 'Conv2d', out_channels: 2, kernel_size: 1 }],
            [{ kind: 'MaxPool2d', kernel_size: 3, stride: 1, padding: 1 }],
            [],
          ],
        },
        input: [3, 5, 5],
        output: [8, 5, 5],
      },
      {
        params: { branches: [[{ kind: 'Linear', out_features: 4 }], [{ kind: 'Linear', out_features: 2 }]], dim: -1 },
        input: [3, 6],
        output: [3, 6],
      },
      { params: { branches: [[{ kind: 'Linear', out_features: 6 }], []], join: 'add' }, input: [6], output: [6] },
      {
        params: {
          branches: [
            [{ kind: 'Linear', out_features: 6 }],
            [{ kind: 'Linear', out_features: 6 }, { kind: 'Sigmoid' }],
            [],
          ],
          join: 'multiply',
        },
        input: [6],
        output: [6],
      },
      {
        params: {
          branches: [
            [],
            [
              { kind: 'AdaptiveAvgPool2d', output_size: 1 },
              { kind: 'Conv2d', out_channels: 3, kernel_size: 1 },
              { kind: 'Sigmoid' },
            ],
          ],
          join: 'multiply',
        },
        input: [3, 4, 5],
        output: [3, 4, 5],
      },
    ],
  }),
  layerKind({
    kind: 'Repeat',
    label: 'Repeat',
    category: 'block',
    takes: 'any',
    help: 'The same list of layers several times over, each time with weights of its own.',
    params: repeatParams,
    argNames: [],
    formula: 'layers(…layers(x))',
    explain: (_args, _input, _output, parts) => parts.map((dims, index) => `time ${index + 1}: ${showDims(dims)}`),
    flopsFormula: 'that of its layers',
    resolve({ times, layers }, context) {
      let flow = context.input;
      const children: Stack[] = [];
      for (let index = 0; index < times; index++) {
        const stack = context.stack(String(index), layers, ['layers'], flow);
        if (!stack.flow) return null;
        children.push(stack);
        flow = stack.flow;
      }
      return { args: {}, output: flow.dims, children, flow };
    },
    stacks: ({ layers }) => [{ key: ['layers'], layers }],
    python: (_args, children) => `nn.Sequential(${children.join(', ')})`,
    examples: [
      {
        params: { times: 3, layers: [{ kind: 'Linear', out_features: 5 }, { kind: 'ReLU' }] },
        input: [4],
        output: [5],
      },
      { params: { times: 2, layers: [{ kind: 'MaxPool2d', kernel_size: 2 }] }, input: [1, 8, 8], output: [1, 2, 2] },
    ],
  }),
  layerKind({
    kind: 'Block',
    label: 'Block',
    category: 'block',
    takes: 'any',
    help: 'Layers under a name of their own, to use in several places; each use has weights of its own.',
    params: blockParams,
    argNames: [],
    inlined: true,
    formula: 'layers(x)',
    flopsFormula: 'that of its layers',
    resolve({ ref }, context) {
      const stack = context.block(ref);
      return stack?.flow ? { args: {}, output: stack.flow.dims, children: [stack], flow: stack.flow } : null;
    },
    definition: blockClass,
    python: (_args, [layers = '']) => `Block(${layers})`,
    // Needs a project with blocks: test/contract and test/parity have some.
    examples: [],
  }),
];

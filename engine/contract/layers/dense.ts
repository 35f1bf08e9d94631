/** Fully connected layers. */
import { flag, integer } from '../fields.ts';
import { type LayerContext, layerKind, parameter, product } from './kind.ts';
import { copied, copying, plain } from './layout.ts';
import { halfProduct, rowsOf } from './product-cpu.ts';
import { pythonCall } from './python.ts';

const text = { label: 'Outputs', help: 'Values that the layer answers.', unit: 'features' };
const params = {
  out_features: integer(text),
  bias: flag({ label: 'Bias', help: 'Adds a learned value to each output.', default: true }),
};

/** Size of the last dimension; null after reporting that there is none. */
function lastSize(kind: string, { input: { dims }, refuse }: LayerContext): number | null {
  return (
    dims.at(-1) ??
    refuse('WRONG_RANK', null, `${kind} wants at least one dimension but receives a single number`, 'Check the data.')
  );
}

const rowsFormula = '[…, in] → […, out_features]';

export const denseKinds = [
  layerKind({
    kind: 'Linear',
    label: 'Linear',
    category: 'dense',
    layout: plain.layout,
    onCpu(operation, lying) {
      const { workspace } = copied(operation, lying);
      if (!lying.half) return { workspace };
      const { input, output } = operation.layer;
      const [rows, sides] = [rowsOf(input), [input.at(-1) ?? 1, output.at(-1) ?? 1]] as const;
      return { workspace: (batch, pass) => workspace(batch, pass) + halfProduct(batch * rows, sides, pass) };
    },
    free: true,
    help: 'Each output is a weighted sum of all values of the last dimension. Also called dense or fully connected.',
    params,
    derived: ['in_features'],
    mask: 'keeps',
    formula: rowsFormula,
    // In an image it is hardly what was meant, and yet right: it is told where the shape is.
    explain: ({ out_features }, input) =>
      input.length < 3 ? [] : [rowsFormula, `out_features = ${out_features}`, 'works on the last dimension, the width'],
    flopsFormula: '2 · in · n (bias not counted, as in torch.utils.flop_counter)',
    resolve({ out_features, bias }, context) {
      const in_features = lastSize('Linear', context);
      if (in_features === null) return null;
      const { dims } = context.input;
      const output = [...dims.slice(0, -1), out_features];
      return {
        args: { in_features, out_features, bias },
        output,
        tensors: [
          parameter('weight', [out_features, in_features]),
          ...(bias ? [parameter('bias', [out_features])] : []),
        ],
        flops: 2 * in_features * product(output),
        keeps: { input: true },
      };
    },
    python: (args) => pythonCall('nn.Linear', params, args, ['in_features', 'out_features']),
    examples: [
      { params: { out_features: 4 }, input: [6], output: [4] },
      { params: { out_features: 5, bias: false }, input: [3, 6], output: [3, 5] },
    ],
  }),
  layerKind({
    kind: 'Bilinear',
    label: 'Bilinear',
    category: 'dense',
    ...copying(plain.layout),
    help: 'Each output is a weighted sum of all products of two values of the last dimension.',
    params,
    derived: ['in1_features', 'in2_features'],
    mask: 'keeps',
    formula: rowsFormula,
    flopsFormula: '2 · in · (in + 1) · n (bias not counted)',
    definition: `class Bilinear(nn.Bilinear):
    def forward(self, x):
        return super().forward(x, x)
`,
    resolve({ out_features, bias }, context) {
      const in_features = lastSize('Bilinear', context);
      if (in_features === null) return null;
      const { dims } = context.input;
      const output = [...dims.slice(0, -1), out_features];
      return {
        args: { in1_features: in_features, in2_features: in_features, out_features, bias },
        output,
        tensors: [
          parameter('weight', [out_features, in_features, in_features]),
          ...(bias ? [parameter('bias', [out_features])] : []),
        ],
        flops: 2 * in_features * (in_features + 1) * product(output),
        keeps: { input: true },
        // One output at a time; the way back to the input makes all products of two values at once.
        workspace: {
          forward: 12 * product(dims),
          backward: 4 * product(dims) * (context.input.storage.grad ? in_features + 1 : 1),
        },
      };
    },
    python: (args) => pythonCall('Bilinear', params, args, ['in1_features', 'in2_features', 'out_features']),
    examples: [
      { params: { out_features: 4 }, input: [6], output: [4] },
      { params: { out_features: 5, bias: false }, input: [3, 4], output: [3, 5] },
      { params: { out_features: 2 }, input: [2, 3, 3], output: [2, 3, 2] },
    ],
  }),
];

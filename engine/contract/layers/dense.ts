/** Fully connected layers. */
import { flag, integer } from '../fields.ts';
import { layerKind, parameter, product } from './kind.ts';
import { pythonCall } from './python.ts';

const params = {
  out_features: integer({ label: 'Outputs', help: 'Values that the layer answers.', unit: 'features' }),
  bias: flag({ label: 'Bias', help: 'Adds a learned value to each output.', default: true }),
};

export const denseKinds = [
  layerKind({
    kind: 'Linear',
    label: 'Linear',
    category: 'dense',
    help: 'Each output is a weighted sum of all values of the last dimension. Also called dense or fully connected.',
    params,
    derived: ['in_features'],
    formula: '[…, in] → […, out_features]',
    flopsFormula: '2 · in · n (bias not counted, as in torch.utils.flop_counter)',
    resolve({ out_features, bias }, { input: { dims }, refuse }) {
      const in_features = dims.at(-1);
      if (in_features === undefined) {
        return refuse(
          'WRONG_RANK',
          null,
          'Linear wants at least one dimension but receives a single number',
          'Check the data.',
        );
      }
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
];

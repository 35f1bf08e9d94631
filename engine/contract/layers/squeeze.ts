/** Squeeze and excitation: channels weighted by what the whole image holds. */
import { choice, integer } from '../fields.ts';
import { layerKind, parameter, product } from './kind.ts';
import { pythonCall } from './python.ts';
import { imageDims } from './window.ts';

const params = {
  squeeze_channels: integer({
    label: 'Squeeze channels',
    help: 'Values in between, often a quarter of the channels or less.',
  }),
  activation: choice(['ReLU', 'ReLU6', 'SiLU', 'GELU', 'Mish', 'Hardswish', 'Tanh'], {
    label: 'Activation',
    help: 'Between the two layers.',
    default: 'ReLU',
  }),
  scale_activation: choice(['Sigmoid', 'Hardsigmoid', 'Tanh'], {
    label: 'Scale',
    help: "Makes the channels' weights of the second layer's answer.",
    default: 'Sigmoid',
  }),
};

/** These keep their result for the backward pass, which is what comes after them keeps anyhow; the others their input besides. */
const byResult: readonly string[] = ['ReLU', 'Tanh', 'Sigmoid'];

export const squeezeKinds = [
  layerKind({
    kind: 'SqueezeExcite',
    label: 'Squeeze and excitation',
    category: 'block',
    help: 'Weights each channel by a small network that sees the mean of every channel. The SqueezeExcitation of torchvision.',
    params,
    derived: ['input_channels'],
    formula: '[C, H, W] → [C, H, W]',
    flopsFormula:
      '2 · n + 4 · C · squeeze_channels + C + squeeze_channels (means and scaling; both layers; both functions)',
    definition: `class SqueezeExcite(nn.Module):
    def __init__(self, input_channels, squeeze_channels, activation=nn.ReLU, scale_activation=nn.Sigmoid):
        super().__init__()
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc1 = nn.Conv2d(input_channels, squeeze_channels, 1)
        self.fc2 = nn.Conv2d(squeeze_channels, input_channels, 1)
        self.activation = activation()
        self.scale_activation = scale_activation()

    def forward(self, x):
        scale = self.activation(self.fc1(self.avgpool(x)))
        return self.scale_activation(self.fc2(scale)) * x
`,
    resolve(given, context) {
      const image = imageDims('SqueezeExcite', context.input.dims, context);
      if (!image) return null;
      const [input_channels] = image;
      const { squeeze_channels, activation, scale_activation } = given;
      const values = (byResult.includes(activation) ? 1 : 2) * squeeze_channels;
      const scales = (byResult.includes(scale_activation) ? 1 : 2) * input_channels;
      return {
        args: { input_channels, ...given },
        output: image,
        tensors: [
          parameter('fc1.weight', [squeeze_channels, input_channels, 1, 1]),
          parameter('fc1.bias', [squeeze_channels]),
          parameter('fc2.weight', [input_channels, squeeze_channels, 1, 1]),
          parameter('fc2.bias', [input_channels]),
        ],
        flops: 2 * product(image) + 4 * input_channels * squeeze_channels + input_channels + squeeze_channels,
        keeps: { input: true, bytes: 4 * (input_channels + values + scales) },
        workspace: { forward: 0, backward: 4 * product(image) },
      };
    },
    python: (args) => {
      const written = pythonCall('SqueezeExcite', params, args, ['input_channels', 'squeeze_channels']);
      return written.replaceAll(/activation="(\w+)"/g, 'activation=nn.$1');
    },
    examples: [
      { params: { squeeze_channels: 2 }, input: [4, 3, 3], output: [4, 3, 3] },
      {
        params: { squeeze_channels: 3, activation: 'SiLU', scale_activation: 'Hardsigmoid' },
        input: [5, 2, 4],
        output: [5, 2, 4],
      },
      { params: { squeeze_channels: 1, activation: 'GELU' }, input: [3, 4, 4], output: [3, 4, 4] },
    ],
  }),
];

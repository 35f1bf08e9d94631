/** Depthwise-separable convolutions. */
import { convFormula, convParams, slide } from './conv.ts';
import { inOrder } from './conv-cpu.ts';
import { explainWindow } from './explain.ts';
import { layerKind, parameter, product } from './kind.ts';
import { pythonCall } from './python.ts';
import { channelDims, windowValues } from './window.ts';

const kind = 'DepthwiseSeparableConv2d';
const { groups: _, ...params } = convParams(2);

const definition = `class DepthwiseSeparableConv2d(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, bias=True, padding_mode="zeros"):
        super().__init__()
        self.depthwise = nn.Conv2d(in_channels, in_channels, kernel_size, stride, padding, dilation, in_channels, bias, padding_mode)
        self.pointwise = nn.Conv2d(in_channels, out_channels, 1, bias=bias)

    def forward(self, x):
        return self.pointwise(self.depthwise(x))
`;

export const convSeparableKinds = [
  layerKind({
    kind,
    label: 'Depthwise-separable convolution 2D',
    category: 'conv',
    free: true,
    layout: { output: 'last', gradient: 'last' },
    onCpu: (operation, lying) =>
      inOrder(operation, lying, 4 * product([operation.layer.input[0] as number, ...operation.layer.output.slice(1)])),
    help: 'Slides one window over each channel by itself, then mixes the channels pixel by pixel: nearly a convolution for a fraction of its work.',
    params,
    derived: ['in_channels'],
    definition,
    formula: convFormula(2),
    explain: explainWindow,
    flopsFormula: `2 · C · (${windowValues(2, 'kernel')} + out_channels) · output height · output width (bias not counted)`,
    resolve(given, context) {
      const found = channelDims(kind, 2, context.input.dims, null, context);
      if (!found) return null;
      const { channels: in_channels, size } = found;
      const { out_channels, bias } = given;
      const slid = slide(kind, 2, given, in_channels, size, context);
      if (!slid) return null;
      const depthwise = [in_channels, 1, ...slid.args.kernel_size];
      const pointwise = [out_channels, in_channels, 1, 1];
      const between = 4 * in_channels * product(slid.output);
      return {
        args: { in_channels, out_channels, ...slid.args, bias },
        output: [out_channels, ...slid.output],
        tensors: [
          parameter('depthwise.weight', depthwise),
          ...(bias ? [parameter('depthwise.bias', [in_channels])] : []),
          parameter('pointwise.weight', pointwise),
          ...(bias ? [parameter('pointwise.bias', [out_channels])] : []),
        ],
        flops: 2 * (product(depthwise) + product(pointwise)) * product(slid.output),
        // What lies between the two is kept as well, and has a gradient.
        keeps: { ...slid.keeps, bytes: between + slid.keeps.bytes },
        workspace: { forward: 0, backward: between + slid.workspace.backward },
      };
    },
    python: (args) => pythonCall(kind, params, args, ['in_channels', 'out_channels']),
    examples: [
      { params: { out_channels: 5, kernel_size: 3, padding: 1 }, input: [3, 6, 5], output: [5, 6, 5] },
      {
        params: { out_channels: 4, kernel_size: [3, 2], stride: [2, 1], padding: [0, 1], dilation: 2, bias: false },
        input: [2, 9, 6],
        output: [4, 3, 6],
      },
      {
        params: { out_channels: 3, kernel_size: 4, padding: 'same', padding_mode: 'reflect' },
        input: [2, 6, 6],
        output: [3, 6, 6],
      },
    ],
  }),
];

/** Sequences: from images to sequences of patches, where each position stands, and from a sequence to one vector. */
import { asSpan, flag, integer, number, span } from '../fields.ts';
import { insertEdit, removeEdit } from '../report.ts';
import { volumeConvolution } from './conv-cpu.ts';
import { fix, type LayerContext, layerKind, nearestDivisor, parameter, product, showDims } from './kind.ts';
import { pythonCall } from './python.ts';
import { definitionOf, masksPiece, maskWords, withWords } from './sequence-python.ts';
import { imageDims, spanDigits, spanValue } from './window.ts';

/** Positions and features of a sequence; null after reporting what was received instead. */
export function sequenceDims(kind: string, context: LayerContext): [number, number] | null {
  const { dims } = context.input;
  const [length, features, ...more] = dims;
  if (length !== undefined && features !== undefined && more.length === 0) return [length, features];
  const flatten = fix(
    'Insert Flatten before it: all but the last dimension become positions',
    insertEdit(context.place, { kind: 'Flatten', start_dim: 1, end_dim: -2 }),
  );
  return context.refuse(
    'WRONG_RANK',
    null,
    `${kind} wants sequences [length, features] but receives ${showDims(dims)}`,
    'Bring each sample to two dimensions: the positions, then what is known of each.',
    dims.length > 2 ? [flatten] : [],
  );
}

const patchParams = {
  embedding_dim: integer({ label: 'Features', help: 'Values that describe each patch.', unit: 'features' }),
  patch_size: span(2, { label: 'Patch', help: 'Height and width of a patch; they must divide those of the image.' }),
  bias: flag({ label: 'Bias', help: 'Adds a learned value to each feature.', default: true }),
};

const positionParams = {
  std: number({ label: 'Standard deviation', help: 'Spread of the initial values.', min: 0, default: 0.02 }),
};

const sinusoidalParams = {
  base: number({
    label: 'Base',
    help: 'The slowest wave is 2π times as many positions long.',
    above: 0,
    default: 10000,
  }),
};

const takeParams = {
  position: integer({
    label: 'Position',
    help: 'Which one: 0 is the first (a class token), -1 the last that is no padding.',
    min: -1_000_000,
    max: 1_000_000,
    default: 0,
  }),
};

export const sequenceKinds = [
  layerKind({
    kind: 'PatchEmbedding',
    layout: { gradient: 'input' },
    // A convolution whose result is copied into the sequence's order.
    onCpu(operation, lying) {
      const { layer, outputBytes } = operation;
      const { patch_size } = layer.args as { patch_size: number[] };
      const [height, width] = layer.input.slice(1).map((side, at) => side / (patch_size[at] as number)) as [
        number,
        number,
      ];
      const args = { groups: 1, kernel_size: patch_size, stride: patch_size };
      const output = [layer.output[1] as number, height, width];
      const { workspace } = volumeConvolution({ ...operation, layer: { ...layer, args, output } }, lying);
      return { workspace: (batch, pass) => workspace(batch, pass) + (pass === 'backward' ? 0 : batch * outputBytes) };
    },
    label: 'Patch embedding',
    category: 'sequence',
    help: 'Cuts an image into patches and makes a vector of each: a sequence for attention, as vision transformers want it.',
    params: patchParams,
    derived: ['in_channels'],
    formula: '[C, H, W] → [(H / patch height) · (W / patch width), embedding_dim]',
    flopsFormula: '2 · C · patch height · patch width · n (bias not counted)',
    resolve({ embedding_dim, patch_size: given, bias }, context) {
      const image = imageDims('PatchEmbedding', context.input.dims, context);
      if (!image) return null;
      const [in_channels, height, width] = image;
      const patch_size = asSpan(given, 2) as [number, number];
      if (height % patch_size[0] !== 0 || width % patch_size[1] !== 0) {
        const fitting = [nearestDivisor(height, patch_size[0]), nearestDivisor(width, patch_size[1])];
        return context.refuse(
          'NOT_DIVISIBLE',
          'patch_size',
          `Patches of ${spanDigits(patch_size)} do not divide images of ${height}×${width}`,
          'Height and width of the image must be multiples of the patch’s.',
          [context.set(`Set patch_size to ${spanDigits(fitting)}`, { patch_size: spanValue(fitting) })],
        );
      }
      const weight = [embedding_dim, in_channels, ...patch_size];
      const output = [(height / patch_size[0]) * (width / patch_size[1]), embedding_dim];
      return {
        args: { in_channels, embedding_dim, patch_size, bias },
        output,
        tensors: [parameter('proj.weight', weight), ...(bias ? [parameter('proj.bias', [embedding_dim])] : [])],
        flops: 2 * in_channels * product(patch_size) * product(output),
        keeps: { input: true },
      };
    },
    explain({ patch_size }, input, [count]) {
      const [height, width] = patch_size as [number, number];
      return [`patches: (${input[1]} / ${height}) · (${input[2]} / ${width}) = ${count}`];
    },
    definition: definitionOf(`class PatchEmbedding(nn.Module):
    """Cuts images into patches and makes a vector of each."""

    def __init__(self, in_channels, embedding_dim, patch_size, bias=True):
        super().__init__()
        self.proj = nn.Conv2d(in_channels, embedding_dim, patch_size, stride=patch_size, bias=bias)

    def forward(self, x):
        return self.proj(x).flatten(2).transpose(1, 2).contiguous()`),
    python: (args) => pythonCall('PatchEmbedding', patchParams, args, ['in_channels', 'embedding_dim', 'patch_size']),
    examples: [
      { params: { embedding_dim: 5, patch_size: 2 }, input: [3, 4, 6], output: [6, 5] },
      { params: { embedding_dim: 4, patch_size: [1, 3], bias: false }, input: [2, 4, 6], output: [8, 4] },
    ],
  }),
  layerKind({
    kind: 'ClassToken',
    label: 'Class token',
    category: 'sequence',
    free: true,
    help: 'Puts one learned vector before the sequence; behind the last attention it stands for the whole sample (TakePosition 0 takes it).',
    params: {},
    derived: ['embed_dim', 'mask', 'longer_mask'],
    mask: 'keeps',
    formula: '[L, E] → [L + 1, E]',
    flopsFormula: '0',
    resolve(_params, context) {
      const sequence = sequenceDims('ClassToken', context);
      if (!sequence) return null;
      const [length, embed_dim] = sequence;
      const { mask } = context.input;
      return {
        args: { embed_dim, mask, longer_mask: mask === null ? null : context.path },
        output: [length + 1, embed_dim],
        tensors: [parameter('weight', [1, 1, embed_dim])],
        ...(mask === null ? {} : { mask: context.path }),
      };
    },
    explain: (_args, [length], [longer]) => [`positions: ${length} + 1 = ${longer}`],
    definition: definitionOf(
      masksPiece,
      `class ClassToken(nn.Module):
    """Puts one learned vector before the sequence, which makes the mask of padding longer."""

    def __init__(self, embed_dim, mask=None, longer_mask=None):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1, 1, embed_dim))
        self.mask, self.longer_mask = mask, longer_mask

    def forward(self, x):
        if self.mask is not None:
            masks[self.longer_mask] = nn.functional.pad(masks[self.mask], (1, 0))
        return torch.cat([self.weight.expand(x.shape[0], -1, -1), x], 1)`,
    ),
    python: ({ embed_dim, mask, longer_mask }) =>
      `ClassToken(${embed_dim}${mask === null ? '' : `, mask="${mask}", longer_mask="${longer_mask}"`})`,
    examples: [{ params: {}, input: [3, 4], output: [4, 4] }],
  }),
  layerKind({
    kind: 'PositionalEmbedding',
    label: 'Positional embedding',
    category: 'sequence',
    free: true,
    help: 'Adds a learned vector to each position, so that attention can tell the positions apart.',
    params: positionParams,
    derived: ['length', 'embed_dim'],
    mask: 'keeps',
    formula: '[L, E] → [L, E]',
    flopsFormula: 'n (the sum)',
    resolve({ std }, context) {
      const sequence = sequenceDims('PositionalEmbedding', context);
      if (!sequence) return null;
      const [length, embed_dim] = sequence;
      return {
        args: { length, embed_dim, std },
        output: sequence,
        tensors: [parameter('weight', [1, length, embed_dim])],
        flops: product(sequence),
      };
    },
    definition: definitionOf(`class PositionalEmbedding(nn.Module):
    """Adds a learned vector to each position."""

    def __init__(self, length, embed_dim, std=0.02):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(1, length, embed_dim).normal_(std=std))

    def forward(self, x):
        return x + self.weight`),
    python: (args) => pythonCall('PositionalEmbedding', positionParams, args, ['length', 'embed_dim']),
    examples: [
      { params: {}, input: [3, 4], output: [3, 4] },
      { params: { std: 1 }, input: [5, 2], output: [5, 2] },
    ],
  }),
  layerKind({
    kind: 'SinusoidalEncoding',
    label: 'Sinusoidal encoding',
    category: 'sequence',
    free: true,
    help: 'Adds fixed waves of many lengths to the features, so that attention can tell the positions apart. Nothing to learn.',
    params: sinusoidalParams,
    derived: ['length', 'embed_dim'],
    mask: 'keeps',
    formula: '[L, E] → [L, E]',
    flopsFormula: 'n (the sum; the waves are calculated once)',
    resolve({ base }, context) {
      const sequence = sequenceDims('SinusoidalEncoding', context);
      if (!sequence) return null;
      const [length, embed_dim] = sequence;
      return { args: { length, embed_dim, base }, output: sequence, flops: product(sequence) };
    },
    definition: definitionOf(
      'import math',
      `class SinusoidalEncoding(nn.Module):
    """Adds sines to the even features and cosines to the odd ones, of lengths from 2 * pi to 2 * pi * base positions."""

    def __init__(self, length, embed_dim, base=10000):
        super().__init__()
        rates = torch.exp(torch.arange(0, embed_dim, 2, dtype=torch.float64) * (-math.log(base) / embed_dim))
        angles = torch.arange(length).unsqueeze(1) * rates
        waves = torch.stack([angles.sin(), angles.cos()], 2).flatten(1)
        self.register_buffer("waves", waves[:, :embed_dim].float().contiguous(), persistent=False)

    def forward(self, x):
        return x + self.waves`,
    ),
    python: (args) => pythonCall('SinusoidalEncoding', sinusoidalParams, args, ['length', 'embed_dim']),
    examples: [
      { params: {}, input: [3, 4], output: [3, 4] },
      { params: { base: 100 }, input: [7, 5], output: [7, 5] },
    ],
  }),
  layerKind({
    kind: 'TakePosition',
    label: 'Take position',
    category: 'sequence',
    help: 'Hands on what stands at one position of the sequence: the class token, or the last position. Padding at the end is no position.',
    params: takeParams,
    derived: ['mask'],
    mask: 'ends',
    formula: '[L, …] → […]',
    flopsFormula: '0',
    resolve({ position }, context) {
      const { dims, mask } = context.input;
      const [length, ...output] = dims;
      if (length === undefined || output.length === 0) {
        const message = `TakePosition wants sequences [length, …] but receives ${showDims(dims)}`;
        return context.refuse('WRONG_RANK', null, message, 'Use it where the tensor still has positions.', [
          fix('Remove this TakePosition', removeEdit(context.place)),
        ]);
      }
      if (position < -length || position >= length) {
        const nearest = position < 0 ? -length : length - 1;
        return context.refuse(
          'BAD_VALUE',
          'position',
          `There is no position ${position} in a sequence of ${length}: they are 0 to ${length - 1}, from the end -1 to ${-length}`,
          'Use -1 for the last position.',
          [...new Set([nearest, -1])].map((at) => context.set(`Set position to ${at}`, { position: at })),
        );
      }
      // Without a mask it is a view of the input.
      return { args: { position, mask }, output, reshapes: mask === null };
    },
    definition: definitionOf(
      masksPiece,
      `class TakePosition(nn.Module):
    """What stands at one position; from the end, padding there is passed over."""

    def __init__(self, position=0, mask=None):
        super().__init__()
        self.position, self.mask = position, mask

    def forward(self, x):
        if self.mask is None or self.position >= 0:
            return x[:, self.position]
        positions = torch.arange(1, x.shape[1] + 1, device=x.device)
        lengths = (positions * ~masks[self.mask]).amax(1)
        return x[torch.arange(x.shape[0], device=x.device), (lengths + self.position).clamp(min=0)]`,
    ),
    python: (args) => withWords(pythonCall('TakePosition', takeParams, args, ['position']), maskWords(args)),
    examples: [
      { params: {}, input: [3, 4], output: [4] },
      { params: { position: -1 }, input: [3, 4], output: [4] },
      { params: { position: 1 }, input: [3, 2, 4], output: [2, 4] },
    ],
  }),
  layerKind({
    kind: 'MeanOverSequence',
    label: 'Mean over the sequence',
    category: 'sequence',
    free: true,
    help: 'The mean of all positions, without padding: one vector for the whole sequence.',
    params: {},
    derived: ['mask'],
    mask: 'ends',
    formula: '[L, …] → […]',
    flopsFormula: 'L · n',
    resolve(_params, context) {
      const { dims, mask } = context.input;
      const [length, ...output] = dims;
      if (length === undefined || output.length === 0) {
        const message = `MeanOverSequence wants sequences [length, …] but receives ${showDims(dims)}`;
        return context.refuse('WRONG_RANK', null, message, 'Use it where the tensor still has positions.', [
          fix('Remove this MeanOverSequence', removeEdit(context.place)),
        ]);
      }
      return {
        args: { mask },
        output,
        flops: product(dims),
        // The mask's opposite as floats, and the count of each sample.
        keeps: mask === null ? {} : { bytes: 4 * length + 4 },
      };
    },
    definition: definitionOf(
      masksPiece,
      `class MeanOverSequence(nn.Module):
    """The mean of all positions that are no padding."""

    def __init__(self, mask=None):
        super().__init__()
        self.mask = mask

    def forward(self, x):
        if self.mask is None:
            return x.mean(1)
        counted = (~masks[self.mask]).float()
        weights = (counted / counted.sum(1, keepdim=True)).to(x.dtype)
        return (x * weights.reshape(*weights.shape, *[1] * (x.dim() - 2))).sum(1)`,
    ),
    python: (args) => withWords('MeanOverSequence()', maskWords(args)),
    examples: [
      { params: {}, input: [3, 4], output: [4] },
      { params: {}, input: [3, 2, 4], output: [2, 4] },
    ],
  }),
];

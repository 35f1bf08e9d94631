/** Words about kinds of layers that are the palette's own: families, what people also call them, which are used every day. */

/** `Conv2d` is `Conv` in two dimensions. */
export function stemOf(kind: string): { stem: string; rank: null } | { stem: string; rank: 1 | 2 | 3 } {
  const found = /^(.+?)([123])d$/.exec(kind);
  return found ? { stem: found[1] as string, rank: Number(found[2]) as 1 | 2 | 3 } : { stem: kind, rank: null };
}

/** By a kind's name, or its family's. (Maps: a file may hold a kind called like what every object has.) */
const others = new Map<string, string[]>(
  Object.entries({
    Linear: ['dense', 'fully connected', 'fc', 'mlp', 'feed forward', 'projection', 'lazy linear'],
    Bilinear: ['quadratic', 'second order'],
    Identity: ['pass through', 'no operation', 'noop'],
    Conv: ['cnn', 'convolution', 'filter'],
    ConvTranspose: ['deconvolution', 'transposed convolution', 'fractionally strided', 'up convolution'],
    DepthwiseSeparableConv: ['mobilenet', 'xception', 'pointwise', 'separable convolution'],
    MaxPool: ['maximum pooling', 'downsample'],
    AvgPool: ['average pooling', 'mean pooling', 'downsample'],
    AdaptiveAvgPool: ['adaptive average pooling'],
    AdaptiveMaxPool: ['adaptive maximum pooling'],
    GlobalAvgPool: ['global average pooling', 'gap', 'mean over positions'],
    GlobalMaxPool: ['global maximum pooling', 'gmp'],
    LPPool: ['power average pooling', 'norm pooling'],
    BatchNorm: ['bn', 'batch normalization'],
    InstanceNorm: ['style transfer', 'instance normalization'],
    LayerNorm: ['ln', 'layer normalization'],
    GroupNorm: ['gn', 'group normalization'],
    RMSNorm: ['root mean square', 'llama'],
    LocalResponseNorm: ['lrn', 'alexnet'],
    SiLU: ['swish'],
    Hardswish: ['hard swish', 'mobilenet'],
    Sigmoid: ['logistic'],
    Softmax: ['probabilities'],
    LogSoftmax: ['log probabilities'],
    LeakyReLU: ['leaky relu'],
    PReLU: ['parametric relu', 'learned slope'],
    RReLU: ['randomized relu', 'random slope'],
    ReLU6: ['clipped relu', 'mobilenet'],
    GLU: ['gated linear unit', 'gate'],
    SELU: ['self normalizing'],
    Hardtanh: ['clamp', 'clip'],
    Threshold: ['cut off'],
    Embedding: ['lookup table', 'word vectors', 'tokens', 'vocabulary'],
    EmbeddingBag: ['bag of words', 'tokens', 'vocabulary'],
    PositionalEmbedding: ['learned positions', 'position encoding', 'positional encoding'],
    SinusoidalEncoding: ['sine positions', 'position encoding', 'positional encoding'],
    RNN: ['recurrent', 'elman'],
    LSTM: ['recurrent', 'long short-term memory', 'bidirectional'],
    GRU: ['recurrent', 'gated recurrent unit', 'bidirectional'],
    MultiheadAttention: ['self-attention', 'multi-head attention', 'mha', 'transformer', 'causal', 'gpt'],
    TransformerEncoderLayer: ['transformer block', 'attention', 'bert', 'gpt', 'vit', 'causal'],
    TransformerEncoder: ['transformer stack', 'attention', 'bert', 'gpt', 'vit'],
    PatchEmbedding: ['patches', 'vit', 'vision transformer'],
    ClassToken: ['cls', 'vit'],
    MeanOverSequence: ['average over time', 'mean pooling', 'global average'],
    TakePosition: ['first token', 'last token', 'last step', 'select', 'cls'],
    Flatten: ['reshape', 'to vector'],
    Unflatten: ['reshape', 'view'],
    Permute: ['transpose', 'swap dimensions', 'channels last', 'reorder'],
    PixelShuffle: ['sub-pixel', 'super resolution', 'depth to space'],
    PixelUnshuffle: ['space to depth'],
    Upsample: ['resize', 'interpolate', 'enlarge', 'bilinear', 'nearest', 'bicubic'],
    ZeroPad: ['padding', 'border'],
    ConstantPad: ['padding', 'border'],
    ReflectionPad: ['padding', 'border', 'mirror'],
    ReplicationPad: ['padding', 'border', 'edge'],
    CircularPad: ['padding', 'border', 'wrap', 'periodic'],
    Dropout: ['regularisation', 'regularization', 'spatial dropout', 'channel dropout'],
    AlphaDropout: ['selu dropout'],
    StochasticDepth: ['drop path', 'skip layers at random'],
    SqueezeExcite: ['se', 'squeeze and excitation', 'channel attention', 'efficientnet'],
    Residual: ['skip', 'resnet', 'shortcut', 'add'],
    Parallel: ['branches', 'concat', 'inception', 'split'],
    Repeat: ['loop', 'times'],
    Block: ['named block', 'reuse'],
  }),
);

export function alsoCalled(kind: string): readonly string[] {
  return others.get(kind) ?? others.get(stemOf(kind).stem) ?? [];
}

const common = new Set(
  `Linear Conv ConvTranspose MaxPool AvgPool AdaptiveAvgPool GlobalAvgPool BatchNorm LayerNorm GroupNorm RMSNorm
  ReLU LeakyReLU GELU SiLU Sigmoid Tanh Softmax LogSoftmax
  Embedding PositionalEmbedding LSTM GRU MultiheadAttention TransformerEncoder TransformerEncoderLayer PatchEmbedding MeanOverSequence
  Flatten Unflatten Permute Dropout Upsample ZeroPad Residual Parallel Repeat Block SqueezeExcite`.split(/\s+/),
);

/** Whether a family is one that most networks are made of: the others are one click away. */
export function everyday(family: string): boolean {
  return common.has(family) || common.has(stemOf(family).stem);
}

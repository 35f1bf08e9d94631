/** Seeded random networks of sizes as people train them, for the memory bench: each can be trained, and no two draws are alike. */
import { generator } from '../parity/random.ts';

type Layer = { kind: string; [key: string]: unknown };

interface Drawn {
  /** Dims of a sample. */
  shape: number[];
  layers: Layer[];
}

export interface Stack {
  name: string;
  /** What the bound is: recurrent networks and attention have a wider one. */
  family: 'feed-forward' | 'sequence';
  project: object;
}

const optimizers = ['Adam', 'SGD', 'AdamW', 'RMSprop', 'Adagrad', 'NAdam'];
const losses = ['CrossEntropyLoss', 'CrossEntropyLoss', 'MultiMarginLoss'];
const activations = ['ReLU', 'ReLU', 'GELU', 'SiLU', 'Tanh', 'LeakyReLU', 'Sigmoid'];

export function randomNetwork(seed: number): Stack {
  const random = generator(seed);
  const int = (low: number, high: number) => low + Math.floor(random() * (high - low + 1));
  const pick = <T>(choices: readonly T[]): T => choices[int(0, choices.length - 1)] as T;
  const chance = (share: number) => random() < share;
  const activation = (): Layer => ({ kind: pick(activations) });
  const classes = pick([2, 10, 100]);

  const dense = (): Drawn => {
    const layers: Layer[] = [];
    for (let depth = int(1, 5); depth > 0; depth--) {
      layers.push({ kind: 'Linear', out_features: int(32, 1024) });
      if (chance(0.3)) layers.push({ kind: 'LayerNorm' });
      layers.push(activation());
      if (chance(0.3)) layers.push({ kind: 'Dropout', p: 0.2 });
    }
    return { shape: [int(16, 1024)], layers };
  };

  const images = (): Drawn => {
    const side = pick([16, 28, 32, 48]);
    let size = side;
    const layers: Layer[] = [];
    let channels = pick([8, 16, 24, 32]);
    for (let depth = int(1, 4); depth > 0; depth--) {
      const conv = (): Layer => ({
        kind: 'Conv2d',
        out_channels: channels,
        kernel_size: pick([1, 3, 3, 5]),
        padding: 'same',
      });
      const style = int(0, 3);
      if (style === 0) layers.push({ ...conv(), kernel_size: 3, padding: 1 }, activation());
      else if (style === 1) layers.push(conv(), { kind: 'BatchNorm2d' }, activation());
      else if (style === 2)
        layers.push({ ...conv(), kernel_size: 3, padding: 1 }, { kind: 'BatchNorm2d' }, activation(), {
          kind: 'Residual',
          layers: [conv(), { kind: 'BatchNorm2d' }, activation(), conv(), { kind: 'BatchNorm2d' }],
        });
      else
        layers.push({
          kind: 'Parallel',
          branches: [[conv(), activation()], [{ ...conv(), kernel_size: 1 }]],
          join: pick(['concat', 'add', 'multiply']),
        });
      if (size >= 8 && chance(0.7)) {
        layers.push(chance(0.7) ? { kind: 'MaxPool2d', kernel_size: 2 } : { kind: 'AvgPool2d', kernel_size: 2 });
        size = Math.floor(size / 2);
      }
      if (chance(0.6)) channels = Math.min(128, channels * 2);
    }
    layers.push(chance(0.5) ? { kind: 'AdaptiveAvgPool2d', output_size: 1 } : { kind: 'AvgPool2d', kernel_size: 2 });
    layers.push({ kind: 'Flatten' });
    if (chance(0.4)) layers.push({ kind: 'Linear', out_features: int(32, 256) }, activation());
    return { shape: [pick([1, 3, 3]), side, side], layers };
  };

  /** Signals of several channels, by convolutions. */
  const signals = (): Drawn => {
    const layers: Layer[] = [];
    let channels = pick([16, 32]);
    for (let depth = int(1, 4); depth > 0; depth--) {
      layers.push({ kind: 'Conv1d', out_channels: channels, kernel_size: pick([3, 5, 7]), padding: 'same' });
      if (chance(0.5)) layers.push({ kind: 'BatchNorm1d' });
      layers.push(activation());
      if (chance(0.5)) layers.push({ kind: pick(['MaxPool1d', 'AvgPool1d']), kernel_size: 2 });
      channels = Math.min(128, channels * 2);
    }
    layers.push({ kind: 'AdaptiveAvgPool1d', output_size: pick([1, 4]) }, { kind: 'Flatten' });
    return { shape: [pick([1, 3, 8]), pick([64, 100, 256])], layers };
  };

  const sequences = (): Drawn => {
    const [length, features] = [pick([16, 40, 64]), pick([32, 64])];
    const layers: Layer[] = [{ kind: 'Linear', out_features: features }];
    const recurrent = chance(0.5);
    if (recurrent) {
      layers.push({
        kind: pick(['RNN', 'LSTM', 'GRU']),
        hidden_size: pick([32, 64, 128]),
        num_layers: int(1, 2),
        bidirectional: chance(0.3),
        dropout: pick([0, 0.2]),
        output: pick(['sequence', 'last']),
      });
      if (layers.at(-1)?.output === 'sequence') layers.push({ kind: 'MeanOverSequence' });
    } else {
      layers.push({ kind: 'PositionalEmbedding' });
      const own = { nhead: 4, dim_feedforward: pick([64, 128, 256]), dropout: pick([0, 0.1]), norm_first: chance(0.5) };
      layers.push({ kind: 'TransformerEncoder', num_layers: int(1, 3), ...own, causal: chance(0.3) });
      layers.push({ kind: 'MeanOverSequence' });
    }
    return { shape: [length, int(8, 64)], layers };
  };

  const family = chance(0.3) ? ('sequence' as const) : ('feed-forward' as const);
  const { shape, layers } = family === 'sequence' ? sequences() : pick([dense, images, images, signals])();
  const loss = pick(losses);
  const batch_size = pick([16, 32, 64, 100]);
  const project = {
    gradloom: 1,
    name: `random ${seed}`,
    data: {
      source: { kind: 'random', shape, classes, samples: 4 * batch_size, seed },
      split: { val: 0.25 },
      loader: { batch_size },
    },
    model: { layers: [...layers, { kind: 'Linear', out_features: classes }] },
    training: {
      epochs: 1,
      device: 'cpu',
      loss: { kind: loss },
      optimizer: { kind: pick(optimizers) },
      ...(chance(0.15) ? { activation_checkpointing: true } : {}),
      ...(chance(0.15) ? { accumulate: 2 } : {}),
      ...(chance(0.15) ? { ema: {} } : {}),
      ...(chance(0.1) ? { clip_grad_norm: 1 } : {}),
    },
  };
  return { name: `random ${seed}`, family, project };
}

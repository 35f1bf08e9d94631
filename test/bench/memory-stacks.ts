/**
 * Seeded random networks for the memory bench, of every family of kinds and from tiny to as people train them: each can be trained, and no two
 * draws are alike. Layers are drawn one after the other from those that the plan takes there, their parameters from the grids of the parity
 * tests; widths are drawn here, for those of the grids are a test's.
 */
import { product } from '../../engine/contract/layers/kind.ts';
import { optimizerKinds } from '../../engine/contract/optimizers.ts';
import { type Plan, planProject } from '../../engine/contract/plan.ts';
import type { TensorType } from '../../engine/contract/tensors.ts';
import { grids } from '../parity/grids/index.ts';
import { Dice } from '../parity/random.ts';
import { type Bound, boundOf, kindsOf, ofRank, plain, pointwise, weightless } from './memory-kinds.ts';

type Layer = { kind: string; [key: string]: unknown };

export interface Stack {
  name: string;
  family: string;
  /** What the bound is: recurrent networks and attention have a wider one. */
  bound: Bound;
  project: object;
}

/** Within these a network can be measured in a moment. */
const mostBytes = 160 << 20;
const mostParameters = 4 << 20;

/** A network that grows: its layers so far, and what they answer. */
interface Growing {
  input: TensorType;
  layers: Layer[];
  output: number[];
}

type Choice = () => Layer | Layer[];

export const families = [
  ...['dense', 'images', 'few channels', 'signals', 'volumes', 'transposed', 'segmentation', 'blocks'],
  ...['tokens', 'bags', 'recurrent', 'masked', 'attention', 'weightless first', 'tiny', 'any kind'],
] as const;
type Family = (typeof families)[number];

/** The seeds run through the families, so that as many in a row have all of them alike. */
export function randomNetwork(seed: number): Stack {
  const family = families[seed % families.length] as Family;
  for (let attempt = 0; ; attempt++) {
    const project = new Maker(seed * 7919 + attempt * 104_729).project(family, `${family} ${seed}`);
    if (!project) continue;
    return { name: `${seed} ${family}`, family, bound: boundOf(JSON.stringify(project)), project };
  }
}

class Maker extends Dice {
  #limit = 0;

  /** null: the draw cannot be trained. */
  project(family: Family, name: string): object | null {
    this.#limit = family === 'tiny' ? 600 : this.pick([2000, 8000, 30_000]);
    const grown = this.#family(family);
    const positions =
      family === 'segmentation' && product(grown.output.slice(1)) === product(grown.input.dims.slice(1));
    const target = positions && this.chance(0.7) ? this.#maskTarget() : this.#target(grown);
    const batch = family === 'tiny' ? this.pick([1, 2, 4, 8]) : this.pick([1, 2, 5, 8, 16, 32, 64, 100, 128, 256]);
    for (let batch_size = batch; batch_size >= 1; batch_size = Math.floor(batch_size / 4)) {
      const project = {
        gradloom: 1,
        name,
        data: {
          source: {
            kind: 'random',
            ...sourceOf(grown.input),
            ...target.source,
            samples: this.pick([4, 4, 20]) * batch_size + 7,
            seed: 1,
          },
          split: { val: 0.25, stratify: false },
          loader: { batch_size, ...this.#maybe(0.3, { num_workers: this.pick([0, 1, 4]) }) },
        },
        model: { layers: [...grown.layers, ...target.layers] },
        training: this.#training(target.losses),
      };
      const plan = planProject(project, null);
      if (plan.problems.some(({ severity }) => severity === 'error')) return null;
      if (plan.parameters > mostParameters || plan.trainable === 0) return null;
      if (plan.memory.total < mostBytes) return project;
    }
    return null;
  }

  #training(losses: readonly string[]): object {
    return {
      epochs: 1,
      device: 'cpu',
      loss: { kind: this.pick(losses) },
      optimizer: { kind: this.chance(0.5) ? this.pick(['Adam', 'SGD', 'AdamW']) : this.pick(optimizerKinds).kind },
      ...this.#maybe(0.12, { activation_checkpointing: true }),
      ...this.#maybe(0.12, { accumulate: 2 }),
      ...this.#maybe(0.12, { ema: {} }),
      ...this.#maybe(0.12, { clip_grad_norm: 1 }),
      ...this.#maybe(0.12, { precision: 'bf16' }),
    };
  }

  /** What the network is trained for, and the layers that answer it. */
  #target({ output }: Growing): { source: object; layers: Layer[]; losses: readonly string[] } {
    const flatten = output.length > 1 ? [{ kind: 'Flatten' }] : [];
    const to = (out_features: number) => [...flatten, { kind: 'Linear', out_features }];
    const classes = this.pick([2, 10, 10, 100]);
    switch (this.int(0, 5)) {
      case 0:
        return {
          source: { classes: null, target_shape: [classes] },
          layers: to(classes),
          losses: ['MSELoss', 'L1Loss', 'SmoothL1Loss', 'HuberLoss'],
        };
      case 1:
        return { source: { classes, target: 'multi_label' }, layers: to(classes), losses: ['BCEWithLogitsLoss'] };
      default:
        return {
          source: { classes },
          layers: to(classes),
          losses: ['CrossEntropyLoss', 'CrossEntropyLoss', 'MultiMarginLoss'],
        };
    }
  }

  #maskTarget() {
    const classes = this.pick([2, 5]);
    return {
      source: { classes, target: 'mask' },
      layers: [{ kind: 'Conv2d', out_channels: classes, kernel_size: 1 }],
      losses: ['CrossEntropyLoss'],
    };
  }

  #family(family: Family): Growing {
    const activation: Choice = () => this.#of(this.chance(0.5) ? ['ReLU', 'GELU', 'SiLU', 'Tanh'] : pointwise);
    switch (family) {
      case 'dense': {
        const grown = this.#start([this.int(4, 1024)]);
        const others = ['LayerNorm', 'RMSNorm', 'BatchNorm1d', 'Dropout', 'AlphaDropout', 'Softmax'];
        return this.#each(grown, this.int(1, 4), [
          () => this.#of(this.chance(0.93) ? ['Linear'] : ['Bilinear']),
          activation,
          ...(this.chance(0.5) ? [() => this.#of(others)] : []),
        ]);
      }
      case 'images':
        return this.#spatial(this.#image([16, 28, 32, 48]), 2, [8, 16, 24, 32, 64]);
      case 'few channels':
        return this.#few();
      case 'signals':
        return this.#spatial(
          this.#start([this.pick([1, 2, 3, 8, 16]), this.pick([40, 64, 100, 256])]),
          1,
          [8, 16, 32, 64],
        );
      case 'volumes': {
        const sides = [this.pick([6, 8, 12]), this.pick([8, 12, 16]), this.pick([8, 12])];
        return this.#spatial(this.#start([this.pick([1, 2, 3, 4]), ...sides]), 3, [4, 8, 16, 24]);
      }
      case 'transposed': {
        const rank = this.int(1, 3);
        const grown = this.#start([
          this.pick([1, 2, 4, 8, 16]),
          ...this.#sides(rank, rank === 3 ? 6 : rank === 2 ? 14 : 60),
        ]);
        const { transposed, convolutions, norms } = ofRank(rank);
        const widths = [2, 4, 8, 16, 32];
        return this.#each(grown, this.int(1, 3), [
          () => this.#of(transposed, widths),
          activation,
          () => this.#of(this.chance(0.5) ? convolutions : this.chance(0.5) ? norms : transposed, widths),
        ]);
      }
      case 'segmentation':
        return this.#segmentation();
      case 'blocks':
        return this.#blocks();
      case 'tokens':
      case 'bags':
      case 'masked':
        return this.#tokens(family);
      case 'recurrent':
        return this.#sequence(this.#features(), ['RNN', 'LSTM', 'GRU']);
      case 'attention':
        return this.#sequence(this.#features(), [
          'MultiheadAttention',
          'TransformerEncoderLayer',
          'TransformerEncoder',
        ]);
      case 'weightless first': {
        const grown = this.#any();
        this.#each(grown, this.int(1, 3), [() => this.#of(weightless)]);
        return this.#each(grown, this.int(0, 2), [() => this.#of(plain.map(({ kind }) => kind))]);
      }
      default:
        return this.#each(this.#any(), this.int(1, 6), [
          () => this.#of(this.chance(0.3) ? this.#category() : plain.map(({ kind }) => kind)),
        ]);
    }
  }

  /** The kinds of one category, so that small ones are met. */
  #category(): string[] {
    return kindsOf(this.pick(plain).category);
  }

  #any(): Growing {
    const rank = this.int(1, 5);
    if (rank === 5) return this.#start([this.pick([4, 16, 40])], this.pick([20, 200]));
    if (rank === 1) return this.#start([this.int(2, 512)]);
    return this.#start([
      this.pick([1, 2, 3, 4, 8, 16]),
      ...this.#sides(rank - 1, rank === 4 ? 8 : rank === 3 ? 20 : 60),
    ]);
  }

  #spatial(grown: Growing, rank: number, widths: number[]): Growing {
    const { convolutions, norms, pools, drops } = ofRank(rank);
    const usual: Choice = () => {
      const kernel_size = this.pick([1, 3, 3, 5]);
      return {
        kind: `Conv${rank}d`,
        out_channels: this.pick(widths),
        kernel_size,
        padding: Math.floor(kernel_size / 2),
      };
    };
    const activation: Choice = () => this.#of(this.chance(0.6) ? ['ReLU', 'GELU', 'SiLU'] : pointwise);
    for (let depth = this.int(1, 4); depth > 0; depth--) {
      this.#add(grown, this.chance(0.6) ? usual : () => this.#of(convolutions, widths));
      if (this.chance(0.5))
        this.#add(grown, () => (this.chance(0.6) ? { kind: `BatchNorm${rank}d` } : this.#of(norms)));
      if (this.chance(0.85)) this.#add(grown, activation);
      if (this.chance(0.15)) this.#add(grown, () => this.#of(drops));
      if (this.chance(0.6)) {
        const size = this.pick([2, 2, 3]);
        this.#add(grown, () =>
          this.chance(0.6)
            ? { kind: this.pick([`MaxPool${rank}d`, `AvgPool${rank}d`]), kernel_size: size }
            : this.#of(pools),
        );
      }
    }
    if (this.chance(0.4)) this.#add(grown, () => ({ kind: `AdaptiveAvgPool${rank}d`, output_size: this.pick([1, 2]) }));
    return grown;
  }

  #few(): Growing {
    const rank = this.int(1, 3);
    const grown = this.#start([this.int(1, 4), ...this.#sides(rank, rank === 3 ? 10 : rank === 2 ? 28 : 100)]);
    return this.#spatial(grown, rank, [1, 2, 3, 4, 6]);
  }

  /** Down and up again. */
  #segmentation(): Growing {
    const grown = this.#image([16, 24, 32]);
    const conv = (): Layer => ({ kind: 'Conv2d', out_channels: this.pick([4, 8, 16, 32]), kernel_size: 3, padding: 1 });
    for (let depth = this.int(1, 2); depth > 0; depth--) {
      this.#add(grown, () => [
        conv(),
        { kind: 'BatchNorm2d' },
        { kind: 'ReLU' },
        { kind: 'MaxPool2d', kernel_size: 2 },
      ]);
    }
    this.#add(grown, () => [conv(), { kind: 'ReLU' }]);
    const up = this.chance(0.5);
    this.#add(grown, () =>
      up
        ? { kind: 'ConvTranspose2d', out_channels: this.pick([4, 8, 16]), kernel_size: 2, stride: 2 }
        : { kind: 'Upsample', scale_factor: 2, mode: this.pick(['nearest', 'bilinear']) },
    );
    this.#add(grown, () => [conv(), { kind: 'ReLU' }]);
    return grown;
  }

  #blocks(): Growing {
    const grown = this.chance(0.75) ? this.#image([8, 16, 28]) : this.#start([this.int(8, 300)]);
    const image = grown.output.length === 3;
    for (let depth = this.int(1, 4); depth > 0; depth--) {
      const width = this.pick(image ? [4, 8, 16, 32] : [16, 64, 200]);
      const learned = (stride = 1): Layer =>
        image
          ? { kind: 'Conv2d', out_channels: width, kernel_size: 3, padding: 1, stride }
          : { kind: 'Linear', out_features: width };
      const norm: Layer = image ? { kind: 'BatchNorm2d' } : { kind: 'LayerNorm' };
      const act = (): Layer => ({ kind: this.pick(['ReLU', 'SiLU', 'GELU', 'Tanh']) });
      const stride = image ? this.pick([1, 1, 2]) : 1;
      this.#add(grown, () => {
        switch (this.int(0, 5)) {
          case 0:
            return { kind: 'Residual', layers: [learned(stride), norm, act(), learned(), norm], shortcut: 'auto' };
          case 1:
            return [learned(stride), { kind: 'Residual', layers: [norm, act(), learned()] }, act()];
          case 2:
            return {
              kind: 'Parallel',
              branches: [[learned(), act()], [learned()]],
              join: this.pick(['concat', 'add', 'multiply']),
            };
          case 3:
            return { kind: 'Parallel', branches: [[learned(), norm], []] };
          case 4:
            return { kind: 'Repeat', times: this.int(2, 3), layers: [learned(), act()] };
          default:
            return image
              ? [learned(), { kind: 'SqueezeExcite', squeeze_channels: this.pick([1, 4]) }, act()]
              : [learned(), { kind: 'Dropout' }, act()];
        }
      });
      if (image && grown.output[1] !== undefined && grown.output[1] >= 8 && this.chance(0.4)) {
        this.#add(grown, () => ({ kind: this.pick(['MaxPool2d', 'AvgPool2d']), kernel_size: 2 }));
      }
    }
    return grown;
  }

  #tokens(family: 'tokens' | 'bags' | 'masked'): Growing {
    const tokens = this.pick([20, 100, 1000, 5000]);
    const grown = this.#start([this.pick([4, 10, 32, 64, 100])], tokens);
    if (family === 'bags') {
      this.#add(grown, () => ({ ...this.#of(['EmbeddingBag'], [8, 32, 100]), num_embeddings: tokens }));
      return this.#each(grown, this.int(0, 2), [() => this.#of(['Linear']), () => this.#of(pointwise)]);
    }
    const masked = family === 'masked';
    const embedding_dim = this.pick([8, 16, 32, 64, 128]);
    const how = masked
      ? { padding_idx: 0, mask_padding: true }
      : this.pick([{}, {}, { padding_idx: 0 }, { max_norm: 1 }, { scale_grad_by_freq: true }]);
    this.#add(grown, () => ({ kind: 'Embedding', num_embeddings: tokens, embedding_dim, ...how }));
    if (this.chance(0.3))
      this.#add(grown, () => ({
        kind: this.pick(['PositionalEmbedding', 'SinusoidalEncoding', 'ClassToken', 'LayerNorm', 'Dropout']),
      }));
    if (masked || this.chance(0.5)) {
      return this.#sequence(grown, [
        'RNN',
        'LSTM',
        'GRU',
        'LSTM',
        'GRU',
        'MultiheadAttention',
        'TransformerEncoderLayer',
        'TransformerEncoder',
      ]);
    }
    this.#add(grown, () => ({ kind: this.pick(['MeanOverSequence', 'Flatten', 'Linear']), ...{ out_features: 32 } }));
    return grown;
  }

  #features(): Growing {
    return this.#start([this.pick([5, 16, 28, 40, 64]), this.pick([4, 12, 32, 64, 96])]);
  }

  #sequence(grown: Growing, kinds: string[]): Growing {
    if (this.chance(0.3)) this.#add(grown, () => ({ kind: 'Linear', out_features: this.pick([16, 32, 64]) }));
    for (let depth = this.int(1, 2); depth > 0 && grown.output.length === 2; depth--) {
      this.#add(grown, () => this.#of(kinds, [8, 16, 32, 64, 128]));
      if (this.chance(0.3))
        this.#add(grown, () => ({
          kind: this.pick(['LayerNorm', 'Dropout', 'GELU', 'Linear']),
          ...{ out_features: 32 },
        }));
    }
    if (grown.output.length === 2) this.#add(grown, () => this.#of(['MeanOverSequence', 'TakePosition']));
    return grown;
  }

  #image(sides: number[]): Growing {
    const side = this.pick(sides);
    return this.#start([this.pick([1, 3, 3, 4]), side, this.chance(0.8) ? side : this.pick(sides)]);
  }

  #sides(rank: number, most: number): number[] {
    return Array.from({ length: rank }, () => this.int(3, most));
  }

  #start(dims: number[], tokens?: number): Growing {
    const input: TensorType = tokens ? { dims, dtype: 'int64', tokens } : { dims, dtype: 'float32' };
    return { input, layers: [], output: dims };
  }

  #each(grown: Growing, times: number, choices: readonly Choice[]): Growing {
    for (let index = 0; index < times; index++) for (const choice of choices) this.#add(grown, choice);
    return grown;
  }

  /** Adds what the plan takes there, or after some tries nothing. */
  #add(grown: Growing, choice: Choice): void {
    for (let attempt = 0; attempt < 12; attempt++) {
      const layers = [...grown.layers, ...[choice()].flat()];
      const { problems, output, parameters } = trialOf(grown.input, layers);
      const wrong = problems.some(({ severity, path }) => severity === 'error' && path.startsWith('model.layers.'));
      if (wrong || output.length === 0 || parameters > mostParameters || product(output) > this.#limit) continue;
      grown.layers = layers;
      grown.output = output;
      return;
    }
  }

  #of(kinds: readonly string[], widths = [3, 10, 16, 32, 64, 100, 256, 512]): Layer {
    const kind = this.pick(kinds);
    const params = Object.entries(grids[kind]?.params ?? {}).map(([name, values]) => [
      name,
      this.#value(name, values, widths),
    ]);
    return JSON.parse(JSON.stringify({ kind, ...Object.fromEntries(params) })) as Layer;
  }

  #value(name: string, values: readonly unknown[], widths: readonly number[]): unknown {
    if (/^(out_channels|out_features|hidden_size|embedding_dim|dim_feedforward)$/.test(name)) return this.pick(widths);
    if (name === 'proj_size') return this.chance(0.6) ? undefined : this.pick([2, 4, 8, 16]);
    if (name === 'num_embeddings') return this.pick([20, 200]);
    const value = this.chance(0.55) ? values[0] : this.pick(values);
    return value === 1 && /^(dropout|p)$/.test(name) ? 0.2 : value; // setting everything aside is no training
  }

  #maybe(share: number, keys: object): object {
    return this.chance(share) ? keys : {};
  }
}

function sourceOf({ dims, ...type }: TensorType): object {
  return { shape: dims, ...('tokens' in type ? { tokens: type.tokens } : {}) };
}

function trialOf(input: TensorType, layers: Layer[]): Plan {
  const facts = { input, target: { kind: 'vector' as const, dims: [1] }, parts: { train: 64 } };
  return planProject({ data: { source: { kind: 'idx', path: 'data' } }, model: { layers } }, facts);
}

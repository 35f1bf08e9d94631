/** Seeded random stacks of every layer kind: mostly such that can work, with a good share that cannot. */
import { Dice } from './random.ts';

export interface RandomStack {
  input: number[];
  layers: Layer[];
  blocks: { [name: string]: { layers: Layer[] } };
}

export type Layer = { kind: string; [key: string]: unknown };

export function randomStack(seed: number): RandomStack {
  return new Maker(seed).stack();
}

type Tensor = { rank: number; channels: number };

class Maker extends Dice {
  #blocks: RandomStack['blocks'] = {};

  stack(): RandomStack {
    const rank = this.pick([3, 3, 3, 3, 1, 2, 4]);
    const input = Array.from({ length: rank }, (_, index) => (index === 0 ? this.int(1, 6) : this.int(1, 12)));
    this.#blocks = {};
    if (this.chance(0.3)) this.#blocks.tower = { layers: this.#list({ rank, channels: input[0] as number }, 2, 1) };
    const layers = this.#list({ rank, channels: input[0] as number }, this.int(1, 6), 0);
    return { input, layers, blocks: this.#blocks };
  }

  #list(start: Tensor, length: number, depth: number): Layer[] {
    const layers: Layer[] = [];
    let tensor = start;
    for (let index = 0; index < length; index++) {
      const wild = this.chance(0.06);
      const { layer, after } = this.#layer(wild ? { ...tensor, rank: this.pick([1, 2, 3]) } : tensor, depth);
      if (this.chance(0.05)) layers.push({ ...layer, disabled: true });
      else {
        layers.push(layer);
        tensor = after;
      }
    }
    return layers;
  }

  #layer(tensor: Tensor, depth: number): { layer: Layer; after: Tensor } {
    const same = (layer: Layer) => ({ layer, after: tensor });
    const block = depth < 3 && this.chance(0.22);
    if (block) return this.#block(tensor, depth);
    if (tensor.rank === 3 && this.chance(0.65)) {
      switch (this.int(0, 5)) {
        case 0:
        case 1: {
          const out_channels = this.chance(0.5) ? Math.max(1, tensor.channels) * this.int(1, 3) : this.int(1, 8);
          return { layer: this.#conv(out_channels, tensor.channels), after: { rank: 3, channels: out_channels } };
        }
        case 2:
          return same(this.#pool(true));
        case 3:
          return same(this.#pool(false));
        case 4:
          return same({
            kind: 'AdaptiveAvgPool2d',
            output_size: this.pick<unknown>([1, 2, 5, [2, 3], [null, 4]]),
          });
        default:
          return same({
            kind: 'BatchNorm2d',
            ...this.#maybe('eps', () => 0.001),
            ...this.#maybe('momentum', () => this.pick([0.2, null])),
            ...this.#maybe('affine', () => false),
            ...this.#maybe('track_running_stats', () => false),
            ...this.#maybe('bias', () => false),
          });
      }
    }
    switch (this.int(0, 9)) {
      case 0:
      case 1: {
        const out_features = this.int(1, 12);
        const layer = { kind: 'Linear', out_features, ...this.#maybe('bias', () => false) };
        return { layer, after: tensor.rank === 1 ? { rank: 1, channels: out_features } : tensor };
      }
      case 2: {
        const layer: Layer = {
          kind: 'Flatten',
          ...this.#maybe('start_dim', () => this.int(-3, 4)),
          ...this.#maybe('end_dim', () => this.int(-2, 4)),
        };
        return { layer, after: { rank: 1, channels: 0 } };
      }
      case 3:
        return same({
          kind: 'LayerNorm',
          ...this.#maybe(
            'normalized_shape',
            () => this.pick<unknown>([tensor.channels, [tensor.channels], [3, 3]]),
            0.2,
          ),
          ...this.#maybe('elementwise_affine', () => false),
          ...this.#maybe('bias', () => false),
        });
      case 4:
        return same({ kind: this.pick(['Softmax', 'LogSoftmax']), dim: this.pick([1, -1, 2, 3, -2, 0]) });
      case 5:
        return same({ kind: 'Dropout', ...this.#maybe('p', () => this.pick([0, 0.2, 1, 1.5])) });
      case 6:
        return same(
          this.pick([
            { kind: 'GELU', approximate: 'tanh' },
            { kind: 'GELU' },
            { kind: 'LeakyReLU', negative_slope: 0.2 },
          ]),
        );
      default:
        return same({ kind: this.pick(['ReLU', 'SiLU', 'Sigmoid', 'Tanh', 'Identity', 'LeakyReLU']) });
    }
  }

  #block(tensor: Tensor, depth: number): { layer: Layer; after: Tensor } {
    const list = (length: number) => this.#list(tensor, length, depth + 1);
    /** Layers that leave the shape as it is, so that most joins work. */
    const keeping = (): Layer[] =>
      this.chance(0.25)
        ? list(this.int(0, 2))
        : [
            tensor.rank === 3 && tensor.channels > 0
              ? { kind: 'Conv2d', out_channels: tensor.channels, kernel_size: this.pick([1, 3]), padding: 'same' }
              : { kind: 'Identity' },
            { kind: this.pick(['ReLU', 'Tanh']) },
          ];
    switch (this.int(0, 4)) {
      case 0: {
        const layers = this.chance(0.6) ? keeping() : list(this.int(1, 2));
        return { layer: { kind: 'Residual', layers, ...this.#shortcut(list) }, after: tensor };
      }
      case 1: {
        const layers: Layer[] =
          tensor.rank === 3
            ? [this.#conv(this.int(1, 6), tensor.channels)]
            : [{ kind: 'Linear', out_features: this.int(1, 8) }];
        return { layer: { kind: 'Residual', layers, shortcut: 'auto' }, after: { ...tensor, channels: 0 } };
      }
      case 2: {
        const branches = Array.from({ length: this.int(1, 3) }, keeping);
        const layer = {
          kind: 'Parallel',
          branches,
          ...this.#maybe('join', () => this.pick(['concat', 'add', 'multiply']), 0.6),
          ...this.#maybe('dim', () => this.pick([1, 2, -1, -2, 0, 5]), 0.3),
        };
        return { layer, after: { ...tensor, channels: 0 } };
      }
      case 3:
        return {
          layer: { kind: 'Repeat', times: this.int(1, 3), layers: list(this.int(1, 2)) },
          after: { ...tensor, channels: 0 },
        };
      default:
        return Object.hasOwn(this.#blocks, 'tower')
          ? { layer: { kind: 'Block', ref: 'tower' }, after: { ...tensor, channels: 0 } }
          : { layer: { kind: 'Repeat', times: 2, layers: keeping() }, after: tensor };
    }
  }

  #shortcut(list: (length: number) => Layer[]): { shortcut?: unknown } {
    if (this.chance(0.5)) return {};
    return { shortcut: this.chance(0.7) ? 'auto' : list(this.int(0, 1)) };
  }

  #conv(out_channels: number, channels: number): Layer {
    return {
      kind: 'Conv2d',
      out_channels,
      kernel_size: this.pick<unknown>([1, 2, 3, 3, 5, [3, 1], [2, 4]]),
      ...this.#maybe('stride', () => this.pick<unknown>([1, 2, [2, 1], 3]), 0.35),
      ...this.#maybe('padding', () => this.pick<unknown>([0, 1, 1, 2, 4, [1, 2], 'same', 'valid']), 0.6),
      ...this.#maybe('dilation', () => this.pick<unknown>([2, [1, 3]]), 0.2),
      ...this.#maybe('groups', () => this.pick([2, 3, channels || 1]), 0.3),
      ...this.#maybe('bias', () => false),
      ...this.#maybe('padding_mode', () => this.pick(['zeros', 'reflect', 'replicate', 'circular']), 0.3),
    };
  }

  #pool(max: boolean): Layer {
    return {
      kind: max ? 'MaxPool2d' : 'AvgPool2d',
      kernel_size: this.pick<unknown>([1, 2, 2, 3, [2, 3], 4]),
      ...this.#maybe('stride', () => this.pick<unknown>([1, 2, 3, [1, 2], null]), 0.5),
      ...this.#maybe('padding', () => this.pick<unknown>([1, [0, 1], 2]), 0.4),
      ...(max ? this.#maybe('dilation', () => this.pick<unknown>([2, [2, 1]]), 0.25) : {}),
      ...this.#maybe('ceil_mode', () => true, 0.4),
      ...(max ? {} : this.#maybe('count_include_pad', () => false)),
      ...(max ? {} : this.#maybe('divisor_override', () => this.pick([3, -2]))),
    };
  }

  #maybe(key: string, value: () => unknown, chance = 0.25): { [key: string]: unknown } {
    return this.chance(chance) ? { [key]: value() } : {};
  }
}

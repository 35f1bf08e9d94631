/**
 * Seeded random stacks of every kind that has a grid: layers that the plan takes on what comes before, values from their grids, blocks with
 * stacks inside, and now and then one that it refuses. Which of them are right is PyTorch's to say.
 */
import { layerKinds } from '../../engine/contract/layers/index.ts';
import { product } from '../../engine/contract/layers/kind.ts';
import type { GridInput } from './grids/grid.ts';
import { grids } from './grids/index.ts';
import { batch, dimsOf, type Network, planNetwork, shapeErrors } from './layers-run.ts';
import { type Layer, randomStack as plannedForm } from './plan-stacks.ts';
import { Dice } from './random.ts';

/** Tensors larger than this only take time. */
const mostValues = 3000;

/** Kinds without lists of layers inside; those are made apart. */
const plain = layerKinds.filter(({ kind, stacks }) => !stacks && kind !== 'Block');
const families = [...new Set(plain.map(({ category }) => category))].map((category) =>
  plain.filter((row) => row.category === category),
);

export function randomNetwork(seed: number): Network {
  // A quarter by the generator that knows nothing of the plan.
  if (seed % 4 === 0) return plannedForm(seed);
  return new Maker(seed).network();
}

class Maker extends Dice {
  #wrong = false;

  network(): Network {
    const input = this.#input();
    this.#wrong = this.chance(0.15);
    const layers = this.#list(input, this.int(2, 7), 0);
    const network = { input, layers, blocks: {} };
    if ('tokens' in input || planNetwork(network).parameters > 0) return network;
    return { ...network, layers: [{ kind: 'Linear', out_features: dimsOf(input).at(-1) as number }, ...layers] };
  }

  #input(): GridInput {
    const size = (low: number, high: number) => this.int(low, high);
    const [channels, features] = [this.pick([1, 2, 3, 4, 6, 8]), this.pick([1, 4, 5, 8, 12, 16])];
    switch (this.int(0, 9)) {
      case 0:
        return [features];
      case 1:
      case 2:
        return [size(1, 8), features];
      case 3:
        return [channels, size(4, 24)];
      case 4:
        return [this.pick([1, 2, 3, 4]), size(3, 8), size(3, 8), size(3, 7)];
      case 5:
      case 6:
        return { dims: [size(2, 9)], tokens: 7 };
      default:
        return [channels, size(3, 12), size(3, 12)];
    }
  }

  /** A list of layers on an input, each of which the plan takes; the last may be one that it does not. */
  #list(input: GridInput, length: number, depth: number): Layer[] {
    const layers: Layer[] = [];
    let arriving = input;
    for (let index = 0; index < length; index++) {
      for (let attempt = 0; attempt < 14; attempt++) {
        const layer = this.#layer(arriving, depth);
        // Masks of padding come along from the tokens: there the whole way is planned, elsewhere the layer by itself tells the same, sooner.
        const whole = 'tokens' in input && depth === 0;
        const plan = whole
          ? planNetwork({ input, layers: [...layers, layer], blocks: {} })
          : planNetwork({ input: arriving, layers: [layer], blocks: {} });
        const { output } = plan;
        if (shapeErrors(plan).length > 0) {
          if (!this.#wrong || !this.chance(0.1)) continue;
          this.#wrong = false;
          return [...layers, layer];
        }
        if (output.length === 0 || product(output) > mostValues || output.includes(batch)) continue;
        layers.push(layer);
        const isTokens = plan.layers.at(-1)?.dtype === 'int64';
        arriving = 'tokens' in arriving && isTokens ? { dims: output, tokens: arriving.tokens } : output;
        break;
      }
    }
    return layers;
  }

  #layer(arriving: GridInput, depth: number): Layer {
    if (depth < 2 && this.chance(0.18)) return this.#block(arriving, depth);
    const tokens = 'tokens' in arriving;
    const fitting = families
      .map((family) => family.filter(({ takes = 'floats' }) => (tokens ? takes !== 'floats' : takes !== 'integers')))
      .filter((family) => family.length > 0);
    // By family, so that small ones are met, or by kind, so that none is met all the time.
    const { kind } = this.pick(this.chance(0.3) ? this.pick(fitting) : fitting.flat());
    const params = Object.entries(grids[kind]?.params ?? {}).map(([name, values]) => [
      name,
      this.chance(0.55) ? values[0] : this.#value(name, values),
    ]);
    return JSON.parse(JSON.stringify({ kind, ...Object.fromEntries(params) })) as Layer;
  }

  #value(name: string, values: readonly unknown[]): unknown {
    return /^out_(channels|features)$/.test(name) ? this.int(1, 9) : this.pick(values);
  }

  /** Branches of which some have a size of 1 where the others have more, and now and then a size that fits nothing. */
  #gate(arriving: GridInput, before: Layer[]): Layer {
    const dims = dimsOf(arriving);
    const sides = dims.length - 1;
    const ones = (): Layer[] => {
      const size = () => this.pick<unknown>([1, 1, 1, null]);
      if (sides === 1 && this.chance(0.5)) {
        return [{ kind: 'MeanOverSequence' }, { kind: 'Unflatten', dim: 1, unflattened_size: [1, dims[1]] }];
      }
      if (sides < 2) return [{ kind: 'Linear', out_features: 1 }];
      const output_size = Array.from({ length: sides }, () => (this.chance(0.04) ? 2 : size()));
      return [{ kind: `Adaptive${this.pick(['Avg', 'Max'])}Pool${sides}d`, output_size }];
    };
    const branches = [before, ones(), ...(this.chance(0.4) ? [ones()] : [])];
    if (this.chance(0.5)) branches.reverse();
    const [layers, shortcut] = branches;
    if (this.chance(0.25)) return { kind: 'Residual', layers, shortcut };
    return { kind: 'Parallel', branches, join: this.pick(['add', 'multiply', 'multiply']) };
  }

  #block(arriving: GridInput, depth: number): Layer {
    const list = (length: number) => this.#list(arriving, length, depth + 1);
    switch (this.int(0, 'tokens' in arriving ? 3 : 4)) {
      case 4:
        return this.#gate(arriving, list(this.int(0, 1)));
      case 0: {
        const shortcut = this.pick<unknown>([undefined, 'auto', 'auto', list(this.int(0, 1))]);
        return { kind: 'Residual', layers: list(this.int(1, 3)), ...(shortcut === undefined ? {} : { shortcut }) };
      }
      case 1:
        return { kind: 'Repeat', times: this.int(1, 3), layers: list(this.int(1, 2)) };
      case 2: {
        const branches = Array.from({ length: this.int(1, 3) }, () => list(this.int(0, 2)));
        return { kind: 'Parallel', branches, dim: this.pick([1, 1, -1, 2]) };
      }
      default: {
        const branch = list(1);
        const join = this.pick(['add', 'multiply', 'concat']);
        return { kind: 'Parallel', branches: [branch, this.chance(0.5) ? branch : []], join };
      }
    }
  }
}

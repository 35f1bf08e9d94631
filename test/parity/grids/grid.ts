/** What a kind's grid says, and the layers that come of it: each value by itself, then seeded combinations. */
import type { Layer } from '../plan-stacks.ts';
import { generator } from '../random.ts';

/** A sample's dims, of floats or of tokens below a vocabulary's size. */
export type GridInput = readonly number[] | { readonly dims: readonly number[]; readonly tokens: number };

/** Tokens that an Embedding makes vectors of so many features of, with a mask of those that are padding. */
export interface Masked {
  readonly dims: readonly number[];
  readonly tokens: number;
  readonly masked: number;
}

export interface Grid {
  /** Values of each parameter to combine, PyTorch's refusals among them; the first is the usual one, undefined leaves the key out. */
  params: { readonly [name: string]: readonly unknown[] };
  /** The first is where each value is tried by itself; wrong ranks and sizes that are too small belong here, too. */
  inputs: readonly (GridInput | Masked)[];
  /** Combinations that chance would not find. */
  more?: readonly (readonly [params: object, input: GridInput | Masked])[];
  /** Seeded combinations besides; absent: 40, of a grid without parameters none. */
  combinations?: number;
  /** `model.blocks` of the networks. */
  blocks?: { [name: string]: { layers: Layer[] } };
}

export interface GridCase {
  layer: Layer;
  input: GridInput | Masked;
}

export function casesOf(kind: string, { params, inputs, more = [], combinations = 40 }: Grid): GridCase[] {
  const names = Object.entries(params);
  const usual = Object.fromEntries(names.map(([name, values]) => [name, values[0]]));
  const first = inputs[0] as GridCase['input'];
  const made: [object, GridCase['input']][] = [
    ...inputs.map((input): [object, GridCase['input']] => [usual, input]),
    ...names.flatMap(([name, values]) =>
      values.slice(1).map((value): [object, GridCase['input']] => [{ ...usual, [name]: value }, first]),
    ),
    ...more.map(([given, input]): [object, GridCase['input']] => [{ ...usual, ...given }, input]),
  ];
  const random = generator(seedOf(kind));
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;
  for (let index = 0; index < (names.length > 0 ? combinations : 0); index++) {
    // Mostly usual values: a combination in which several are refused says little.
    const chosen = names.map(([name, values]) => [name, random() < 0.5 ? values[0] : pick(values)]);
    made.push([Object.fromEntries(chosen), random() < 0.6 ? first : pick(inputs)]);
  }
  const seen = new Set<string>();
  return made
    .map(([given, input]) => ({ layer: JSON.parse(JSON.stringify({ kind, ...given })) as Layer, input }))
    .filter((one) => {
      const text = JSON.stringify(one);
      return !seen.has(text) && seen.add(text);
    });
}

/** So that a kind's combinations stay when another kind is added. */
function seedOf(kind: string): number {
  return [...kind].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) >>> 0, 7);
}

/** Where a planned layer's numbers come from: its formulas with its own numbers, for the layer that somebody looks at. */
import { layerKind } from './layers/index.ts';
import { product } from './layers/kind.ts';
import type { PlannedLayer, PlannedTensor } from './plan-types.ts';

/** Lines for people. */
export interface LayerFormulas {
  /** How the output's shape follows: a line a dimension, else the kind's formula. */
  shape: string[];
  /** A line each of its own tensors that train, `weight: 32 · 1 · 3 · 3 = 288`, and their sum where there are several. */
  parameters: string[];
  /** How the operations are counted: with the layer's numbers where the kind's formula is a product, else the formula alone. */
  flops: string;
}

/** `tensors`: those of the plan. Not part of the plan itself: only the layer in sight is explained. */
export function explainLayer(layer: PlannedLayer, tensors: readonly PlannedTensor[]): LayerFormulas {
  const { explain, formula } = layerKind(layer.kind);
  const lines = explain?.(layer.args, layer.input, layer.output) ?? [];
  return {
    shape: lines.length > 0 ? lines : [formula],
    parameters: layer.children ? [] : parameterLines(layer, tensors),
    flops: flopsLine(layer),
  };
}

function parameterLines({ path, parameters }: PlannedLayer, tensors: readonly PlannedTensor[]): string[] {
  const prefix = `${path}.`;
  const own = tensors.filter(({ name, buffer }) => !buffer && name.startsWith(prefix));
  const lines = own.map(({ name, shape }) => {
    const factors = shape.length > 1 ? `${shape.join(' · ')} = ` : '';
    return `${name.slice(prefix.length)}: ${factors}${product(shape)}`;
  });
  if (own.length > 1) lines.push(`together: ${own.map(({ shape }) => product(shape)).join(' + ')} = ${parameters}`);
  return lines;
}

/** What the words of the kinds' formulas stand for; a word that a layer does not have leaves the formula as it is. */
function words({ args, input, output }: PlannedLayer): ReadonlyMap<string, number | undefined> {
  const kernel = Array.isArray(args.kernel_size) ? (args.kernel_size as number[]) : [];
  const sides = ['length', 'height', 'width', 'depth'].flatMap((side) => {
    const at = { length: 0, depth: 0, height: kernel.length - 2, width: kernel.length - 1 }[side] as number;
    return ['kernel', 'window'].map((name) => [`${name} ${side}`, kernel[at]] as const);
  });
  return new Map<string, number | undefined>([
    ['n', product(output)],
    ['in', input.at(-1)],
    ['C', input[0]],
    ['values of the input', product(input)],
    ['kernel', product(kernel)],
    ['window', product(kernel)],
    ...sides,
    ...Object.entries(args).flatMap(([name, value]) => (typeof value === 'number' ? [[name, value] as const] : [])),
  ]);
}

/** A product of numbers and known words, `2 · (C / groups) · n`, whose value is what was counted; else the formula in words. */
function flopsLine(layer: PlannedLayer): string {
  const { flopsFormula } = layerKind(layer.kind);
  if (layer.children) return flopsFormula;
  // A remark stands in brackets at the end.
  const formula = flopsFormula.replace(/(?<! ·) \([^()]*\)$/, '');
  const known = words(layer);
  const factors = formula.split(' · ').map((factor) => {
    const terms = factor.replace(/^\((.*)\)$/, '$1').split(' / ');
    const values = terms.map((term) => (/^\d+$/.test(term) ? Number(term) : known.get(term)));
    if (values.some((value) => value === undefined)) return null;
    const [first, ...divisors] = values as [number, ...number[]];
    return {
      text: terms.length > 1 ? `(${values.join(' / ')})` : String(first),
      value: divisors.reduce((a, b) => a / b, first),
    };
  });
  if (factors.includes(null) || /^\d+$/.test(formula)) return flopsFormula;
  const found = factors as { text: string; value: number }[];
  // The words of a formula are for people: where they do not give what was counted, they are not calculated with.
  if (found.reduce((total, { value }) => total * value, 1) !== layer.flops) return flopsFormula;
  const shown = found.map(({ text }) => text).join(' · ');
  return shown === String(layer.flops) ? `${formula} = ${shown}` : `${formula} = ${shown} = ${layer.flops}`;
}

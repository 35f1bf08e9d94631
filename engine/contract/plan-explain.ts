/** Where a planned layer's numbers come from: its formulas with its own numbers, for the layer that somebody looks at. */
import { type Rank, sideNames } from './fields.ts';
import { inNumbers } from './layers/explain.ts';
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

/**
 * `tensors`: those of the plan. `copies`: where the layer stands in the network several times (a repetition, another use of a block), all of
 * them, itself first. Not part of the plan itself: only the layer in sight is explained.
 */
export function explainLayer(
  layer: PlannedLayer,
  tensors: readonly PlannedTensor[],
  copies: readonly PlannedLayer[] = [layer],
): LayerFormulas {
  const { explain, formula } = layerKind(layer.kind);
  const lines = explain?.(layer.args, layer.input, layer.output, partsOf(layer)) ?? [];
  const parameters = layer.children ? [] : parameterLines(layer, tensors);
  const last = parameters.pop();
  if (last !== undefined) parameters.push(withCopies(last, copies, 'parameters'));
  return {
    shape: lines.length > 0 ? lines : [formula, ...namedIn(formula, layer)],
    parameters,
    flops: withCopies(flopsLine(layer, ownTensors(layer, tensors)), copies, 'flops'),
  };
}

/** The layer's place may be that of several layers in the network: all of them, in order. */
export function copiesAt(layers: readonly PlannedLayer[], place: string): PlannedLayer[] {
  return layers.flatMap((layer) => [
    ...(layer.place === place ? [layer] : []),
    ...(layer.children ?? []).flatMap((child) => copiesAt(child.layers, place)),
  ]);
}

/** The first copy's line, and what all of them come to; one that ends with no number of its own is given it. */
function withCopies(line: string, copies: readonly PlannedLayer[], of: 'parameters' | 'flops'): string {
  const each = copies.map((copy) => copy[of]);
  const total = each.reduce((sum, value) => sum + value, 0);
  if (each.length < 2 || total === 0) return line;
  const one = each[0] as number;
  const told = new RegExp(`[=:] ${one}$`).test(line) ? line : `${line}; in all ${one}`;
  return each.every((value) => value === one)
    ? `${told}, × ${each.length} copies = ${total}`
    : `${told} in copy 1; ${each.length} copies: ${each.join(' + ')} = ${total}`;
}

/** The layer's numbers for the arguments that the right side of its kind's formula names: `out_features = 128`. */
function namedIn(formula: string, { args }: PlannedLayer): string[] {
  const answer = formula.split('→').at(-1) ?? '';
  return [...new Set(answer.match(/[a-z][a-z_]+/g) ?? [])].flatMap((name) => {
    const numbers = [args[name]].flat();
    const sides = numbers.map((value) => (value === null && numbers.length > 1 ? 'as the input' : value));
    return numbers.some((value) => typeof value === 'number') ? [`${name} = ${sides.join(', ')}`] : [];
  });
}

/** What each list of layers inside answers. */
function partsOf({ input, children = [] }: PlannedLayer): number[][] {
  return children.map(({ layers }) => layers.at(-1)?.output ?? input);
}

function ownTensors({ path }: PlannedLayer, tensors: readonly PlannedTensor[]): PlannedTensor[] {
  return tensors.filter(({ name, buffer }) => !buffer && name.startsWith(`${path}.`));
}

function parameterLines(layer: PlannedLayer, tensors: readonly PlannedTensor[]): string[] {
  const { path, parameters } = layer;
  const prefix = `${path}.`;
  const own = ownTensors(layer, tensors);
  const lines = own.map(({ name, shape }) => {
    const factors = shape.length > 1 ? `${shape.join(' · ')} = ` : '';
    return `${name.slice(prefix.length)}: ${factors}${product(shape)}`;
  });
  if (own.length > 1) lines.push(`together: ${own.map(({ shape }) => product(shape)).join(' + ')} = ${parameters}`);
  return lines;
}

/** What the words of the kinds' formulas stand for; a word that a layer does not have leaves the formula as it is. */
function words({ args, input, output }: PlannedLayer, own: readonly PlannedTensor[]) {
  const kernel = Array.isArray(args.kernel_size) ? (args.kernel_size as number[]) : [];
  const patch = Array.isArray(args.patch_size) ? (args.patch_size as number[]) : [];
  const sides = sideNames[kernel.length as Rank] ?? [];
  const bySide = sides.flatMap((name, side) => [
    [`kernel ${name}`, kernel[side]] as const,
    [`window ${name}`, kernel[side]] as const,
    [`output ${name}`, output[output.length - sides.length + side]] as const,
  ]);
  return new Map<string, number | undefined>([
    ['n', product(output)],
    ['in', input.at(-1)],
    ['C', input[0]],
    ['L', input[0]],
    ['E', input.at(-1)],
    // Positions that attention sees: those of the sequence, and one for each that it adds itself.
    ['S', (input[0] ?? 0) + [args.add_bias_kv, args.add_zero_attn].filter((added) => added === true).length],
    ['patch height', patch[0]],
    ['patch width', patch[1]],
    ['values of the input', product(input)],
    ['kernel', product(kernel)],
    ['window', product(kernel)],
    ['weights', own.reduce((total, { shape }) => total + (shape.length > 1 ? product(shape) : 0), 0)],
    ['directions', args.bidirectional === true ? 2 : 1],
    ...bySide,
    ...Object.entries(args).flatMap(([name, value]) =>
      typeof value === 'number' || typeof value === 'boolean' ? [[name, Number(value)] as const] : [],
    ),
  ]);
}

/** The formula with the layer's numbers, where its words give what was counted; else the formula alone. */
function flopsLine(layer: PlannedLayer, own: readonly PlannedTensor[]): string {
  const { flopsFormula } = layerKind(layer.kind);
  if (layer.children) return flopsFormula;
  // A remark stands in brackets at the end.
  const formula = flopsFormula.replace(/(?<! [·+]) \([^()]*\)$/, '');
  const shown = /^\d+$/.test(formula) ? null : inNumbers(formula, words(layer, own));
  // The words of a formula are for people: where they do not give what was counted, they are not calculated with.
  if (!shown || shown.value !== layer.flops) return flopsFormula;
  return shown.text === String(layer.flops)
    ? `${formula} = ${shown.text}`
    : `${formula} = ${shown.text} = ${layer.flops}`;
}

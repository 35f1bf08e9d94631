/** What a row of the layer table says, and the helpers with which the families' files write theirs. */
import type { Operation } from '../estimate-types.ts';
import type { Json, NativeLayer } from '../native.ts';
import type { PlannedLayer, PlannedTensor } from '../plan-types.ts';
import type { Edit, Fix, ProblemCode } from '../problems.ts';
import type { JsonObject, Place, Shape, Values } from '../report.ts';
import type { Row } from '../table.ts';
import type { ElementType } from '../tensors.ts';
import type { Explain } from './explain.ts';

export type LayerCategory = 'dense' | 'conv' | 'pool' | 'norm' | 'activation' | 'sequence' | 'shape' | 'block';
export type Dims = readonly number[];

/** One sample's tensor between two layers. Layers that only reshape hand its storage on. */
export interface Flow {
  dims: Dims;
  dtype: ElementType;
  /** Of integers: how many different ones there are, from 0; absent: not known. */
  tokens?: number;
  /** Path of the layer that says which positions of the sequence (the sample's first dimension) are padding; null: none are. */
  mask: string | null;
  /** `kept`: already counted among what the backward pass needs; `grad`: that pass reaches it, since something before it trains. */
  storage: { kept: boolean; grad: boolean };
}

/** How an image lies in memory: with its channels last, or first as a plain tensor. */
export type Order = 'last' | 'first';

/** Of an operation; `either`: with one channel or one position there is no difference. */
export interface Lying {
  input: Order | 'either';
  /** Its output's gradient. */
  gradient: Order | 'either';
  half: boolean;
  /** Sequences with padding are nevertheless all equally long, at least in some batches. */
  even: boolean;
}

/** In which order a kind's tensors lie on the CPU. */
export interface Layout {
  /** The output's, whatever it receives; absent: the input's. */
  output?: Order;
  /** The input's gradient's, whatever it receives; `input`: the input's; absent: that of the output's gradient. */
  gradient?: Order | 'input';
}

/** A list of layers, resolved. `flow` is null when a shape inside could not be found (already reported). */
export interface Stack {
  name: string;
  layers: PlannedLayer[];
  native: NativeLayer[];
  flow: Flow | null;
}

export interface Resolved {
  /** Complete, by PyTorch's names; pairs as lists. The C++ row takes the same. */
  args: Record<string, Json>;
  output: Dims;
  /** Own tensors, in the order in which the PyTorch module registers them. */
  tensors?: PlannedTensor[];
  /** Own operations of one sample's forward pass (without children). */
  flops?: number;
  /**
   * What the backward pass needs of one sample: the input, the output, what child lists answer, other bytes; and how many of these are integers',
   * which no precision halves.
   */
  keeps?: { input?: boolean; output?: boolean; lists?: readonly boolean[]; bytes?: number; integers?: number };
  /**
   * What one sample's pass takes for itself and gives back, besides its output and the gradients: bytes; a number: either pass. `unkept`: a
   * forward pass without a backward pass; absent: what `forward` says, and what it would keep of its own.
   */
  workspace?: number | { forward: number; backward: number; unkept?: number };
  /** Draws random numbers in training: the generator's state is kept for a step that has to be undone. */
  random?: boolean;
  /** Outside of training its output is its input. */
  trainingOnly?: boolean;
  /** The gradients of what it computes from are its output's, or views of that: sums and joins. */
  passesGradient?: boolean;
  /** The C++ row computes in the input's memory where nobody else reads that, and the backward pass needs the result only. */
  overwrites?: boolean;
  /** Of the output; absent: floats, or the input's for kinds that take any. */
  dtype?: ElementType;
  /** Of integers: how many different ones the output may hold, from 0 (null: not known); absent: the input's. */
  tokens?: number | null;
  /** Path of the layer whose mask of padding belongs to the output (null: none); absent: as the row says. */
  mask?: string | null;
  /** The output is the input seen with other dims. */
  reshapes?: boolean;
  /**
   * Values that one sample brings to each statistic that wants more than one, of what these are taken, and whether evaluation takes them too:
   * unless the layer keeps running ones, or always.
   */
  batchStatistics?: { values: number; per: 'channel' | 'group'; inEvaluation: false | 'not kept' | 'always' };
  /** What child lists answer is joined step by step, each as soon as its list has answered: the second to the first, and so on. */
  folds?: readonly Fold[];
  /** Block kinds: child lists in order, and the flow that leaves the block where it is a child's own. */
  children?: Stack[];
  flow?: Flow;
}

/** A step of a sum or product, of what there is so far and the next. */
export interface Fold {
  /** Of what it makes of one sample. */
  bytes: number;
  /** Which of the two the backward pass needs, and of which the gradient is the result's. */
  keeps: readonly [boolean, boolean];
  passes: readonly [boolean, boolean];
  /** Bytes that the backward pass takes and gives back. */
  backward: number;
  grad: boolean;
}

/** What a row may ask and say while it resolves a layer. */
export interface LayerContext {
  /** The layer's place in the project; it ends with the layer's position in its list. */
  place: Place;
  /** Prefix of its tensors' names. */
  path: string;
  input: Flow;
  /** The enabled layer just before it in the same list. */
  before: { kind: string; place: Place } | null;
  /** Reports an error at one of the layer's keys (or at the layer) and answers null. */
  refuse(code: ProblemCode, key: string | null, message: string, hint: string, fixes?: Fix[]): null;
  /** The same as a warning: it works, but hardly as meant. */
  warn(code: ProblemCode, key: string | null, message: string, hint: string, fixes?: Fix[]): void;
  /**
   * Reports that the layer would mix padding into its answer, for kinds where that hangs on the arguments; answers null. `mask`: the input's
   * unless said.
   */
  refuseMask(kind: string, mask?: string | null): null;
  /** A fix that sets keys of this layer. */
  set(label: string, values: { [key: string]: unknown }): Fix;
  /**
   * Plans a child list. `key`: its place within the layer; `name`: its tensors' prefix within the layer (`layers`, `branches.0`, `2`);
   * `from`: what enters it, the layer's own input unless said.
   */
  stack(name: string, layers: readonly unknown[], key: Place, from?: Flow): Stack;
  /** The layers of `model.blocks[ref]`, planned as a child list; null after reporting why not. */
  block(ref: string): Stack | null;
}

export interface LayerExample {
  params: JsonObject;
  input: number[];
  output: number[];
}

export interface LayerKind extends Row {
  category: LayerCategory;
  /** How the output's shape follows from the input's. */
  formula: string;
  /**
   * The formula with a layer's own numbers, a line a dimension that changes: `height: ⌊(28 + 2·1 − 1·(3 − 1) − 1) / 1⌋ + 1 = 28`; by the
   * resolved arguments and one sample's dims. Absent: `formula` says it all. Helpers: explain.ts.
   */
  explain?: Explain;
  /** How `flops` is counted, in words; n: values of the output. */
  flopsFormula: string;
  /** Names of the resolved arguments, as in C++. */
  argNames: readonly string[];
  /** Arguments that follow from the input and are never typed. */
  derived: readonly string[];
  /** Types of numbers that it takes; absent: floats. */
  takes?: 'floats' | 'integers' | 'any';
  /**
   * What becomes of a mask of padding that comes with the input: `keeps` (each position is worked on for itself, or padding is left out of
   * account, and the output has the same positions), `ends` (padding is left out of account, and the output has no such positions any more).
   * Absent: the layer would mix padding into the answer, which is a problem.
   */
  mask?: 'keeps' | 'ends';
  /** The Python class that its line names, where torch.nn has none: source text, complete but for `import torch` and `from torch import nn`. */
  definition?: string;
  /** The C++ row's output is a tensor of its own that no gradient needs: the next layer may overwrite it. */
  free?: boolean;
  /** Autocast leaves it, and what it answers, in fp32. */
  fp32?: boolean;
  /** On the CPU; absent: input and output, and their gradients, lie alike. */
  layout?: Layout | ((layer: PlannedLayer) => Layout);
  /** What it keeps and takes there otherwise than `resolve` says. */
  onCpu?(operation: Operation, lying: Lying): Partial<Pick<Operation, 'keeps' | 'workspace'>>;
  /** Has no C++ row: its child list takes its place in the native plan. */
  inlined?: boolean;
  resolve(params: JsonObject, context: LayerContext): Resolved | null;
  /** Child lists in the project, for checking them where no shape is known. */
  stacks?(params: JsonObject): { key: Place; layers: readonly unknown[] }[];
  /** The PyTorch expression that builds it. `children`: each child list's own expression. */
  python(args: Record<string, Json>, children: string[]): string;
  /** For the conformance test and the help: at least one a row. */
  examples: readonly LayerExample[];
}

/** Types a row's functions by its own schema. */
export function layerKind<const S extends Shape>(
  row: Omit<LayerKind, 'params' | 'resolve' | 'stacks' | 'derived' | 'argNames'> & {
    params: S;
    derived?: readonly string[];
    argNames?: readonly string[];
    resolve(params: Values<S>, context: LayerContext): Resolved | null;
    stacks?(params: Values<S>): { key: Place; layers: readonly unknown[] }[];
  },
): LayerKind {
  const { resolve, stacks, derived = [], ...rest } = row;
  return {
    ...rest,
    derived,
    argNames: row.argNames ?? [...derived, ...Object.keys(row.params)],
    resolve: (params, context) => resolve(params as Values<S>, context),
    ...(stacks ? { stacks: (params) => stacks(params as Values<S>) } : {}),
  };
}

export function product(dims: Dims): number {
  return dims.reduce((total, dim) => total * dim, 1);
}

/** Greatest common divisor. */
export function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}

/** The divisor of `size` that is nearest to `wanted`, the smaller of two. */
export function nearestDivisor(size: number, wanted: number): number {
  let best = 1;
  for (let small = 1; small * small <= size; small++) {
    if (size % small !== 0) continue;
    for (const divisor of [small, size / small]) {
      const nearer = Math.abs(divisor - wanted) - Math.abs(best - wanted);
      if (nearer < 0 || (nearer === 0 && divisor < best)) best = divisor;
    }
  }
  return best;
}

export function sameDims(a: Dims, b: Dims): boolean {
  return a.length === b.length && a.every((dim, index) => dim === b[index]);
}

export function showDims(dims: Dims): string {
  return `[${dims.join(', ')}]`;
}

export function parameter(name: string, shape: number[]): PlannedTensor {
  return { name, shape, buffer: false, dtype: 'float32' };
}

export function buffer(name: string, shape: number[], dtype: PlannedTensor['dtype'] = 'float32'): PlannedTensor {
  return { name, shape, buffer: true, dtype };
}

export function fix(label: string, ...edits: Edit[]): Fix {
  return { label, edits };
}

/**
 * A dimension as PyTorch counts it (the batch is 0, negative from the end) as a position in a sample's dims, or why it is none.
 */
export function sampleDim(dim: number, dims: Dims): { at: number } | { wrong: string } {
  const rank = dims.length + 1;
  if (dim < -rank || dim >= rank)
    return { wrong: `with the batch the tensor has ${rank} dimensions, 0 to ${rank - 1}` };
  const at = dim < 0 ? dim + rank : dim;
  return at === 0 ? { wrong: 'it is the batch, and samples must not mix' } : { at: at - 1 };
}

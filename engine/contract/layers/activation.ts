/** Activations that work on each value for itself. Those over a dimension: activation-dim.ts. */
import { z } from 'zod';
import { choice, field, integer, number } from '../fields.ts';
import { removeEdit, type Shape, type Values } from '../report.ts';
import {
  fix,
  type LayerContext,
  type LayerExample,
  type LayerKind,
  layerKind,
  parameter,
  product,
  type Resolved,
  showDims,
} from './kind.ts';
import { copying, plain } from './layout.ts';
import { pythonCall } from './python.ts';

/** What the gradient is computed from: a side, and further tensors of the input's size. */
interface Kept {
  input?: true;
  output?: true;
  tensors?: number;
  /** Such tensors that come and go in the forward pass, and in the backward pass besides the gradients. */
  making?: number;
  passing?: number;
}

/** A function of each value: the shape stays. `overwrites`: see Resolved. `more`: reports arguments that do not go together (null), or adds to what is resolved. */
function pointwise<const S extends Shape>(
  row: Pick<LayerKind, 'layout' | 'onCpu'> & {
    kind: string;
    label: string;
    help: string;
    params: S;
    keeps: Kept;
    overwrites?: true;
    more?(params: Values<S>, context: LayerContext): Partial<Resolved> | null;
    examples?: LayerExample[];
  },
): LayerKind {
  const { keeps, overwrites, more, ...rest } = row;
  const { tensors = 0, making = 0, passing = 0, ...sides } = keeps;
  return layerKind<S>({
    examples: [{ params: {}, input: [3, 4], output: [3, 4] }],
    ...rest,
    category: 'activation',
    mask: 'keeps',
    formula: '[…] → […]',
    flopsFormula: 'n (the function of a value counts 1)',
    resolve(params: Values<S>, context) {
      const { dims } = context.input;
      const bytes = 4 * product(dims);
      const added = more ? more(params, context) : {};
      return (
        added && {
          args: params as Record<string, string | number | boolean>,
          output: dims,
          flops: product(dims),
          keeps: { ...sides, ...(tensors > 0 ? { bytes: tensors * bytes } : {}) },
          workspace: { forward: making * bytes, backward: passing * bytes },
          ...(overwrites ? { overwrites } : {}),
          ...added,
        }
      );
    },
    python: (args) => pythonCall(`nn.${row.kind}`, row.params, args),
  });
}

/** Examples that differ in their arguments only. */
const examplesOf = (...given: LayerExample['params'][]): LayerExample[] => [
  { params: given[0] ?? {}, input: [3, 4], output: [3, 4] },
  ...given.slice(1).map((params) => ({ params, input: [5], output: [5] })),
];

const alpha = (help: string) => number({ label: 'Alpha', help, default: 1 });

export const activationKinds: LayerKind[] = [
  pointwise({
    kind: 'ReLU',
    layout: { gradient: 'input' },
    label: 'ReLU',
    help: 'Sets negative values to 0. The usual choice between layers.',
    params: {},
    keeps: { output: true },
    overwrites: true,
  }),
  pointwise({
    kind: 'LeakyReLU',
    layout: { gradient: 'input' },
    label: 'Leaky ReLU',
    help: 'Multiplies negative values by a small slope.',
    params: { negative_slope: number({ label: 'Slope', help: 'Factor of negative values.', default: 0.01 }) },
    keeps: { output: true },
    // From the result alone the sign of the input is known only with a slope that is not negative.
    more: ({ negative_slope }) => (negative_slope < 0 ? { keeps: { input: true } } : { overwrites: true }),
    examples: examplesOf({}, { negative_slope: 0.2 }, { negative_slope: -0.2 }),
  }),
  pointwise({
    kind: 'PReLU',
    layout: { gradient: 'input' },
    label: 'Parametric ReLU',
    help: 'Multiplies negative values by a slope that is learned: one for all, or one a channel.',
    params: {
      num_parameters: integer({
        label: 'Slopes',
        help: '1 for all channels, or as many as there are channels.',
        default: 1,
      }),
      init: number({ label: 'Initial slope', help: 'Where learning starts.', default: 0.25 }),
    },
    keeps: { input: true },
    more({ num_parameters }, context) {
      const { dims, storage } = context.input;
      const channels = dims[0] ?? 1;
      if (num_parameters === 1 || num_parameters === channels)
        return {
          tensors: [parameter('weight', [num_parameters])],
          // The slopes' gradient value by value; the input's is computed even where nobody wants it.
          workspace: { forward: 0, backward: (storage.grad ? 4 : 8) * product(dims) },
        };
      return context.refuse(
        'BAD_VALUE',
        'num_parameters',
        `PReLU has ${num_parameters} slopes for the ${channels} channels of ${showDims(dims)}`,
        'There is one for all channels, or one a channel.',
        [1, channels]
          .filter((count, index, all) => all.indexOf(count) === index)
          .map((count) => context.set(`Set num_parameters to ${count}`, { num_parameters: count })),
      );
    },
    examples: [
      { params: {}, input: [3, 4], output: [3, 4] },
      { params: { num_parameters: 3, init: 0.1 }, input: [3, 4, 2], output: [3, 4, 2] },
      { params: { num_parameters: 5, init: -0.5 }, input: [5], output: [5] },
    ],
  }),
  pointwise({
    kind: 'RReLU',
    ...copying(plain.layout),
    label: 'Randomized ReLU',
    help: 'In training multiplies each negative value by a slope drawn at random between the bounds, in evaluation by their mean.',
    params: {
      lower: number({ label: 'Lower', help: 'Least slope.', default: 1 / 8 }),
      upper: number({ label: 'Upper', help: 'Largest slope.', default: 1 / 3 }),
    },
    keeps: { input: true, tensors: 1 },
    more({ lower, upper }, context) {
      if (lower <= upper) return { random: true };
      return context.refuse(
        'BAD_VALUE',
        'lower',
        `lower ${lower} is more than upper ${upper}`,
        'The slope is drawn between the two.',
        [context.set('Exchange them', { lower: upper, upper: lower })],
      );
    },
    examples: examplesOf({}, { lower: 0.1, upper: 0.9 }, { lower: 0.2, upper: 0.2 }),
  }),
  pointwise({
    kind: 'ReLU6',
    label: 'ReLU6',
    help: 'ReLU with a ceiling of 6. Used in MobileNet.',
    params: {},
    keeps: { input: true },
  }),
  pointwise({
    kind: 'ELU',
    label: 'ELU',
    help: 'Lets negative values approach −alpha smoothly, so that the mean stays near 0.',
    params: { alpha: alpha('Negative values approach minus this.') },
    keeps: { input: true },
    examples: examplesOf({}, { alpha: 0.5 }, { alpha: -0.5 }),
  }),
  pointwise({
    kind: 'SELU',
    label: 'SELU',
    help: 'ELU scaled so that deep plain networks keep mean 0 and variance 1. Goes with AlphaDropout.',
    params: {},
    keeps: { input: true },
  }),
  pointwise({
    kind: 'CELU',
    label: 'CELU',
    help: 'ELU whose slope is 1 at 0 for every alpha.',
    params: {
      alpha: field(
        z.number().refine((value) => value !== 0),
        {
          label: 'Alpha',
          help: 'Negative values approach minus this.',
          control: 'number',
          expected: 'a number other than 0',
          default: 1,
        },
      ),
    },
    keeps: { input: true },
    examples: examplesOf({}, { alpha: 0.5 }),
  }),
  pointwise({
    kind: 'GELU',
    label: 'GELU',
    help: 'A smooth ReLU: x times the normal distribution function of x.',
    params: {
      approximate: choice(['none', 'tanh'], { label: 'Approximation', help: 'Exact, or by tanh.', default: 'none' }),
    },
    keeps: { input: true },
    examples: examplesOf({}, { approximate: 'tanh' }),
  }),
  pointwise({
    kind: 'SiLU',
    label: 'SiLU',
    help: 'x times its sigmoid; also called swish.',
    params: {},
    keeps: { input: true },
  }),
  pointwise({
    kind: 'Mish',
    label: 'Mish',
    help: 'x times tanh of its softplus: smooth, with a small dip below 0.',
    params: {},
    keeps: { input: true },
  }),
  pointwise({
    kind: 'Hardswish',
    label: 'Hard swish',
    help: 'SiLU in straight pieces, cheaper. Used in MobileNetV3.',
    params: {},
    keeps: { input: true },
  }),
  pointwise({
    kind: 'Softplus',
    label: 'Softplus',
    help: 'A smooth ReLU that is always positive.',
    params: {
      beta: number({ label: 'Beta', help: 'The larger, the nearer to ReLU.', default: 1 }),
      threshold: number({
        label: 'Threshold',
        help: 'Where beta · x is above it, x is answered as it is.',
        default: 20,
      }),
    },
    keeps: { input: true },
    examples: examplesOf({}, { beta: 2, threshold: 0.5 }),
  }),
  pointwise({
    kind: 'Sigmoid',
    label: 'Sigmoid',
    help: 'Squeezes values to 0…1.',
    params: {},
    keeps: { output: true },
    overwrites: true,
  }),
  pointwise({
    kind: 'Hardsigmoid',
    label: 'Hard sigmoid',
    help: 'Sigmoid in straight pieces, cheaper.',
    params: {},
    keeps: { input: true },
  }),
  pointwise({
    kind: 'LogSigmoid',
    ...copying({ output: 'first' }),
    label: 'Log sigmoid',
    help: 'The logarithm of sigmoid.',
    params: {},
    keeps: { input: true, tensors: 1 },
  }),
  pointwise({
    kind: 'Tanh',
    label: 'Tanh',
    help: 'Squeezes values to −1…1.',
    params: {},
    keeps: { output: true },
    overwrites: true,
  }),
  pointwise({
    kind: 'Hardtanh',
    label: 'Hard tanh',
    help: 'Cuts values off at a lower and an upper bound.',
    params: {
      min_val: number({ label: 'Lower bound', help: 'Smaller values become this.', default: -1 }),
      max_val: number({ label: 'Upper bound', help: 'Larger values become this.', default: 1 }),
    },
    keeps: { input: true },
    more({ min_val, max_val }, context) {
      if (min_val < max_val) return {};
      return context.refuse(
        'BAD_VALUE',
        'max_val',
        `max_val ${max_val} is not larger than min_val ${min_val}`,
        'Values are kept between the two.',
        [
          ...(min_val > max_val ? [context.set('Exchange them', { min_val: max_val, max_val: min_val })] : []),
          fix(
            'Use the defaults, −1 and 1',
            removeEdit([...context.place, 'min_val']),
            removeEdit([...context.place, 'max_val']),
          ),
        ],
      );
    },
    examples: examplesOf({}, { min_val: -0.5, max_val: 0.25 }),
  }),
  pointwise({
    kind: 'Tanhshrink',
    label: 'Tanh shrink',
    help: 'x less its tanh: small values nearly vanish.',
    params: {},
    keeps: { tensors: 1, passing: 1 },
  }),
  pointwise({
    kind: 'Softsign',
    label: 'Softsign',
    help: 'Squeezes values to −1…1 more gently than tanh: x / (1 + |x|).',
    params: {},
    keeps: { input: true, tensors: 1, making: 1, passing: 3 },
  }),
  pointwise({
    kind: 'Softshrink',
    label: 'Soft shrink',
    help: 'Draws values towards 0 by lambd, and sets smaller ones to 0.',
    params: { lambd: number({ label: 'Lambda', help: 'By how much.', min: 0, default: 0.5 }) },
    keeps: { input: true },
    examples: examplesOf({}, { lambd: 0.1 }),
  }),
  pointwise({
    kind: 'Hardshrink',
    label: 'Hard shrink',
    help: 'Sets values between −lambd and lambd to 0 and leaves the others.',
    params: { lambd: number({ label: 'Lambda', help: 'Bound of what becomes 0.', default: 0.5 }) },
    keeps: { input: true },
    examples: examplesOf({}, { lambd: 0.1 }),
  }),
  pointwise({
    kind: 'Threshold',
    layout: { gradient: 'input' },
    label: 'Threshold',
    help: 'Replaces values that are not above a threshold.',
    params: {
      threshold: number({ label: 'Threshold', help: 'Values above it stay as they are.' }),
      value: number({ label: 'Value', help: 'What the others become.' }),
    },
    keeps: { input: true },
    examples: examplesOf({ threshold: 0, value: 0 }, { threshold: 0.1, value: -0.5 }),
  }),
];

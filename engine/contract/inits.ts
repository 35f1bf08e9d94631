/** The table of initialisations: torch.nn.init's functions with their arguments, for a layer's weight and bias. */
import { choice, number } from './fields.ts';
import type { LayerCategory } from './layers/kind.ts';
import type { NativePlan } from './native.ts';
import type { PlannedTensor } from './plan-types.ts';
import type { Chosen } from './project-types.ts';
import { isObject, type Place, type Report, removeEdit, setEdit, show } from './report.ts';
import { type ArgsRow, argsRow, chooseRow, tableOf } from './table.ts';

export interface InitKind extends ArgsRow {
  /** Dimensions that the weight must have: torch counts fans over two or more, `sparse` takes exactly two. */
  dims: { least: number; most: number };
}

/** What a layer's `train.init` says, and where: a block's reaches the layers inside it. `null`: PyTorch's own. */
export interface InitRule {
  weight: Chosen | null;
  bias: Chosen | null;
  place: Place;
}

const anyRank = { least: 1, most: 9 };
const matrix = { least: 2, most: 9 };
const std = number({ label: 'Standard deviation', help: 'Spread of the values.', min: 0, default: 1 });
const mean = number({ label: 'Mean', help: 'Middle of the values.', default: 0 });
const gain = number({
  label: 'Gain',
  help: 'Factor for the activation that follows; torch.nn.init.calculate_gain knows them.',
  default: 1,
});

const kaiming = {
  a: number({
    label: 'Slope',
    help: 'Negative slope of the leaky ReLU that follows; read for leaky_relu only.',
    default: 0,
    idle: ({ nonlinearity }) => (nonlinearity === 'leaky_relu' ? null : `${nonlinearity} has no slope.`),
  }),
  mode: choice(['fan_in', 'fan_out'], {
    label: 'Mode',
    help: 'fan_in keeps the size of the activations on the way forward, fan_out that of the gradients on the way back.',
    default: 'fan_in',
  }),
  nonlinearity: choice(
    [
      'leaky_relu',
      'relu',
      'linear',
      'sigmoid',
      'tanh',
      'selu',
      'conv1d',
      'conv2d',
      'conv3d',
      'conv_transpose1d',
      'conv_transpose2d',
      'conv_transpose3d',
    ],
    { label: 'Nonlinearity', help: 'The activation that follows.', default: 'leaky_relu' },
  ),
};

const ordered = ({ a, b }: { a: number; b: number }, place: Place, report: Report) => {
  if (a < b) return;
  report.error('BAD_VALUE', [...place, 'a'], `a must lie below b, but ${a} does not lie below ${b}`, 'Exchange them.', [
    { label: 'Exchange them', edits: [setEdit([...place, 'a'], b), setEdit([...place, 'b'], a)] },
  ]);
};

export const initKinds: readonly InitKind[] = [
  {
    ...argsRow({
      kind: 'default',
      label: "PyTorch's own",
      help: "What the layer does by itself; inside a block it keeps the block's initialisation away.",
      params: {},
    }),
    dims: anyRank,
  },
  { ...argsRow({ kind: 'zeros', label: 'Zeros', help: 'Every value 0.', params: {} }), dims: anyRank },
  { ...argsRow({ kind: 'ones', label: 'Ones', help: 'Every value 1.', params: {} }), dims: anyRank },
  {
    ...argsRow({
      kind: 'constant',
      label: 'Constant',
      help: 'Every value the same.',
      params: { val: number({ label: 'Value', help: 'The value.' }) },
    }),
    dims: anyRank,
  },
  {
    ...argsRow({
      kind: 'uniform',
      label: 'Uniform',
      help: 'Values drawn evenly between two bounds.',
      params: {
        a: number({ label: 'From', help: 'Lower bound.', default: 0 }),
        b: number({ label: 'To', help: 'Upper bound.', default: 1 }),
      },
      check: ordered,
    }),
    dims: anyRank,
  },
  {
    ...argsRow({
      kind: 'normal',
      label: 'Normal',
      help: 'Values drawn from a normal distribution.',
      params: { mean, std },
    }),
    dims: anyRank,
  },
  {
    ...argsRow({
      kind: 'trunc_normal',
      label: 'Truncated normal',
      help: 'A normal distribution without the values beyond two bounds.',
      params: {
        mean,
        std: number({ label: 'Standard deviation', help: 'Spread of the values.', above: 0, default: 1 }),
        a: number({ label: 'From', help: 'Smallest value.', default: -2 }),
        b: number({ label: 'To', help: 'Largest value.', default: 2 }),
      },
      check: ordered,
    }),
    dims: anyRank,
  },
  {
    ...argsRow({
      kind: 'xavier_uniform',
      label: 'Xavier, uniform',
      help: 'After Glorot: keeps activations and gradients at a size through layers with tanh or sigmoid.',
      params: { gain },
    }),
    dims: matrix,
  },
  {
    ...argsRow({
      kind: 'xavier_normal',
      label: 'Xavier, normal',
      help: 'After Glorot, drawn from a normal distribution.',
      params: { gain },
    }),
    dims: matrix,
  },
  {
    ...argsRow({
      kind: 'kaiming_uniform',
      label: 'Kaiming, uniform',
      help: 'After He: keeps activations at a size through layers with ReLU.',
      params: kaiming,
    }),
    dims: matrix,
  },
  {
    ...argsRow({
      kind: 'kaiming_normal',
      label: 'Kaiming, normal',
      help: 'After He, drawn from a normal distribution.',
      params: kaiming,
    }),
    dims: matrix,
  },
  {
    ...argsRow({
      kind: 'orthogonal',
      label: 'Orthogonal',
      help: 'Rows or columns at right angles to each other: keeps lengths through deep or recurrent stacks.',
      params: { gain },
    }),
    dims: matrix,
  },
  {
    ...argsRow({
      kind: 'sparse',
      label: 'Sparse',
      help: 'A fraction of each column 0, the rest drawn from a normal distribution.',
      params: {
        sparsity: number({ label: 'Sparsity', help: 'Fraction of each column that is 0.', min: 0, max: 1 }),
        std: number({ label: 'Standard deviation', help: 'Spread of the others.', min: 0, default: 0.01 }),
      },
    }),
    dims: { least: 2, most: 2 },
  },
];

export const inits = tableOf(initKinds);
/** A bias has one dimension and no fans of its own. */
export const biasInits = tableOf(
  initKinds.filter(({ kind }) => ['default', 'zeros', 'ones', 'constant'].includes(kind)),
);

/**
 * Reads a layer's `train.init`: a kind's name, or `{kind, …arguments, bias?: {kind, …}}`; `around` is what the block around it hands down.
 */
export function readInit(value: unknown, place: Place, around: InitRule | null, report: Report): InitRule | null {
  if (value === undefined || value === null) return around;
  const { bias, ...given } = isObject(value) ? value : { kind: value };
  const own = (chosen: Chosen | undefined) => (chosen === undefined || chosen.kind === 'default' ? null : chosen);
  const weight = chooseRow(
    isObject(value) || typeof value === 'string' ? given : value,
    inits,
    place,
    'initialisation',
    report,
  );
  const at = [...place, 'bias'];
  const aside =
    bias === undefined || bias === null
      ? null
      : chooseRow(
          typeof bias === 'string' ? { kind: bias } : bias,
          biasInits,
          at,
          'initialisation of the bias',
          report,
        );
  return { weight: own(weight?.chosen), bias: own(aside?.chosen), place };
}

/** For C++: in the order of state_dict. */
export function nativeInits(tensors: readonly PlannedTensor[]): NonNullable<NativePlan['inits']> {
  return tensors.flatMap(({ name, init }) => (init ? [{ tensor: name, ...init }] : []));
}

const roleOf = (name: string): 'weight' | 'bias' | null => {
  const last = name.split('.').at(-1) ?? '';
  return /^weight|weight$/.test(last) ? 'weight' : /^bias|bias$/.test(last) ? 'bias' : null;
};

/**
 * The initialisation of each of a layer's own tensors. What a block hands down reaches layers whose weight is a matrix that the kind can fill:
 * a norm's scale is left alone. What is said at the layer itself must fit it.
 */
export function initsOf(
  rule: InitRule | null | undefined,
  row: { kind: string; category: LayerCategory },
  tensors: readonly PlannedTensor[],
  place: Place,
  report: Report,
): (Chosen | null)[] {
  if (!rule) return tensors.map(() => null);
  const parameters = tensors.filter(({ buffer }) => !buffer);
  const weights = parameters.filter(({ name }) => roleOf(name) === 'weight');
  const dims = rule.weight ? (inits.get(rule.weight.kind) as InitKind).dims : anyRank;
  const fits = weights.filter(({ shape }) => shape.length >= dims.least && shape.length <= dims.most);
  const own = rule.place.join('.').startsWith(`${place.join('.')}.`);
  // What a block says of its layers' initialisation is no fault of its own.
  if (own && row.category !== 'block')
    checkOwn(
      rule,
      row.kind,
      parameters,
      // Transformers have matrices, which are meant, and norms.
      fits.length > 0 ? [] : weights,
      report,
    );
  const reached = own || weights.some(({ shape }) => shape.length > 1);
  return tensors.map((tensor) => {
    if (!reached || tensor.buffer) return null;
    if (roleOf(tensor.name) === 'bias') return rule.bias;
    return fits.includes(tensor) ? rule.weight : null;
  });
}

function checkOwn(
  rule: InitRule,
  kind: string,
  parameters: readonly PlannedTensor[],
  refused: readonly PlannedTensor[],
  report: Report,
): void {
  const [first] = refused;
  if (rule.weight && first) {
    const { least, most } = (inits.get(rule.weight.kind) as InitKind).dims;
    report.error(
      'BAD_VALUE',
      [...rule.place, 'kind'],
      `${rule.weight.kind} fills weights of ${most === least ? least : `${least} or more`} dimensions, but that of ${kind} is ${show(first.shape)}`,
      'Use constant, uniform or normal, or leave it to PyTorch.',
      [{ label: "Use PyTorch's own", edits: [removeEdit(rule.place)] }],
    );
  }
  for (const role of ['weight', 'bias'] as const) {
    if (rule[role] === null || parameters.some(({ name }) => roleOf(name) === role)) continue;
    const at = role === 'bias' ? [...rule.place, 'bias'] : rule.place;
    report.warn('BAD_VALUE', at, `init has no effect here: ${kind} has no ${role} of its own`, 'Remove it.', [
      { label: 'Remove it', edits: [removeEdit(at)] },
    ]);
  }
}

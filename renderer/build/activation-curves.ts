/** The graphs of the activations: the picture of each is what it does to a number. Slopes that nobody would see are drawn steeper. */

const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));
const softplus = (x: number) => Math.log1p(Math.exp(x));
const clamp = (x: number, low: number, high: number) => Math.min(high, Math.max(low, x));
const elu = (x: number) => (x > 0 ? x : 1.3 * Math.expm1(x));
/** The error function, near enough for a picture. */
const gelu = (x: number) => x * sigmoid(1.702 * x);

const functions: { readonly [kind: string]: (x: number) => number } = {
  ReLU: (x) => Math.max(0, x),
  ReLU6: (x) => clamp(x, 0, 1.6),
  LeakyReLU: (x) => (x > 0 ? x : 0.2 * x),
  PReLU: (x) => (x > 0 ? x : 0.4 * x),
  RReLU: (x) => (x > 0 ? x : 0.3 * x),
  ELU: elu,
  SELU: (x) => 1.05 * (x > 0 ? x : 1.67 * Math.expm1(x)),
  CELU: elu,
  GELU: gelu,
  SiLU: (x) => x * sigmoid(x),
  Mish: (x) => x * Math.tanh(softplus(x)),
  GLU: (x) => x * sigmoid(2 * x),
  Hardswish: (x) => (x * clamp(x + 2, 0, 4)) / 4,
  Sigmoid: (x) => sigmoid(2 * x),
  Hardsigmoid: (x) => clamp(x / 4 + 0.5, 0, 1),
  LogSigmoid: (x) => -softplus(-x),
  Tanh: (x) => Math.tanh(1.4 * x),
  Hardtanh: (x) => clamp(x, -1, 1),
  Tanhshrink: (x) => x - Math.tanh(x),
  Softsign: (x) => x / (0.4 + Math.abs(x)),
  Softplus: softplus,
  Softshrink: (x) => (Math.abs(x) < 1.1 ? 0 : x - Math.sign(x) * 1.1),
  Hardshrink: (x) => (Math.abs(x) < 1.4 ? 0 : x),
  Threshold: (x) => (x > 1 ? x : -0.6),
};

const reach = 3;
const points = 36;
/** Of the picture's 24 units. */
const [left, top, size] = [3.5, 4, 17];

export interface Curve {
  path: string;
  /** Where 0 is, from the top. */
  zero: number;
}

function draw(f: (x: number) => number): Curve {
  const values = Array.from({ length: points + 1 }, (_, index) => f(reach * ((2 * index) / points - 1)));
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const y = (value: number) => top + size * 0.95 * (1 - (value - low) / (high - low));
  const path = values
    .map((value, index) => `${(left + (size * index) / points).toFixed(1)} ${y(value).toFixed(1)}`)
    .join('L');
  return { path: `M${path}`, zero: y(0) };
}

const curves = new Map(Object.entries(functions).map(([kind, f]) => [kind, draw(f)]));

/** null: no function of a single number. */
export function curveOf(kind: string): Curve | null {
  return curves.get(kind) ?? null;
}

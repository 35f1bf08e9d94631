/** A layer's shape with its own numbers, in lines for people: helpers with which the rows write theirs. */
import { type Rank, sideNames } from '../fields.ts';
import type { Json } from '../native.ts';
import type { Dims } from './kind.ts';

/** What a row answers for `explain`. `parts`: what each of its lists of layers answers. */
export type Explain = (args: Record<string, Json>, input: Dims, output: Dims, parts: readonly Dims[]) => string[];

/**
 * A formula of sums and products, `2 · (C / groups) · n`, with numbers for its words, and its value; null where a word is not known or it is
 * no such formula.
 */
export function inNumbers(
  formula: string,
  words: ReadonlyMap<string, number | undefined>,
): { text: string; value: number } | null {
  const tokens = formula.split(/([·/+−()])/).flatMap((token) => (token.trim() === '' ? [] : [token.trim()]));
  let at = 0;
  let known = true;
  const atom = (): { text: string; value: number } => {
    const token = tokens[at++] ?? '';
    if (token === '(') {
      const inner = sum();
      known &&= tokens[at++] === ')';
      return { text: `(${inner.text})`, value: inner.value };
    }
    const value = /^\d+$/.test(token) ? Number(token) : words.get(token);
    known &&= value !== undefined;
    return { text: String(value), value: value ?? 0 };
  };
  const chain = (next: typeof atom, signs: string) => () => {
    let { text, value } = next();
    while (at < tokens.length && signs.includes(tokens[at] as string)) {
      const sign = tokens[at++] as string;
      const other = next();
      text += ` ${sign} ${other.text}`;
      value =
        { '·': value * other.value, '/': value / other.value, '+': value + other.value }[sign] ?? value - other.value;
    }
    return { text, value };
  };
  const sum: typeof atom = chain(chain(atom, '·/'), '+−');
  const found = sum();
  return known && at === tokens.length ? found : null;
}

/** A line a side: `height: 28 + 1 + 1 = 30`. Sides that say the same share one: `height, width: …`. */
export function sideLines(expressions: readonly string[], output: Dims): string[] {
  const names = sideNames[expressions.length as Rank];
  const lines = new Map<string, string[]>();
  const sizes = output.slice(output.length - expressions.length);
  for (const [side, expression] of expressions.entries()) {
    const text = `${expression} = ${sizes[side]}`;
    lines.set(text, [...(lines.get(text) ?? []), names[side] as string]);
  }
  return [...lines].map(([text, sides]) => `${sides.join(', ')}: ${text}`);
}

/** `tokens: 7 · 7 = 49`; a single factor is not repeated. */
export function productLine(name: string, factors: readonly number[]): string {
  const value = factors.reduce((total, factor) => total * factor, 1);
  return factors.length < 2 ? `${name}: ${value}` : `${name}: ${factors.join(' · ')} = ${value}`;
}

const numbers = (value: Json | undefined, rank: number, absent: number): number[] =>
  Array.from({ length: rank }, (_, side) => Number(Array.isArray(value) ? value[side] : (value ?? absent)));

/** `⌊(28 + 2·1 − 1·(3 − 1) − 1) / 2⌋ + 1`; what a window of PyTorch counts, by its arguments' names. */
function windowSide(size: number, kernel: number, stride: number, padding: number, dilation: number, ceil: boolean) {
  const [open, close] = ceil ? '⌈⌉' : '⌊⌋';
  const free = size + 2 * padding - dilation * (kernel - 1) - 1;
  const steps = ceil ? Math.ceil(free / stride) : Math.floor(free / stride);
  return {
    text: `${open}(${size} + 2·${padding} − ${dilation}·(${kernel} − 1) − 1) / ${stride}${close} + 1`,
    value: steps + 1,
  };
}

/** For what slides a window over 1, 2 or 3 sides: convolutions and poolings. Their arguments are lists of as many numbers. */
export const explainWindow: Explain = (args, input, output) => {
  const rank = Array.isArray(args.kernel_size) ? args.kernel_size.length : 0;
  const kernel = numbers(args.kernel_size, rank, 1);
  const stride = numbers(args.stride, rank, 1);
  const dilation = numbers(args.dilation, rank, 1);
  const sizes = input.slice(input.length - rank);
  const results = output.slice(output.length - rank);
  const channels = typeof args.out_channels === 'number' ? [`channels: out_channels = ${args.out_channels}`] : [];
  if (args.padding === 'same')
    return [
      ...channels,
      ...sideLines(
        sizes.map(() => 'padding "same", as the input'),
        output,
      ),
    ];
  const padding = numbers(args.padding, rank, 0);
  const expressions = sizes.map((size, side) => {
    const of = (list: readonly number[]) => list[side] as number;
    const { text, value } = windowSide(
      size,
      of(kernel),
      of(stride),
      of(padding),
      of(dilation),
      args.ceil_mode === true,
    );
    return value === of(results) ? text : `${text} − 1 (a window that begins after the image is left out)`;
  });
  return [...channels, ...sideLines(expressions, output)];
};

/** For transposed convolutions: the size from which a convolution with these arguments would give the input's. */
export const explainTransposedWindow: Explain = (args, input, output) => {
  const rank = Array.isArray(args.kernel_size) ? args.kernel_size.length : 0;
  const kernel = numbers(args.kernel_size, rank, 1);
  const stride = numbers(args.stride, rank, 1);
  const padding = numbers(args.padding, rank, 0);
  const dilation = numbers(args.dilation, rank, 1);
  const more = numbers(args.output_padding, rank, 0);
  const expressions = input
    .slice(input.length - rank)
    .map(
      (size, side) =>
        `(${size} − 1)·${stride[side]} − 2·${padding[side]} + ${dilation[side]}·(${kernel[side]} − 1) + ${more[side]} + 1`,
    );
  return [`channels: out_channels = ${args.out_channels}`, ...sideLines(expressions, output)];
};

/**
 * Fields of the project file and of the tables' parameters: zod schemas that carry what a form, a message and a page of help need.
 * One schema a field; `fieldInfo(schema)` answers its label, help, bounds, unit and default.
 */
import { z } from 'zod';

export type FieldControl =
  | 'integer'
  | 'number'
  | 'switch'
  | 'choice'
  | 'pair'
  | 'padding'
  | 'numbers'
  | 'text'
  | 'texts'
  | 'columns'
  | 'path'
  | 'layers'
  | 'branches'
  | 'shortcut';

export interface FieldInfo {
  label: string;
  help: string;
  control: FieldControl;
  /** Completes "Expected … for out_features but received 0". */
  expected: string;
  unit?: string;
  min?: number;
  max?: number;
  choices?: readonly (string | number)[];
  /** Of a span (controls `pair` and `padding`): how many sides it may name one by one; absent there: two. */
  rank?: Rank;
  /** What PyTorch (or the project file) takes when the key is absent; absent here: the key must be given. */
  default?: unknown;
  /** What the default null stands for, in two or three words; absent: nothing. */
  absent?: string;
  /** Whether the field counts: see `Idle`. */
  idle?: Idle;
  /** What choices are called in a form, where their own names say too little. */
  words?: { readonly [choice: string]: string };
  /** Seldom changed: a form folds it away until somebody does. */
  rare?: boolean;
  /** Choices that go with what arrives; absent: all of them. */
  offered?: (input: readonly number[] | null) => readonly (string | number)[];
}

/**
 * Why a field means nothing beside the values of the others (defaults filled in), for a form to say; null: it counts. Nothing of it is checked
 * here: what PyTorch refuses is a problem that the row tells.
 */
export type Idle = (values: { readonly [key: string]: unknown }) => string | null;

/** Directions in which a window moves: along a sequence, over an image, through a volume. */
export type Rank = 1 | 2 | 3;

/** What the sides of an input are called, outermost first. */
export const sideNames: Record<Rank, readonly string[]> = {
  1: ['length'],
  2: ['height', 'width'],
  3: ['depth', 'height', 'width'],
};

type Text = Pick<FieldInfo, 'label' | 'help' | 'unit' | 'absent' | 'idle' | 'offered' | 'words' | 'rare'>;
type Field<S extends z.ZodType, O> = O extends { default: unknown } ? z.ZodDefault<S> : S;

const registry = new WeakMap<object, FieldInfo>();

/** What a field says of itself. Every schema made by this file has an entry. */
export function fieldInfo(schema: object): FieldInfo {
  const info = registry.get(schema);
  if (!info) throw new Error('A field was made without describing it: use the functions of fields.ts');
  return info;
}

/** Largest size that a dimension or count may have: ATen's sizes fit 63 bits, JSON's numbers 53, memory far less. */
export const largestSize = 2 ** 31 - 1;

/** Describes any schema; the others below are its shorthands. */
export function field<S extends z.ZodType, const O extends Text & { default?: unknown }>(
  schema: S,
  options: O & {
    control: FieldControl;
    expected: string;
    min?: number;
    max?: number;
    choices?: readonly (string | number)[];
    rank?: Rank;
  },
): Field<S, O> {
  const given = 'default' in options ? (schema as z.ZodType).default(options.default) : schema;
  // One schema may serve several fields: each is described for itself.
  const made = registry.has(given) ? given.clone() : given;
  registry.set(made, options);
  return made as Field<S, O>;
}

export function integer<const O extends Text & { min?: number; max?: number; default?: number }>(options: O) {
  const { min = 1, max = largestSize } = options;
  const expected =
    max === largestSize || max === Number.MAX_SAFE_INTEGER ? `an integer ≥ ${min}` : `an integer from ${min} to ${max}`;
  return field(z.number().int().min(min).max(max), { ...options, control: 'integer', expected, min, max });
}

/** A finite number; bounds are included unless `above` or `below` excludes them. */
export function number<
  const O extends Text & { min?: number; max?: number; above?: number; below?: number; default?: number },
>(options: O) {
  const { min, max, above, below } = options;
  let schema = z.number();
  const bounds: string[] = [];
  if (min !== undefined) {
    schema = schema.min(min);
    bounds.push(`≥ ${min}`);
  }
  if (above !== undefined) {
    schema = schema.gt(above);
    bounds.push(`> ${above}`);
  }
  if (max !== undefined) {
    schema = schema.max(max);
    bounds.push(`≤ ${max}`);
  }
  if (below !== undefined) {
    schema = schema.lt(below);
    bounds.push(`< ${below}`);
  }
  const expected = `a number${bounds.length > 0 ? ` ${bounds.join(' and ')}` : ''}`;
  return field(schema, { ...options, control: 'number', expected });
}

export function flag<const O extends Text & { default?: boolean }>(options: O) {
  return field(z.boolean(), { ...options, control: 'switch', expected: 'true or false' });
}

export function choice<const C extends readonly string[], const O extends Text & { default?: C[number] }>(
  choices: C,
  options: O,
) {
  const expected = choices.length === 1 ? `"${choices[0]}"` : `one of ${choices.map((name) => `"${name}"`).join(', ')}`;
  return field(z.enum(choices as unknown as [C[number], ...C[number][]]), {
    ...options,
    control: 'choice',
    expected,
    choices,
  });
}

export function text<const O extends Text & { default?: string }>(options: O) {
  return field(z.string().min(1), { ...options, control: 'text', expected: 'a text that is not empty' });
}

/** One value for every side, or a list of one for each. */
export function spanSchema<S extends z.ZodType, A extends z.ZodType>(rank: Rank, one: S, each: A) {
  return z.union([one, z.array(each).length(rank)]);
}

/** Completes "Expected … but received": `[height, width] of such integers`. */
export function spanText(rank: Rank, one: string, such = 'such integers'): string {
  return `${one} or [${sideNames[rank].join(', ')}] of ${rank === 1 ? 'such an integer' : such}`;
}

/** One integer for every side, or a list of one for each: [length], [height, width] or [depth, height, width]. */
export function span<const O extends Text & { min?: number; default?: number }>(rank: Rank, options: O) {
  const { min = 1 } = options;
  const side = z.number().int().min(min).max(largestSize);
  return field(spanSchema(rank, side, side), {
    ...options,
    control: 'pair',
    rank,
    min,
    expected: spanText(rank, `an integer ≥ ${min}`),
  });
}

/** Sizes of dimensions, at least one. */
export function sizes<const O extends Text & { default?: number[] }>(options: O) {
  return field(z.array(z.number().int().min(1).max(largestSize)).min(1).max(8), {
    ...options,
    control: 'numbers',
    expected: 'a list of 1 to 8 integers ≥ 1',
  });
}

export type Span = number[];

export function asSpan(value: number | Span, rank: Rank): Span {
  return typeof value === 'number' ? new Array<number>(rank).fill(value) : value;
}

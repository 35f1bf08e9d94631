/** How rows of a table become numbers for a network: plain data, kept in the pack and the run, so that prediction does the same. Pure. */
import { datePattern, type NumberStyle, readNumberText } from './numbers.ts';

/** A number; the network receives (value − shift) / scale. */
export interface NumberInput {
  kind: 'number';
  name: string;
  style: NumberStyle;
  /** Seconds since 1970 of a date. */
  date: boolean;
  tokens: string[];
  shift: number;
  scale: number;
  /** In place of a missing value, before shift and scale. */
  fill: number;
  /** Whether one more input says 1 where the value is missing. */
  indicator: boolean;
}

/** One input a category; none is 1 for a value that is missing or was not met in training. */
export interface CategoryInput {
  kind: 'category';
  name: string;
  tokens: string[];
  categories: string[];
  /** Whether a missing value is the last category. */
  indicator: boolean;
  /** Of numbers: 1.0 is 1. */
  numbers: boolean;
}

export type EncodedInput = NumberInput | CategoryInput;

export interface ClassTarget {
  kind: 'class';
  name: string;
  tokens: string[];
  numbers: boolean;
  classes: string[];
}

export interface ValueTarget {
  kind: 'value';
  values: NumberInput[];
}

export interface TableEncoding {
  kind: 'table';
  version: 1;
  inputs: EncodedInput[];
  /** Of the numbers that the network receives, in order: `age`, `colour = red`. */
  names: string[];
  target: ClassTarget | ValueTarget;
  /** Training rows that it was fitted on. */
  rows: number;
}

/** What a cell is worth: a number, a category's name, null where it is missing; a fault says why it is none of these. */
export type CellValue = number | string | null | { fault: string };

/** The largest number that single precision holds. */
const largest = 3.4028234663852886e38;

export function widthOf(input: EncodedInput): number {
  const own = input.kind === 'number' ? 1 : input.categories.length;
  return own + (input.indicator ? 1 : 0);
}

export function inputNames(inputs: readonly EncodedInput[]): string[] {
  return inputs.flatMap((input) => [
    ...(input.kind === 'number' ? [input.name] : input.categories.map((category) => `${input.name} = ${category}`)),
    ...(input.indicator ? [`${input.name} missing`] : []),
  ]);
}

/** The name of a category as the encoding knows it. */
export const categoryName = (text: string, numbers: boolean): string => (numbers ? text.replace(/\.0+$/, '') : text);

/** Numbers by size, texts by code unit. */
export function sortedNames(names: Iterable<string>): string[] {
  const all = [...names];
  const isNumber = all.every((name) => readNumberText(name, 'point') !== null);
  return isNumber ? all.sort((a, b) => Number(a) - Number(b) || (a < b ? -1 : 1)) : all.sort();
}

/** A cell's text as a number. */
export function readNumber(
  text: string,
  { tokens, style, date, name }: NumberInput,
): number | null | { fault: string } {
  if (tokens.includes(text)) return null;
  const value = date ? secondsOf(text) : readNumberText(text, style);
  if (value === null)
    return { fault: `${name}: ${JSON.stringify(text.slice(0, 40))} is no ${date ? 'date' : 'number'}` };
  if (!(Math.abs(value) <= largest))
    return { fault: `${name}: ${text.slice(0, 40)} is no number that 32 bits can hold` };
  return value;
}

/** A date without a zone is UTC, as in SQL. */
function secondsOf(text: string): number | null {
  if (!new RegExp(datePattern).test(text)) return null;
  // February 30th is the first of March to JavaScript.
  if (new Date(`${text.slice(0, 10)}T00:00:00Z`).getUTCDate() !== Number(text.slice(8, 10))) return null;
  const zoned = text.length === 10 || /([zZ]|[+-]\d{2}(:?\d{2})?)$/.test(text.slice(10));
  // A zone of hours alone lacks its minutes.
  const time = Date.parse(
    `${text.replace(' ', 'T').replace(/([+-]\d{2})$/, text.length > 10 ? '$1:00' : '$1')}${zoned ? '' : 'Z'}`,
  );
  return Number.isNaN(time) ? null : time / 1000;
}

/** Writes a value's inputs at `at` of a row of zeros; answers whether a category was not met in training. */
export function encodeValue(
  input: EncodedInput,
  value: number | string | null,
  out: Float32Array,
  at: number,
): boolean {
  if (input.kind === 'number') {
    out[at] = ((value === null ? input.fill : (value as number)) - input.shift) / input.scale;
    if (input.indicator && value === null) out[at + 1] = 1;
    return false;
  }
  if (value === null) {
    if (input.indicator) out[at + input.categories.length] = 1;
    return false;
  }
  const place = placeOf(input, value as string);
  if (place !== undefined) out[at + place] = 1;
  return place === undefined;
}

const places = new WeakMap<object, Map<string, number>>();

function placeOf(input: CategoryInput, category: string): number | undefined {
  let known = places.get(input);
  if (!known) {
    known = new Map(input.categories.map((name, at) => [name, at]));
    places.set(input, known);
  }
  return known.get(category);
}

/** What a person types in a form's field, as the value that the project file takes, and back. Pure. */
import type { z } from 'zod';
import { type FieldInfo, fieldInfo } from '../../../engine/contract/fields.ts';
import { capital } from '../format.ts';

/** `absent`: the key is not written, and the default holds. */
export type Parsed = { value: unknown } | { absent: true } | { problem: string };

const number = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const nothing = /^(none|null|default)$/i;

/** A number as people type it: `1e-3`, `.5`, `1 000`, `−1`; NaN for anything else. */
export function readNumber(text: string): number {
  const plain = text
    .trim()
    .replace(/[−–]/g, '-')
    .replace(/(?<=\d)[ _\u00a0\u202f](?=\d{3}\b)/g, '');
  return number.test(plain) ? Number(plain) : Number.NaN;
}

/** A number as it is shown in a field: as short as JavaScript writes it, small ones as 1e-5. */
export function showNumber(value: number): string {
  const text = String(value);
  const [mantissa, exponent] = value === 0 ? [] : value.toExponential().split('e');
  const short = `${mantissa}e${Number(exponent)}`;
  return Math.abs(value) < 1e-3 && short.length < text.length ? short : text;
}

/** A field's value as text. What is not of the field's kind (a file edited elsewhere) is shown as JSON and stays what it is. */
export function showValue(value: unknown): string {
  if (value === undefined) return '';
  if (value === null) return 'none';
  if (typeof value === 'number') return showNumber(value);
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((item) => typeof item === 'number' || item === null)) {
    return value.map(showValue).join(', ');
  }
  if (Array.isArray(value) && value.every((item) => typeof item === 'string' && !item.includes(','))) {
    return value.map((item) => (item === '' ? emptyText : item)).join(', ');
  }
  return JSON.stringify(value);
}

/** How the text of no characters stands in a list of texts. */
const emptyText = '""';

/** A field's default as its placeholder. */
export function showDefault(info: FieldInfo): string {
  if (!('default' in info)) return 'required';
  if (info.default === null) return info.absent ?? 'none';
  // 1/3 is the default, not 0.3333333333333333.
  if (typeof info.default === 'number') return showNumber(Number(info.default.toPrecision(6)));
  return showValue(info.default);
}

function expectation(info: FieldInfo): string {
  return `Expected ${info.expected}.`;
}

/** Whether the schema takes null. */
function takesNull(schema: z.ZodType): boolean {
  return schema.safeParse(null).success;
}

/** Whether null says something else than leaving the key out does. */
export function nullMatters(schema: z.ZodType): boolean {
  const info = fieldInfo(schema);
  return takesNull(schema) && (!('default' in info) || info.default !== null);
}

function checked(schema: z.ZodType, value: unknown): Parsed {
  return schema.safeParse(value).success ? { value } : { problem: expectation(fieldInfo(schema)) };
}

/** Text of a field that takes one line, by the field's kind. */
export function parseText(schema: z.ZodType, text: string): Parsed {
  const info = fieldInfo(schema);
  const trimmed = text.trim();
  if (trimmed === '') {
    return 'default' in info ? { absent: true } : { problem: `${info.label} is needed: ${info.expected}.` };
  }
  if (info.control === 'text' || info.control === 'path') return checked(schema, trimmed);
  if (info.control === 'texts') {
    const texts = trimmed.split(',').map((one) => one.trim());
    return checked(
      schema,
      texts.filter((one) => one !== '').map((one) => (one === emptyText ? '' : one)),
    );
  }
  if (nothing.test(trimmed)) {
    if (trimmed.toLowerCase() === 'default' && 'default' in info) return { absent: true };
    return takesNull(schema) ? { value: null } : { problem: expectation(info) };
  }
  if (info.control === 'numbers') {
    const inner = trimmed.replace(/^[[(]\s*|\s*,?\s*[\])]$/g, '');
    const values = inner.split(/\s*[,;×x]\s*|\s+/).map((one) => (nothing.test(one) ? null : readNumber(one)));
    if (values.some(Number.isNaN)) return { problem: expectation(info) };
    const list = checked(schema, values);
    // Where a list of one is refused, one number may stand for itself.
    return 'problem' in list && values.length === 1 ? checked(schema, values[0]) : list;
  }
  const value = readNumber(trimmed);
  if (Number.isNaN(value)) {
    return { problem: `${capital(info.expected)} is expected, not “${trimmed.slice(0, 24)}”.` };
  }
  return checked(schema, value);
}

/** `text` one step up or down: integers by 1 (`large`: 10), other numbers in their last written digit. null where it is no number. */
export function stepText(text: string, up: boolean, large: boolean, whole: boolean): string | null {
  const value = readNumber(text);
  if (Number.isNaN(value)) return null;
  const factor = (large ? 10 : 1) * (up ? 1 : -1);
  if (whole) return String(Math.round(value) + factor);
  const [mantissa = '', exponent] = text.trim().toLowerCase().split('e');
  const places = mantissa.split('.')[1]?.length ?? 0;
  const stepped = (Number(mantissa) + factor * 10 ** -places).toFixed(places);
  return exponent === undefined ? stepped : `${stepped}e${exponent}`;
}

/** The sides of a span's value: one number stands for each. */
export function sidesOf(value: unknown, rank: number): unknown[] {
  return Array.from({ length: rank }, (_, side) => (Array.isArray(value) ? value[side] : value));
}

/** Text of a span: of all sides together, or of each. */
export function parseSpan(schema: z.ZodType, texts: readonly string[]): Parsed {
  const info = fieldInfo(schema);
  const sides = texts.map((text) => text.trim());
  if (sides.every((text) => text === '')) {
    return 'default' in info ? { absent: true } : { problem: `${info.label} is needed: ${info.expected}.` };
  }
  const values = sides.map((text) => (text === '' || nothing.test(text) ? null : readNumber(text)));
  if (values.some((value) => Number.isNaN(value))) return { problem: expectation(info) };
  return checked(schema, values.length === 1 ? values[0] : values);
}

/** Whether two values are the same JSON. */
export function same(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b));
}

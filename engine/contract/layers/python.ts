/** Layers as PyTorch code: a call with what differs from PyTorch's defaults. */
import { fieldInfo } from '../fields.ts';
import type { Json } from '../native.ts';
import type { Shape } from '../report.ts';

/** A JSON value as Python; lists become tuples. */
function pythonValue(value: Json): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `(${value.map(pythonValue).join(', ')}${value.length === 1 ? ',' : ''})`;
  throw new Error('No layer has an argument that is an object');
}

/**
 * `nn.Conv2d(1, 32, kernel_size=3, padding=1)`: `positional` names come first by value, the others by keyword where they differ from their
 * default (`defaults` overrules the schema's). Spans of equal numbers are written as one.
 */
export function pythonCall(
  callee: string,
  params: Shape,
  args: Record<string, Json>,
  positional: readonly string[] = [],
  defaults: Record<string, Json> = {},
): string {
  const print = (name: string, value: Json): string => {
    const schema = params[name];
    const span = schema !== undefined && ['pair', 'padding'].includes(fieldInfo(schema).control);
    if (span && Array.isArray(value) && value.every((each) => each === value[0])) return pythonValue(value[0] ?? null);
    return pythonValue(value);
  };
  const parts = positional.map((name) => print(name, args[name] ?? null));
  for (const [name, schema] of Object.entries(params)) {
    if (positional.includes(name)) continue;
    const printed = print(name, args[name] ?? null);
    const info = fieldInfo(schema);
    const standard = Object.hasOwn(defaults, name) ? defaults[name] : (info.default as Json | undefined);
    if (standard === undefined || printed !== print(name, standard)) parts.push(`${name}=${printed}`);
  }
  return `${callee}(${parts.join(', ')})`;
}

/** Collects a project's problems, and checks objects of the project field by field, so that one fault gives one problem at its place. */
import { distance } from 'fastest-levenshtein';
import type { z } from 'zod';
import { fieldInfo } from './fields.ts';
import { ordinal } from './format.ts';
import type { Edit, Fix, Problem, ProblemCode } from './problems.ts';

/** A place in the project file, as edits name it. */
export type Place = readonly (string | number)[];
export type Shape = { [key: string]: z.ZodType };
export type Values<S extends Shape> = { [K in keyof S]: z.output<S[K]> };
export type JsonObject = { [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value as a message shows it: JSON, cut when long. */
export function show(value: unknown): string {
  const json = typeof value === 'number' && !Number.isFinite(value) ? String(value) : toJson(value);
  return json.length > 60 ? `${json.slice(0, 57)}…` : json;
}

function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // Nested too deeply to be written, or no JSON at all.
    return Array.isArray(value) ? '[…]' : typeof value === 'object' ? '{…}' : String(value);
  }
}

/** Weights, gradients and what is calculated with them are single precision, which libtorch refuses larger numbers for. */
function beyondSingle(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(beyondSingle);
  return typeof value === 'number' && !Number.isFinite(Math.fround(value));
}

/** A number says more than its bounds. */
function exampleOf(value: unknown): string {
  return typeof value === 'number' ? `, such as ${show(value)}` : '';
}

export function setEdit(place: Place, value: unknown): Edit {
  return { op: 'set', path: [...place], value };
}

export function removeEdit(place: Place): Edit {
  return { op: 'remove', path: [...place] };
}

/** `place` ends with the position in the array that the value shall have. */
export function insertEdit(place: Place, value: unknown): Edit {
  return { op: 'insert', path: [...place], value };
}

/** The candidates nearest to a misspelt word, best first; only the one that differs in case, if any; none where nothing is near. */
export function nearest(word: string, candidates: readonly string[], count = 1): string[] {
  const short = word.slice(0, 64);
  const same = candidates.find((name) => name.toLowerCase() === word.toLowerCase());
  if (same !== undefined) return [same];
  return candidates
    .map((name) => ({ name, far: distance(short.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, far }) => far <= Math.max(2, Math.floor(Math.max(name.length, short.length) / 2)))
    .sort((a, b) => a.far - b.far)
    .slice(0, count)
    .map(({ name }) => name);
}

/** A use of a named block: where, by which path in messages, and the how manyeth of the block's. */
export interface Use {
  place: Place;
  path: string;
  count: number;
}

export class Report {
  readonly problems: Problem[] = [];
  /** Where each of them is. */
  readonly places: Place[] = [];
  /** How often an error was reported, those included that were said already. */
  faults = 0;
  readonly #seen = new Set<string>();
  #softened = false;
  #use: Use | null = null;

  /** What `examine` reports counts as a warning: it is in a part that is not used. */
  asWarnings(examine: () => void): void {
    this.#softened = true;
    examine();
    this.#softened = false;
  }

  /** What `examine` reports arises in another use of a named block than the first: the outermost such use is told. */
  inUse<T>(use: Use | null, examine: () => T): T {
    const before = this.#use;
    this.#use ??= use;
    const answer = examine();
    this.#use = before;
    return answer;
  }

  /** A block that is used twice has the same fault twice: it is reported once. */
  add(
    severity: Problem['severity'],
    code: ProblemCode,
    place: Place,
    message: string,
    hint: string,
    fixes: Fix[] = [],
  ): void {
    if (severity === 'error') this.faults++;
    const path = place.join('.');
    const key = `${code} ${path} ${message}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.places.push(place);
    const use = this.#use;
    this.problems.push({
      code,
      severity: this.#softened ? 'warning' : severity,
      path,
      ...(use ? { use: use.place.join('.') } : {}),
      message: use ? `In its ${ordinal(use.count)} use, at layer ${use.path}: ${message}` : message,
      hint,
      fixes,
    });
  }

  error(code: ProblemCode, place: Place, message: string, hint: string, fixes: Fix[] = []): void {
    this.add('error', code, place, message, hint, fixes);
  }

  warn(code: ProblemCode, place: Place, message: string, hint: string, fixes: Fix[] = []): void {
    this.add('warning', code, place, message, hint, fixes);
  }

  hasErrors(): boolean {
    return this.problems.some((problem) => problem.severity === 'error');
  }

  /** Warns of keys that are neither in `known` nor in `derived` (sizes that follow from what comes before). */
  unknownKeys(value: JsonObject, known: readonly string[], place: Place, derived: readonly string[] = []): void {
    for (const key of Object.keys(value)) {
      if (known.includes(key)) continue;
      const at = [...place, key];
      if (derived.includes(key)) {
        this.warn('UNKNOWN_KEY', at, `${key} is not read: it follows from the layer's input`, 'Remove it.', [
          { label: `Remove ${key}`, edits: [removeEdit(at)] },
        ]);
        continue;
      }
      const [near] = nearest(
        key,
        known.filter((name) => !Object.hasOwn(value, name)),
      );
      this.warn(
        'UNKNOWN_KEY',
        at,
        `The key ${show(key)} is not known here and has no effect`,
        near === undefined ? `Known here: ${known.join(', ')}.` : `Did you mean ${near}?`,
        near === undefined
          ? [{ label: `Remove ${show(key)}`, edits: [removeEdit(at)] }]
          : [{ label: `Rename it to ${near}`, edits: [removeEdit(at), setEdit([...place, near], value[key])] }],
      );
    }
  }

  /**
   * Reads the fields of `shape` from an object. Invalid ones are reported and answered by their default (undefined where there is none,
   * `ok` is false then and whenever a field was invalid).
   */
  fields<S extends Shape>(value: JsonObject, shape: S, place: Place): { ok: boolean; values: Values<S> } {
    let ok = true;
    const values: JsonObject = {};
    for (const [key, schema] of Object.entries(shape)) {
      const given = Object.hasOwn(value, key) ? value[key] : undefined;
      const info = fieldInfo(schema);
      if (given === undefined && 'default' in info) {
        values[key] = info.default;
        continue;
      }
      const parsed = schema.safeParse(given);
      const tooLarge = parsed.success && beyondSingle(parsed.data);
      if (parsed.success && !tooLarge) {
        values[key] = parsed.data;
        continue;
      }
      ok = false;
      values[key] = info.default;
      const at = [...place, key];
      const fixes =
        'default' in info ? [{ label: `Use the default, ${show(info.default)}`, edits: [removeEdit(at)] }] : [];
      if (tooLarge) {
        const message = `${key} is ${show(given)}, which single precision cannot hold`;
        this.error('BAD_VALUE', at, message, 'Use numbers of at most 3.4e38 in size.', fixes);
      } else if (given === undefined) {
        this.error(
          'MISSING_VALUE',
          at,
          `${key} is missing: expected ${info.expected}`,
          `Give ${key} a value. ${info.help}`,
        );
      } else {
        this.error(
          'BAD_VALUE',
          at,
          `Expected ${info.expected} for ${key} but received ${show(given)}`,
          `Set ${key} to ${info.expected}${exampleOf(info.default)}. ${info.help}`,
          fixes,
        );
      }
    }
    return { ok, values: values as Values<S> };
  }

  /** The value as an object; anything else but an absent one is reported and answered as an empty one. */
  object(value: unknown, place: Place, what: string): JsonObject {
    if (value === undefined) return {};
    if (isObject(value)) return value;
    const message = `Expected an object for ${what} but received ${show(value)}`;
    const fixes = place.length === 0 ? [] : [{ label: `Remove ${what}`, edits: [removeEdit(place)] }];
    this.error('BAD_VALUE', place, message, 'Write { … } there.', fixes);
    return {};
  }
}

/** What the tables' rows have in common, and how a row is looked up from the project. */
import type { Json } from './native.ts';
import type { Chosen } from './project-types.ts';
import {
  isObject,
  type JsonObject,
  nearest,
  type Place,
  type Report,
  type Shape,
  setEdit,
  show,
  type Values,
} from './report.ts';

/** One kind of a table: everything that palette, form, validation, help and exporters need to know of it. */
export interface Row {
  /** PyTorch's name for it. */
  kind: string;
  label: string;
  /** One or two sentences for a person who meets it for the first time. */
  help: string;
  /** Schema of each parameter, in PyTorch's order; see fields.ts. */
  params: Shape;
}

/** A row whose parameters, defaults filled in, go to C++ as they are or after `args`. */
export interface ArgsRow extends Row {
  /** Names of the arguments, complete: the C++ row has the same. */
  argNames: readonly string[];
  args(params: JsonObject): Record<string, Json>;
  /** What the schema of a single parameter cannot say. */
  check?(params: JsonObject, place: Place, report: Report): void;
}

/** Types a row's functions by its own schema. */
export function argsRow<const S extends Shape>(row: {
  kind: string;
  label: string;
  help: string;
  params: S;
  argNames?: readonly string[];
  args?(params: Values<S>): Record<string, Json>;
  check?(params: Values<S>, place: Place, report: Report): void;
}): ArgsRow {
  const { args, check, ...rest } = row;
  return {
    ...rest,
    argNames: row.argNames ?? Object.keys(row.params),
    args: (params) => (args ? args(params as Values<S>) : (params as Record<string, Json>)),
    ...(check ? { check: (params, place, report) => check(params as Values<S>, place, report) } : {}),
  };
}

export function tableOf<R extends Row>(rows: readonly R[]): ReadonlyMap<string, R> {
  return new Map(rows.map((row) => [row.kind, row]));
}

/** The row that an object's `kind` names; null after reporting why there is none. */
export function findRow<R extends Row>(
  value: unknown,
  table: ReadonlyMap<string, R>,
  place: Place,
  what: string,
  report: Report,
): { row: R; given: JsonObject } | null {
  if (!isObject(value)) {
    report.error(
      'BAD_VALUE',
      place,
      `Expected an object with a kind for ${what} but received ${show(value)}`,
      `Write for example { "kind": "${[...table.keys()][0]}" }.`,
    );
    return null;
  }
  const kind = Object.hasOwn(value, 'kind') ? value.kind : undefined;
  const row = typeof kind === 'string' ? table.get(kind) : undefined;
  if (row) return { row, given: value };
  const kinds = [...table.keys()];
  const at = [...place, 'kind'];
  if (kind === undefined) {
    report.error('MISSING_VALUE', at, `The ${what} has no kind`, knownKinds(kinds));
    return null;
  }
  const near = typeof kind === 'string' ? nearest(kind, kinds, 3) : [];
  report.error(
    'UNKNOWN_KIND',
    at,
    `There is no ${what} of kind ${show(kind)}`,
    near.length > 0 ? `Did you mean ${near.join(' or ')}?` : knownKinds(kinds),
    near.map((name) => ({ label: `Change it to ${name}`, edits: [setEdit(at, name)] })),
  );
  return null;
}

/** A hundred names help nobody. */
function knownKinds(kinds: readonly string[]): string {
  return kinds.length <= 24
    ? `Known kinds: ${kinds.join(', ')}.`
    : `There are ${kinds.length} kinds, with the names of PyTorch's classes, such as ${kinds.slice(0, 3).join(', ')}.`;
}

/** Reads `{kind, …parameters}`; null after reporting what is wrong with it. */
export function chooseRow<R extends ArgsRow>(
  value: unknown,
  table: ReadonlyMap<string, R>,
  place: Place,
  what: string,
  report: Report,
): { row: R; chosen: Chosen } | null {
  const found = findRow(value, table, place, what, report);
  if (!found) return null;
  const { row, given } = found;
  report.unknownKeys(given, ['kind', ...Object.keys(row.params)], place);
  const { ok, values } = report.fields(given, row.params, place);
  if (!ok) return null;
  row.check?.(values, place, report);
  return { row, chosen: { kind: row.kind, args: row.args(values) } };
}

/** Changes which row of a table an object of the project names: what the new row knows too is kept. Pure. */
import { isObject, type JsonObject } from '../../engine/contract/report.ts';
import type { Row } from '../../engine/contract/table.ts';

/** Parameters of the same name stay where the new row takes their values. */
export function withKind(given: unknown, row: Row): JsonObject {
  const kept = isObject(given) ? given : {};
  const entries = Object.entries(row.params).flatMap(([key, schema]) =>
    Object.hasOwn(kept, key) && schema.safeParse(kept[key]).success ? [[key, kept[key]] as const] : [],
  );
  return { kind: row.kind, ...Object.fromEntries(entries) };
}

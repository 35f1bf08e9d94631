/** The list of metrics of a project as it is written, and edits of it: a name, or an object where arguments are given. Pure. */
import { fieldInfo } from '../../engine/contract/fields.ts';
import { type MetricKind, metricKey, metrics } from '../../engine/contract/metrics.ts';
import type { Json } from '../../engine/contract/native.ts';
import { isObject, type JsonObject } from '../../engine/contract/report.ts';

/** As `training.metrics` has it. */
export type Item = unknown;

export function kindOf(item: Item): string {
  if (typeof item === 'string') return item;
  return isObject(item) && typeof item.kind === 'string' ? item.kind : JSON.stringify(item);
}

/** The arguments that are given, as a form takes them. */
export function argumentsOf(item: Item): JsonObject {
  if (!isObject(item)) return {};
  const { kind: _kind, ...given } = item;
  return given;
}

/** The column that it fills; null for what is no metric. */
export function keyOf(item: Item): string | null {
  const row = metrics.get(kindOf(item));
  return row ? metricKey(row.kind, { ...row.defaults(), ...(argumentsOf(item) as Record<string, Json>) }) : null;
}

export function itemOf(kind: string, given: JsonObject): Item {
  return Object.keys(given).length === 0 ? kind : { kind, ...given };
}

/** The list with one argument given, or (undefined) taken away. */
export function withArgument(list: readonly Item[], index: number, name: string, value: unknown): Item[] {
  return list.map((item, at) => {
    if (at !== index) return item;
    const { [name]: _gone, ...rest } = argumentsOf(item);
    return itemOf(kindOf(item), value === undefined ? rest : { ...rest, [name]: value });
  });
}

/**
 * What a kind would be added as: as it is usually meant, and where that is measured already in another way of it. null: each is there.
 */
export function addition(list: readonly Item[], row: MetricKind): Item | null {
  const taken = new Set(list.map(keyOf));
  const ways: JsonObject[] = [
    { ...row.usual },
    ...Object.entries(row.params).flatMap(([name, schema]) =>
      (fieldInfo(schema).choices ?? []).map((choice) => ({ [name]: choice })),
    ),
    ...('top_k' in row.params ? [{ top_k: 5 }, { top_k: 3 }] : []),
  ];
  const free = ways.map((given) => itemOf(row.kind, given)).find((item) => !taken.has(keyOf(item)));
  return free ?? null;
}

/** The table of data sources: one row a kind, by family in `sources/`. */
import { fieldInfo } from './fields.ts';
import { arrayKinds } from './sources/arrays.ts';
import { cifarKinds } from './sources/cifar.ts';
import { idxKinds } from './sources/idx.ts';
import { imageKinds } from './sources/images.ts';
import type { SourceKind } from './sources/kind.ts';
import { packKinds } from './sources/pack.ts';
import { randomKinds } from './sources/random.ts';
import { seriesKinds } from './sources/series.ts';
import { tableKinds } from './sources/table.ts';
import { textKinds } from './sources/text.ts';
import { toyKinds } from './sources/toy.ts';
import { tableOf } from './table.ts';

export type { SourceKind } from './sources/kind.ts';
export { inputTokens, randomFacts, randomTarget } from './sources/random.ts';

export const sourceKinds: readonly SourceKind[] = [
  ...imageKinds,
  ...cifarKinds,
  ...idxKinds,
  ...arrayKinds,
  ...packKinds,
  ...textKinds,
  ...toyKinds,
  ...randomKinds,
  ...tableKinds,
  ...seriesKinds,
];

export const sources = tableOf(sourceKinds);

/** Names of the parameters of a kind that hold paths: relative ones are relative to the project's file. */
export function pathKeys(kind: string): string[] {
  const params = sources.get(kind)?.params ?? {};
  return Object.entries(params).flatMap(([key, schema]) => (fieldInfo(schema).control === 'path' ? [key] : []));
}

/** The paths that a source names, by parameter. */
export function pathsOf(source: { kind: string }): { key: string; path: string }[] {
  return pathKeys(source.kind).flatMap((key) => {
    const path = (source as { [key: string]: unknown })[key];
    return typeof path === 'string' && path !== '' ? [{ key, path }] : [];
  });
}

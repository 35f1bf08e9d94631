/** The tables as the addon describes its own: compared when it is loaded. */
import { initKinds } from './inits.ts';
import { layerKinds } from './layers/index.ts';
import { lossKinds } from './losses.ts';
import { metricKinds } from './metric-kinds.ts';
import type { NativeDescription } from './native.ts';
import { optimizerKinds } from './optimizers.ts';
import { transformKinds } from './transforms.ts';

export type TableDescription = Pick<
  NativeDescription,
  'layers' | 'optimizers' | 'losses' | 'metrics' | 'transforms' | 'inits'
>;

type Named = { kind: string; argNames: readonly string[] };

function byKind(rows: readonly Named[]): Record<string, string[]> {
  return Object.fromEntries(rows.map(({ kind, argNames }) => [kind, [...argNames]]));
}

/** Kinds and the names of their arguments; kinds that the plan expands have no native row. */
export function describeTables(): TableDescription {
  return {
    layers: byKind(layerKinds.filter(({ inlined }) => !inlined)),
    optimizers: byKind(optimizerKinds),
    losses: byKind(lossKinds),
    metrics: byKind(metricKinds),
    transforms: byKind(transformKinds),
    inits: byKind(initKinds.filter(({ kind }) => kind !== 'default')),
  };
}

/** What differs between the addon's tables and these, one sentence a difference; none: they agree. Order does not matter. */
export function compareTables(native: TableDescription): string[] {
  const own = describeTables();
  const differences: string[] = [];
  const compare = (what: string, ours: readonly string[], theirs: readonly string[]) => {
    const missing = ours.filter((name) => !theirs.includes(name));
    const added = theirs.filter((name) => !ours.includes(name));
    if (missing.length > 0) differences.push(`the addon lacks ${what} ${missing.join(', ')}`);
    if (added.length > 0) differences.push(`the addon has unknown ${what} ${added.join(', ')}`);
  };
  for (const table of ['layers', 'optimizers', 'losses', 'metrics', 'transforms', 'inits'] as const) {
    compare(table, Object.keys(own[table]), Object.keys(native[table] ?? {}));
    for (const [kind, names] of Object.entries(own[table])) {
      const theirs = native[table]?.[kind];
      if (theirs) compare(`arguments of ${kind}:`, names, theirs);
    }
  }
  return differences;
}

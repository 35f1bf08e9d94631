/** The open project's data source as calls about it take it, and keys that change whenever what they name does. */
import { useMemo } from 'react';
import { isObject, type JsonObject } from '../../engine/contract/report.ts';
import { sources } from '../../engine/contract/sources.ts';
import { useValueAt } from './form.ts';
import { useProjectState } from './project-state.ts';
import { currentProject } from './project-view.ts';

export interface OfProject {
  file: string;
  source: JsonObject;
}

/** null: no project is open, or no source is chosen. */
export function useSource(): (OfProject & { key: string }) | null {
  const file = useProjectState((state) => state.file);
  const source = useValueAt(['data', 'source']);
  const key = JSON.stringify([file, source]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for both
  return useMemo(() => (file === null || !isObject(source) ? null : { file, source, key }), [key]);
}

function dataNow(): { file: string; data: JsonObject } | null {
  const { file } = useProjectState.getState();
  const data = currentProject().view.project?.data;
  return file === null || !isObject(data) ? null : { file, data };
}

export function sourceNow(): (OfProject & { key: string }) | null {
  const now = dataNow();
  if (!now || !isObject(now.data.source)) return null;
  const { file, data } = now;
  const source = data.source as JsonObject;
  return { file, source, key: JSON.stringify([file, source]) };
}

export interface DataKey {
  source: string;
  split: string;
}

const keyOf = (file: string | null, source: unknown, split: unknown): DataKey => ({
  source: JSON.stringify([file, source]),
  split: JSON.stringify(split ?? null),
});

/** Of source and split: what a pack and a check are of. */
export function useDataKey(): DataKey {
  const file = useProjectState((state) => state.file);
  return keyOf(file, useValueAt(['data', 'source']), useValueAt(['data', 'split']));
}

/** The same at this moment, after edits that nothing has been drawn for yet. */
export function dataKeyNow(): DataKey {
  const now = dataNow();
  return keyOf(useProjectState.getState().file, now?.data.source, now?.data.split);
}

const importKeyOf = ({ source, split }: DataKey, kind: unknown) =>
  sources.get(String(kind))?.fitted ? source + split : source;

/** What a pack is of: of the split too where values are encoded as the samples that train say. */
export function useImportKey(): string {
  return importKeyOf(useDataKey(), useValueAt(['data', 'source', 'kind']));
}

/** The same at this moment. */
export function importKeyNow(): string {
  return importKeyOf(dataKeyNow(), sourceNow()?.source.kind);
}

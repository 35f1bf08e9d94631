/** The settings that a run was made with, read once a text. */
import { useMemo } from 'react';
import { type ResolvedProject, readProject, resolveProject } from '../../engine/contract/project.ts';
import type { RunDetails } from '../../engine/contract/wire.ts';

/** Why validation may be worse than training while the average lags behind. */
export function averagedSentence({ decay }: { decay: number }): string {
  return `Validation values are of the averaged weights (decay ${decay}); training values are of the weights themselves.`;
}

/** null while they are not told, and for a project that was damaged by hand. */
export function useRunProject(details: RunDetails | null): ResolvedProject | null {
  const text = details?.project;
  return useMemo(() => {
    try {
      return text === undefined ? null : resolveProject(readProject(text).project ?? {});
    } catch {
      return null;
    }
  }, [text]);
}

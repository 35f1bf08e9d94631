/** The live run that the frame is about: the one whose page is looked at, else the one that was started last. */
import { useRoute } from 'wouter';
import type { RunRow } from '../../engine/contract/api.ts';
import { isLive, useLiveRun, useRuns } from '../state/runs.ts';
import { decoded } from './hash-location.ts';

/** The live run on whose page somebody is. */
export function useShownRun(): RunRow | null {
  const [, parts] = useRoute('/runs/:name/*?');
  const name = parts?.name === undefined ? null : decoded(parts.name);
  return useRuns(({ list }) => list?.find((run) => run.name === name && isLive(run.status)) ?? null);
}

export function useFrameRun(): RunRow | null {
  const shown = useShownRun();
  const latest = useLiveRun();
  return shown ?? latest;
}

/** How many others live besides the one that is shown. */
export function useOtherRuns(): number {
  return useRuns(({ list }) => Math.max(0, (list?.filter(({ status }) => isLive(status)).length ?? 0) - 1));
}

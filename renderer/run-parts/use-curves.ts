/** Several runs followed at once, for charts that draw them together. */
import { useEffect, useMemo, useState } from 'react';
import type { RunRow } from '../../engine/contract/api.ts';
import { follow, type LiveRun } from '../state/live.ts';
import type { RunCurves } from './lines.ts';

export interface FollowedRun {
  run: RunRow;
  live: LiveRun;
}

/** Those of `runs` that are followed by now. */
export function useFollowedRuns(runs: readonly RunRow[]): FollowedRun[] {
  const folders = runs.map(({ folder }) => folder).join('\n');
  const [lives, setLives] = useState<ReadonlyMap<string, LiveRun>>(new Map());
  useEffect(() => {
    const followed = folders === '' ? [] : folders.split('\n').map((folder) => ({ folder, ...follow(folder) }));
    setLives(new Map(followed.map(({ folder, live }) => [folder, live])));
    return () => {
      for (const { leave } of followed) leave();
    };
  }, [folders]);
  return useMemo(
    () =>
      runs.flatMap((run) => {
        const live = lives.get(run.folder);
        return live ? [{ run, live }] : [];
      }),
    [runs, lives],
  );
}

/** What a chart draws of a run now. */
export function curvesOf(live: LiveRun): RunCurves {
  const { head } = live.head.getState();
  return { series: live.series(), epochs: head?.epochs ?? [], ghosts: head?.ghosts ?? [] };
}

/** Names of all values that the runs have, of steps and of epochs; told anew when a run gains one. */
export function useValueNames(runs: readonly LiveRun[]): string[] {
  const [names, setNames] = useState<string[]>([]);
  useEffect(() => {
    const look = () => {
      const found = new Set<string>();
      for (const live of runs) {
        for (const name of live.series().columns.keys()) found.add(name);
        const last = live.head.getState().head?.epochs.at(-1);
        for (const [name, value] of Object.entries(last ?? {})) if (typeof value === 'number') found.add(name);
      }
      setNames((before) =>
        before.length === found.size && before.every((name) => found.has(name)) ? before : [...found],
      );
    };
    look();
    const leave = runs.flatMap((live) => [live.onFrame(look), live.head.subscribe(look)]);
    return () => {
      for (const end of leave) end();
    };
  }, [runs]);
  return names;
}

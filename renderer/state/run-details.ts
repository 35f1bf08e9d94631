/** What a page asks about one run besides its series: details, notes, a name, exports, a closer look; and the desktop around the window. */
import { useCallback, useEffect } from 'react';
import { create } from 'zustand';
import type { RunRow } from '../../engine/contract/api.ts';
import type { ErrorInfo } from '../../engine/contract/errors.ts';
import { readProject, resolveProject } from '../../engine/contract/project.ts';
import type { RunDetails } from '../../engine/contract/wire.ts';
import { engine } from '../client/client.ts';
import { shell } from '../client/shell.ts';
import { readSeries, type Series } from './live.ts';
import { openProject } from './project.ts';
import { isLive } from './runs.ts';
import { infoOf, tellError, useSession } from './session.ts';

interface Known {
  details: RunDetails | null;
  error: ErrorInfo | null;
}

const useDetails = create<{ byFolder: Readonly<Record<string, Known>> }>(() => ({ byFolder: {} }));
const unknown: Known = { details: null, error: null };

async function readDetails(folder: string): Promise<void> {
  lastRead.set(folder, performance.now());
  const known = useDetails.getState().byFolder[folder] ?? unknown;
  const next: Known = await engine.runs.details({ run: folder }).then(
    (details) => ({ details, error: null }),
    (thrown: unknown) => ({ ...known, error: infoOf(thrown) }),
  );
  useDetails.setState(({ byFolder }) => ({ byFolder: { ...byFolder, [folder]: next } }));
}

/** Those of a run that goes on are read again at most this often. */
const rereadMs = 4000;
const lastRead = new Map<string, number>();

/** The details of a run, read again when its row in the list changes; those of before stay until then. */
export function useRunDetails(run: RunRow | null | undefined): Known & { refresh(): void } {
  const folder = run?.folder ?? null;
  const mark = run ? `${run.status} ${run.summary?.updated}` : '';
  const live = run ? isLive(run.status) : false;
  useEffect(() => {
    if (folder === null || mark === '') return;
    const wait = live ? (lastRead.get(folder) ?? -rereadMs) + rereadMs - performance.now() : 0;
    const timer = setTimeout(() => void readDetails(folder), Math.max(0, wait));
    return () => clearTimeout(timer);
  }, [folder, mark, live]);
  const known = useDetails(({ byFolder }) => (folder === null ? undefined : byFolder[folder])) ?? unknown;
  const refresh = useCallback(() => {
    if (folder !== null) void readDetails(folder);
  }, [folder]);
  return { ...known, refresh };
}

/** The details of several runs, asked for once; null: not told yet, or not to be had. */
export function useManyDetails(runs: readonly RunRow[]): (RunDetails | null)[] {
  const folders = runs.map(({ folder }) => folder).join('\n');
  const byFolder = useDetails((state) => state.byFolder);
  useEffect(() => {
    for (const folder of folders.split('\n')) {
      if (folder !== '' && !useDetails.getState().byFolder[folder]) void readDetails(folder);
    }
  }, [folders]);
  return runs.map(({ folder }) => byFolder[folder]?.details ?? null);
}

/** Answers the new folder, or the error for the page to show. */
export async function renameRun(run: RunRow, name: string): Promise<{ folder: string } | { error: ErrorInfo }> {
  try {
    return { folder: (await engine.runs.rename({ run: run.folder, name })).run };
  } catch (thrown) {
    return { error: infoOf(thrown) };
  }
}

export async function saveNotes(folder: string, notes: string): Promise<boolean> {
  try {
    await engine.runs.note({ run: folder, notes });
    return true;
  } catch (thrown) {
    tellError(thrown);
    return false;
  }
}

export type Exported = Awaited<ReturnType<typeof engine.runs.export>>;

/** `out` null: into the run's own export folder. null: it was cancelled. */
export async function exportRun(
  run: RunRow,
  { format, checkpoint, out }: { format: string; checkpoint: 'best' | 'last'; out: string | null },
  signal: AbortSignal,
): Promise<{ exported: Exported } | { error: ErrorInfo } | null> {
  const wanted = { run: run.folder, format, checkpoint, ...(out === null ? {} : { out }) };
  try {
    const exported = await engine.runs.export(wanted, { signal });
    void readDetails(run.folder);
    return { exported };
  } catch (thrown) {
    if (signal.aborted) return null;
    return { error: infoOf(thrown) };
  }
}

/** What a longer run makes of the learning rate; null where it cannot be said: resuming will tell why. */
export async function planExtension(
  run: RunRow,
  epochs: number,
  signal: AbortSignal,
): Promise<Awaited<ReturnType<typeof engine.runs.extension>> | null> {
  return engine.runs.extension({ run: run.folder, epochs }, { signal }).catch(() => null);
}

/** An exported file's content, or null after telling why there is none. */
export async function readExport(run: RunRow, name: string): Promise<Blob | null> {
  try {
    const file = await engine.runs.download({ run: run.folder, name });
    return new Blob([await file.arrayBuffer()]);
  } catch (thrown) {
    tellError(thrown);
    return null;
  }
}

/** The steps `from` to `to` of a run, as exact as `points` allow; null where they could not be read. */
export async function closerLook(folder: string, from: number, to: number, points: number): Promise<Series | null> {
  try {
    return readSeries(await engine.runs.series({ run: folder, from, to, points }));
  } catch (thrown) {
    tellError(thrown);
    return null;
  }
}

/** A run's settings as a new project in the workspace, opened. */
export async function projectOfRun(text: string): Promise<boolean> {
  const home = useSession.getState().about?.home;
  if (home === undefined) return false;
  const { name } = resolveProject(readProject(text).project ?? {});
  const slash = home.includes('\\') ? '\\' : '/';
  const file = [home, 'projects', `${name}.gradloom.json`].join(slash);
  return openProject(() => engine.projects.saveCopy({ file, text }));
}

/** What the desktop does for the window; null in a browser. */
export function desktop(): Pick<NonNullable<ReturnType<typeof shell>>, 'pickTarget' | 'showInFolder'> | null {
  return shell();
}

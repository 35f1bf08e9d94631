/** The list of runs, kept up to date while the window lives, and what a person does to a run. */
import { create } from 'zustand';
import type { RunRow } from '../../engine/contract/api.ts';
import type { ErrorInfo } from '../../engine/contract/errors.ts';
import type { RunAction, RunState } from '../../engine/contract/events.ts';
import { integer } from '../../engine/contract/format.ts';
import { runStem } from '../../engine/contract/run-names.ts';
import { engine, keepAsking } from '../client/client.ts';
import { saveNow, useProjectState } from './project.ts';
import { infoOf, tell, tellError } from './session.ts';
import { readTrash } from './trash.ts';

interface Runs {
  /** null: not told yet. Latest changed first. */
  list: RunRow[] | null;
  error: ErrorInfo | null;
  /** A start or an action that has not been answered yet, by run name; `''`: the start of a new run. */
  pending: Readonly<Record<string, Pending>>;
}

export type Pending = RunAction | 'start' | 'resume' | 'snapshot' | 'set' | 'force';

export const useRuns = create<Runs>(() => ({ list: null, error: null, pending: {} }));

const liveStates: readonly RunState[] = ['queued', 'preparing', 'running', 'paused'];

export function isLive(status: RunState): boolean {
  return liveStates.includes(status);
}

export function startRuns(): void {
  let seen: string | undefined;
  void keepAsking(
    async (signal) => {
      const { version, runs } = await engine.runs.watch(seen === undefined ? {} : { seen }, { signal });
      if (version === seen) return useRuns.setState({ error: null });
      seen = version;
      // Deleted or brought back, here, in another window or in a terminal.
      if (runs.length !== useRuns.getState().list?.length) void readTrash();
      useRuns.setState({ list: runs, error: null });
    },
    new AbortController().signal,
    (error) => {
      useRuns.setState({ error: error.toInfo() });
      return true;
    },
  );
}

/** undefined: no such run; null: the list is not told yet. */
export function useRun(name: string): RunRow | undefined | null {
  return useRuns(({ list }) => (list === null ? null : list.find((run) => run.name === name)));
}

/** The run that the frame shows: the latest live one. */
export function useLiveRun(): RunRow | null {
  return useRuns(({ list }) => list?.find(({ status }) => isLive(status)) ?? null);
}

/** Whether a run is of a project of this name: as its summary says, else as its own name begins, which is made of the project's. */
export function isOf({ name, summary }: Pick<RunRow, 'name' | 'summary'>, project: string): boolean {
  if (summary) return summary.name === project;
  const stem = name.replace(/-\d+$/, '');
  return stem === project || stem === runStem(project);
}

/** The live runs: of the open project the latest, and of another one the latest. Without an open project every run is another's. */
export function useLiveRunsBy(project: string | null): { own: RunRow | null; other: RunRow | null } {
  const own = useRuns(
    ({ list }) => list?.find((run) => isLive(run.status) && project !== null && isOf(run, project)) ?? null,
  );
  const other = useRuns(
    ({ list }) => list?.find((run) => isLive(run.status) && (project === null || !isOf(run, project))) ?? null,
  );
  return { own, other };
}

async function pending<T>(name: string, action: Pending, work: () => Promise<T>): Promise<T> {
  const change = (value: Pending | undefined) =>
    useRuns.setState(({ pending: before }) => {
      const { [name]: _gone, ...rest } = before;
      return { pending: value === undefined ? rest : { ...rest, [name]: value } };
    });
  change(action);
  try {
    return await work();
  } finally {
    change(undefined);
  }
}

/** Starts a run of the open project as it is in the window; answers its folder, or the error for the page to show. */
export async function startRun(): Promise<{ run: string } | { error: ErrorInfo }> {
  const { file, text } = useProjectState.getState();
  if (file === null) return { error: { code: 'BAD_CALL', message: 'No project is open' } };
  if (useRuns.getState().pending['']) return { error: { code: 'BAD_CALL', message: 'A run is being started already' } };
  try {
    return await pending('', 'start', async () => {
      await saveNow();
      return engine.runs.start({ file, text });
    });
  } catch (thrown) {
    return { error: infoOf(thrown) };
  }
}

export async function act(run: RunRow, action: RunAction): Promise<boolean> {
  try {
    await pending(run.name, action, () => engine.runs.act({ run: run.folder, action }));
    return true;
  } catch (thrown) {
    tellError(thrown);
    return false;
  }
}

/** A checkpoint now that stays, while the run goes on. */
export async function takeSnapshot(run: RunRow): Promise<boolean> {
  try {
    const { step } = await pending(run.name, 'snapshot', () => engine.runs.snapshot({ run: run.folder }));
    tell({
      tone: 'info',
      message: `Snapshot of ${run.name} after step ${integer(step)}`,
      hint: 'It stays, and can be exported.',
    });
    return true;
  } catch (thrown) {
    tellError(thrown);
    return false;
  }
}

/** From the next step on. Answers the error for the dialog to show. */
export async function changeRun(run: RunRow, change: { lr?: number; epochs?: number }): Promise<ErrorInfo | null> {
  try {
    await pending(run.name, 'set', () => engine.runs.set({ run: run.folder, ...change }));
    return null;
  } catch (thrown) {
    return infoOf(thrown);
  }
}

/** Asks it to stop, and ends its process where that does not answer. */
export async function forceEnd(run: RunRow): Promise<boolean> {
  try {
    await pending(run.name, 'force', () => engine.runs.forceStop({ run: run.folder }));
    return true;
  } catch (thrown) {
    tellError(thrown);
    return false;
  }
}

/** `epochs`: a new total; `edits`: changes to the run's own project from here on. */
export async function resumeRun(
  run: RunRow,
  more: { epochs?: number; edits?: Parameters<typeof engine.runs.resume>[0]['edits'] & {} } = {},
): Promise<boolean> {
  try {
    await pending(run.name, 'resume', () => engine.runs.resume({ run: run.folder, ...more }));
    return true;
  } catch (thrown) {
    tellError(thrown);
    return false;
  }
}

/** One after the other a thousand would take half a minute, and the window may be closed before. */
const removedAtOnce = 8;

/** Moves runs to the trash, with an offer to undo. */
export async function removeRuns(runs: readonly RunRow[]): Promise<void> {
  const trashed: string[] = [];
  const waiting = [...runs];
  const removeNext = async (): Promise<void> => {
    for (let run = waiting.shift(); run; run = waiting.shift()) {
      try {
        trashed.push((await engine.runs.remove({ run: run.folder })).trashed);
      } catch (thrown) {
        tellError(thrown);
      }
    }
  };
  await Promise.all(Array.from({ length: removedAtOnce }, removeNext));
  if (trashed.length === 0) return;
  void readTrash();
  const restore = () => {
    for (const place of trashed) engine.runs.restore({ trashed: place }).catch(tellError);
  };
  tell({
    tone: 'info',
    message: trashed.length === 1 ? `${runs[0]?.name} was deleted` : `${trashed.length} runs were deleted`,
    action: { label: 'Undo', run: restore },
  });
}

/** Which runs there are, and in which state. */
import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { GradloomError } from '../contract/errors.ts';
import type { RunState } from '../contract/events.ts';
import { runStem } from '../contract/run-names.ts';
import { runsDir } from '../workspace.ts';
import { replaceJson } from './durable.ts';
import { isRun } from './folder.ts';
import { isLive } from './live.ts';
import { appendLog, errorLines } from './log.ts';
import { type RunSummary, readSummary, summaryName } from './summary.ts';
import type { RunListing } from './types.ts';

const liveStates: readonly RunState[] = ['queued', 'preparing', 'running', 'paused'];

/** Whether a run in that state is held by a process. */
export function isLiveState(status: RunState): boolean {
  return liveStates.includes(status);
}

/** One run as a list shows it. */
export async function describeRun(folder: string): Promise<RunListing> {
  const summary = readSummary(folder);
  let status: RunState = summary?.status ?? 'preparing';
  if (liveStates.includes(status) && !(await isLive(folder))) status = 'interrupted';
  return { name: path.basename(folder), folder, status, summary };
}

/** Notes in a run's summary and log that its process died; leaves a run alone that somebody has taken up again, or that is gone. */
export async function markDied(folder: string, error: GradloomError): Promise<void> {
  const summary = readSummary(folder);
  if (!summary || !liveStates.includes(summary.status) || (await isLive(folder))) return;
  const noted: RunSummary = {
    ...summary,
    status: 'interrupted',
    error: error.toInfo(),
    updated: new Date().toISOString(),
  };
  replaceJson(path.join(folder, summaryName), noted, { sync: false });
  appendLog(folder, errorLines(error.toInfo()));
}

/** What may be a run: folders, and links to folders that lie elsewhere. */
export async function foldersIn(base: string): Promise<string[]> {
  const entries = await readdir(base, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map(({ name }) => path.join(base, name));
}

/** The runs of a workspace: those that live, then the latest changed first. */
export async function listRuns(home?: string): Promise<RunListing[]> {
  const folders = await foldersIn(runsDir(home));
  const runs = await Promise.all(folders.filter(isRun).map(describeRun));
  return inOrder(runs.map((run) => ({ run, moment: momentOf(run) }))).map(({ run }) => run);
}

/** What a run is ordered by: of one that lives its start, for its changes would make it change places with another all the time. */
export function momentOf({ folder, status, summary }: RunListing): string {
  const known = isLiveState(status) ? summary?.started : summary?.updated;
  return known ?? statSync(folder, { throwIfNoEntry: false })?.mtime.toISOString() ?? '';
}

export function inOrder<T extends { run: Pick<RunListing, 'name' | 'status'>; moment: string }>(runs: T[]): T[] {
  const rank = ({ run }: T) => (isLiveState(run.status) ? 0 : 1);
  return runs.sort(
    (a, b) => rank(a) - rank(b) || b.moment.localeCompare(a.moment) || b.run.name.localeCompare(a.run.name),
  );
}

/** The next free `<project name>-001` in the workspace; not created yet. */
export async function nextRunFolder(project: string, home?: string): Promise<string> {
  const base = runsDir(home);
  const stem = runStem(project);
  const taken = (await readdir(base).catch(() => [])).flatMap((name) => {
    const number = name.startsWith(`${stem}-`) ? name.slice(stem.length + 1) : '';
    return /^\d+$/.test(number) ? [Number(number)] : [];
  });
  return path.join(base, `${stem}-${String(Math.max(0, ...taken) + 1).padStart(3, '0')}`);
}

/** The list of runs as windows watch it: read again only where something has changed. */
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as breathe, setTimeout as sleep } from 'node:timers/promises';
import type { RunRow } from '../contract/api.ts';
import { Sleepers } from '../sleepers.ts';
import { runsDir } from '../workspace.ts';
import { isRun } from './folder.ts';
import { describeRun, foldersIn, inOrder, isLiveState, momentOf } from './registry.ts';
import { readSummary, summaryName } from './summary.ts';

export const notesName = 'notes.txt';

/** Runs that are live, and which runs there are, are looked at this often… */
const lookMs = 500;
/** …never more often than this, whatever is told of them… */
const leastMs = 150;
/** …how far a live run is, is told this often: whoever wants to know more follows it… */
const progressMs = 2000;
/** …a run that has written nothing for this long is asked whether it still lives… */
const askMs = 1000;
/** …and all others this often: another program may have taken one up, or written notes. */
const lookAtAllMs = 5000;
/** So many are looked at before other work has its turn. */
const atOnce = 100;

interface Known {
  run: RunRow;
  mark: string;
  /** What it is ordered by. */
  moment: string;
  /** When it was last known to be what is told of it. */
  asked: number;
  /** When it was last told differently. */
  told: number;
}

export class RunList {
  readonly #home: string | undefined;
  readonly #known = new Map<string, Known>();
  readonly #instance = crypto.randomUUID().slice(0, 8);
  #changes = 0;
  #rows: RunRow[] = [];
  #lookedAtAll = Number.NEGATIVE_INFINITY;
  /** Runs of which this process knows that they have changed. */
  readonly #told = new Set<string>();
  #looking: Promise<void> | null = null;
  #lookedAt = Number.NEGATIVE_INFINITY;
  readonly #watchers = new Sleepers();

  constructor(home?: string) {
    this.#home = home;
  }

  /** A change of a run, or of which runs there are, that this process knows of: whoever waits is answered soon. */
  wake(folder?: string): void {
    if (folder !== undefined) this.#told.add(folder);
    this.#watchers.wake();
  }

  /** The list once it is not `seen`, or unchanged after `patience` milliseconds. */
  async watch(
    seen: string | undefined,
    patience: number,
    signal?: AbortSignal,
  ): Promise<{ version: string; runs: RunRow[] }> {
    const until = performance.now() + patience;
    for (;;) {
      await this.#look();
      const version = `${this.#instance}-${this.#changes}`;
      const left = until - performance.now();
      if (version !== seen || left <= 0 || signal?.aborted) return { version, runs: this.#rows };
      await this.#watchers.sleep(Math.min(lookMs, left), signal);
    }
  }

  async #look(): Promise<void> {
    const asked = performance.now();
    while (this.#looking) await this.#looking;
    if (this.#lookedAt > asked) return; // another has looked meanwhile
    const early = leastMs - (performance.now() - this.#lookedAt);
    this.#looking = this.#read(early).finally(() => {
      this.#looking = null;
    });
    await this.#looking;
  }

  async #read(wait: number): Promise<void> {
    if (wait > 0) await sleep(wait);
    this.#lookedAt = performance.now();
    const folders = await foldersIn(runsDir(this.#home));
    const all = performance.now() - this.#lookedAtAll > lookAtAllMs;
    if (all) this.#lookedAtAll = performance.now();
    const told = new Set(this.#told);
    this.#told.clear();
    let changed = false;
    const there = new Set<string>();
    let looked = 0;
    for (const folder of folders) {
      there.add(folder);
      const known = this.#known.get(folder);
      const live = known !== undefined && isLiveState(known.run.status);
      if (known && !live && !all && !told.has(folder)) continue;
      looked += 1;
      if (looked % atOnce === 0) await breathe();
      if (await this.#update(folder, known, told.has(folder))) changed = true;
    }
    for (const folder of this.#known.keys()) {
      if (there.has(folder)) continue;
      this.#known.delete(folder);
      changed = true;
    }
    if (!changed) return;
    this.#changes += 1;
    this.#rows = inOrder([...this.#known.values()]).map(({ run }) => run);
  }

  /** Answers whether the run is told differently now. `told`: something has been done to it. */
  async #update(folder: string, known: Known | undefined, told: boolean): Promise<boolean> {
    const mark = markOf(folder);
    if (mark === null) return this.#known.delete(folder);
    if (known && known.mark === mark) {
      if (!isLiveState(known.run.status)) return false;
      // Nothing was written: what can have changed is that its process is gone.
      const asked = performance.now();
      if (asked - known.asked < askMs) return false;
      const { status } = await describeRun(folder);
      if (status === known.run.status) known.asked = asked;
      if (status === known.run.status) return false;
      const run = { ...known.run, status };
      this.#known.set(folder, { ...known, asked, told: asked, run, moment: momentOf(run) });
      return true;
    }
    const now = performance.now();
    const goesOn = known && !told && isLiveState(known.run.status) && now - known.told < progressMs;
    // To describe it costs the run a connection.
    if (goesOn && readSummary(folder)?.status === known.run.status) return false;
    const listing = await describeRun(folder);
    const notes = readNotes(folder);
    this.#known.set(folder, { run: { ...listing, notes }, mark, moment: momentOf(listing), asked: now, told: now });
    return true;
  }
}

/** What a change of a run's summary or notes changes; null: it is no run. */
function markOf(folder: string): string | null {
  const summary = statSync(path.join(folder, summaryName), { throwIfNoEntry: false });
  if (!summary && !isRun(folder)) return null;
  const notes = statSync(path.join(folder, notesName), { throwIfNoEntry: false });
  return [summary?.ino, summary?.mtimeMs, summary?.size, notes?.ino, notes?.mtimeMs, notes?.size].join();
}

export function readNotes(folder: string): string {
  try {
    return readFileSync(path.join(folder, notesName), 'utf8');
  } catch {
    return ''; // there are none
  }
}

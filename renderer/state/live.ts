/**
 * A run as it goes on: its series in typed arrays that charts paint from without React, and a head of a few numbers that components read.
 * Followers of one run share one call to the engine.
 */
import { useEffect, useState } from 'react';
import { createStore, type StoreApi, useStore } from 'zustand';
import type { FollowCursor, FollowFrame, RunNote } from '../../engine/contract/api.ts';
import type { ErrorInfo } from '../../engine/contract/errors.ts';
import { keptNotes } from '../../engine/contract/notes.ts';
import { engine, keepAsking } from '../client/client.ts';
import { Pace } from './pace.ts';
import { GrowingSeries, readSeries, type Series } from './series.ts';

export { type Band, readSeries, type Series } from './series.ts';

export interface Ghost {
  from_step: number;
  series: Series;
  epochs: FollowFrame['epochs'];
}

export type RunHead = Pick<
  FollowFrame,
  | 'status'
  | 'progress'
  | 'epoch'
  | 'total_epochs'
  | 'step'
  | 'steps_per_epoch'
  | 'samples_per_second'
  | 'eta'
  | 'seconds'
  | 'device'
  | 'memory'
  | 'breakdown'
  | 'error'
> & {
  epochs: FollowFrame['epochs'];
  notes: RunNote[];
  ghosts: Ghost[];
  /** Why the run cannot be followed. */
  failure: ErrorInfo | null;
};

export interface LiveRun {
  /** null in `head` until the first frame. */
  head: StoreApi<{ head: RunHead | null }>;
  /** The same, told every two seconds: for what is looked back on rather than watched. */
  calm: StoreApi<{ head: RunHead | null }>;
  series(): Series;
  /** Called after each frame, about ten times a second; answers a function that ends it. */
  onFrame(listener: () => void): () => void;
}

/** Buckets that a chart can show; the engine thins to at most this many. */
const points = 1024;
/** The head is shown at most this often, so that React draws a few numbers now and then, not at each frame; `slow`: where frames cost much. */
const headMs = { usual: 500, slow: 1000 };
const slowFrameMs = 150;
const calmMs = 2000;
const beatOf = (ms: number) => Math.floor(performance.now() / ms);
const unseenMs = 900;
const quietMs = 150;

class Follower implements LiveRun {
  readonly head = createStore<{ head: RunHead | null }>(() => ({ head: null }));
  readonly calm = createStore<{ head: RunHead | null }>(() => ({ head: null }));
  users = 0;
  readonly #grown = new GrowingSeries();
  readonly #pace = new Pace();
  #newest: RunHead | null = null;
  #cursor: FollowCursor | null = null;
  #headDue: ReturnType<typeof setTimeout> | undefined;
  #calmDue: ReturnType<typeof setTimeout> | undefined;
  #shown = 0;
  #calmShown = 0;
  #wake = () => {};
  readonly #listeners = new Set<() => void>();
  readonly #end = new AbortController();

  constructor(run: string) {
    void keepAsking(
      async (signal) => {
        const gap = this.#pace.interval;
        const frame = await engine.runs.follow({ run, points, cursor: this.#cursor, gap }, { signal });
        const taken = this.#pace.begin();
        this.#take(frame);
        taken();
        await this.#rest(frame);
      },
      this.#end.signal,
      (error) => {
        const failure = error.toInfo();
        this.head.setState(({ head }) => ({ head: head ? { ...head, failure } : { ...blankHead, failure } }));
        return error.code !== 'RUN_NOT_FOUND';
      },
    );
  }

  series(): Series {
    return this.#grown.series;
  }

  onFrame(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#wake();
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    clearTimeout(this.#headDue);
    clearTimeout(this.#calmDue);
    this.#wake();
    this.#end.abort();
  }

  #take(frame: FollowFrame): void {
    const tail = readSeries(frame.series);
    const ghosts = frame.ghosts?.map((ghost) => ({ ...ghost, series: readSeries(ghost.series) })) ?? null;
    if (frame.reset) this.#grown.replace(tail);
    else this.#grown.splice(frame.from, tail);
    this.#cursor = frame.cursor;
    const before = frame.reset ? null : this.#newest;
    const { cursor: _cursor, reset: _reset, from: _from, series: _series, ...rest } = frame;
    this.#newest = {
      ...rest,
      epochs: before ? mergeEpochs(before.epochs, frame.epochs) : frame.epochs,
      // What has not changed stays the same object: whoever shows it need not draw it again.
      notes: !before
        ? frame.notes
        : frame.notes.length === 0
          ? before.notes
          : keptNotes([...before.notes, ...frame.notes]),
      ghosts: ghosts ?? before?.ghosts ?? [],
      failure: null,
    };
    for (const listener of this.#listeners) listener();
    const now = this.head.getState().head;
    const urgent = now === null || now.status !== frame.status || now.error?.message !== frame.error?.message;
    const ms = this.#pace.interval > slowFrameMs ? headMs.slow : headMs.usual;
    // With the frame, so that all that changes is drawn at once; by a timer only where no further frame comes.
    if (urgent || beatOf(ms) !== this.#shown) this.#showHead(ms);
    else this.#headDue ??= setTimeout(() => this.#showHead(ms), 2 * ms);
    if (urgent || beatOf(calmMs) !== this.#calmShown) this.#showCalm();
    else this.#calmDue ??= setTimeout(() => this.#showCalm(), 2 * calmMs);
  }

  /**
   * The cores that draw are those that train: where no chart is seen, or the last answer only moved a bucket that a chart cannot tell from
   * the one before, the next question waits a little longer.
   */
  #rest(frame: FollowFrame): Promise<void> {
    const quiet = !frame.reset && frame.series.buckets <= 1;
    const ms = this.#listeners.size === 0 || document.hidden ? unseenMs : quiet ? quietMs : 0;
    if (ms === 0 || this.#end.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #showHead(ms: number): void {
    clearTimeout(this.#headDue);
    this.#headDue = undefined;
    this.#shown = beatOf(ms);
    this.head.setState({ head: this.#newest });
  }

  #showCalm(): void {
    clearTimeout(this.#calmDue);
    this.#calmDue = undefined;
    this.#calmShown = beatOf(calmMs);
    this.calm.setState({ head: this.#newest });
  }
}

/** An epoch's end may be told twice: the later one holds. */
function mergeEpochs(before: FollowFrame['epochs'], more: FollowFrame['epochs']): FollowFrame['epochs'] {
  if (more.length === 0) return before;
  const first = Number(more[0]?.epoch);
  if (!(Number(before.at(-1)?.epoch) >= first)) return [...before, ...more];
  return [...before.filter(({ epoch }) => Number(epoch) < first), ...more];
}

const blankHead: RunHead = {
  status: 'interrupted',
  progress: null,
  epoch: 0,
  total_epochs: null,
  step: 0,
  steps_per_epoch: null,
  samples_per_second: null,
  eta: null,
  seconds: 0,
  device: null,
  memory: null,
  breakdown: null,
  error: null,
  epochs: [],
  notes: [],
  ghosts: [],
  failure: null,
};

const followers = new Map<string, Follower>();
/** A page that is left for another of the same run finds everything there. */
const keepMs = 5000;

/** Follows a run, by its folder, until the answered function is called. */
export function follow(run: string): { live: LiveRun; leave: () => void } {
  let follower = followers.get(run);
  if (!follower) {
    follower = new Follower(run);
    followers.set(run, follower);
  }
  const held = follower;
  held.users += 1;
  const leave = () => {
    held.users -= 1;
    setTimeout(() => {
      if (held.users > 0 || followers.get(run) !== held) return;
      followers.delete(run);
      held.close();
    }, keepMs);
  };
  return { live: held, leave };
}

/** The run of a folder, followed as long as the component lives; null where none is given. */
export function useFollowed(folder: string | null): LiveRun | null {
  const [live, setLive] = useState<LiveRun | null>(null);
  useEffect(() => {
    if (folder === null) return setLive(null);
    const followed = follow(folder);
    setLive(followed.live);
    return followed.leave;
  }, [folder]);
  return live;
}

const nothing = createStore<{ head: RunHead | null }>(() => ({ head: null }));

export function useHead(live: LiveRun | null): RunHead | null {
  return useStore(live?.head ?? nothing, ({ head }) => head);
}

/** A part of the head: its component is drawn again only when that part is another, not at each of a run's frames. */
export function useHeadPart<Part>(live: LiveRun | null, part: (head: RunHead | null) => Part): Part {
  return useStore(live?.head ?? nothing, ({ head }) => part(head));
}

/** The head for what is looked back on rather than watched: every two seconds, and when the run's state is another. */
export function useCalmHead(live: LiveRun | null): RunHead | null {
  return useStore(live?.calm ?? nothing, ({ head }) => head);
}

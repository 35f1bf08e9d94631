/** Runs as windows follow them: each run's series in memory while somebody looks at it, answered as frames of what is new since a cursor. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FollowCursor, type FollowFrame, frameMs, type SeriesWire, waitMs } from '../contract/api.ts';
import { type ErrorInfo, GradloomError } from '../contract/errors.ts';
import type { RunState } from '../contract/events.ts';
import { keptNotes } from '../contract/notes.ts';
import { Columns, type Thinned } from './columns.ts';
import { findRun, isRun } from './folder.ts';
import { JournalTail, parseLine, relocate } from './journal-reader.ts';
import { LiveSeries, readLine } from './live-series.ts';
import { describeRun, isLiveState } from './registry.ts';

export type Progress = NonNullable<FollowFrame['progress']>;

/** A run that nobody has asked about is forgotten after this time. */
const keepMs = 60_000;
/** A journal that does not grow is looked at this often; so is whether a silent run still lives. */
const idleMs = 1000;
const mostGhosts = 8;

class LiveRun {
  readonly folder: string;
  used = performance.now();
  series = new LiveSeries();
  status: RunState = 'preparing';
  error: ErrorInfo | null = null;
  readonly #tail: JournalTail;
  #reading: Promise<void> | null = null;
  #read = Number.NEGATIVE_INFINITY;
  #asked = Number.NEGATIVE_INFINITY;

  constructor(folder: string) {
    this.folder = folder;
    this.#tail = new JournalTail(folder);
  }

  get position(): number {
    return this.#tail.position;
  }

  /** Reads what is new, unless that was done in the last `freshMs`; followers that ask at the same time share one look. */
  async refresh(freshMs: number): Promise<void> {
    this.used = performance.now();
    if (!this.#reading && performance.now() - this.#read < freshMs) return;
    this.#reading ??= this.#refresh().finally(() => {
      this.#reading = null;
    });
    await this.#reading;
  }

  async #refresh(): Promise<void> {
    this.#read = performance.now();
    if (!isRun(this.folder)) throw gone(this.folder);
    const present = relocate(this.folder);
    const take = (lines: string[]) => {
      for (const line of lines) {
        const event = readLine(line, parseLine);
        if (event) this.series.take(present(event));
      }
    };
    let grew = await this.#tail.read(take);
    if (grew === 'replaced') {
      this.series = new LiveSeries();
      grew = await this.#tail.read(take);
    }
    // Whoever writes is alive. Asking costs the run a connection, so a silent one is asked once a second.
    const now = performance.now();
    const first = this.#asked === Number.NEGATIVE_INFINITY; // then it tells of old times
    if (isLiveState(this.series.status) && (first || grew !== true)) {
      if (now - this.#asked < idleMs) return;
      this.#asked = now;
      const { status, summary } = await describeRun(this.folder);
      this.status = status;
      this.error = this.series.error ?? summary?.error ?? null;
      return;
    }
    this.#asked = now;
    this.status = this.series.status;
    this.error = this.series.error;
  }
}

export class LiveRuns {
  readonly #runs = new Map<string, LiveRun>();
  readonly #progress: (folder: string) => Progress | null;
  #sweeping: NodeJS.Timeout | undefined;

  /** `progress`: how far the preparation of a run is that this service holds. */
  constructor(progress: (folder: string) => Progress | null = () => null) {
    this.#progress = progress;
  }

  /** @throws GradloomError RUN_NOT_FOUND, also when the run is deleted meanwhile */
  async follow(
    run: string,
    points: number,
    cursor: FollowCursor | null,
    { signal, patience = waitMs, gap = frameMs }: { signal?: AbortSignal; patience?: number; gap?: number } = {},
  ): Promise<FollowFrame> {
    const live = this.#open(await findRun(run));
    const until = performance.now() + patience;
    // The window has just shown a frame: the next one may wait for more to come.
    if (cursor && this.#lifeOf(live, points).life === cursor.life) await pause(gap, signal);
    for (;;) {
      await live.refresh(gap / 2);
      const changed = cursor === null || this.#versionOf(live, points) !== cursor.version;
      const left = until - performance.now();
      if (changed || left <= 0 || signal?.aborted) return this.#frame(live, points, cursor);
      const busy = isLiveState(live.status) || this.#progress(live.folder) !== null;
      await pause(Math.min(busy ? gap : idleMs, left), signal);
    }
  }

  /** Steps `from` to `to` for a closer look. @throws GradloomError RUN_NOT_FOUND */
  async series(run: string, from: number, to: number, points: number): Promise<SeriesWire> {
    const live = this.#open(await findRun(run));
    await live.refresh(frameMs / 2);
    const { columns } = live.series;
    const [start, end] = [columns.countUpTo(from - 1), columns.countUpTo(to)];
    return toWire(columns.thin(Columns.sizeFor(end - start, points), 0, start, Math.max(start, end)));
  }

  #open(folder: string): LiveRun {
    let live = this.#runs.get(folder);
    if (!live) {
      live = new LiveRun(folder);
      this.#runs.set(folder, live);
    }
    this.#sweeping ??= setInterval(() => this.#sweep(), keepMs / 4).unref();
    return live;
  }

  #sweep(): void {
    for (const [folder, { used }] of this.#runs) {
      if (performance.now() - used > keepMs) this.#runs.delete(folder);
    }
    if (this.#runs.size > 0) return;
    clearInterval(this.#sweeping);
    this.#sweeping = undefined;
  }

  /** Follows from the journal alone, so that a window goes on where it stood after the service was started anew. */
  #lifeOf({ series }: LiveRun, points: number): { life: string; size: number } {
    const size = Columns.sizeFor(series.columns.length, points);
    return { life: [series.born, series.cuts, size, series.columns.names.length].join('/'), size };
  }

  #versionOf(live: LiveRun, points: number): number {
    const { life } = this.#lifeOf(live, points);
    const whole = JSON.stringify([life, live.position, live.status, live.error, this.#progress(live.folder)]);
    return createHash('sha1').update(whole).digest().readUIntBE(0, 6);
  }

  #frame(live: LiveRun, points: number, cursor: FollowCursor | null): FollowFrame {
    const { series } = live;
    const { columns, epochs, notes, start } = series;
    const { life, size } = this.#lifeOf(live, points);
    const finished = Math.floor(columns.length / size);
    const reset = cursor === null || cursor.life !== life || cursor.buckets > finished;
    const from = reset ? 0 : cursor.buckets;
    const progress = this.#progress(live.folder);
    const status = progress ? 'preparing' : live.status;
    return {
      cursor: {
        life,
        buckets: finished,
        epochs: epochs.length,
        notes: notes.length,
        version: this.#versionOf(live, points),
      },
      reset,
      from,
      series: toWire(columns.thin(size, from)),
      ...(reset && series.ghosts.length > 0 ? { ghosts: ghostsOf(series, points) } : {}),
      epochs: epochs.slice(reset ? 0 : cursor.epochs),
      notes: keptNotes(reset ? notes : notes.slice(cursor.notes)),
      status,
      progress,
      epoch: series.epoch,
      total_epochs: start?.epochs ?? null,
      step: series.step,
      steps_per_epoch: start?.steps_per_epoch ?? null,
      samples_per_second: series.samplesPerSecond,
      eta: status === 'running' ? series.eta : null,
      seconds: series.seconds,
      device: start?.device ?? null,
      memory: series.memory,
      breakdown: series.breakdown,
      error: live.error,
    };
  }
}

function ghostsOf({ ghosts }: LiveSeries, points: number): NonNullable<FollowFrame['ghosts']> {
  return ghosts.slice(-mostGhosts).map(({ from_step, columns, epochs }) => ({
    from_step,
    series: toWire(columns.thin(Columns.sizeFor(columns.length, points))),
    epochs,
  }));
}

function toWire({ columns, buckets, size, values }: Thinned): SeriesWire {
  return { columns, buckets, size, values: Buffer.from(values.buffer).toString('base64') };
}

function gone(folder: string): GradloomError {
  return new GradloomError('RUN_NOT_FOUND', `The run ${folder} is gone`, {
    hint: 'It was deleted, renamed or moved.',
    path: folder,
  });
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(ms, undefined, signal ? { signal } : {}).catch(() => {});
}
